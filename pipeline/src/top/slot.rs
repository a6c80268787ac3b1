//! The program slot: the compute pipeline between entrance and results.

use super::Top;
use crate::slot::{GivenIn, MapsIn, ProgramIn, ProgramOut};
use hardpath_blocks::host::{HostOut, MapQuestion};
use hardpath_blocks::ingress::IngressOut;
use hardpath_rtl::signals::Block;
use hardpath_rtl::Node;

/// The program in its slot.
pub(super) struct Slot {
    pub(super) out: ProgramOut,
    /// Where the packet that enters came in, from a register; `None`: nobody asks.
    pub(super) ingress: Option<Node>,
}

/// The instance of the compute module. No language has this word, so that it is called the same everywhere.
pub(super) const PIPELINE: &str = "pipeline";

impl Top<'_> {
    pub(super) fn slot(
        &mut self,
        program: Block<ProgramIn, ProgramOut>,
        entrance: &IngressOut,
        host: &HostOut,
    ) -> Slot {
        self.m.section("Program");
        let has = self.has;
        let window_bits = self.compute.window_bytes * 8;
        let packet = self.m.slice(entrance.window, 0, window_bits);
        let ports = host.ports.as_ref();
        let asks = has.interface || has.repeats;
        let ingress = ports
            .filter(|_| asks)
            .map(|ports| self.m.delay("ingress", ports.port_interface));
        let early = entrance.early.as_ref().zip(ports);
        let queue = early.filter(|_| has.queue).map(|(early, ports)| {
            let sum = self.m.add(early.early_queue, ports.port_queue);
            let early = self.m.zext(sum, 32);
            self.m.delay("queue", early)
        });
        let drawn = &entrance.drawn;
        let given = GivenIn {
            packet_length: entrance.packet_length,
            ingress: ingress.filter(|_| has.interface),
            queue,
            egress: drawn.packet_egress,
            time_ns: drawn.packet_time_ns,
            random: drawn.packet_random,
            packet_sum: entrance.packet_sum,
            own: drawn.packet_own,
        };
        let question = host.question.clone();
        let inputs = ProgramIn {
            packet_valid: entrance.packet_valid,
            packet,
            given,
            maps: has.maps.then_some(MapsIn {
                host_inject: host.inject,
                question: MapQuestion {
                    // Device lists are told, too.
                    map_start: question.map_start.filter(|_| has.matched),
                    ..question
                },
            }),
        };
        Slot {
            out: program
                .place(self.design, &mut self.m, PIPELINE, inputs)
                .out,
            ingress,
        }
    }
}
