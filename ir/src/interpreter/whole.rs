//! Operations over a range of bytes.

use super::prepare::Action;
use super::{byte_at, set_byte, Prepared};
use crate::structure::{Memory, Whole};

impl Prepared {
    pub(super) fn whole(&mut self, action: &Action) {
        let Action::Whole {
            whole,
            result,
            args,
        } = action
        else {
            unreachable!("only whole operations come here");
        };
        let [first, second, third] = args.map(|slot| self.word(slot));
        let most = u64::from(whole.up_to());
        match *whole {
            Whole::Checksum { memory, .. } => {
                let bytes = self.range(memory, first, second.min(most));
                self.set_word(*result, u64::from(checksum(&bytes, third)));
            }
            Whole::Copy { from, to, .. } => {
                let bytes = self.range(from, first, third.min(most));
                for (at, byte) in (0..).zip(bytes) {
                    let offset = second.wrapping_add(at);
                    match to {
                        Memory::Stack => set_byte(&mut self.stack, offset, byte),
                        Memory::Packet => self.packet.set_byte(offset, byte),
                    }
                }
            }
        }
    }

    fn range(&self, memory: Memory, offset: u64, length: u64) -> Vec<u8> {
        let byte = |at: u64| match memory {
            Memory::Stack => byte_at(&self.stack, offset.wrapping_add(at)),
            Memory::Packet => self.packet.byte(offset.wrapping_add(at)),
        };
        (0..length).map(byte).collect()
    }
}

/// The ones' complement sum of RFC 1071 over words of 16 bits, the first byte in the lower half.
pub fn checksum(bytes: &[u8], seed: u64) -> u16 {
    let words = bytes.chunks(2).map(|word| {
        let high = word.get(1).copied().unwrap_or(0);
        u64::from(u16::from_le_bytes([word[0], high]))
    });
    let mut sum: u64 = seed + words.sum::<u64>();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}
