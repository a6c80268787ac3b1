//! Loads, stores and atomics, on the stack, the packet, maps, read-only data and the context.

use hardpath_ir::{AtomicOp, Bits, Input, MapId, Op};
use hardpath_kernel::xdp::STACK_BYTES;
use hardpath_kernel::MapType;

use super::moves::Extent;
use super::stack::{Found, Spill, LARGEST_BYTES};
use super::state::{AbstractValue, MapPointer, Operand};
use super::{Layout, Lifter};
use crate::decode::Source;
use crate::object::ProgramImage;

/// Read-only data at a variable offset becomes selects; larger data would be a memory, which is not built.
const MAX_SELECTED_BYTES: usize = 256;

impl Lifter<'_> {
    pub(super) fn load(&mut self, dst: u8, base: u8, offset: i16, bytes: u32, signed: bool) {
        let pointer = self.usable(base);
        if let Some(AbstractValue::Rodata { .. }) = pointer {
            if !self.is_read_later(dst) {
                // A volatile variable that nobody looks at.
                self.set_register(dst, AbstractValue::Uninitialised);
                return;
            }
        }
        let value = pointer.and_then(|pointer| self.loaded(pointer, offset, bytes, signed));
        let value = value.unwrap_or(AbstractValue::Reported);
        self.set_register(dst, value);
    }

    fn loaded(
        &mut self,
        pointer: AbstractValue,
        offset: i16,
        bytes: u32,
        signed: bool,
    ) -> Option<AbstractValue> {
        let address = self.address(pointer, offset)?;
        if let AbstractValue::Context(offset) = address {
            return self.load_context(offset, bytes, signed);
        }
        if let Some(offset) = self.stack_offset(address) {
            if self.state.stack.has_pointer(offset, bytes) {
                let value = self.load_spill(offset, bytes);
                if let AbstractValue::Unusable(_) = value {
                    self.note_mixed_slot(offset);
                }
                return Some(value);
            }
        }
        let loaded = self.read_memory(address, bytes)?;
        let extended = if signed {
            self.builder.sext(loaded, bytes * 8, 64)
        } else {
            self.builder.zext(loaded, bytes * 8, 64)
        };
        Some(AbstractValue::Scalar(extended))
    }

    /// The offset of an address on the stack, when it is known now and not absurd.
    pub(super) fn stack_offset(&self, address: AbstractValue) -> Option<u32> {
        match address {
            AbstractValue::Stack(Operand::Const(offset)) => u32::try_from(offset)
                .ok()
                .filter(|offset| (*offset as usize) < LARGEST_BYTES),
            _ => None,
        }
    }

    fn load_spill(&self, offset: u32, bytes: u32) -> AbstractValue {
        let spill = self.state.stack.spills.get(&(offset / 8));
        match spill {
            Some(spill) if offset.is_multiple_of(8) && bytes == 8 && spill.bytes == 0xff => {
                spill.value
            }
            Some(Spill {
                value: AbstractValue::Reported,
                ..
            }) => AbstractValue::Reported,
            _ => AbstractValue::Unusable("a part of a pointer that was stored on the stack"),
        }
    }

    /// `struct xdp_md` (`include/uapi/linux/bpf.h`).
    fn load_context(&mut self, offset: i64, bytes: u32, signed: bool) -> Option<AbstractValue> {
        let whole = bytes == 4 && !signed;
        match offset {
            0 if whole => return Some(AbstractValue::Packet(self.state.extent.head)),
            4 if whole => return Some(AbstractValue::PacketEnd(Operand::Const(0))),
            8 if whole => {
                let Extent { head, meta, .. } = self.state.extent;
                let metadata = self.builder.binary(Op::Sub, head, meta, 64);
                return Some(AbstractValue::Packet(metadata));
            }
            _ => {}
        }
        let input = match offset {
            12..=15 => Input::Ingress,
            16..=19 => Input::Queue,
            20..=23 if self.knows_egress() => Input::Egress,
            20..=23 => {
                self.refuse(
                    "egress-ifindex",
                    "the program reads egress_ifindex, and is not a program of a device map",
                    "put it into a section of such programs, SEC(\"xdp/devmap\"): only there the kernel allows it",
                );
                return None;
            }
            _ => return self.bad_context(offset, bytes),
        };
        let first = (offset % 4) as u32;
        if first + bytes > 4 || !first.is_multiple_of(bytes) {
            return self.bad_context(offset, bytes);
        }
        let word = self.builder.input(input);
        let part = self.builder.slice(word, 32, first * 8, bytes * 8);
        let extended = if signed {
            self.builder.sext(part, bytes * 8, 64)
        } else {
            self.builder.zext(part, bytes * 8, 64)
        };
        Some(AbstractValue::Scalar(extended))
    }

    /// Whether the instruction is one of a program of a device map.
    fn knows_egress(&self) -> bool {
        let image = self.codes[self.current.invocation.code].image;
        image.is_some_and(ProgramImage::is_for_device_map)
    }

    fn bad_context(&mut self, offset: i64, bytes: u32) -> Option<AbstractValue> {
        self.refuse(
            "unsupported-context",
            format!("the program reads {bytes} bytes at offset {offset} of its context"),
            "struct xdp_md has fields of 4 bytes: data, data_end, data_meta, ingress_ifindex, rx_queue_index, egress_ifindex",
        );
        None
    }

    /// The address that an instruction means.
    fn address(&mut self, pointer: AbstractValue, offset: i16) -> Option<AbstractValue> {
        let distance = Operand::Const(i64::from(offset) as u64);
        let address = self.moved(pointer, distance);
        if address.is_none() {
            self.refuse(
                "bad-address",
                format!("memory is accessed through {}", pointer.description()),
                "only the packet, the stack, map values and the context are memory; check a lookup's result for NULL first",
            );
        }
        address
    }

    /// `bytes` bytes (any number) at an address.
    pub(super) fn read_memory(&mut self, address: AbstractValue, bytes: u32) -> Option<Operand> {
        let width = bytes * 8;
        match address {
            AbstractValue::Stack(offset) => self.read_stack(offset, bytes),
            AbstractValue::Packet(offset) => {
                let place = self.builder.packet_place(offset);
                let loaded = self.builder.effect1(Op::PacketLoad, vec![place], width);
                let name = self.memory_name("pkt", offset);
                self.builder.name(loaded, &name);
                Some(loaded)
            }
            AbstractValue::MapValue(pointer) => {
                let map = self.readable_value(pointer)?;
                let (entry, offset) = self.entry_and_offset(pointer);
                let loaded = self
                    .builder
                    .effect1(Op::MapLoad(map), vec![entry, offset], width);
                let name = self.memory_name(&self.map_name(pointer.map), pointer.offset);
                self.builder.name(loaded, &name);
                Some(loaded)
            }
            AbstractValue::Rodata { map, offset } => self.read_rodata(map, offset, bytes),
            AbstractValue::Event => {
                self.refuse(
                    "event-read",
                    "the program reads an event that it is writing into a ring buffer",
                    "keep what is needed later in a variable: the bytes of an event are nowhere in hardware",
                );
                None
            }
            other => {
                self.refuse(
                    "bad-address",
                    format!("memory is read through {}", other.description()),
                    "the kernel would not load this program either",
                );
                None
            }
        }
    }

    /// Bytes of the stack that hold no pointer.
    fn read_stack(&mut self, offset: Operand, bytes: u32) -> Option<Operand> {
        self.check_stack(offset, bytes)?;
        let mut bounds = None;
        if let Some(offset) = self.stack_offset(AbstractValue::Stack(offset)) {
            if self.state.stack.has_reported(offset, bytes) {
                return None;
            }
            if self.state.stack.has_pointer(offset, bytes) {
                self.note_mixed_slot(offset);
                self.mixed.is_used = true;
                self.refuse_pointer_as_data();
                return None;
            }
            let found = match bytes {
                1..=8 => self.state.stack.load(offset, bytes),
                _ => Found::Unknown,
            };
            match found {
                Found::Constant(number) => return Some(Operand::Const(number)),
                Found::Part {
                    operand,
                    width,
                    low_bit,
                } => return Some(self.builder.slice(operand, width, low_bit, bytes * 8)),
                Found::Within(range) => bounds = Some(range),
                Found::Unknown => {}
            }
        }
        let place = self.builder.value(offset, 64);
        let loaded = self.builder.effect1(Op::StackLoad, vec![place], bytes * 8);
        if let (Some(range), Operand::Value(value)) = (bounds, loaded) {
            self.builder.limit(value, range);
        }
        let name = self.memory_name("stack", offset);
        self.builder.name(loaded, &name);
        Some(loaded)
    }

    fn entry_and_offset(
        &mut self,
        pointer: MapPointer,
    ) -> (hardpath_ir::Value, hardpath_ir::Value) {
        let entry = self.builder.value(pointer.entry, 32);
        let offset = self.builder.low(pointer.offset, 32);
        (entry, self.builder.value(offset, 32))
    }

    /// Read-only data are numbers that are known now.
    fn read_rodata(&mut self, map: usize, offset: Operand, bytes: u32) -> Option<Operand> {
        let maps = self.maps;
        let contents = maps[map].initial.as_deref().unwrap_or_default();
        let offset = match offset {
            Operand::Const(offset) => offset,
            Operand::Value(_) => return self.select_rodata(map, contents, offset, bytes),
        };
        let found = usize::try_from(offset)
            .ok()
            .and_then(|start| contents.get(start..start.checked_add(bytes as usize)?));
        let Some(found) = found else {
            self.refuse(
                "bad-address",
                format!(
                    "the program reads behind the end of {}",
                    self.maps[map].name
                ),
                "the kernel would not load this program either",
            );
            return None;
        };
        self.looked
            .constants
            .insert((map, offset, offset + u64::from(bytes)));
        let bits = Bits::from_bytes(found);
        Some(match bits.as_u64() {
            Some(number) if bytes <= 8 => Operand::Const(number),
            _ => Operand::Value(self.builder.wide_constant(bits)),
        })
    }

    /// A word of read-only data at an offset that is not known now: selected among all that it may be.
    fn select_rodata(
        &mut self,
        map: usize,
        contents: &[u8],
        offset: Operand,
        bytes: u32,
    ) -> Option<Operand> {
        let (base, index) = self.builder.split_constant(offset);
        let index_bits = self.builder.bits_needed(index).min(32);
        let reach = 1usize << index_bits;
        let (first, count, index) = if reach <= MAX_SELECTED_BYTES {
            (base as usize, reach, index)
        } else {
            (0, contents.len(), offset)
        };
        if count > MAX_SELECTED_BYTES || bytes > 8 {
            let name = &self.maps[map].name;
            self.refuse(
                "variable-rodata",
                format!(
                    "{bytes} bytes of {name}, which has {}, are read at an offset that depends on the packet",
                    contents.len()
                ),
                format!(
                    "hardpath selects among at most {MAX_SELECTED_BYTES} bytes of constants: mask the index (table[i & 15]), or put the table into an array map"
                ),
            );
            return None;
        }
        let end = first.saturating_add(count).min(contents.len());
        let looked = (map, first as u64, end as u64);
        self.looked.constants.insert(looked);
        // What lies behind the end is never read: the kernel's verifier saw to it.
        let words: Vec<Operand> = (0..count)
            .map(|position| {
                let start = first.wrapping_add(position);
                let mut word = [0; 8];
                for (distance, byte) in word[..bytes as usize].iter_mut().enumerate() {
                    let from = start.wrapping_add(distance);
                    *byte = contents.get(from).copied().unwrap_or(0);
                }
                Operand::Const(u64::from_le_bytes(word))
            })
            .collect();
        let index_bits: Vec<Operand> = (0..usize::BITS - (count - 1).leading_zeros())
            .map(|bit| self.builder.slice(index, 64, bit, 1))
            .collect();
        Some(self.select_word(&words, &index_bits, bytes * 8))
    }

    /// `words[index]`, as a tree of selects over the bits of the index (the lowest one first).
    fn select_word(&mut self, words: &[Operand], index: &[Operand], width: u32) -> Operand {
        let Some((highest, rest)) = index.split_last() else {
            return words[0];
        };
        if words.iter().all(|word| *word == words[0]) {
            return words[0];
        }
        let half = 1 << rest.len();
        if words.len() <= half {
            return self.select_word(words, rest, width);
        }
        let low = self.select_word(&words[..half], rest, width);
        let high = self.select_word(&words[half..], rest, width);
        self.builder.select(*highest, high, low, width)
    }

    pub(super) fn store(&mut self, base: u8, offset: i16, bytes: u32, source: Source) {
        let Some(pointer) = self.usable(base) else {
            return;
        };
        let Some(address) = self.address(pointer, offset) else {
            return;
        };
        if let Source::Register(register) = source {
            let value = self.register(register);
            let is_data = matches!(
                value,
                AbstractValue::Scalar(_) | AbstractValue::Uninitialised
            );
            if !is_data && self.spill(address, bytes, value) {
                return;
            }
        }
        let value = match source {
            Source::Immediate(number) => Some(Operand::Const(i64::from(number) as u64)),
            Source::Register(register) => self.scalar(register),
        };
        if let Some(value) = value {
            let part = self.builder.low(value, bytes * 8);
            self.write_memory(address, bytes, part);
        }
    }

    /// Keeps a pointer that is stored to a whole slot of the stack. False for any other store.
    fn spill(&mut self, address: AbstractValue, bytes: u32, value: AbstractValue) -> bool {
        let Some(offset) = self.stack_offset(address) else {
            return false;
        };
        if bytes != 8 || offset % 8 != 0 {
            return false;
        }
        if self
            .check_stack(Operand::Const(u64::from(offset)), bytes)
            .is_some()
        {
            self.state.stack.spill(offset / 8, value);
        }
        true
    }

    /// Stores `bytes` bytes (any number).
    pub(super) fn write_memory(&mut self, address: AbstractValue, bytes: u32, value: Operand) {
        let number = value;
        let value = self.builder.value(value, bytes * 8);
        match address {
            AbstractValue::Stack(offset) => {
                if self.check_stack(offset, bytes).is_none() {
                    return;
                }
                match self.stack_offset(address) {
                    Some(offset) => self.state.stack.store(offset, bytes, number),
                    None => {
                        let (first, end) = self.stack_reach(offset, bytes);
                        self.state.stack.forget_some(first, end - first);
                    }
                }
                let place = self.builder.value(offset, 64);
                self.builder.effect(Op::StackStore, vec![place, value], &[]);
            }
            AbstractValue::Packet(offset) => {
                let place = self.builder.packet_place(offset);
                self.builder
                    .effect(Op::PacketStore, vec![place, value], &[]);
            }
            AbstractValue::MapValue(pointer) => {
                if let Some(map) = self.writable_value(pointer) {
                    let (entry, offset) = self.entry_and_offset(pointer);
                    self.builder
                        .effect(Op::MapStore(map), vec![entry, offset, value], &[]);
                }
            }
            AbstractValue::Event => {}
            other => self.refuse(
                "bad-address",
                format!("memory is written through {}", other.description()),
                "only the packet, the stack and map values can be written",
            ),
        }
    }

    /// The map of a pointer through which a program may load.
    fn readable_value(&mut self, pointer: MapPointer) -> Option<MapId> {
        let map = self.map_id(pointer.map)?;
        if self.maps[pointer.map].kind() == Some(MapType::XskMap) {
            let name = self.map_name(pointer.map);
            self.refuse(
                "socket-field",
                format!("the program reads a field of a socket in {name}"),
                "hardpath knows whether there is a socket, not what it is bound to: compare the pointer with null only",
            );
            return None;
        }
        Some(map)
    }

    /// The map of a pointer through which a program may store.
    fn writable_value(&mut self, pointer: MapPointer) -> Option<MapId> {
        let map = self.writable_map(pointer.map)?;
        if pointer.is_stale {
            let name = self.map_name(pointer.map);
            self.refuse(
                "store-after-delete",
                format!("a value of {name} is written through a pointer from before an entry of {name} was deleted"),
                "the kernel may have given the memory to another entry; look the entry up again after bpf_map_delete_elem",
            );
            return None;
        }
        Some(map)
    }

    /// The map, when programs may write its values.
    pub(super) fn writable_map(&mut self, map: usize) -> Option<MapId> {
        let id = self.map_id(map)?;
        let kind = self.maps[map].kind();
        if kind.is_some_and(|kind| !kind.is_writable_by_program()) {
            let name = self.map_name(map);
            self.refuse(
                "read-only-map",
                format!("the program writes to {name}, a map of redirect targets"),
                "only the host can change such a map, as in the kernel",
            );
            return None;
        }
        Some(id)
    }

    /// Sees to it that an access is on the stack of a function, and notes how much of it is used.
    fn check_stack(&mut self, offset: Operand, bytes: u32) -> Option<()> {
        let Layout::Separate = self.layout else {
            // The first time has shown that it is.
            return Some(());
        };
        let (first, end) = match offset {
            Operand::Const(offset) => (offset, offset.saturating_add(u64::from(bytes))),
            // The kernel's verifier has seen to it that it stays on the stack that it begins on.
            Operand::Value(_) => {
                let (first, _) = self.stack_reach(offset, bytes);
                (u64::from(first), u64::from(first) + 1)
            }
        };
        let found = self.current.invocation.chain().find_map(|frame| {
            let top = u64::from(frame.top);
            let is_inside = top - u64::from(STACK_BYTES) <= first && end <= top;
            is_inside.then(|| (frame.code, frame.start, (top - first) as u32))
        });
        if let Some((code, start, used)) = found {
            let depth = self.stack_depths.entry((code, start)).or_insert(0);
            *depth = used.max(*depth);
            if let Operand::Value(_) = offset {
                self.check_lowest_offset(offset);
            }
            return Some(());
        }
        if let Operand::Const(offset) = offset {
            let top = i64::from(self.current.invocation.top);
            let distance = (offset as i64).wrapping_sub(top);
            self.refuse(
                "stack-bounds",
                format!("{bytes} bytes at r10{distance:+} are not on the stack"),
                "the stack has 512 bytes, from r10-512 to r10-1",
            );
        } else {
            self.refuse_loose_stack_access();
        }
        None
    }

    /// Functions share the stack, so it must be known where an access begins; a program without functions may
    /// leave it open.
    fn check_lowest_offset(&mut self, offset: Operand) {
        let range = self.builder.range(offset, 64);
        if range.high >= LARGEST_BYTES as u64 && range.low == 0 {
            self.loose_stack_access
                .get_or_insert((self.current.clone(), self.slot));
        }
    }

    /// See [`Lifter::check_lowest_offset`]; it is known only in the end whether there are functions.
    pub(super) fn check_loose_stack_access(&mut self) {
        if self.has_calls {
            if let Some((instance, slot)) = self.loose_stack_access.take() {
                (self.current, self.slot) = (instance, slot);
                self.refuse_loose_stack_access();
            }
        }
    }

    fn refuse_loose_stack_access(&mut self) {
        self.refuse(
            "stack-bounds",
            "the stack is accessed at an offset whose bounds are not known, in a program whose functions share the stack",
            "mask the index (array[i & 15]), or inline the functions (static __always_inline)",
        );
    }

    /// The first and the last byte (not included) that an access at a variable offset may touch.
    fn stack_reach(&self, offset: Operand, bytes: u32) -> (u32, u32) {
        let range = self.builder.range(offset, 64);
        let largest = LARGEST_BYTES as u64;
        if range.low > range.high || range.low >= largest {
            return (0, LARGEST_BYTES as u32);
        }
        let end = range.high.saturating_add(u64::from(bytes)).min(largest);
        (range.low as u32, end as u32)
    }

    pub(super) fn atomic(
        &mut self,
        op: AtomicOp,
        base: u8,
        offset: i16,
        bytes: u32,
        src: u8,
        fetch: bool,
    ) {
        let old = self.atomic_on(op, base, offset, bytes, src);
        let into = match (op, fetch) {
            (AtomicOp::CmpXchg, _) => 0,
            (_, true) => src,
            (_, false) => return,
        };
        let result = match old {
            Some(old) => AbstractValue::Scalar(self.builder.zext(old, bytes * 8, 64)),
            None => AbstractValue::Reported,
        };
        self.set_register(into, result);
    }

    /// Does the operation and gives the old word.
    fn atomic_on(
        &mut self,
        op: AtomicOp,
        base: u8,
        offset: i16,
        bytes: u32,
        src: u8,
    ) -> Option<Operand> {
        let width = bytes * 8;
        let pointer = self.usable(base)?;
        let address = self.address(pointer, offset)?;
        let operand = self.scalar(src)?;
        let operand = self.builder.low(operand, width);
        let expected = match op {
            AtomicOp::CmpXchg => {
                let expected = self.scalar(0)?;
                Some(self.builder.low(expected, width))
            }
            _ => None,
        };
        if let AbstractValue::MapValue(pointer) = address {
            let map = self.writable_value(pointer)?;
            let (entry, offset) = self.entry_and_offset(pointer);
            let mut args = vec![entry, offset, self.builder.value(operand, width)];
            args.extend(expected.map(|expected| self.builder.value(expected, width)));
            let old = self.builder.effect1(Op::MapAtomic(map, op), args, width);
            let name = self.memory_name(&self.map_name(pointer.map), pointer.offset);
            self.builder.name(old, &name);
            return Some(old);
        }
        if let AbstractValue::Rodata { .. } = address {
            self.refuse(
                "bad-address",
                "an atomic operation works on read-only data",
                "the kernel would not load this program either",
            );
            return None;
        }
        // Nobody else sees the stack and the packet, so there the parts of an atomic need not be one.
        let old = self.read_memory(address, bytes)?;
        let new = match (op, expected) {
            (AtomicOp::Add, _) => self.builder.binary(Op::Add, old, operand, width),
            (AtomicOp::And, _) => self.builder.binary(Op::And, old, operand, width),
            (AtomicOp::Or, _) => self.builder.binary(Op::Or, old, operand, width),
            (AtomicOp::Xor, _) => self.builder.binary(Op::Xor, old, operand, width),
            (AtomicOp::CmpXchg, Some(expected)) => {
                let same = self.builder.compare(Op::Eq, old, expected, width);
                self.builder.select(same, operand, old, width)
            }
            _ => operand,
        };
        self.write_memory(address, bytes, new);
        Some(old)
    }
}
