//! The packet's memory: its bytes, the headroom in front of them and the room behind them.

use crate::Limits;

/// The memory of one packet. Offsets count from where the packet began when it came in.
#[derive(Clone, Debug, Default)]
pub struct PacketMemory {
    limits: Limits,
    /// From the first byte of the headroom up.
    bytes: Vec<u8>,
    /// Which bytes a store has written.
    written: Vec<bool>,
}

/// What of the memory leaves: see [`crate::Leaving`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Part {
    /// The first byte.
    pub from: i64,
    /// Behind the last one.
    pub end: i64,
    /// From here on bytes that no store has written are zeros.
    pub zeros: i64,
}

impl Part {
    /// A packet of a length that was not moved.
    pub fn unmoved(length: usize) -> Part {
        Part {
            from: 0,
            end: length as i64,
            zeros: length as i64,
        }
    }
}

impl PacketMemory {
    /// Of a program with these limits.
    pub fn new(limits: Limits) -> PacketMemory {
        PacketMemory {
            limits,
            ..PacketMemory::default()
        }
    }

    /// Puts a packet in.
    pub fn load(&mut self, packet: &[u8]) {
        let headroom = self.limits.headroom as usize;
        let size = headroom + packet.len().max(self.limits.tail as usize);
        self.bytes.clear();
        self.bytes.resize(headroom, 0);
        self.bytes.extend(packet);
        self.bytes.resize(size, 0);
        self.written.clear();
        self.written.resize(size, false);
    }

    /// The byte at an offset (64 bits in two's complement); 0 outside.
    pub fn byte(&self, offset: u64) -> u8 {
        let byte = self.index(offset).and_then(|index| self.bytes.get(index));
        byte.copied().unwrap_or(0)
    }

    /// Writes a byte; outside it vanishes.
    pub fn set_byte(&mut self, offset: u64, byte: u8) {
        if let Some(index) = self.index(offset).filter(|index| *index < self.bytes.len()) {
            self.bytes[index] = byte;
            self.written[index] = true;
        }
    }

    /// Makes everything from an offset on zeros.
    pub fn clear_from(&mut self, from: i64) {
        let from = from.saturating_add(i64::from(self.limits.headroom)).max(0);
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        let from = from.min(self.bytes.len());
        self.bytes[from..].fill(0);
    }

    /// The packet as it leaves.
    pub fn leaving(&self, part: &Part) -> Vec<u8> {
        let Part { from, end, zeros } = *part;
        let index = |offset: i64| self.index(offset as u64);
        if let (true, Some(from), Some(end)) = (end <= zeros, index(from), index(end)) {
            if let Some(whole) = self.bytes.get(from..end) {
                return whole.to_vec();
            }
        }
        (from..end)
            .map(|offset| match index(offset) {
                Some(index) if offset >= zeros && !self.is_written(index) => 0,
                _ => self.byte(offset as u64),
            })
            .collect()
    }

    fn is_written(&self, index: usize) -> bool {
        self.written.get(index).copied().unwrap_or(false)
    }

    /// Where an offset lies in the memory; `None`: before it.
    fn index(&self, offset: u64) -> Option<usize> {
        let index = (offset as i64).checked_add(i64::from(self.limits.headroom))?;
        usize::try_from(index).ok()
    }
}
