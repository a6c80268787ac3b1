//! Updates of maps whose values have a spin lock. Packets are processed one after the other, so every lock is free.

use hardpath_ir::{Block, MapId, Op, Target, Terminator, Value};
use hardpath_kernel::{flag, MapType};

use super::state::{MapPointer, Operand};
use super::Lifter;

/// Bytes of `struct bpf_spin_lock`.
const LOCK_BYTES: u32 = 4;

impl Lifter<'_> {
    /// `bpf_map_update_elem` with a key and a value whose lock is at byte `lock`: its return value, 64 bits.
    ///
    /// An update leaves a free lock in the value (`copy_map_value` in the kernel's `include/linux/bpf.h`). BPF_F_LOCK
    /// changes nothing for an array (`array_map_update_elem`). In a hash it writes an entry that is there where it
    /// stands (`htab_map_update_elem`), so that pointers from earlier lookups see the new value; else it changes nothing.
    pub(super) fn update_with_lock(
        &mut self,
        map: usize,
        id: MapId,
        (key, value): (Value, Value),
        lock: u32,
        flags: Operand,
    ) -> Operand {
        let (lock_flag, zero) = (Operand::Const(flag::LOCK), Operand::Const(0));
        let not_lock = Operand::Const(!flag::LOCK);
        let others = self.builder.binary(Op::And, flags, not_lock, 64);
        let parts = self.around_lock(value, self.maps[map].value_bytes, lock);
        let with_free_lock = self.joined(&parts, self.maps[map].value_bytes);
        let is_array = self.maps[map].kind().is_some_and(MapType::is_array);
        let is_small = self.builder.bits_needed(flags) <= flag::LOCK.trailing_zeros();
        if is_array || others == flags || is_small {
            return self.update((map, id), key, with_free_lock, others);
        }
        let pointer = self.lookup(map, id, key);
        // Not where the entry must not be there (BPF_NOEXIST), and not with flags that make no sense: then the usual
        // update gives the error.
        let builder = &mut self.builder;
        let locks = builder.binary(Op::And, flags, lock_flag, 64);
        let locks = builder.compare(Op::Ne, locks, zero, 64);
        let is_any = builder.compare(Op::Eq, others, zero, 64);
        let must_exist = builder.compare(Op::Eq, others, Operand::Const(flag::EXIST), 64);
        let is_allowed = builder.binary(Op::Or, is_any, must_exist, 1);
        let in_place = builder.binary(Op::And, locks, is_allowed, 1);
        let in_place = builder.binary(Op::And, in_place, pointer.hit, 1);
        let Operand::Value(in_place) = in_place else {
            return self.update((map, id), key, with_free_lock, others);
        };
        let [writing, updating] = self.split(in_place);
        let after = self.builder.program.add_block();
        let result = self.builder.program.add_param(after, 64);
        self.begin_block(writing);
        self.write_around_lock(id, pointer, &parts);
        self.leave_with(after, zero);
        self.begin_block(updating);
        let updated = self.update((map, id), key, with_free_lock, others);
        self.leave_with(after, updated);
        self.begin_block(after);
        Operand::Value(result)
    }

    /// Jumps to a block that is given a number of 64 bits.
    fn leave_with(&mut self, block: Block, number: Operand) {
        let number = self.builder.value(number, 64);
        let from = self.builder.block;
        self.builder.program.blocks[from].terminator = Terminator::Jump(Target {
            block,
            args: vec![number],
        });
    }

    /// The bytes of a value in front of its lock and behind it: first byte, number of bytes, contents. What is empty is
    /// left out.
    fn around_lock(&mut self, value: Value, bytes: u32, lock: u32) -> Vec<(u32, u32, Operand)> {
        let behind = lock + LOCK_BYTES;
        [(0, lock), (behind, bytes.saturating_sub(behind))]
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(first, count)| {
                let contents =
                    self.builder
                        .slice(Operand::Value(value), bytes * 8, first * 8, count * 8);
                (first, count, contents)
            })
            .collect()
    }

    /// A value of these parts, with zeros where its lock is.
    fn joined(&mut self, parts: &[(u32, u32, Operand)], bytes: u32) -> Value {
        let mut pieces = Vec::new();
        let mut end = 0;
        for (first, count, contents) in parts {
            if *first > end {
                pieces.push((Operand::Const(0), (first - end) * 8));
            }
            pieces.push((*contents, count * 8));
            end = first + count;
        }
        if bytes > end {
            pieces.push((Operand::Const(0), (bytes - end) * 8));
        }
        pieces.reverse();
        let joined = self.builder.pure(Op::Concat, &pieces, bytes * 8);
        self.builder.value(joined, bytes * 8)
    }

    fn write_around_lock(
        &mut self,
        map: MapId,
        pointer: MapPointer,
        parts: &[(u32, u32, Operand)],
    ) {
        for (first, count, contents) in parts {
            let entry = self.builder.value(pointer.entry, 32);
            let first = self.builder.value(Operand::Const((*first).into()), 32);
            let contents = self.builder.value(*contents, count * 8);
            self.builder
                .effect(Op::MapStore(map), vec![entry, first, contents], &[]);
        }
    }
}
