//! `bpf_redirect` and `bpf_redirect_map`.
//!
//! The kernel keeps two things for `XDP_REDIRECT`: the map of the last redirect, if it was one through a map, and what
//! that call named, an ifindex or a key (`struct bpf_redirect_info`). A redirect through a map that finds nothing
//! forgets the map, but not what was named before: a program that redirects all the same sends the packet to the
//! interface of that number.

use hardpath_ir::{destination, verdict, MapKind, Op};

use super::state::{AbstractValue, Operand};
use super::Lifter;

/// Lower bits of `flags` that `bpf_redirect_map` returns when there is no entry.
const ACTION_BITS: u32 = 2;
const ACTION_MASK: u64 = (1 << ACTION_BITS) - 1;
const BPF_F_BROADCAST: u64 = 1 << 3;
const BPF_F_EXCLUDE_INGRESS: u64 = 1 << 4;

impl Lifter<'_> {
    /// `bpf_xdp_redirect` in the kernel's `net/core/filter.c`: any flag aborts and leaves the destination alone.
    pub(super) fn redirect(&mut self) -> Option<AbstractValue> {
        let ifindex = self.scalar(1)?;
        let flags = self.scalar(2)?;
        let ifindex = self.builder.low(ifindex, 32);
        let zero = Operand::Const(0);
        let allowed = self.builder.compare(Op::Eq, flags, zero, 64);
        let interface = self.interface(ifindex);
        self.go_to(allowed, interface, ifindex);
        let result = self.builder.select(
            allowed,
            Operand::Const(verdict::REDIRECT),
            Operand::Const(verdict::ABORTED),
            64,
        );
        Some(AbstractValue::Scalar(result))
    }

    /// `__bpf_xdp_redirect_map` in the kernel's `include/linux/filter.h`, with the flags that `dev_map_redirect`,
    /// `cpu_map_redirect` and `xsk_map_redirect` allow.
    pub(super) fn redirect_map(&mut self) -> Option<AbstractValue> {
        let (map, id) = self.map_argument(1)?;
        let name = self.map_name(map);
        let kind = self.maps[map].kind();
        let Some(kind) = kind.filter(|kind| kind.is_redirect_target()) else {
            self.refuse(
                "unsupported-helper",
                format!("bpf_redirect_map is called on {name}, which holds no redirect targets"),
                "redirect through a map of type DEVMAP, DEVMAP_HASH, CPUMAP or XSKMAP",
            );
            return None;
        };
        let key = self.scalar(2)?;
        let flags = self.scalar(3)?;
        let allowed = if kind.is_device() {
            self.device_flags(flags)?
        } else {
            let others = self.masked(flags, !ACTION_MASK);
            self.builder.compare(Op::Eq, others, Operand::Const(0), 64)
        };
        let aborted = Operand::Const(verdict::ABORTED);
        if allowed == Operand::Const(0) {
            return Some(AbstractValue::Scalar(aborted));
        }
        let named = self.builder.low(key, 32);
        let key = self.builder.value(named, 32);
        let pointer = self.lookup(map, id, key);
        let found = match kind {
            MapKind::CpuMap => self.numbered(named, destination::CPU),
            MapKind::XskMap => self.numbered(named, destination::SOCKET),
            _ => {
                let entry = self.builder.value(pointer.entry, 32);
                let first = self.builder.value(Operand::Const(0), 32);
                let ifindex = self
                    .builder
                    .effect1(Op::MapLoad(id), vec![entry, first], 32);
                self.builder.name(ifindex, &format!("{name}_ifindex"));
                ifindex
            }
        };
        // What a miss leaves: no map, and the target of before.
        let before = self.state.redirect_target;
        let interface = self.interface(before);
        let missed = self
            .builder
            .select(allowed, interface, self.state.destination, 32);
        self.state.destination = missed;
        let redirects = self.builder.binary(Op::And, allowed, pointer.hit, 1);
        self.go_to(redirects, found, named);
        let action = self.masked(flags, ACTION_MASK);
        let result =
            self.builder
                .select(pointer.hit, Operand::Const(verdict::REDIRECT), action, 64);
        let result = self.builder.select(allowed, result, aborted, 64);
        Some(AbstractValue::Scalar(result))
    }

    /// Under the condition, the packet's destination and what the call named.
    fn go_to(&mut self, condition: Operand, destination: Operand, named: Operand) {
        let before = self.state.destination;
        self.state.destination = self.builder.select(condition, destination, before, 32);
        self.builder.name(self.state.destination, "destination");
        let before = self.state.redirect_target;
        self.state.redirect_target = self.builder.select(condition, named, before, 32);
    }

    /// The interface of a number, as a destination: indices are positive `int`s, any other number is none.
    fn interface(&mut self, ifindex: Operand) -> Operand {
        let negative = self.builder.slice(ifindex, 32, 31, 1);
        self.builder
            .select(negative, Operand::Const(0), ifindex, 32)
    }

    /// The CPU or socket of a number below 2^30, as a destination.
    fn numbered(&mut self, number: Operand, what: u32) -> Operand {
        let number = self
            .builder
            .binary(Op::And, number, Operand::Const((1 << 30) - 1), 32);
        self.builder
            .binary(Op::Or, number, Operand::Const(u64::from(what)), 32)
    }

    fn masked(&mut self, flags: Operand, mask: u64) -> Operand {
        self.builder
            .binary(Op::And, flags, Operand::Const(mask), 64)
    }

    /// Whether the flags of a redirect through a device map are valid (1 bit). Without BPF_F_BROADCAST,
    /// BPF_F_EXCLUDE_INGRESS means nothing.
    fn device_flags(&mut self, flags: Operand) -> Option<Operand> {
        match flags {
            Operand::Const(flags) if flags & BPF_F_BROADCAST != 0 => {
                self.refuse(
                    "redirect-flags",
                    "bpf_redirect_map broadcasts (BPF_F_BROADCAST)",
                    "hardpath sends a packet to one destination only: redirect to one key",
                );
                None
            }
            Operand::Const(flags) => {
                let valid = flags & !(ACTION_MASK | BPF_F_EXCLUDE_INGRESS) == 0;
                Some(Operand::Const(u64::from(valid)))
            }
            Operand::Value(_) if self.builder.bits_needed(flags) <= ACTION_BITS => {
                Some(Operand::Const(1))
            }
            Operand::Value(_) => {
                self.refuse(
                    "redirect-flags",
                    "the flags of bpf_redirect_map are computed, and may ask for a broadcast",
                    "write the flags as a constant, or as the action for a missing entry (flags & 3)",
                );
                None
            }
        }
    }
}
