//! `bpf_xdp_load_bytes` and `bpf_xdp_store_bytes`: copies between the packet and other memory.
//!
//! A length that is only known when the program runs has bounds, which the kernel's verifier asks for, too: so many
//! bytes are read on both sides, and each byte within the length is the one that is copied.

use hardpath_ir::{Op, Target, Terminator};

use super::calls::EINVAL;
use super::state::{AbstractValue, Operand};
use super::Lifter;

/// `-EFAULT`.
const EFAULT: u64 = (-14i64) as u64;
/// The most bytes that are copied or summed at once: the stack has no more.
pub const MAX_COPY_BYTES: u64 = 512;

/// What is copied.
struct Copied {
    /// From the packet's beginning, 64 bits.
    offset: Operand,
    address: AbstractValue,
    /// 64 bits.
    length: Operand,
    /// The largest length.
    most: u32,
}

impl Lifter<'_> {
    fn copied(&mut self, helper: &str) -> Option<Copied> {
        self.is_given_context(helper)?;
        let offset = self.scalar(2)?;
        // `u32 offset`, `u32 len`.
        let offset = self.builder.low(offset, 32);
        let offset = self.builder.zext(offset, 32, 64);
        let address = self.usable(3)?;
        let length = self.scalar(4)?;
        let length = self.builder.low(length, 32);
        let length = self.builder.zext(length, 32, 64);
        let most = self.builder.range(length, 64).high;
        if !(1..=MAX_COPY_BYTES).contains(&most) {
            self.refuse(
                "copy-length",
                format!("{helper} copies up to {most} bytes"),
                format!("hardpath copies 1 to {MAX_COPY_BYTES} bytes at once: bound the length (if (bytes > 64) return XDP_PASS;)"),
            );
            return None;
        }
        Some(Copied {
            offset,
            address,
            length,
            most: most as u32,
        })
    }

    pub(super) fn xdp_load_bytes(&mut self) -> Option<AbstractValue> {
        let copied = self.copied("bpf_xdp_load_bytes")?;
        self.copy_when_inside(&copied, |lifter| {
            let packet = lifter.copied_packet(&copied);
            lifter.copy_bytes(packet, copied.address, &copied);
        })
    }

    pub(super) fn xdp_store_bytes(&mut self) -> Option<AbstractValue> {
        let copied = self.copied("bpf_xdp_store_bytes")?;
        self.copy_when_inside(&copied, |lifter| {
            let packet = lifter.copied_packet(&copied);
            lifter.copy_bytes(copied.address, packet, &copied);
        })
    }

    fn copied_packet(&mut self, copied: &Copied) -> AbstractValue {
        let head = self.state.extent.head;
        AbstractValue::Packet(self.builder.add(copied.offset, head))
    }

    fn copy_bytes(&mut self, from: AbstractValue, to: AbstractValue, copied: &Copied) {
        let Some(mut contents) = self.read_memory(from, copied.most) else {
            return;
        };
        if let Operand::Value(_) = copied.length {
            let Some(before) = self.read_memory(to, copied.most) else {
                return;
            };
            contents = self.first_bytes_of(contents, before, copied);
        }
        self.write_memory(to, copied.most, contents);
    }

    /// The bytes of `contents` that are within the length, and behind them those of `before`.
    fn first_bytes_of(&mut self, contents: Operand, before: Operand, copied: &Copied) -> Operand {
        let (builder, width) = (&mut self.builder, copied.most * 8);
        let [contents, before] = [contents, before].map(|bytes| builder.value(bytes, width));
        let bytes: Vec<_> = (0..copied.most)
            .rev()
            .map(|byte| {
                let place = Operand::Const(byte.into());
                let is_copied = builder.compare(Op::Ult, place, copied.length, 64);
                let [yes, no] = [contents, before].map(|from| {
                    let slice = Op::Slice { lo: byte * 8 };
                    builder.effect1(slice, vec![from], 8)
                });
                let byte = builder.select(is_copied, yes, no, 8);
                builder.value(byte, 8)
            })
            .collect();
        builder.effect1(Op::Concat, bytes, width)
    }

    /// Copies when the bytes are inside the packet and gives the helper's result (`bpf_xdp_pointer` in the
    /// kernel's `net/core/filter.c`): 0, or an error and no copy.
    fn copy_when_inside(
        &mut self,
        copied: &Copied,
        copy: impl FnOnce(&mut Self),
    ) -> Option<AbstractValue> {
        let end = self.builder.add(copied.offset, copied.length);
        let head = self.state.extent.head;
        let end = self.builder.add(end, head);
        let packet_end = self.packet_end();
        let inside = self.offset_at_most(end, packet_end);
        let far = self
            .builder
            .compare(Op::Ult, Operand::Const(0xffff), copied.offset, 64);
        let error = self
            .builder
            .select(far, Operand::Const(EFAULT), Operand::Const(EINVAL), 64);
        let condition = match inside {
            Operand::Value(condition) => condition,
            Operand::Const(0) => return Some(AbstractValue::Scalar(error)),
            // No packet on this path is too short.
            Operand::Const(_) => {
                copy(self);
                return Some(AbstractValue::Scalar(Operand::Const(0)));
            }
        };
        let stack = self.state.stack.clone();
        let before = self.builder.block;
        let copying = self.builder.program.add_block();
        let after = self.builder.program.add_block();
        let result = self.builder.program.add_param(after, 64);
        self.builder.name(Operand::Value(result), "copy_result");
        let error = self.builder.value(error, 64);
        self.builder.program.blocks[before].terminator = Terminator::Branch {
            cond: condition,
            yes: Target {
                block: copying,
                args: Vec::new(),
            },
            no: Target {
                block: after,
                args: vec![error],
            },
        };
        let place = self.builder.place();
        self.builder.program.blocks[copying].place = place;
        self.builder.program.blocks[after].place = place;
        self.builder.block = copying;
        copy(self);
        self.state.stack.keep_common(&stack);
        let done = self.builder.value(Operand::Const(0), 64);
        self.builder.program.blocks[copying].terminator = Terminator::Jump(Target {
            block: after,
            args: vec![done],
        });
        self.order.extend([copying, after]);
        self.builder.block = after;
        Some(AbstractValue::Scalar(Operand::Value(result)))
    }
}
