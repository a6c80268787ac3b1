//! What a generated program's registers and stack hold at one point: as much of the kernel's verifier as it takes to
//! make programs that it accepts.

use std::collections::BTreeMap;

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// Nothing that may be read.
    Nothing,
    Number,
    Context,
    Packet(PacketPointer),
    PacketEnd,
    /// Bytes from the stack's end (negative).
    Stack(i16),
    Value(ValuePointer),
}

/// A pointer into the packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PacketPointer {
    /// Pointers of one base are constant distances apart; base 0 is the packet's beginning.
    pub base: u32,
    /// From the base, in bytes.
    pub offset: i32,
    /// Bytes from the base that are known to be in the packet.
    pub checked: i32,
}

/// A pointer that a map lookup gave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValuePointer {
    pub map: usize,
    /// Tells lookups apart.
    pub lookup: u32,
    /// It may be null.
    pub unchecked: bool,
    /// Times that the map's elements were replaced or removed since.
    pub age: u8,
    /// One of them was removed: hardpath takes no stores any more.
    pub deleted: bool,
}

impl ValuePointer {
    fn is_old(self) -> bool {
        self.deleted || self.age > 1
    }
}

/// The stack's size in bytes.
pub const STACK: i16 = 512;

#[derive(Clone, Debug)]
pub struct State {
    pub registers: [Holds; 10],
    /// Pointers on the stack, by offset from its end (negative, a multiple of 8).
    spills: BTreeMap<i16, Holds>,
    /// Bytes of the stack that hold parts of pointers on some path; index 0 is the lowest address.
    tainted: [bool; STACK as usize],
    /// Registers and bytes of the stack whose numbers depend on what enters with the packet.
    varied: [bool; 10],
    varied_stack: [bool; STACK as usize],
}

impl State {
    /// At a program's beginning.
    pub fn new() -> State {
        let mut registers = [Holds::Nothing; 10];
        registers[1] = Holds::Context;
        State {
            registers,
            spills: BTreeMap::new(),
            tainted: [false; STACK as usize],
            varied: [false; 10],
            varied_stack: [false; STACK as usize],
        }
    }

    /// A register is written.
    pub fn set(&mut self, register: u8, holds: Holds, varied: bool) {
        self.registers[usize::from(register)] = holds;
        self.varied[usize::from(register)] = varied;
    }

    pub fn is_varied(&self, register: u8) -> bool {
        self.varied[usize::from(register)]
    }

    /// Whether any of these bytes depends on what enters with the packet.
    pub fn is_stack_varied(&self, offset: i16, bytes: i16) -> bool {
        let start = (offset + STACK) as usize;
        self.varied_stack[start..start + bytes as usize].contains(&true)
    }

    /// Places of so many bytes, aligned, that hold numbers that depend on what enters with the packet.
    pub fn varied_places(&self, bytes: i16) -> Vec<i16> {
        (-STACK..0)
            .step_by(bytes as usize)
            .filter(|place| self.is_stack_varied(*place, bytes) && self.is_readable(*place, bytes))
            .collect()
    }

    /// What is known where two paths meet.
    pub fn join(&mut self, other: &State) {
        for (mine, other) in self.registers.iter_mut().zip(other.registers) {
            *mine = join(*mine, other);
        }
        let spills = std::mem::take(&mut self.spills);
        for (offset, mine) in spills {
            if let Some(other) = other.spills.get(&offset) {
                match join(mine, *other) {
                    Holds::Nothing => {}
                    joined => {
                        self.spills.insert(offset, joined);
                    }
                }
            }
        }
        for (mine, other) in self.tainted.iter_mut().zip(other.tainted) {
            *mine |= other;
        }
        // Both ways may give the same constant; mostly they do not.
        for (mine, other) in self.varied.iter_mut().zip(other.varied) {
            *mine |= other;
        }
        for (mine, other) in self.varied_stack.iter_mut().zip(other.varied_stack) {
            *mine |= other;
        }
    }

    /// Registers that hold something of a kind.
    pub fn registers_with(&self, wanted: impl Fn(Holds) -> bool) -> Vec<u8> {
        (0..10)
            .filter(|register| wanted(self.registers[usize::from(*register)]))
            .collect()
    }

    /// Stack slots that hold something of a kind.
    pub fn spills_with(&self, wanted: impl Fn(Holds) -> bool) -> Vec<i16> {
        let found = self.spills.iter().filter(|(_, holds)| wanted(**holds));
        found.map(|(offset, _)| *offset).collect()
    }

    pub fn spill_at(&self, offset: i16) -> Option<Holds> {
        self.spills.get(&offset).copied()
    }

    pub fn spill(&mut self, offset: i16, pointer: Holds) {
        self.write_stack(offset, 8, false);
        self.spills.insert(offset, pointer);
        self.taint(offset, 8, true);
    }

    /// Numbers are written to the stack.
    pub fn write_stack(&mut self, offset: i16, bytes: i16, varied: bool) {
        self.spills
            .retain(|slot, _| *slot + 8 <= offset || offset + bytes <= *slot);
        self.taint(offset, bytes, false);
        let start = (offset + STACK) as usize;
        self.varied_stack[start..start + bytes as usize].fill(varied);
    }

    /// Numbers are written somewhere on the stack: pointers there are lost.
    pub fn write_stack_somewhere(&mut self) {
        self.spills.clear();
    }

    /// Whether these bytes hold numbers on every path.
    pub fn is_readable(&self, offset: i16, bytes: i16) -> bool {
        let start = (offset + STACK) as usize;
        !self.tainted[start..start + bytes as usize].contains(&true)
    }

    fn taint(&mut self, offset: i16, bytes: i16, tainted: bool) {
        let start = (offset + STACK) as usize;
        self.tainted[start..start + bytes as usize].fill(tainted);
    }

    /// A bounds check has shown that so many bytes behind a base are in the packet.
    pub fn check_packet(&mut self, base: u32, bytes: i32) {
        self.change_all(|holds| {
            if let Holds::Packet(pointer) = holds {
                if pointer.base == base {
                    pointer.checked = pointer.checked.max(bytes);
                }
            }
        });
    }

    /// The packet was moved: what points into it must be loaded again.
    pub fn forget_packet(&mut self) {
        self.change_all(|holds| {
            if let Holds::Packet(_) | Holds::PacketEnd = holds {
                *holds = Holds::Nothing;
            }
        });
    }

    /// What a lookup gave is no null pointer, or is one: then it is the number 0.
    pub fn check_value(&mut self, lookup: u32, found: bool) {
        self.change_all(|holds| {
            if let Holds::Value(pointer) = holds {
                if pointer.lookup == lookup {
                    match found {
                        true => pointer.unchecked = false,
                        false => *holds = Holds::Nothing,
                    }
                }
            }
        });
    }

    /// An element of a map was replaced or (`deleted`) removed.
    pub fn replace_element(&mut self, map: usize, deleted: bool) {
        self.change_all(|holds| match holds {
            Holds::Value(pointer) if pointer.map == map => {
                pointer.age += 1;
                pointer.deleted |= deleted;
            }
            _ => {}
        });
    }

    /// Forgets the pointers that hardpath lets nobody use, or only for loads.
    pub fn forget_old_pointers(&mut self) {
        self.change_all(|holds| match holds {
            Holds::Value(pointer) if pointer.is_old() => *holds = Holds::Nothing,
            _ => {}
        });
    }

    /// A call leaves nothing in the argument registers.
    pub fn call(&mut self, result: Holds) {
        self.registers[1..=5].fill(Holds::Nothing);
        self.varied[1..=5].fill(false);
        self.set(0, result, true);
    }

    fn change_all(&mut self, change: impl Fn(&mut Holds)) {
        self.registers.iter_mut().for_each(&change);
        self.spills.values_mut().for_each(&change);
        self.spills.retain(|_, holds| *holds != Holds::Nothing);
    }
}

fn join(a: Holds, b: Holds) -> Holds {
    match (a, b) {
        (Holds::Packet(a), Holds::Packet(b)) if a.base == b.base && a.offset == b.offset => {
            Holds::Packet(PacketPointer {
                checked: a.checked.min(b.checked),
                ..a
            })
        }
        (Holds::Value(a), Holds::Value(b)) if a.lookup == b.lookup => Holds::Value(ValuePointer {
            unchecked: a.unchecked || b.unchecked,
            age: a.age.max(b.age),
            deleted: a.deleted || b.deleted,
            ..a
        }),
        _ if a == b => a,
        _ => Holds::Nothing,
    }
}
