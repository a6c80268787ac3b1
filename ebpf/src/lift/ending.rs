//! What the end of a program means: XDP's actions, destinations and metadata in the words of the IR.
//!
//! | XDP | IR |
//! |---|---|
//! | the action; one that does not exist is ABORTED | output `verdict`, 3 bits |
//! | PASS, TX, REDIRECT | forwarded |
//! | PASS | to the host queue 0, which is the network stack |
//! | TX | to the port where the packet came in |
//! | REDIRECT | to the port of the interface; or to the host queue of the CPU or socket ([`xdp::destination`]) |
//! | REDIRECT by `BPF_F_BROADCAST` | to each in the map |
//! | metadata | leaves in front of the packet; output `metadata` says how many words of 4 bytes these are |
//!
//! The meanings of the numbers are those of [`hardpath_kernel::xdp`].

use cranelift_entity::EntityRef;
use hardpath_ir::{
    Bits, Block, Each, Emit, Leaving, Limits, MapId, Op, Output, Program, Sent, Terminator, To,
    Value, OFFSET_BITS,
};
use hardpath_kernel::xdp;
use hardpath_packet::{Class, CLASS_BITS};

use super::moves::Extent;
use super::state::Operand;
use super::{Kind, Lifter};

/// In the lifter's destination: a broadcast to all in a device map, whose number stands below.
pub(super) const BROADCAST: u32 = 7 << 29;
/// In a broadcast: not to the interface that the packet came in at.
pub(super) const EXCLUDE_INGRESS: u32 = 1 << 28;

/// What a program declares before anything is known of it.
pub(super) fn declare(program: &mut Program, kind: Kind) {
    match kind {
        Kind::Xdp | Kind::XdpReturned => {
            program.limits = Limits {
                shortest: xdp::SHORTEST_BYTES,
                headroom: xdp::HEADROOM_BYTES,
                tail: xdp::MAX_GROWN_BYTES,
                stack: xdp::STACK_BYTES,
                ..Limits::default()
            };
            program.outputs.push(Output {
                name: xdp::VERDICT.into(),
                width: xdp::VERDICT_BITS,
                values: xdp::NAMES.map(String::from).into(),
            });
            if kind == Kind::XdpReturned {
                program.outputs.push(Output::new(xdp::RETURNED, 32));
            }
        }
        Kind::Raw => {
            program.limits.shortest = 0;
            program.outputs.push(Output::new("r0", 64));
        }
    }
}

/// A program that ends here because nothing is known of what follows.
pub(super) fn abort(program: &mut Program, block: Block) {
    let zero = program.append_const(block, Bits::zero(1));
    let outputs = program.outputs.clone().into_iter();
    let outputs = outputs.map(|output| program.append_const(block, Bits::zero(output.width)));
    let emit = Emit::new(zero, outputs.collect());
    program.blocks[block].terminator = Terminator::Emit(emit);
}

impl Lifter<'_> {
    /// Ends the program with what `r0` holds.
    pub(super) fn emit(&mut self, result: Operand) {
        let emit = match self.kind {
            Kind::Xdp | Kind::XdpReturned => self.xdp_emit(result),
            Kind::Raw => {
                self.builder.name(result, "r0");
                let forwarded = self.builder.value(Operand::Const(1), 1);
                let result = self.builder.value(result, 64);
                Emit::new(forwarded, vec![result])
            }
        };
        let block = self.builder.block;
        self.builder.program.blocks[block].terminator = Terminator::Emit(emit);
    }

    fn xdp_emit(&mut self, result: Operand) -> Emit {
        let verdict = self.verdict(result);
        let builder = &mut self.builder;
        let [low, middle, redirects] = [0, 1, 2].map(|bit| builder.slice(verdict, 3, bit, 1));
        let forwarded = builder.binary(Op::Or, middle, redirects, 1);
        builder.name(forwarded, "forwarded");
        let (to, each) = self.way(low, redirects);
        let builder = &mut self.builder;
        let forwarded = builder.value(forwarded, 1);
        let verdict = builder.value(verdict, xdp::VERDICT_BITS);
        let mut outputs = vec![verdict];
        if self.kind == Kind::XdpReturned {
            let returned = self.builder.low(result, 32);
            outputs.push(self.builder.value(returned, 32));
        }
        let leaves = self.leaving();
        Emit {
            forwarded,
            packet: Sent {
                to,
                outputs,
                leaves,
                begins: Vec::new(),
            },
            each,
            copies: Vec::new(),
        }
    }

    /// The action that a driver takes.
    fn verdict(&mut self, result: Operand) -> Operand {
        let builder = &mut self.builder;
        let action = builder.low(result, 32);
        let last = Operand::Const(xdp::REDIRECT);
        let is_known = builder.compare(Op::Ule, action, last, 32);
        let known = builder.low(action, xdp::VERDICT_BITS);
        let aborted = Operand::Const(xdp::ABORTED);
        let verdict = builder.select(is_known, known, aborted, xdp::VERDICT_BITS);
        builder.name(verdict, xdp::VERDICT);
        verdict
    }

    /// Which way the packet goes. `redirects`: the action, and `low` its lowest bit, by which PASS and TX differ. What is said of a
    /// packet that does not go on is nobody's business, so these two are enough.
    fn way(&mut self, low: Operand, redirects: Operand) -> (Option<To>, Vec<Each>) {
        let destination = self.state.destination;
        let builder = &mut self.builder;
        let to_host = builder.slice(destination, 32, 31, 1);
        let maps = builder.program.maps.iter();
        let broadcasts: Vec<MapId> = maps
            .filter(|(_, decl)| decl.broadcast)
            .map(|(map, _)| map)
            .collect();
        let not_back = builder.slice(destination, 32, EXCLUDE_INGRESS.trailing_zeros(), 1);
        let mask = Operand::Const(u64::from(!EXCLUDE_INGRESS));
        let plain = match broadcasts.is_empty() {
            true => Operand::Const(0),
            false => builder.binary(Op::And, destination, mask, 32),
        };
        let (mut each, mut everywhere) = (Vec::new(), Operand::Const(0));
        for table in broadcasts {
            let meant = Operand::Const(u64::from(broadcast(table)));
            let here = builder.compare(Op::Eq, plain, meant, 32);
            let when = builder.binary(Op::And, redirects, here, 1);
            if when == Operand::Const(0) {
                continue;
            }
            everywhere = builder.binary(Op::Or, everywhere, here, 1);
            each.push(Each {
                when: builder.value(when, 1),
                table,
                not_back: builder.value(not_back, 1),
            });
        }
        let single = builder.not(everywhere);
        let queued = builder.binary(Op::And, to_host, single, 1);
        let [passes, ported] = [low, queued].map(|bit| builder.not(bit));
        let to_queue = builder.select(redirects, queued, passes, 1);
        let to_port = builder.binary(Op::And, redirects, ported, 1);
        let zero = Operand::Const(0);
        // One that is broadcast gets an index for each copy.
        let index = builder.select(redirects, destination, zero, 32);
        if [to_queue, to_port, index] == [zero; 3] {
            return (None, each);
        }
        let (port, queue) = (Class::Port.code(), Class::HostQueue.code());
        debug_assert_eq!((port, queue, CLASS_BITS), (1, 2, 2));
        let class = match [to_queue, to_port] {
            [Operand::Const(queue), Operand::Const(port)] => Operand::Const(queue << 1 | port),
            both => {
                let both = both.map(|bit| builder.value(bit, 1));
                builder.effect1(Op::Concat, both.into(), CLASS_BITS)
            }
        };
        let class = builder.value(class, CLASS_BITS);
        let index = builder.value(index, 32);
        (Some(To { class, index }), each)
    }

    /// Where the packet leaves its memory, when it was moved; what metadata there is stands in [`Lifter::metadata`].
    fn leaving(&mut self) -> Option<Leaving> {
        let extent = self.state.extent;
        if extent == Extent::new() {
            return None;
        }
        let length = self.builder.original_length();
        let builder = &mut self.builder;
        let from = builder.binary(Op::Sub, extent.head, extent.meta, 64);
        let [from, end, zeros] = [
            from,
            extent.end.unwrap_or(length),
            extent.keep.unwrap_or(length),
        ]
        .map(|offset| {
            let low = builder.low(offset, OFFSET_BITS);
            builder.value(low, OFFSET_BITS)
        });
        if extent.meta != Operand::Const(0) {
            let words = builder.slice(extent.meta, 64, 2, xdp::METADATA_BITS);
            let words = builder.value(words, xdp::METADATA_BITS);
            self.metadata.push((builder.block, words));
        }
        Some(Leaving {
            from,
            end,
            zeros,
            front: None,
        })
    }

    /// Declares the output for metadata, if any exit has some.
    pub(super) fn declare_metadata(&mut self) {
        if self.metadata.is_empty() {
            return;
        }
        let program = &mut self.builder.program;
        program
            .outputs
            .push(Output::new(xdp::METADATA, xdp::METADATA_BITS));
        for block in self.order.clone() {
            if !matches!(program.blocks[block].terminator, Terminator::Emit(_)) {
                continue;
            }
            let known: Option<Value> = self
                .metadata
                .iter()
                .find(|(exit, _)| *exit == block)
                .map(|(_, words)| *words);
            let words = known
                .unwrap_or_else(|| program.append_const(block, Bits::zero(xdp::METADATA_BITS)));
            if let Terminator::Emit(emit) = &mut program.blocks[block].terminator {
                emit.packet.outputs.push(words);
            }
        }
    }
}

/// The destination of a broadcast through a map.
pub(super) fn broadcast(map: MapId) -> u32 {
    BROADCAST | map.index() as u32
}
