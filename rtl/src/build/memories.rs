//! Memories and their ports.

use crate::{Mem, MemData, MemReadPort, MemStyle, MemWrite, Module, Node, NodeOp};

impl Module {
    /// A memory of `depth` words of `width` bits, which start as zeros. It has no ports yet.
    pub fn mem(&mut self, name: impl Into<String>, width: u32, depth: u32, style: MemStyle) -> Mem {
        let section = self.current_section();
        self.mems.push(MemData {
            name: name.into(),
            width,
            depth,
            style,
            bank_words: None,
            writes: Vec::new(),
            reads: Vec::new(),
            comment: None,
            section,
        })
    }

    /// Adds a write port on the chosen clock: where `enable` is set, `data` goes to `address`. It has one bit, or one for each part of
    /// a word. See [`MemWrite`].
    pub fn mem_write(&mut self, mem: Mem, address: Node, data: Node, enable: Node) {
        assert_eq!(
            self.mems[mem].width,
            self.width(data),
            "data written to {}",
            self.mems[mem].name
        );
        assert!(
            self.width(data).is_multiple_of(self.width(enable)),
            "parts of {} are equal",
            self.mems[mem].name
        );
        self.mems[mem].writes.push(MemWrite {
            address,
            data,
            enable,
            part: None,
            clock: self.current_clock,
        });
    }

    /// A synchronous read: the data stands on the result one clock later. See [`MemReadPort`].
    pub fn mem_read_sync(&mut self, mem: Mem, address: Node, enable: Node) -> Node {
        assert_eq!(self.width(enable), 1);
        self.mem_read(mem, address, Some(enable))
    }

    /// An asynchronous read: the result follows the address within the clock. See [`MemReadPort`].
    pub fn mem_read_async(&mut self, mem: Mem, address: Node) -> Node {
        self.mem_read(mem, address, None)
    }

    fn mem_read(&mut self, mem: Mem, address: Node, enable: Option<Node>) -> Node {
        let port = self.mems[mem].reads.len() as u32;
        self.mems[mem].reads.push(MemReadPort {
            address,
            enable,
            zero: None,
            clock: self.current_clock,
        });
        let width = self.mems[mem].width;
        self.push(NodeOp::MemRead(mem, port), Vec::new(), width)
    }
}
