//! Ends of packets that enter the program before all of them is in: the FIFO in which they wait for the exit.

use super::Top;
use hardpath_blocks::cut_through::EndIn;
use hardpath_blocks::egress::last_byte;
use hardpath_blocks::fifo::{fifo, FifoIn};
use hardpath_blocks::ingress::IngressOut;
use hardpath_rtl::signals::Signals;
use hardpath_rtl::Node;

/// The oldest end.
pub(super) struct Ends {
    pub(super) end: EndIn,
    /// A wire: it is used up.
    pub(super) pop: Node,
}

impl Top<'_> {
    /// `None`: packets enter the program when all of them is in, and their results have their ends.
    pub(super) fn ends(&mut self, entrance: &IngressOut) -> Option<Ends> {
        let told = entrance.end.as_ref()?;
        self.m
            .section("Ends: what the entrance finds out behind a packet's first beats waits here for the exit");
        let moves = self.compute.moved.as_ref();
        let widths = self.egress().end_widths(moves);
        let m = &mut self.m;
        let (last, empty) = last_byte(m, told.end_length);
        let pop = m.wire(1, "end_pop");
        // What does not go through the FIFO is there already.
        let end = EndIn {
            end_valid: told.end_known,
            end_bad: told.end_bad,
            end_length: widths.end_length.map(|_| told.end_length),
            end_last_byte: widths.end_last_byte.map(|_| last),
            end_empty: widths.end_empty.map(|_| empty),
            frames_behind: told.frames_behind,
        };
        let waits = |name: &str| !matches!(name, "end_valid" | "frames_behind");
        let mut parts = Vec::new();
        end.clone().map(&mut |name, _, part| {
            if waits(name) {
                parts.push(part);
            }
        });
        let word = m.concat(&parts);
        let width = m.width(word);
        let inputs = FifoIn {
            push: told.end_known,
            data_in: word,
            pop,
        };
        let block = fifo(&format!("{}_ends", self.prefix), width, self.credits);
        let ends = block.place(self.design, &mut self.m, "ends", inputs).out;
        let mut at = width;
        let end = end.map(&mut |name, _, part| match name {
            "end_valid" => ends.valid,
            name if waits(name) => {
                let bits = self.m.width(part);
                at -= bits;
                self.m.slice(ends.data_out, at, bits)
            }
            _ => part,
        });
        Some(Ends { end, pop })
    }
}
