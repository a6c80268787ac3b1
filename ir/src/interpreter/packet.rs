//! The packet's memory: its bytes, the headroom in front of them and the room behind them.

use crate::{HEADROOM_BYTES, MAX_GROWN_BYTES};

/// The memory of one packet. Offsets count from where the packet began when it came in.
#[derive(Clone, Debug, Default)]
pub(super) struct PacketMemory {
    /// From offset −[`HEADROOM_BYTES`] up.
    bytes: Vec<u8>,
    /// Which bytes a store has written.
    written: Vec<bool>,
}

/// What of the memory leaves: see [`crate::Moved`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaving {
    pub(super) head: i64,
    pub(super) end: i64,
    pub(super) keep: i64,
    pub(super) meta: i64,
}

impl Leaving {
    /// A packet of a length that was not moved.
    pub(super) fn unmoved(length: usize) -> Leaving {
        Leaving {
            head: 0,
            end: length as i64,
            keep: length as i64,
            meta: 0,
        }
    }
}

impl PacketMemory {
    /// Puts a packet in.
    pub(super) fn load(&mut self, packet: &[u8]) {
        let size = HEADROOM_BYTES as usize + packet.len().max(MAX_GROWN_BYTES as usize);
        self.bytes.clear();
        self.bytes.resize(HEADROOM_BYTES as usize, 0);
        self.bytes.extend(packet);
        self.bytes.resize(size, 0);
        self.written.clear();
        self.written.resize(size, false);
    }

    /// The byte at an offset (64 bits in two's complement); 0 outside.
    pub(super) fn byte(&self, offset: u64) -> u8 {
        let byte = index(offset).and_then(|index| self.bytes.get(index));
        byte.copied().unwrap_or(0)
    }

    /// Writes a byte; outside it vanishes.
    pub(super) fn set_byte(&mut self, offset: u64, byte: u8) {
        if let Some(index) = index(offset).filter(|index| *index < self.bytes.len()) {
            self.bytes[index] = byte;
            self.written[index] = true;
        }
    }

    /// Makes everything from an offset on zeros.
    pub(super) fn clear_from(&mut self, from: i64) {
        let from = from.saturating_add(i64::from(HEADROOM_BYTES)).max(0);
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        let from = from.min(self.bytes.len());
        self.bytes[from..].fill(0);
    }

    /// The packet as it leaves.
    pub(super) fn leaving(&self, leaving: &Leaving) -> Vec<u8> {
        self.range(leaving.head, leaving.end, leaving.keep)
    }

    /// The metadata in front of it.
    pub(super) fn metadata(&self, leaving: &Leaving) -> Vec<u8> {
        self.range(leaving.head - leaving.meta, leaving.head, leaving.keep)
    }

    fn range(&self, from: i64, to: i64, keep: i64) -> Vec<u8> {
        if let (true, Some(from), Some(to)) = (to <= keep, index(from as u64), index(to as u64)) {
            if let Some(whole) = self.bytes.get(from..to) {
                return whole.to_vec();
            }
        }
        (from..to)
            .map(|offset| match index(offset as u64) {
                Some(index) if offset >= keep && !self.is_written(index) => 0,
                _ => self.byte(offset as u64),
            })
            .collect()
    }

    fn is_written(&self, index: usize) -> bool {
        self.written.get(index).copied().unwrap_or(false)
    }
}

/// Where an offset lies in the memory; `None`: before it.
fn index(offset: u64) -> Option<usize> {
    let index = (offset as i64).checked_add(i64::from(HEADROOM_BYTES))?;
    usize::try_from(index).ok()
}
