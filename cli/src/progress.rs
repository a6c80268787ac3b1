//! A progress bar for what takes longer than two seconds, on a terminal only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Nothing shorter than this shows a bar.
const PATIENCE: Duration = Duration::from_secs(2);

/// How far something has come. Counts only; draws once it has taken long enough.
pub struct Progress {
    what: &'static str,
    total: u64,
    started: Instant,
    is_terminal: bool,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    /// `what` is counted, in the plural: `packets`.
    pub fn new(what: &'static str, total: usize) -> Progress {
        Progress {
            what,
            total: total as u64,
            started: Instant::now(),
            is_terminal: std::io::stderr().is_terminal(),
            bar: OnceLock::new(),
        }
    }

    pub fn set(&self, done: usize) {
        if !self.is_terminal || self.started.elapsed() < PATIENCE {
            return;
        }
        self.bar
            .get_or_init(|| self.make_bar())
            .set_position(done as u64);
    }

    fn make_bar(&self) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(Some(self.total), ProgressDrawTarget::stderr());
        if let Ok(style) =
            ProgressStyle::with_template("{wide_bar} {human_pos} of {human_len} {msg}, {eta} left")
        {
            bar.set_style(style);
        }
        bar.with_message(self.what)
            .with_elapsed(self.started.elapsed())
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
