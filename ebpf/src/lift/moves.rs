//! `bpf_xdp_adjust_head`, `_tail` and `_meta`: where the packet begins and ends in its memory.
//!
//! Offsets into the packet count from where it began when it came in, so a move of the head changes nothing but what
//! `xdp_md.data` is. Whether a move is allowed depends on where head, tail and metadata are, often only on the packet's
//! length; what is not known here goes two ways, and each way knows what the helper returned. All rules are those of
//! `net/core/filter.c`, with the sizes of Linux 6.18.

use hardpath_ir::{Block, Op, Value};
use hardpath_kernel::xdp::{HEADROOM_BYTES, MAX_GROWN_BYTES, MOST_METADATA_BYTES, SHORTEST_BYTES};

use super::builder::Builder;
use super::calls::EINVAL;
use super::flow::BlockEnd;
use super::state::{AbstractValue, Operand, State};
use super::Lifter;

/// `-EACCES`.
const EACCES: u64 = (-13i64) as u64;
/// The shortest packet that a move may leave.
const SHORTEST: u64 = SHORTEST_BYTES as u64;
/// The most bytes of metadata.
const MOST_METADATA: u64 = MOST_METADATA_BYTES as u64;
/// What the keys of the two ways behind a helper begin with; no other number in a key is as large.
const OUTCOME: u32 = 1 << 31;

/// Where the packet lies in its memory. All offsets have 64 bits, in two's complement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    pub head: Operand,
    /// Behind its last byte; `None`: the length that it came in with.
    pub end: Option<Operand>,
    /// The smallest end so far; `None`: the length that it came in with.
    pub keep: Option<Operand>,
    /// Bytes of metadata in front of the head.
    pub meta: Operand,
}

impl Extent {
    /// As a packet comes in. There is no metadata in front of one that comes from the wire.
    pub fn new() -> Extent {
        Extent {
            head: Operand::Const(0),
            end: None,
            keep: None,
            meta: Operand::Const(0),
        }
    }

    /// Every operand.
    pub fn operands(self) -> impl Iterator<Item = Operand> {
        [Some(self.head), self.end, self.keep, Some(self.meta)]
            .into_iter()
            .flatten()
    }
}

/// What a helper does to the packet when it succeeds.
struct Move {
    extent: Extent,
    /// 1 bit: it succeeds.
    allowed: Operand,
    /// 64 bits: what it returns otherwise.
    error: Operand,
}

impl Builder {
    /// Where a packet ends.
    pub fn end_of(&mut self, extent: Extent) -> Operand {
        extent.end.unwrap_or_else(|| self.packet_length())
    }

    fn all(&mut self, a: Operand, b: Operand) -> Operand {
        self.binary(Op::And, a, b, 1)
    }

    fn at_most(&mut self, a: Operand, b: Operand) -> Operand {
        self.compare(Op::Sle, a, b, 64)
    }
}

impl Lifter<'_> {
    /// Where `xdp_md.data_end` points to.
    pub(super) fn packet_end(&mut self) -> Operand {
        self.builder.end_of(self.state.extent)
    }

    /// Whether the first argument is the program's context; the user is told when it is not.
    pub(super) fn is_given_context(&mut self, helper: &str) -> Option<()> {
        if self.usable(1)? == AbstractValue::Context(0) {
            return Some(());
        }
        self.refuse(
            "bad-address",
            format!("{helper} is not given the program's context"),
            "pass the struct xdp_md pointer that the program was called with",
        );
        None
    }

    /// What a move is given: `int delta`, in 64 bits.
    fn delta(&mut self, helper: &str) -> Option<Operand> {
        self.is_given_context(helper)?;
        let delta = self.scalar(2)?;
        let delta = self.builder.low(delta, 32);
        Some(self.builder.sext(delta, 32, 64))
    }

    /// `bpf_xdp_get_buff_len`.
    pub(super) fn xdp_get_buff_len(&mut self) -> Option<AbstractValue> {
        self.is_given_context("bpf_xdp_get_buff_len")?;
        let end = self.packet_end();
        let head = self.state.extent.head;
        let length = self.builder.binary(Op::Sub, end, head, 64);
        Some(AbstractValue::Scalar(length))
    }

    /// `bpf_xdp_adjust_head`. Metadata moves with the head.
    pub(super) fn xdp_adjust_head(&mut self) {
        let Some(delta) = self.delta("bpf_xdp_adjust_head") else {
            self.after_call(AbstractValue::Reported);
            return;
        };
        let before = self.state.extent;
        let builder = &mut self.builder;
        let head = builder.add(before.head, delta);
        builder.name(head, "head");
        let lowest = builder.add(
            before.meta,
            Operand::Const(-i64::from(HEADROOM_BYTES) as u64),
        );
        let has_room = builder.at_most(lowest, head);
        let end = builder.end_of(before);
        let shortest = builder.add(head, Operand::Const(SHORTEST));
        let has_bytes = builder.at_most(shortest, end);
        let allowed = builder.all(has_room, has_bytes);
        let extent = Extent { head, ..before };
        let moved = Move {
            extent,
            allowed,
            error: Operand::Const(EINVAL),
        };
        self.make_move(moved, |lifter| lifter.move_metadata(before, extent.head));
    }

    /// Copies the metadata to in front of a new head. Of metadata whose size is not known, each word that may be some
    /// is written: with itself when it is none.
    fn move_metadata(&mut self, before: Extent, head: Operand) {
        let bytes = self.builder.range(before.meta, 64).high.min(MOST_METADATA) / 4 * 4;
        if bytes == 0 || before.head == head {
            return;
        }
        let distance = Operand::Const(bytes.wrapping_neg());
        let from = AbstractValue::Packet(self.builder.add(before.head, distance));
        let to = AbstractValue::Packet(self.builder.add(head, distance));
        let bytes = bytes as u32;
        let Some(mut metadata) = self.read_memory(from, bytes) else {
            return;
        };
        if let Operand::Value(_) = before.meta {
            let Some(found) = self.read_memory(to, bytes) else {
                return;
            };
            metadata = self.metadata_or(before.meta, metadata, found, bytes);
        }
        self.write_memory(to, bytes, metadata);
    }

    /// The words of `metadata` that are so close to its end that they are some, and those of `found` in front of them.
    fn metadata_or(
        &mut self,
        size: Operand,
        metadata: Operand,
        found: Operand,
        bytes: u32,
    ) -> Operand {
        let builder = &mut self.builder;
        let words: Vec<Value> = (0..bytes / 4)
            .map(|word| {
                let distance = Operand::Const(u64::from(bytes - word * 4));
                let is_some = builder.compare(Op::Ule, distance, size, 64);
                let [yes, no] = [metadata, found].map(|from| {
                    let from = builder.value(from, bytes * 8);
                    let word = Op::Slice { lo: word * 32 };
                    builder.effect1(word, vec![from], 32)
                });
                let word = builder.select(is_some, yes, no, 32);
                builder.value(word, 32)
            })
            .rev()
            .collect();
        builder.effect1(Op::Concat, words, bytes * 8)
    }

    /// `bpf_xdp_adjust_tail`. A tail that grows is zeros.
    pub(super) fn xdp_adjust_tail(&mut self) {
        let Some(delta) = self.delta("bpf_xdp_adjust_tail") else {
            self.after_call(AbstractValue::Reported);
            return;
        };
        let before = self.state.extent;
        let zero = Operand::Const(0);
        let builder = &mut self.builder;
        let length = builder.original_length();
        let old_end = before.end.unwrap_or(length);
        let end = builder.add(old_end, delta);
        builder.name(end, "end");
        let is_in_page = builder.at_most(end, Operand::Const(MAX_GROWN_BYTES.into()));
        let shrinks = builder.at_most(delta, zero);
        let fits = builder.binary(Op::Or, is_in_page, shrinks, 1);
        let shortest = builder.add(before.head, Operand::Const(SHORTEST));
        let has_bytes = builder.at_most(shortest, end);
        let allowed = builder.all(fits, has_bytes);
        let keep = match shrinks {
            Operand::Const(0) => before.keep,
            _ => {
                let keep = before.keep.unwrap_or(length);
                let is_less = builder.compare(Op::Slt, end, keep, 64);
                // As long as the tail has never grown, the end itself is the smallest.
                let is_less = if keep == old_end { shrinks } else { is_less };
                Some(builder.select(is_less, end, keep, 64))
            }
        };
        let moved = Move {
            extent: Extent {
                end: Some(end),
                keep,
                ..before
            },
            allowed,
            error: Operand::Const(EINVAL),
        };
        // Behind the length that it came in with there is nothing to clear.
        let clears = shrinks != Operand::Const(1) && before.keep.is_some();
        self.make_move(moved, |lifter| {
            if clears {
                let from = lifter.builder.value(old_end, 64);
                lifter.builder.effect(Op::PacketClear, vec![from], &[]);
            }
        });
    }

    /// `bpf_xdp_adjust_meta`.
    pub(super) fn xdp_adjust_meta(&mut self) {
        let Some(delta) = self.delta("bpf_xdp_adjust_meta") else {
            self.after_call(AbstractValue::Reported);
            return;
        };
        let before = self.state.extent;
        let builder = &mut self.builder;
        let meta = builder.binary(Op::Sub, before.meta, delta, 64);
        builder.name(meta, "metadata_bytes");
        let room = builder.add(before.head, Operand::Const(HEADROOM_BYTES.into()));
        let has_room = builder.at_most(meta, room);
        let is_in_front = builder.at_most(Operand::Const(0), meta);
        let is_inside = builder.all(has_room, is_in_front);
        let is_small = builder.at_most(meta, Operand::Const(MOST_METADATA));
        let rest = builder.low(meta, 2);
        let is_even = builder.compare(Op::Eq, rest, Operand::Const(0), 2);
        let is_valid = builder.all(is_small, is_even);
        let allowed = builder.all(is_inside, is_valid);
        let error = builder.select(
            is_inside,
            Operand::Const(EACCES),
            Operand::Const(EINVAL),
            64,
        );
        let moved = Move {
            extent: Extent { meta, ..before },
            allowed,
            error,
        };
        self.make_move(moved, |_| {});
    }

    /// Goes on behind a helper, on two ways where it may fail. No pointer into the packet is valid any more.
    fn make_move(&mut self, moved: Move, effect: impl FnOnce(&mut Self)) {
        let (builder, extent) = (&mut self.builder, self.state.extent);
        self.state.forget_packet_pointers(|offset| {
            let end = builder.end_of(extent);
            builder.add(end, offset)
        });
        let cond = match moved.allowed {
            Operand::Value(cond) => cond,
            Operand::Const(0) => {
                self.after_call(AbstractValue::Scalar(moved.error));
                return;
            }
            Operand::Const(_) => {
                self.state.extent = moved.extent;
                effect(self);
                self.after_call(AbstractValue::Scalar(Operand::Const(0)));
                return;
            }
        };
        let block = self.current.block();
        let BlockEnd::Jump(next) = self.current.invocation.flow.blocks[block].end else {
            unreachable!("a call of a helper that moves the packet ends its block");
        };
        let [moving, failing] = self.split(cond);
        let before = self.state.clone();
        self.begin_way(moving, before.clone(), (cond, true));
        self.state.extent = moved.extent;
        effect(self);
        self.end_way(next, Operand::Const(0));
        self.begin_way(failing, before, (cond, false));
        self.end_way(next, moved.error);
    }

    /// One way, on which a condition holds or not.
    fn begin_way(&mut self, block: Block, state: State, (condition, holds): (Value, bool)) {
        self.begin_block(block);
        self.state = state;
        let facts = &mut self.state.facts;
        self.builder.learn(facts, condition, holds);
        self.builder.facts = self.state.facts.clone();
    }

    /// Goes on behind the helper, apart from the other way.
    fn end_way(&mut self, next: usize, result: Operand) {
        self.after_call(AbstractValue::Scalar(result));
        let mut instance = self.current.successor(next);
        let failed = u32::from(result != Operand::Const(0));
        instance.key.push(OUTCOME | failed);
        self.jump_to(instance, self.state.clone());
    }
}
