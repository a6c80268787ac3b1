//! The host port, and what the program's maps answer it.

use super::slot::Slot;
use super::{Loops, Top, TopIn};
use crate::sizes::{clear_words, host_widths, slot_bits};
use hardpath_blocks::host::{host, Host, HostIn, HostOut, MapAnswer};
use hardpath_blocks::ingress::IngressOut;
use hardpath_rtl::signals::Signals;
use hardpath_rtl::Node;

impl Top<'_> {
    /// What the host port is answered, before the program is there.
    pub(super) fn answer_wires(&mut self) -> MapAnswer {
        let (key_bits, value_bits) = host_widths(self.program.maps.values());
        let has_maps = self.has.maps;
        let widths = MapAnswer::of(key_bits, value_bits, slot_bits(self.program.maps.values()));
        widths.map(&mut |name, _, width| match has_maps {
            true => self.m.wire(width, name),
            false => self.m.zero(width),
        })
    }

    pub(super) fn host_port(
        &mut self,
        inputs: &TopIn,
        entrance: &IngressOut,
        loops: &Loops,
    ) -> HostOut {
        self.m.section("Host port");
        let (key_bits, value_bits) = host_widths(self.program.maps.values());
        let block = host(&Host {
            name: format!("{}_host", self.prefix),
            design_id: self.design_id,
            maps: self.program.maps.len() as u32,
            key_bits,
            value_bits,
            long: None,
            slot_bits: slot_bits(self.program.maps.values()),
            has_port_table: self.has.port,
            prepares: self.has.prepares(),
            repeats: (self.program.maps.values()).any(|map| map.entries_may_move()),
            found_at_once: false,
            clear_words: clear_words(self.program.maps.values()),
            events: 0,
        });
        let inputs = HostIn {
            lite: inputs.lite.clone(),
            packet_in: entrance.packet_valid,
            dropped_bad: entrance.dropped_bad,
            dropped_length: entrance.dropped_length,
            fate_valid: loops.fate_valid,
            counted: loops.counted,
            answer: loops.answer.clone(),
            map_prepared: loops.map_prepared,
            early_port: entrance.early.as_ref().map(|early| early.early_port),
            long: None,
            event: Vec::new(),
        };
        block.place(self.design, &mut self.m, "host", inputs).out
    }

    /// The program's answers. `lists_prepared`: the device lists are ready for the operation.
    pub(super) fn answer_host(&mut self, slot: &Slot, lists_prepared: Option<Node>, loops: &Loops) {
        let program = &slot.out;
        if let Some(answer) = &program.answer {
            self.m.drive_ports(loops.answer.clone(), answer.clone());
        }
        if let Some(prepared) = loops.map_prepared {
            let tries = program.map_prepared;
            let all: Vec<Node> = tries.into_iter().chain(lists_prepared).collect();
            let node = self.m.and(&all);
            self.m.drive(prepared, node);
        }
    }
}
