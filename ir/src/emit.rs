//! How a program ends: what it says of its packet, and which bytes of it leave.
//!
//! ```text
//!            headroom │ the packet's memory: offset 0 is where it began when it came in
//!                     0
//!   [front bytes] + [from .. ……………………………………………………… end)         what leaves
//!                                       zeros ┘ what no store wrote from here on is zeros
//! ```

use crate::{MapId, Value};
use hardpath_packet::{CLASS_BITS, INDEX_BITS, MAX_PACKET_BYTES, MIN_PACKET_BYTES};

/// The widest output, in bits.
pub const MAX_OUTPUT_BITS: u32 = 64;

/// How far a program's packets and memories reach, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The shortest packet that comes in.
    pub shortest: u32,
    /// The longest one.
    pub longest: u32,
    /// Bytes in front of the packet's memory, by which its head can grow.
    pub headroom: u32,
    /// Up to here, from where the packet began, its memory reaches, also of one that is shorter.
    pub tail: u32,
    /// Size of the stack.
    pub stack: u32,
}

impl Default for Limits {
    /// Ethernet frames that stay where they are, with a stack.
    fn default() -> Limits {
        Limits {
            shortest: MIN_PACKET_BYTES,
            longest: MAX_PACKET_BYTES,
            headroom: 0,
            tail: 0,
            stack: 512,
        }
    }
}

/// The largest headroom and the farthest tail, in bytes: offsets of what leaves have [`OFFSET_BITS`] and a sign.
pub const MAX_REACH_BYTES: u32 = 16384;
/// The largest stack, in bytes.
pub const MAX_STACK_BYTES: u32 = 4096;
/// Width in bits of the offsets of what leaves.
pub const OFFSET_BITS: u32 = 16;

/// What a program says of its packet at its end.
#[derive(Clone, PartialEq, Debug)]
pub struct Emit {
    /// 1 bit: the packet goes on.
    pub forwarded: Value,
    /// How it goes on.
    pub packet: Sent,
    /// In place of the packet, one for each destination in a table. At most one `when` is 1.
    pub each: Vec<Each>,
    /// Further packets that leave behind it, in this order.
    pub copies: Vec<SentCopy>,
}

/// How a packet leaves.
#[derive(Clone, PartialEq, Debug)]
pub struct Sent {
    /// `None`: out at the port where it came in.
    pub to: Option<To>,
    /// A value for each of [`crate::Program::outputs`].
    pub outputs: Vec<Value>,
    /// Its bytes. `None`: as it came in, from 0 to its length.
    pub leaves: Option<Leaving>,
    /// Where what leaves begins, the front included, as far as that is known: at one of these places, from the first one up. Empty: nobody
    /// has looked. It says nothing that the values do not, only what no single one of them shows.
    pub begins: Vec<i16>,
}

/// Which way a packet goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct To {
    /// The code of a [`hardpath_packet::Class`].
    pub class: Value,
    /// The number of a port or queue.
    pub index: Value,
}

/// The part of the packet's memory that leaves. All offsets have [`OFFSET_BITS`], in two's complement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaving {
    /// Where it begins: so many bytes of the packet are skipped, or, negative, so many of the headroom leave, too.
    pub from: Value,
    /// Behind its last byte; not before `from`.
    pub end: Value,
    /// Bytes at or behind this that no store has written are zeros: the smallest end that the packet ever had.
    pub zeros: Value,
    /// What is put in front of that.
    pub front: Option<Front>,
}

/// Bytes in front of what leaves of the packet's memory: headers in front of a payload, wherever that begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Front {
    /// A number of bytes; the first one in bits 7:0.
    pub bytes: Value,
    /// So many of them, the first ones; [`OFFSET_BITS`].
    pub length: Value,
}

/// A packet for each destination in a table ([`crate::MapDecl::broadcast`]), in the order of its keys: the index is the
/// first 32 bits of an entry's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Each {
    /// 1 bit: the packet goes there.
    pub when: Value,
    /// The table.
    pub table: MapId,
    /// 1 bit: not to the interface where the packet came in ([`crate::Input::Ingress`]).
    pub not_back: Value,
}

/// A further packet that leaves.
#[derive(Clone, PartialEq, Debug)]
pub struct SentCopy {
    /// 1 bit: it leaves.
    pub when: Value,
    /// How.
    pub sent: Sent,
}

impl Emit {
    /// A packet that leaves as it came in, or does not.
    pub fn new(forwarded: Value, outputs: Vec<Value>) -> Emit {
        Emit {
            forwarded,
            packet: Sent::new(outputs),
            each: Vec::new(),
            copies: Vec::new(),
        }
    }

    /// Every value, in the order of the text form.
    pub fn uses(&self) -> Vec<Value> {
        let mut all = self.clone();
        let all = all.parts_mut().into_iter();
        all.map(|(_, value)| *value).collect()
    }

    /// Every value, to be rewritten in place.
    pub fn uses_mut(&mut self) -> Vec<&mut Value> {
        let all = self.parts_mut().into_iter();
        all.map(|(_, value)| value).collect()
    }

    /// The same, with what each is.
    pub fn parts_mut(&mut self) -> Vec<(Role, &mut Value)> {
        let mut all = vec![(Role::Condition, &mut self.forwarded)];
        self.packet.gather(&mut all);
        for each in &mut self.each {
            all.push((Role::Condition, &mut each.when));
            all.push((Role::Condition, &mut each.not_back));
        }
        for copy in &mut self.copies {
            all.push((Role::Condition, &mut copy.when));
            copy.sent.gather(&mut all);
        }
        all
    }
}

impl Sent {
    /// Out at the port where the packet came in, as it came in.
    pub fn new(outputs: Vec<Value>) -> Sent {
        Sent {
            to: None,
            outputs,
            leaves: None,
            begins: Vec::new(),
        }
    }

    fn gather<'a>(&'a mut self, all: &mut Vec<(Role, &'a mut Value)>) {
        if let Some(to) = &mut self.to {
            all.push((Role::Class, &mut to.class));
            all.push((Role::Index, &mut to.index));
        }
        let outputs = self.outputs.iter_mut().enumerate();
        all.extend(outputs.map(|(number, value)| (Role::Output(number), value)));
        if let Some(leaves) = &mut self.leaves {
            all.extend(
                [&mut leaves.from, &mut leaves.end, &mut leaves.zeros]
                    .map(|value| (Role::Offset, value)),
            );
            if let Some(front) = &mut leaves.front {
                all.push((Role::Bytes, &mut front.bytes));
                all.push((Role::Offset, &mut front.length));
            }
        }
    }
}

/// What a value of an [`Emit`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// 1 bit.
    Condition,
    /// Of a [`To`].
    Class,
    /// Of a [`To`].
    Index,
    /// The value of that output.
    Output(usize),
    /// An offset or a length of what leaves.
    Offset,
    /// The bytes of a [`Front`].
    Bytes,
}

impl Role {
    /// For messages.
    pub fn name(self) -> &'static str {
        match self {
            Role::Condition => "the condition",
            Role::Class => "the class",
            Role::Index => "the index",
            Role::Output(_) => "the output",
            Role::Offset => "the offset",
            Role::Bytes => "the front",
        }
    }

    /// Its width in bits, where that is the same in all programs.
    pub fn width(self) -> Option<u32> {
        match self {
            Role::Condition => Some(1),
            Role::Class => Some(CLASS_BITS),
            Role::Index => Some(INDEX_BITS),
            Role::Offset => Some(OFFSET_BITS),
            Role::Output(_) | Role::Bytes => None,
        }
    }
}
