//! The port table: what a port's packets came in by.

use super::channels::Write;
use super::{HostPort, PortOut};
use crate::index_bits;
use hardpath_registers::{field, register, PORTS};
use hardpath_rtl::{MemStyle, Node};

/// What the AXI4-Lite channels must know of the port table.
pub(super) struct PortTable {
    pub(super) reads_here: Node,
    pub(super) word: Node,
    pub(super) writes_here: Node,
    pub(super) out: PortOut,
}

impl HostPort<'_> {
    /// The port table: for each of 16 ports an interface and a number that is added to the queue.
    pub(super) fn port_table(
        &mut self,
        early_port: Node,
        write: &Write,
        read_word: Node,
    ) -> PortTable {
        let m = &mut self.m;
        m.section("Port table");
        let bits = index_bits(u64::from(PORTS));
        let base = u64::from(register::PORT_TABLE / 4);
        let above = bits + 1;
        let page = m.slice(write.word, above, 14 - above);
        let writes_here = m.eq_const(page, base >> above);
        m.name(writes_here, "at_port_table");
        let hit = m.and(&[write.here, writes_here]);
        let page = m.slice(read_word, above, 14 - above);
        let reads_here = m.eq_const(page, base >> above);
        let reads_here = m.delay("reads_port_table", reads_here);
        let port_high = m.slice(early_port, bits, 8 - bits);
        let beyond = m.reduce_or(port_high);
        let known = m.not(beyond);
        m.name(known, "known_port");
        let port = m.slice(early_port, 0, bits);
        let write_port = m.slice(write.word, 1, bits);
        let read_port = m.slice(read_word, 1, bits);
        let writes_queue = m.bit(write.word, 0);
        let reads_queue = m.bit(read_word, 0);
        let writes_interface = m.not(writes_queue);
        // What the table has for the packet's port, and for the one that is read.
        let mut column = |name: &str, width: u32, is_written: Node| {
            let memory = m.mem(format!("{name}_table"), width, PORTS, MemStyle::Distributed);
            let enable = m.and(&[hit, is_written]);
            let data = m.slice(write.data, 0, width);
            m.mem_write(memory, write_port, data, enable);
            let value = m.mem_read_async(memory, port);
            let given = m.gate(known, value);
            let read = m.mem_read_async(memory, read_port);
            (given, m.zext(read, 32))
        };
        let (port_interface, interface) =
            column("port_interface", field::INTERFACE.bits, writes_interface);
        let (port_queue, queue) = column("port_queue", field::FIRST_QUEUE.bits, writes_queue);
        PortTable {
            reads_here,
            word: m.mux(reads_queue, queue, interface),
            writes_here,
            out: PortOut {
                port_interface,
                port_queue,
            },
        }
    }
}
