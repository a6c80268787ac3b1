//! Packets that are sent to all devices in a map: the maps' lists, and the repeater in front of the exit.

use super::{Placed, Top};
use hardpath_blocks::device_list::{device_list, DeviceList};
use hardpath_blocks::fifo::{fifo, FifoIn};
use hardpath_blocks::index_bits;
use hardpath_blocks::repeater::{repeater, Repeater};
use hardpath_ir::{destination, MapId};
use hardpath_rtl::Node;

/// The lists, before the exit is there.
pub(super) struct Lists {
    lists: Vec<(MapId, Placed, ListWires)>,
    packet_left: Node,
    /// To the host port: all lists are ready for its operation.
    pub prepared: Node,
    /// To the entrance: one of them is being changed.
    pub hold: Node,
}

struct ListWires {
    index: Node,
    read: Node,
}

/// What the repeater gives.
pub(super) struct Repeated {
    pub valid: Node,
    pub destination: Node,
    pub again: Node,
    pub nobody: Node,
    /// The head of the result FIFO is used up: the packet has left.
    pub pop: Node,
}

impl Top<'_> {
    /// The maps through which packets are broadcast.
    pub(super) fn broadcast_maps(&self) -> Vec<MapId> {
        let maps = self.program.maps.iter();
        let all = maps.filter(|(_, decl)| decl.broadcast && self.compute.has_destination);
        all.map(|(map, _)| map).collect()
    }

    /// A list for each map. `map_done` and `map_errno` are the host operation's.
    pub(super) fn device_lists(
        &mut self,
        host_port: Placed,
        entrance: Placed,
        packet_left: Node,
        (map_done, map_errno): (Node, Node),
    ) -> Lists {
        self.m
            .section("Device lists: where packets go that are broadcast");
        let select = self.get(host_port, "map_select");
        let in_flight = self.get(entrance, "in_flight");
        let key = self.get(host_port, "host_key");
        let key = self.m.slice(key, 0, 32);
        let from_host = ["map_start", "inject", "host_command", "host_value"]
            .map(|port| (port, self.get(host_port, port)));
        let mut lists = Vec::new();
        let (mut prepared, mut holds) = (Vec::new(), Vec::new());
        for (number, map) in self.broadcast_maps().into_iter().enumerate() {
            let decl = &self.program.maps[map];
            let config = DeviceList {
                name: format!("{}_devices_{number}", self.prefix),
                map: decl.name.clone(),
                entries: decl.max_entries,
                flight_bits: self.m.width(in_flight),
                value_bits: self.m.width(from_host[3].1),
            };
            let bits = DeviceList::index_bits(decl.max_entries);
            let wires = ListWires {
                index: self.m.wire(bits, format!("devices_{number}_index")),
                read: self.m.wire(1, format!("devices_{number}_read")),
            };
            let selected = self.m.eq_const(select, u64::from(map.as_u32()));
            let mut inputs = vec![
                ("selected", selected),
                ("map_done", map_done),
                ("map_errno", map_errno),
                ("host_key", key),
                ("in_flight", in_flight),
                ("packet_left", packet_left),
                ("index", wires.index),
                ("read", wires.read),
            ];
            inputs.extend(from_host);
            let name = format!("devices_{number}");
            let placed = self.add(device_list(&config), &name, &inputs);
            prepared.push(self.get(placed, "prepared"));
            holds.push(self.get(placed, "hold"));
            lists.push((map, placed, wires));
        }
        Lists {
            lists,
            packet_left,
            prepared: self.m.and(&prepared),
            hold: self.m.or(&holds),
        }
    }

    /// The repeater. `entered`: a packet enters the program, at the interface `ingress`. `head`: valid, verdict and
    /// destination of the oldest result. `taken`: the exit is through with what it was given.
    pub(super) fn repeat(
        &mut self,
        lists: Lists,
        (entered, ingress): (Node, Node),
        (valid, verdict, destination): (Node, Node, Node),
        taken: Node,
    ) -> Repeated {
        self.m.section("Repeater: a broadcast goes to each device");
        // Beside the program, so that it is not carried through its stages.
        let name = format!("{}_ingress_interfaces", self.prefix);
        let inputs = FifoIn {
            push: entered,
            data_in: ingress,
            pop: lists.packet_left,
        };
        let interfaces = fifo(&name, 32, self.credits);
        let interfaces = interfaces.place(self.design, &mut self.m, "ingress_interfaces", inputs);
        let config = Repeater {
            name: format!("{}_repeater", self.prefix),
            lists: lists
                .lists
                .iter()
                .map(|(map, ..)| {
                    let entries = self.program.maps[*map].max_entries;
                    let bits = index_bits(u64::from(entries));
                    (destination::broadcast(*map, false), bits)
                })
                .collect(),
            exclude_bit: destination::EXCLUDE_INGRESS.trailing_zeros(),
        };
        let mut inputs = vec![
            ("result_valid".to_string(), valid),
            ("result_verdict".to_string(), verdict),
            ("result_destination".to_string(), destination),
            ("ingress_ifindex".to_string(), interfaces.out.data_out),
            ("taken".to_string(), taken),
        ];
        for (number, (_, list, _)) in lists.lists.iter().enumerate() {
            inputs.push((format!("count_{number}"), self.get(*list, "count")));
            inputs.push((format!("ifindex_{number}"), self.get(*list, "ifindex")));
        }
        let inputs: Vec<(&str, Node)> = inputs
            .iter()
            .map(|(name, node)| (name.as_str(), *node))
            .collect();
        let placed = self.add(repeater(&config), "repeater", &inputs);
        for (number, (_, _, wires)) in lists.lists.iter().enumerate() {
            let index = self.get(placed, &format!("index_{number}"));
            self.m.drive(wires.index, index);
            let read = self.get(placed, &format!("read_{number}"));
            self.m.drive(wires.read, read);
        }
        Repeated {
            valid: self.get(placed, "valid"),
            destination: self.get(placed, "destination"),
            again: self.get(placed, "again"),
            nobody: self.get(placed, "nobody"),
            pop: self.get(placed, "pop"),
        }
    }
}
