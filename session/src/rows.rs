//! A program's rows in the place of a design: their interpreter runs one packet behind the other, on maps that whoever calls has. It has
//! no clock, no ports and no host; what a packet comes to is what the core that runs these rows must come to.

use hardpath_core::image::Image;
use hardpath_core::interpreter::{Core, RowError, MOST_ROWS};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::maps::Maps;
use hardpath_packet::{Fate, Sideband};

/// An image out of reset, and what its packets have taken so far.
pub struct Rows<'a> {
    core: Core<'a>,
    counts: RowCounts,
}

/// What packets took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RowCounts {
    /// Packets that came to their end.
    pub packets: u64,
    /// Rows of all of them.
    pub rows: u64,
    /// Operations that happened in these rows.
    pub operations: u64,
    /// Rows of the packet that took the most.
    pub most_rows: u64,
}

impl<'a> Rows<'a> {
    /// Of an image that the compiler or the reader of its file gave.
    pub fn new(image: &'a Image) -> Rows<'a> {
        Rows {
            core: Core::new(image),
            counts: RowCounts::default(),
        }
    }

    /// Runs the program on a packet. The maps must be those of the program.
    ///
    /// # Errors
    /// `run-without-end`: the watchdog fires. `row-missing`: the program goes where there is no row.
    pub fn run(
        &mut self,
        maps: &mut Maps,
        packet: &[u8],
        sideband: &Sideband,
    ) -> Result<Fate, Diagnostic> {
        let ran = self.core.run(MOST_ROWS, maps, packet, sideband);
        let ran = ran.map_err(told)?;
        self.counts.packets += 1;
        self.counts.rows += ran.rows;
        self.counts.operations += ran.operations;
        self.counts.most_rows = self.counts.most_rows.max(ran.rows);
        Ok(ran.fate)
    }

    /// What the packets have taken so far.
    pub fn counts(&self) -> RowCounts {
        self.counts
    }
}

fn told(error: RowError) -> Diagnostic {
    match error {
        RowError::Rows { .. } => {
            let message = format!("the watchdog of the rows fires: {error}");
            Diagnostic::input("run-without-end", message)
                .help("give the loop a way out of it that every packet comes to")
        }
        RowError::NoRow { .. } => {
            Diagnostic::defect("row-missing", format!("of the compiled rows: {error}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardpath_core::text;

    fn ran(text: &str) -> Result<(Fate, RowCounts), Diagnostic> {
        let image = text::parse(text).expect("rows");
        let mut maps = Maps::new(&image.maps);
        let mut rows = Rows::new(&image);
        let fate = rows.run(&mut maps, &[0; 60], &Sideband::default())?;
        Ok((fate, rows.counts()))
    }

    const HEAD: &str = "core \"p\" lanes 1 registers 16 stack 0\noutput \"verdict\" 3\n";

    #[test]
    fn packets_are_counted() {
        let text = format!(
            "{HEAD}row0:\n    lane0: r0.1 = move 3\nrow1:\n    lane0: exit drop to back with 2\n"
        );
        let (fate, counts) = ran(&text).expect("an end");
        assert_eq!(fate.first_output(), 2);
        let expected = RowCounts {
            packets: 1,
            rows: 2,
            operations: 2,
            most_rows: 2,
        };
        assert_eq!(counts, expected);
    }

    #[test]
    fn the_watchdog_is_an_error() {
        let error = ran(&format!("{HEAD}row0:\n    lane0: branch row0\n")).expect_err("no end");
        assert_eq!(error.code, "run-without-end");
        assert!(error.message.contains("16777216 rows"), "{}", error.message);
        let error = ran(&format!("{HEAD}row0:\n    lane0: indirect 7\n")).expect_err("no row");
        assert_eq!(error.code, "row-missing");
    }
}
