//! What the packets of a core took: rows, and why clocks passed in which none began.

use hardpath_ir::count::{counted, grouped};
use hardpath_session::RowCounts;
use hardpath_testbed::host::{Event, Events, Stall};
use serde_json::{json, Map, Value};
use std::fmt::Write;

/// Of a run.
pub struct RowClocks {
    /// Packets that came to their end.
    packets: u64,
    rows: u64,
    /// Operations in a row: those that happened, or those of the image where only its hardware ran.
    operations_per_row: f64,
    /// What the hardware has counted while packets came; `None`: the interpreter of rows ran.
    events: Option<Events>,
}

impl RowClocks {
    /// Of the interpreter of rows.
    pub fn interpreted(counts: &RowCounts) -> RowClocks {
        RowClocks {
            packets: counts.packets,
            rows: counts.rows,
            operations_per_row: counts.operations as f64 / counts.rows.max(1) as f64,
            events: None,
        }
    }

    /// Of hardware that has run so many packets. `operations_per_row`: of the image.
    pub fn counted(packets: u64, events: Events, operations_per_row: f64) -> RowClocks {
        RowClocks {
            packets,
            rows: events.of(Event::Rows),
            operations_per_row,
            events: Some(events),
        }
    }

    fn of_a_packet(&self, count: u64) -> f64 {
        count as f64 / self.packets.max(1) as f64
    }

    /// The keys of `hardpath sim --json` that only cores have.
    pub fn put_into(&self, object: &mut Value) {
        object["rows_per_packet"] = json!(self.of_a_packet(self.rows));
        object["operations_per_row"] = json!(self.operations_per_row);
        let of = |event: Event| self.events.map(|events| events.of(event));
        object["answers"] = json!(of(Event::Answers));
        object["reruns"] = json!(of(Event::Reruns));
        object["overflows"] = json!(of(Event::Overflows));
        object["cuts"] = json!(of(Event::Cuts));
        let stalls =
            Stall::ALL.map(|stall| (stall.name().to_owned(), json!(of(Event::Stall(stall)))));
        object["stalls"] = match self.events {
            Some(_) => Value::Object(Map::from_iter(stalls)),
            None => Value::Null,
        };
    }

    /// For people.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let rows = format!(
            "{:.1} a packet, {:.2} operations in each",
            self.of_a_packet(self.rows),
            self.operations_per_row
        );
        let mut lines = vec![("rows", rows)];
        let Some(events) = self.events else {
            return lines;
        };
        let again = events.of(Event::Reruns);
        let mut reruns = format!("{} began again", counted(again, "packet"));
        for (event, what) in [
            (
                Event::Overflows,
                "had read or added more than there is room for",
            ),
            (Event::Cuts, "were ended by the watchdog"),
        ] {
            if events.of(event) > 0 {
                let _ = write!(reruns, "; {} {what}", grouped(events.of(event)));
            }
        }
        lines.push(("reruns", reruns));
        let all = events.clocks();
        let mut stalls = Stall::ALL.map(|stall| (events.of(Event::Stall(stall)), stall));
        stalls.sort_by_key(|(clocks, _)| std::cmp::Reverse(*clocks));
        for (clocks, stall) in stalls.into_iter().filter(|(clocks, _)| *clocks > 0) {
            let part = 100.0 * clocks as f64 / all.max(1) as f64;
            let text = format!(
                "{} clocks ({part:.1} %): {}",
                grouped(clocks),
                stall.meaning()
            );
            lines.push(("no row", text));
        }
        lines
    }
}
