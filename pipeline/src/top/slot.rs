//! The program slot: the compute pipeline between entrance and results.

use super::{Placed, Top};
use hardpath_blocks::host::HostOut;
use hardpath_blocks::ingress::IngressOut;
use hardpath_rtl::signals::Signals;
use hardpath_rtl::Node;

/// The program in its slot.
pub(super) struct Slot {
    pub(super) placed: Placed,
    /// Where the packet that enters came in, from a register; `None`: nobody asks.
    pub(super) ingress_ifindex: Option<Node>,
}

/// The instance of the compute module. No language has this word, so that it is called the same everywhere.
pub(super) const PIPELINE: &str = "pipeline";

impl Top<'_> {
    pub(super) fn slot(&mut self, entrance: &IngressOut, host: &HostOut) -> Slot {
        self.m.section("Program");
        let has = self.has;
        let window_bits = self.compute.window_bytes * 8;
        let packet = self.m.slice(entrance.window, 0, window_bits);
        let mut inputs = vec![
            ("packet_valid".to_owned(), entrance.packet_valid),
            ("packet".to_owned(), packet),
            ("packet_length".to_owned(), entrance.packet_length),
        ];
        let drawn = &entrance.drawn;
        for (name, node) in [
            ("time_ns", drawn.packet_time_ns),
            ("random", drawn.packet_random),
            ("egress_ifindex", drawn.packet_egress_ifindex),
        ] {
            inputs.extend(node.map(|node| (name.to_owned(), node)));
        }
        let ports = host.ports.as_ref();
        let asks = has.ifindex || has.repeats;
        let ingress_ifindex = ports
            .filter(|_| asks)
            .map(|ports| self.m.delay("ingress_ifindex", ports.port_ifindex));
        if has.ifindex {
            inputs.extend(ingress_ifindex.map(|node| ("ingress_ifindex".to_owned(), node)));
        }
        if let (true, Some(early), Some(ports)) = (has.queue, &entrance.early, ports) {
            let sum = self.m.add(early.early_queue, ports.port_queue);
            let early = self.m.zext(sum, 32);
            let queue = self.m.delay("rx_queue_index", early);
            inputs.push(("rx_queue_index".to_owned(), queue));
        }
        if has.maps {
            inputs.push(("host_inject".to_owned(), host.inject));
            let question = host.question.clone();
            question.map(&mut |name, _, node| {
                if name != "map_start" || has.tries {
                    inputs.push((name.to_owned(), node));
                }
            });
        }
        let inputs: Vec<(&str, Node)> = inputs
            .iter()
            .map(|(name, node)| (name.as_str(), *node))
            .collect();
        let module = self.design.add(self.compute.module.clone());
        Slot {
            placed: self.place(module, PIPELINE, &inputs),
            ingress_ifindex,
        }
    }
}
