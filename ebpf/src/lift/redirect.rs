//! `bpf_redirect` and `bpf_redirect_map`.
//!
//! The kernel keeps two things for `XDP_REDIRECT`: the map of the last redirect, if it was one through a map, and what
//! that call named, an ifindex or a key (`struct bpf_redirect_info`). A redirect through a map that finds nothing
//! forgets the map, but not what was named before: a program that redirects all the same sends the packet to the
//! interface of that number. A broadcast goes to all devices that a map holds when the program has ended.

use hardpath_ir::{MapId, Op};
use hardpath_kernel::{xdp, xdp::destination, MapType};

use super::ending;
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
            Operand::Const(xdp::REDIRECT),
            Operand::Const(xdp::ABORTED),
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
        let device_flags = match kind.is_device() {
            true => BPF_F_BROADCAST | BPF_F_EXCLUDE_INGRESS,
            false => 0,
        };
        let allowed = match self.builder.bits_needed(flags) <= ACTION_BITS {
            true => Operand::Const(1),
            false => {
                let others = self.masked(flags, !(ACTION_MASK | device_flags));
                self.builder.compare(Op::Eq, others, Operand::Const(0), 64)
            }
        };
        let aborted = Operand::Const(xdp::ABORTED);
        if allowed == Operand::Const(0) {
            return Some(AbstractValue::Scalar(aborted));
        }
        let broadcasts = match kind.is_device() {
            true => self.flag(flags, BPF_F_BROADCAST),
            false => Operand::Const(0),
        };
        let named = self.builder.low(key, 32);
        let mut found = Operand::Const(1);
        if broadcasts != Operand::Const(1) {
            found = self.redirect_to_key(map, id, kind, named, allowed);
        }
        if broadcasts != Operand::Const(0) {
            let everywhere = self.broadcast(id, flags);
            let condition = self.builder.binary(Op::And, allowed, broadcasts, 1);
            self.go_to(condition, everywhere, named);
            found = self.builder.binary(Op::Or, found, broadcasts, 1);
        }
        let action = self.masked(flags, ACTION_MASK);
        let result = self
            .builder
            .select(found, Operand::Const(xdp::REDIRECT), action, 64);
        let result = self.builder.select(allowed, result, aborted, 64);
        Some(AbstractValue::Scalar(result))
    }

    /// A redirect to what the map holds under a key, if the flags are allowed. Gives whether there is something.
    fn redirect_to_key(
        &mut self,
        map: usize,
        id: MapId,
        kind: MapType,
        named: Operand,
        allowed: Operand,
    ) -> Operand {
        let name = self.map_name(map);
        let key = self.builder.value(named, 32);
        let pointer = self.lookup(map, id, key);
        let found = match kind {
            MapType::CpuMap => self.numbered(named, destination::CPU),
            MapType::XskMap => self.numbered(named, destination::SOCKET),
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
        pointer.hit
    }

    /// The destination of a broadcast: whatever the key is, no lookup decides.
    fn broadcast(&mut self, id: MapId, flags: Operand) -> Operand {
        self.builder.program.maps[id].broadcast = true;
        let excludes = self.flag(flags, BPF_F_EXCLUDE_INGRESS);
        let all = u64::from(ending::broadcast(id));
        let others = all | u64::from(ending::EXCLUDE_INGRESS);
        self.builder
            .select(excludes, Operand::Const(others), Operand::Const(all), 32)
    }

    /// Whether a flag is set (1 bit).
    fn flag(&mut self, flags: Operand, flag: u64) -> Operand {
        let bit = flag.trailing_zeros();
        match self.builder.bits_needed(flags) <= bit {
            true => Operand::Const(0),
            false => self.builder.slice(flags, 64, bit, 1),
        }
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

    /// The CPU or socket of a number below 2^29, as a destination.
    fn numbered(&mut self, number: Operand, what: u32) -> Operand {
        let numbers = Operand::Const(u64::from(destination::NUMBERS) - 1);
        let number = self.builder.binary(Op::And, number, numbers, 32);
        self.builder
            .binary(Op::Or, number, Operand::Const(u64::from(what)), 32)
    }

    fn masked(&mut self, flags: Operand, mask: u64) -> Operand {
        self.builder
            .binary(Op::And, flags, Operand::Const(mask), 64)
    }
}
