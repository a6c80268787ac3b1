//! `bpf_check_mtu`: whether a packet fits through an interface.
//!
//! The MTUs are in a map of hardpath's own, [`MTU_MAP`], by the interface's number: the driver fills it as it fills
//! the program's maps, and may change it at any time. An interface that is not in it does not exist.

use hardpath_ir::{Input, Op};

use super::calls::EINVAL;
use super::state::{AbstractValue, Operand};
use super::Lifter;
use crate::map_decls::MTU_MAP;

/// `-ENODEV`.
const ENODEV: u64 = (-19i64) as u64;
/// `dev->hard_header_len` of Ethernet (`ETH_HLEN`), in bytes.
const HARD_HEADER_BYTES: u64 = 14;
/// Bytes of the `__u32` that `mtu_len` points to.
const MTU_BYTES: u32 = 4;

impl Lifter<'_> {
    /// `bpf_xdp_check_mtu` in the kernel's `net/core/filter.c`. All lengths are 32-bit `int`s there.
    pub(super) fn check_mtu(&mut self) -> Option<AbstractValue> {
        self.is_given_context("bpf_check_mtu")?;
        let named = self.scalar(2)?;
        let named = self.builder.low(named, 32);
        let pointer = self.usable(3)?;
        let difference = self.scalar(4)?;
        let difference = self.builder.low(difference, 32);
        let flags = self.scalar(5)?;
        let given = self.read_memory(pointer, MTU_BYTES)?;

        let (known, mtu) = self.mtu_of(named)?;
        let zero = Operand::Const(0);
        let header = Operand::Const(HARD_HEADER_BYTES);
        let end = self.packet_end();
        let head = self.state.extent.head;
        let builder = &mut self.builder;
        let length = builder.binary(Op::Sub, end, head, 64);
        let length = builder.low(length, 32);
        let given_length = builder.binary(Op::Add, given, header, 32);
        let is_given = builder.compare(Op::Ne, given, zero, 32);
        let length = builder.select(is_given, given_length, length, 32);
        let length = builder.binary(Op::Add, length, difference, 32);
        let most = builder.binary(Op::Add, mtu, header, 32);
        // `BPF_MTU_CHK_RET_FRAG_NEEDED` is 1.
        let too_long = builder.compare(Op::Slt, most, length, 32);
        let too_long = builder.zext(too_long, 1, 64);
        let result = builder.select(known, too_long, Operand::Const(ENODEV), 64);
        let allowed = builder.compare(Op::Eq, flags, zero, 64);
        let result = builder.select(allowed, result, Operand::Const(EINVAL), 64);
        builder.name(result, "check_mtu");
        let answers = builder.binary(Op::And, allowed, known, 1);
        let left = builder.select(answers, mtu, given, 32);
        self.write_memory(pointer, MTU_BYTES, left);
        Some(AbstractValue::Scalar(result))
    }

    /// Whether an interface exists (1 bit), and its MTU (32 bits). Number 0 is the interface that the packet came in at.
    fn mtu_of(&mut self, named: Operand) -> Option<(Operand, Operand)> {
        let Some(map) = self.maps.iter().position(|map| map.name == MTU_MAP) else {
            self.refuse(
                "unsupported-helper",
                "the program calls bpf_check_mtu, and there is no map of MTUs",
                "load the program from an object file, which gives it one",
            );
            return None;
        };
        let id = self.map_id(map)?;
        let is_ingress = self.builder.compare(Op::Eq, named, Operand::Const(0), 32);
        let ifindex = match is_ingress {
            Operand::Const(0) => named,
            _ => {
                let ingress = self.builder.input(Input::Ingress);
                self.builder.select(is_ingress, ingress, named, 32)
            }
        };
        let key = self.builder.value(ifindex, 32);
        let pointer = self.lookup(map, id, key);
        let entry = self.builder.value(pointer.entry, 32);
        let first = self.builder.value(Operand::Const(0), 32);
        let mtu = self
            .builder
            .effect1(Op::MapLoad(id), vec![entry, first], MTU_BYTES * 8);
        self.builder.name(mtu, "mtu");
        Some((pointer.hit, mtu))
    }
}
