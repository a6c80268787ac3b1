//! Helpers that tell user space something: the trace buffer, perf events, ring buffers.
//!
//! Nothing of this leaves the hardware. With [`LoadOptions::drop_events`](crate::LoadOptions) such calls do nothing, and
//! answer as the kernel does when nobody listens: no perf event is open, and a ring buffer is always read empty.

use hardpath_ir::Op;

use super::calls::EINVAL;
use super::maps::open_size;
use super::state::{AbstractValue, Operand};
use super::Lifter;
use crate::helper_names::{helper_name, number};
use crate::map_decls::{map_type_name, PERF_EVENT_ARRAY, RINGBUF};

/// `-ENOENT`.
const ENOENT: u64 = (-2i64) as u64;
/// `-E2BIG`.
const E2BIG: u64 = (-7i64) as u64;
/// `-EAGAIN`.
const EAGAIN: u64 = (-11i64) as u64;
/// `-EFAULT`.
const EFAULT: u64 = (-14i64) as u64;

/// Hardware has one, number 0.
const CPUS: u32 = 1;
/// The lower half of the flags of `bpf_perf_event_output` (`BPF_F_INDEX_MASK`); all ones: the CPU's own entry.
const INDEX_BITS: u32 = 32;
/// The bits above: how much of the packet belongs to the event (`BPF_F_CTXLEN_MASK`).
const PACKET_BYTES_BITS: u32 = 20;
/// `BPF_RB_NO_WAKEUP | BPF_RB_FORCE_WAKEUP`.
const RINGBUF_FLAGS: u64 = 3;
/// `BPF_RINGBUF_HDR_SZ`: bytes in front of each event.
const RINGBUF_HEADER_BYTES: u64 = 8;

impl Lifter<'_> {
    /// A call of one of [`crate::events::HELPERS`]; `None`: it is refused.
    pub(super) fn event(&mut self, helper: i32) -> Option<AbstractValue> {
        if !self.drops_events {
            self.refuse(
                "event-output",
                format!("the program calls {}, and nobody would get what it tells", helper_name(helper)),
                "--drop-events makes such calls do nothing; they answer as the kernel does when nobody listens",
            );
            return None;
        }
        match helper {
            number::PERF_EVENT_OUTPUT => self.perf_event_output(),
            number::RINGBUF_OUTPUT => self.ringbuf_output(),
            number::RINGBUF_RESERVE => self.ringbuf_reserve(),
            number::RINGBUF_SUBMIT | number::RINGBUF_DISCARD => Some(AbstractValue::Uninitialised),
            _ => Some(AbstractValue::Printed),
        }
    }

    /// `bpf_xdp_event_output` in the kernel's `net/core/filter.c` and `__bpf_perf_event_output` in its
    /// `kernel/trace/bpf_trace.c`, with an array in which no event is open.
    fn perf_event_output(&mut self) -> Option<AbstractValue> {
        self.is_given_context("bpf_perf_event_output")?;
        let map = self.event_map(2, PERF_EVENT_ARRAY)?;
        let flags = self.scalar(3)?;
        let index = self.builder.low(flags, INDEX_BITS);
        let own = Operand::Const(u64::from(u32::MAX));
        let is_own = self.builder.compare(Op::Eq, index, own, INDEX_BITS);
        // An array whose size is left open has an entry for each CPU (libbpf, `map_set_def_max_entries`).
        let entries = self.maps[map].max_entries.max(CPUS);
        let entries = Operand::Const(u64::from(entries));
        let is_inside = self.builder.compare(Op::Ult, index, entries, INDEX_BITS);
        let is_there = self.builder.binary(Op::Or, is_own, is_inside, 1);
        let end = self.packet_end();
        let head = self.state.extent.head;
        let builder = &mut self.builder;
        let length = builder.binary(Op::Sub, end, head, 64);
        let wanted = builder.slice(flags, 64, INDEX_BITS, PACKET_BYTES_BITS);
        let wanted = builder.zext(wanted, PACKET_BYTES_BITS, 64);
        let is_too_long = builder.compare(Op::Ult, length, wanted, 64);
        let known_bits = INDEX_BITS + PACKET_BYTES_BITS;
        let others = builder.slice(flags, 64, known_bits, 64 - known_bits);
        let zero = Operand::Const(0);
        let is_valid = builder.compare(Op::Eq, others, zero, 64 - known_bits);
        let [einval, efault, enoent, e2big] = [EINVAL, EFAULT, ENOENT, E2BIG].map(Operand::Const);
        let result = builder.select(is_there, enoent, e2big, 64);
        let result = builder.select(is_too_long, efault, result, 64);
        let result = builder.select(is_valid, result, einval, 64);
        Some(AbstractValue::Scalar(result))
    }

    /// `bpf_ringbuf_output` in the kernel's `kernel/bpf/ringbuf.c`, with a buffer that is empty.
    fn ringbuf_output(&mut self) -> Option<AbstractValue> {
        let map = self.event_map(1, RINGBUF)?;
        let size = self.scalar(3)?;
        let flags = self.scalar(4)?;
        let most = self.largest_event(map);
        let builder = &mut self.builder;
        let fits = builder.compare(Op::Ule, size, Operand::Const(most), 64);
        let result = builder.select(fits, Operand::Const(0), Operand::Const(EAGAIN), 64);
        let others = builder.binary(Op::And, flags, Operand::Const(!RINGBUF_FLAGS), 64);
        let is_valid = builder.compare(Op::Eq, others, Operand::Const(0), 64);
        let result = builder.select(is_valid, result, Operand::Const(EINVAL), 64);
        Some(AbstractValue::Scalar(result))
    }

    /// `bpf_ringbuf_reserve`, at the same place. What is written through the pointer vanishes.
    fn ringbuf_reserve(&mut self) -> Option<AbstractValue> {
        let map = self.event_map(1, RINGBUF)?;
        let size = self.scalar(2)?;
        let flags = self.scalar(3)?;
        let most = self.largest_event(map);
        match (size, flags) {
            (Operand::Const(size), Operand::Const(0)) if size <= most => Some(AbstractValue::Event),
            (Operand::Const(_), Operand::Const(_)) => {
                Some(AbstractValue::Scalar(Operand::Const(0)))
            }
            _ => {
                self.refuse(
                    "event-size",
                    "the size or the flags of bpf_ringbuf_reserve are computed",
                    "write both as constants; the kernel wants a constant size, too",
                );
                None
            }
        }
    }

    /// The bytes of the largest event that a ring buffer takes: it has a header and is rounded up to 8 bytes, and at
    /// least one byte of the buffer stays free.
    fn largest_event(&self, map: usize) -> u64 {
        let buffer = u64::from(self.maps[map].max_entries);
        buffer.saturating_sub(RINGBUF_HEADER_BYTES + 1) & !7
    }

    /// The map of events in a register: index into the object's maps.
    fn event_map(&mut self, register: u8, map_type: u32) -> Option<usize> {
        let value = self.usable(register)?;
        match value {
            AbstractValue::Map(map) if self.maps[map].map_type == map_type => {
                if map_type == RINGBUF && self.maps[map].max_entries == 0 {
                    let (code, message, help) = open_size(&self.maps[map]);
                    self.refuse(code, message, help);
                }
                Some(map)
            }
            _ => {
                self.refuse(
                    "unknown-map-argument",
                    format!(
                        "a helper takes a map of type {} in r{register}, which holds {}",
                        map_type_name(map_type),
                        value.description()
                    ),
                    "name the map in the call itself, one call for each map",
                );
                None
            }
        }
    }
}
