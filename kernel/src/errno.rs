//! Errors of map operations (`include/uapi/asm-generic/errno-base.h`), as `bpf(2)` and programs get them: negative numbers,
//! and 0 for what was done.

use crate::flag;
use crate::{first_word, has_program, MapType};
use hardpath_registers::Answer;

/// There is no such entry.
pub const ENOENT: i64 = -2;
/// The map is full, or has no such index.
pub const E2BIG: i64 = -7;
/// The value of a socket map is no socket.
pub const EBADF: i64 = -9;
/// The entry exists.
pub const EEXIST: i64 = -17;
/// Nothing that this map does.
pub const EINVAL: i64 = -22;
/// A trie is full.
pub const ENOSPC: i64 = -28;
/// The queue of a CPU map's entry is too long.
pub const EOVERFLOW: i64 = -75;

/// Its name, for messages.
pub fn name(errno: i64) -> String {
    match errno {
        0 => "0".into(),
        ENOENT => "ENOENT".into(),
        E2BIG => "E2BIG".into(),
        EBADF => "EBADF".into(),
        EEXIST => "EEXIST".into(),
        EINVAL => "EINVAL".into(),
        ENOSPC => "ENOSPC".into(),
        EOVERFLOW => "EOVERFLOW".into(),
        other => format!("errno {}", -other),
    }
}

/// What `bpf_map_update_elem` returns, where the table answers what it does to [`flag::may`] of these flags.
pub fn of_update(map_type: MapType, flags: u64, answer: Answer) -> i64 {
    let others = match map_type.is_array() {
        true => flags & !flag::LOCK,
        false => flags,
    };
    match of_known_flags(map_type, answer) {
        _ if others > flag::EXIST => EINVAL,
        EINVAL if answer == Answer::Refused && flags == flag::NOEXIST => EEXIST,
        other => other,
    }
}

/// The same for flags that the kernel knows and that are not [`flag::NOEXIST`] where that means nothing.
pub fn of_known_flags(map_type: MapType, answer: Answer) -> i64 {
    match answer {
        Answer::Done => 0,
        Answer::Missing => ENOENT,
        Answer::Exists => EEXIST,
        Answer::Refused => EINVAL,
        // trie_update_elem
        Answer::BadIndex if map_type.is_trie() => EINVAL,
        Answer::Full if map_type.is_trie() => ENOSPC,
        Answer::Full | Answer::BadIndex => E2BIG,
    }
}

/// What `bpf_map_delete_elem` returns. An array answers [`Answer::Refused`] (`array_map_delete_elem`).
pub fn of_delete(answer: Answer) -> i64 {
    match answer {
        Answer::Done => 0,
        Answer::Missing => ENOENT,
        _ => EINVAL,
    }
}

/// What an update of the host fails with because of its value, before any table is asked (`__dev_map_update_elem`,
/// `__dev_map_hash_update_elem`, `__cpu_map_update_elem`, `xsk_map_update_elem`); 0: nothing.
pub fn of_value(map_type: MapType, value: &[u8]) -> i64 {
    let number = first_word(value);
    match map_type {
        MapType::DevMapHash if number == 0 => EINVAL,
        MapType::DevMap if number == 0 && has_program(value) => EINVAL,
        MapType::CpuMap if number > MapType::LONGEST_CPU_QUEUE => EOVERFLOW,
        MapType::XskMap if number == 0 => EBADF,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flag::{may, ANY, EXIST, LOCK, NOEXIST};
    use hardpath_registers::May;

    /// What a table answers that is full, or has the key.
    fn answer(may: May, exists: bool) -> Answer {
        match exists {
            _ if may == May::NOTHING => Answer::Refused,
            true if !may.replace => Answer::Exists,
            false if !may.create => Answer::Missing,
            true => Answer::Done,
            false => Answer::Full,
        }
    }

    #[test]
    fn updates_return_what_the_kernels_do() {
        let cases = [
            (MapType::Hash, ANY, true, 0),
            (MapType::Hash, ANY, false, E2BIG),
            (MapType::Hash, NOEXIST, true, EEXIST),
            (MapType::Hash, EXIST, false, ENOENT),
            (MapType::Hash, 3, true, EINVAL),
            (MapType::Hash, LOCK, true, EINVAL),
            (MapType::LpmTrie, ANY, false, ENOSPC),
            (MapType::LpmTrie, NOEXIST, true, EEXIST),
            (MapType::Array, ANY, true, 0),
            (MapType::Array, EXIST, true, 0),
            (MapType::Array, NOEXIST, true, EEXIST),
            (MapType::Array, 3, true, EINVAL),
            (MapType::Array, LOCK, true, EINVAL),
            (MapType::Array, LOCK | NOEXIST, true, EEXIST),
            (MapType::DevMap, NOEXIST, true, EEXIST),
            (MapType::DevMap, NOEXIST, false, EEXIST),
            (MapType::DevMap, EXIST, true, 0),
            (MapType::DevMapHash, EXIST, false, E2BIG),
            (MapType::XskMap, EXIST, false, ENOENT),
        ];
        for (map_type, flags, exists, expected) in cases {
            let given = of_update(map_type, flags, answer(may(map_type, flags), exists));
            assert_eq!(name(given), name(expected), "{map_type:?} {flags} {exists}");
        }
        let outside = |map_type, flags| of_update(map_type, flags, Answer::BadIndex);
        assert_eq!(outside(MapType::Array, LOCK), E2BIG);
        assert_eq!(outside(MapType::Array, 3), EINVAL);
        assert_eq!(outside(MapType::CpuMap, NOEXIST), E2BIG);
        assert_eq!(outside(MapType::LpmTrie, NOEXIST), EINVAL);
    }

    #[test]
    fn deletes_return_what_the_kernels_do() {
        assert_eq!(of_delete(Answer::Done), 0);
        assert_eq!(of_delete(Answer::Missing), ENOENT);
        assert_eq!(of_delete(Answer::Refused), EINVAL);
        assert_eq!(of_delete(Answer::BadIndex), EINVAL);
    }

    #[test]
    fn values_that_no_map_takes() {
        assert_eq!(of_value(MapType::XskMap, &[0; 4]), EBADF);
        assert_eq!(of_value(MapType::DevMap, &[0; 8]), 0);
        assert_eq!(of_value(MapType::DevMap, &[0, 0, 0, 0, 5, 0, 0, 0]), EINVAL);
        assert_eq!(of_value(MapType::DevMapHash, &[0; 4]), EINVAL);
        assert_eq!(
            of_value(MapType::CpuMap, &16_385_u32.to_le_bytes()),
            EOVERFLOW
        );
        assert_eq!(of_value(MapType::CpuMap, &16_384_u32.to_le_bytes()), 0);
    }
}
