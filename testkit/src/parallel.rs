//! Work that a single test has much of, on all processors. What comes of it is the same as on one.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;

/// The results of so many pieces of work, in their order.
///
/// # Panics
/// One of them panics.
pub fn map<R: Send>(count: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let done = Mutex::new(Vec::with_capacity(count));
    each(count, |index| {
        let result = work(index);
        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
        done.push((index, result));
        true
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The first result of so many pieces of work, of which those behind it may be done in vain.
///
/// # Panics
/// One of them panics.
pub fn first<R: Send>(count: usize, work: impl Fn(usize) -> Option<R> + Sync) -> Option<R> {
    let found: Mutex<Option<(usize, R)>> = Mutex::new(None);
    each(count, |index| {
        let Some(result) = work(index) else {
            return true;
        };
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        if found.as_ref().is_none_or(|(other, _)| index < *other) {
            *found = Some((index, result));
        }
        false
    });
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.map(|(_, result)| result)
}

/// Takes one piece after the other, until one says that no further ones are to be taken.
fn each(count: usize, work: impl Fn(usize) -> bool + Sync) {
    let next = AtomicUsize::new(0);
    let worker = || loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        if index >= count {
            return;
        }
        if !work(index) {
            next.store(count, Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..available_parallelism().map_or(1, usize::from) {
            scope.spawn(worker);
        }
        worker();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_the_order_of_the_work() {
        assert_eq!(map(100, |index| index * 2)[..4], [0, 2, 4, 6]);
        assert_eq!(map(0, |index| index), []);
        // What comes earlier and takes longer is the first, too.
        let slow = |index: usize| {
            if index == 40 {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            (index >= 40).then_some(index)
        };
        assert_eq!(first(100, slow), Some(40));
        assert_eq!(first(30, slow), None);
    }
}
