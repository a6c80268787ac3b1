//! When entries were last found: each packet that finds one writes its own time into the entry's value.
//!
//! The new time depends on nothing that is read, so no packet waits for another one; what a host makes of the times is [`crate::idle`].

use super::layout::{little, Bits};
use super::{ir, Found, Lower, LoweredTable, Made};
use crate::idle::{kept, KEPT_BITS, UNIT_BITS};
use num_bigint::BigInt;

/// Bytes of the time in the value of an entry.
pub(super) const TIME_BYTES: u32 = KEPT_BITS / 8;

impl Lower<'_> {
    /// The time of the packet, as entries keep it.
    pub(super) fn kept_time(&mut self) -> ir::Value {
        let now = self.input(ir::Input::Time, u64::BITS);
        self.slice(now, UNIT_BITS, KEPT_BITS)
    }

    /// The entry that was found keeps the time of the packet, if its table has timeouts.
    pub(super) fn keep_time(&mut self, found: Found) -> Made<()> {
        let made = &self.tables[found.place];
        let (Some(map), Some(entry), true) = (made.entries, found.entry, made.times) else {
            return Ok(());
        };
        let at = made.time_at();
        self.branch(
            found.hit,
            |all| {
                let (offset, now) = (all.number(at, 32), all.kept_time());
                all.effect(ir::Op::MapStore(map), &[entry, offset, now], &[]);
                Ok(())
            },
            |_| Ok(()),
        )
    }
}

impl LoweredTable {
    /// Where the time stands in the value of an entry.
    pub(super) fn time_bits(&self) -> Bits {
        Bits {
            lo: self.time_at() * 8,
            width: KEPT_BITS,
        }
    }

    /// Writes a time in nanoseconds into the value of an entry, if its table has timeouts.
    pub(super) fn set_time(&self, value: &mut [u8], time: u64) {
        if self.times {
            let at = self.time_at() as usize;
            let bytes = little(&BigInt::from(kept(time)), TIME_BYTES);
            value[at..at + bytes.len()].copy_from_slice(&bytes);
        }
    }

    /// The time that the value of an entry keeps.
    pub(super) fn time_in(&self, value: &[u8]) -> Option<u32> {
        let at = self.time_at() as usize;
        let bytes = value.get(at..at + TIME_BYTES as usize)?;
        let bytes = bytes.try_into().ok().filter(|_| self.times)?;
        Some(u32::from_le_bytes(bytes))
    }
}
