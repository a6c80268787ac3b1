//! Legalize: a port that writes parts of words becomes a port for each part, of which tools make the byte enables of a block RAM.

use super::rewrite::Legal;
use crate::{Mem, MemWrite, Node, NodeOp};

impl Legal {
    /// A port that writes parts of words becomes one for each part, as tools want to read it.
    pub(super) fn split_writes(&mut self, mem: Mem) {
        let mut writes = Vec::new();
        for write in std::mem::take(&mut self.module.mems[mem].writes) {
            let parts = self.width(write.enable);
            if parts == 1 {
                writes.push(write);
                continue;
            }
            let width = self.module.mems[mem].width / parts;
            for part in 0..parts {
                let lo = part * width;
                let of = |legal: &mut Legal, node: Node, lo: u32, width: u32| {
                    legal.push(node, NodeOp::Slice { lo }, vec![node], width)
                };
                writes.push(MemWrite {
                    data: of(self, write.data, lo, width),
                    enable: of(self, write.enable, part, 1),
                    part: Some(lo),
                    ..write.clone()
                });
            }
        }
        self.module.mems[mem].writes = writes;
    }
}
