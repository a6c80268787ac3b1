//! The devices in maps through which packets are broadcast: a list of each.
//!
//! The host's operations wait until no packet is inside, so packets that see the list of before are never there when one changes it.

use super::super::exits::{BroadcastIn, ListsOut};
use super::{Loops, Top};
use hardpath_blocks::device_list::{device_list, DeviceList, DeviceListIn, DeviceListOut};
use hardpath_blocks::host::HostOut;
use hardpath_rtl::{Module, Node};

/// The lists, in the order of their slots, before the exits are there.
pub(super) struct Lists {
    all: Vec<List>,
    /// That of the port at which the next packet came in.
    interface: Node,
    /// All are ready for the host's operation.
    pub prepared: Node,
}

struct List {
    out: DeviceListOut,
    /// Wires.
    index: Node,
    read: Node,
}

impl Top<'_> {
    /// `None`: packets are not broadcast.
    pub(super) fn lists(&mut self, host: &HostOut, loops: &Loops) -> Option<Lists> {
        let slots = self.config.lists();
        if slots.is_empty() {
            return None;
        }
        self.m
            .section("Device lists: where packets go that are broadcast");
        let all: Vec<List> = slots
            .into_iter()
            .map(|slot| self.list(slot, host, loops))
            .collect();
        let prepared: Vec<Node> = all.iter().map(|list| list.out.prepared).collect();
        let ports = host.ports.as_ref().expect("there is a port table");
        Some(Lists {
            prepared: self.m.and(&prepared),
            interface: ports.port_interface,
            all,
        })
    }

    fn list(&mut self, slot: usize, host: &HostOut, loops: &Loops) -> List {
        let question = &host.question;
        let decl = &self.config.slots[slot];
        let block = device_list(&DeviceList {
            name: self.inner(&format!("devices_{slot}")),
            map: decl.name.clone(),
            entries: decl.max_entries,
            flight_bits: 1,
            value_bits: self.m.width(question.host_value),
        });
        let index = DeviceList::index_bits(decl.max_entries);
        let index = self.m.wire(index, format!("devices_{slot}_index"));
        let read = self.m.wire(1, format!("devices_{slot}_read"));
        let nobody = self.m.zero(1);
        let inputs = DeviceListIn {
            selected: self.m.eq_const(question.map_select, slot as u64),
            map_start: question.map_start.expect("maps are prepared"),
            inject: host.inject,
            map_done: loops.map_answer.map_done,
            map_answer: loops.map_answer.map_answer,
            host_command: question.host_command,
            host_key: self.m.slice(question.host_key, 0, 32),
            host_value: question.host_value,
            in_flight: nobody,
            packet_left: nobody,
            index,
            read,
        };
        let name = format!("devices_{slot}");
        let out = block.place(self.design, self.m, name, inputs).out;
        List { out, index, read }
    }
}

impl Lists {
    /// What the exits are told.
    pub fn exits(&self) -> BroadcastIn {
        let lists = self.all.iter();
        BroadcastIn {
            enters_interface: self.interface,
            list_count: lists.clone().map(|list| list.out.count).collect(),
            list_device: lists.map(|list| list.out.device).collect(),
        }
    }

    /// What they read.
    pub fn drive(self, m: &mut Module, read: &ListsOut) {
        let asked = read.list_index.iter().zip(&read.list_read);
        for (list, (index, read)) in self.all.into_iter().zip(asked) {
            m.drive(list.index, *index);
            m.drive(list.read, *read);
        }
    }
}
