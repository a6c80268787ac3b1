//! Packets that are sent to all devices in a map: the maps' lists, and the repeater in front of the exit.

use super::exit::Head;
use super::{broadcast_tables, Loops, Top};
use hardpath_blocks::device_list::{device_list, DeviceList, DeviceListIn, DeviceListOut};
use hardpath_blocks::fifo::{fifo, FifoIn};
use hardpath_blocks::host::HostOut;
use hardpath_blocks::index_bits;
use hardpath_blocks::ingress::IngressOut;
use hardpath_blocks::repeater::{repeater, Repeater, RepeaterIn, RepeaterOut};
use hardpath_ir::MapId;
use hardpath_rtl::Node;

/// The lists, before the exit is there.
pub(super) struct Lists {
    lists: Vec<List>,
    /// To the host port: all lists are ready for its operation.
    pub(super) prepared: Node,
    /// To the entrance: one of them is being changed.
    pub(super) hold: Node,
}

struct List {
    map: MapId,
    out: DeviceListOut,
    /// Wires.
    index: Node,
    read: Node,
}

impl Top<'_> {
    /// The maps through which packets are broadcast.
    fn broadcast_maps(&self) -> Vec<MapId> {
        broadcast_tables(self.program)
    }

    /// A list for each map.
    pub(super) fn device_lists(
        &mut self,
        host: &HostOut,
        entrance: &IngressOut,
        loops: &Loops,
    ) -> Lists {
        self.m
            .section("Device lists: where packets go that are broadcast");
        let in_flight = entrance
            .in_flight
            .expect("told where packets are broadcast");
        let host_key = self.m.slice(host.question.host_key, 0, 32);
        let maps = self.broadcast_maps().into_iter().enumerate();
        let lists: Vec<List> = maps
            .map(|(number, map)| self.device_list(number, map, host, (in_flight, host_key), loops))
            .collect();
        let prepared: Vec<Node> = lists.iter().map(|list| list.out.prepared).collect();
        let holds: Vec<Node> = lists.iter().map(|list| list.out.hold).collect();
        Lists {
            prepared: self.m.and(&prepared),
            hold: self.m.or(&holds),
            lists,
        }
    }

    /// List `number`, that of a map. `in_flight`: packets inside; `host_key`: the part of the host's key that is one here.
    fn device_list(
        &mut self,
        number: usize,
        map: MapId,
        host: &HostOut,
        (in_flight, host_key): (Node, Node),
        loops: &Loops,
    ) -> List {
        let question = &host.question;
        let decl = &self.program.maps[map];
        let block = device_list(&DeviceList {
            name: format!("{}_devices_{number}", self.prefix),
            map: decl.name.clone(),
            entries: decl.max_entries,
            flight_bits: self.m.width(in_flight),
            value_bits: self.m.width(question.host_value),
        });
        let bits = DeviceList::index_bits(decl.max_entries);
        let index = self.m.wire(bits, format!("devices_{number}_index"));
        let read = self.m.wire(1, format!("devices_{number}_read"));
        let map_number = u64::from(map.as_u32());
        let inputs = DeviceListIn {
            selected: self.m.eq_const(question.map_select, map_number),
            map_start: question
                .map_start
                .expect("told where packets are broadcast"),
            inject: host.inject,
            map_done: loops.answer.map_done,
            map_answer: loops.answer.map_answer,
            host_command: question.host_command,
            host_key,
            host_value: question.host_value,
            in_flight,
            packet_left: loops.packet_left,
            index,
            read,
        };
        let name = format!("devices_{number}");
        let out = block.place(self.design, &mut self.m, name, inputs).out;
        List {
            map,
            out,
            index,
            read,
        }
    }

    /// The repeater. `entered`: a packet enters the program, at the interface `ingress`. `packet_left`: one has left;
    /// `taken`: the exit is through with what it was given.
    pub(super) fn repeat(
        &mut self,
        lists: Lists,
        (entered, ingress): (Node, Node),
        head: &Head,
        (packet_left, taken): (Node, Node),
    ) -> RepeaterOut {
        self.m.section("Repeater: a broadcast goes to each device");
        // Beside the program, so that it is not carried through its stages.
        let name = format!("{}_ingress_interfaces", self.prefix);
        let inputs = FifoIn {
            push: entered,
            data_in: ingress,
            pop: packet_left,
        };
        let interfaces = fifo(&name, 32, self.credits);
        let interfaces = interfaces.place(self.design, &mut self.m, "ingress_interfaces", inputs);
        let lists = lists.lists;
        let bits = |list: &List| {
            let entries = self.program.maps[list.map].max_entries;
            index_bits(u64::from(entries))
        };
        let block = repeater(&Repeater {
            name: format!("{}_repeater", self.prefix),
            lists: lists.iter().map(bits).collect(),
            has_index: head.result.sent.result_index.is_some(),
        });
        let result = &head.result;
        let broadcast = result
            .broadcast
            .clone()
            .expect("told where packets are broadcast");
        let inputs = RepeaterIn {
            result_valid: head.valid,
            each: broadcast.result_each,
            not_back: broadcast.result_not_back,
            result_index: result.sent.result_index,
            ingress: interfaces.out.data_out,
            taken,
            count: lists.iter().map(|list| list.out.count).collect(),
            device: lists.iter().map(|list| list.out.device).collect(),
        };
        let out = block
            .place(self.design, &mut self.m, "repeater", inputs)
            .out;
        for (list, (index, read)) in lists.iter().zip(out.index.iter().zip(&out.read)) {
            self.m.drive(list.index, *index);
            self.m.drive(list.read, *read);
        }
        out
    }
}
