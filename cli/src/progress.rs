//! How far something long has come: a bar on a terminal for what takes longer than two seconds, or, where it is asked for,
//! a line now and then.

use hardpath_ir::count::grouped;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Nothing shorter than this shows a bar.
const PATIENCE: Duration = Duration::from_secs(2);
/// Seconds between two lines.
const LINE_SECONDS: u64 = 5;
/// The clock is looked at whenever so many more are done.
const STEP: u64 = 256;

/// Counts something, and shows it once it has taken long enough.
pub struct Progress {
    what: &'static str,
    /// How far it goes; `None`: nobody knows.
    total: Option<u64>,
    started: Instant,
    display: Display,
    /// What was counted last.
    done: AtomicU64,
}

enum Display {
    Nothing,
    Bar(OnceLock<ProgressBar>),
    /// Seconds from the start to the last line.
    Lines(AtomicU64),
}

impl Progress {
    /// So many of `what`, in the plural: `programs`. Shown on a terminal only.
    pub fn new(what: &'static str, total: usize) -> Progress {
        Progress::through(what, Some(total as u64), false)
    }

    /// Through something that has a length of its own, such as a file. With `always` there are lines where there is no
    /// terminal.
    pub fn through(what: &'static str, total: Option<u64>, always: bool) -> Progress {
        Progress {
            what,
            total,
            started: Instant::now(),
            display: match (std::io::stderr().is_terminal(), always) {
                (true, _) => Display::Bar(OnceLock::new()),
                (false, true) => Display::Lines(AtomicU64::new(0)),
                (false, false) => Display::Nothing,
            },
            done: AtomicU64::new(0),
        }
    }

    pub fn set(&self, done: usize) {
        self.show(done as u64, done as u64, || match self.total {
            Some(total) => format!(
                "{} of {} {}",
                grouped(done as u64),
                grouped(total),
                self.what
            ),
            None => format!("{} {}", grouped(done as u64), self.what),
        });
    }

    /// So many were counted on the way to `position` of the whole length. Cheap: most calls do nothing.
    pub fn reach(&self, count: u64, position: u64) {
        self.done.store(count, Ordering::Relaxed);
        if count.is_multiple_of(STEP) {
            self.show(count, position, || self.rate(count));
        }
    }

    fn show(&self, count: u64, position: u64, text: impl Fn() -> String) {
        self.done.store(count, Ordering::Relaxed);
        match &self.display {
            Display::Nothing => {}
            Display::Bar(bar) => {
                if self.started.elapsed() >= PATIENCE {
                    let bar = bar.get_or_init(|| self.make_bar());
                    bar.set_message(text());
                    bar.set_position(position);
                }
            }
            Display::Lines(last) => {
                let seconds = self.started.elapsed().as_secs();
                if seconds >= last.load(Ordering::Relaxed) + LINE_SECONDS {
                    last.store(seconds, Ordering::Relaxed);
                    eprintln!("progress: {}{}", text(), self.time_left(position));
                }
            }
        }
    }

    /// `1,234,567 packets, 45,000 a second`.
    fn rate(&self, count: u64) -> String {
        let a_second = count as f64 / self.started.elapsed().as_secs_f64().max(1e-3);
        let (count, a_second) = (grouped(count), grouped(a_second as u64));
        format!("{count} {}, {a_second} a second", self.what)
    }

    fn time_left(&self, position: u64) -> String {
        match self.total {
            Some(total) if (1..total).contains(&position) => {
                let of_past = (total - position) as f64 / position as f64;
                let seconds = self.started.elapsed().as_secs_f64() * of_past;
                format!(", {seconds:.0} s left")
            }
            _ => String::new(),
        }
    }

    fn make_bar(&self) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(self.total, ProgressDrawTarget::stderr());
        let template = match self.total {
            Some(_) => "{wide_bar} {msg}, {eta} left",
            None => "{spinner} {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.with_elapsed(self.started.elapsed())
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        match &self.display {
            Display::Nothing => {}
            Display::Bar(bar) => {
                if let Some(bar) = bar.get() {
                    bar.finish_and_clear();
                }
            }
            Display::Lines(_) => {
                let done = self.done.load(Ordering::Relaxed);
                eprintln!("progress: {}", self.rate(done));
            }
        }
    }
}
