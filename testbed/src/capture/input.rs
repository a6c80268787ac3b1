//! The bytes of a capture, record by record.

use super::{packet_place, unreadable};
use hardpath_diagnostic::Diagnostic;
use std::io::{BufRead, Read};

/// Where a capture comes from, and the header, packet or block that is being read.
pub struct Input<R> {
    from: R,
    /// Of the file, for messages.
    pub name: String,
    /// The number of the packet that is being read, from 1; 0: the file's header.
    pub packet: usize,
    /// What was read of the record.
    pub record: Vec<u8>,
    /// All bytes so far.
    pub bytes_read: u64,
}

impl<R: BufRead> Input<R> {
    pub fn new(from: R, name: String) -> Input<R> {
        Input {
            from,
            name,
            packet: 0,
            record: Vec::new(),
            bytes_read: 0,
        }
    }

    /// Reads on until the record has so many bytes; false when the file ends before.
    pub fn fill(&mut self, length: usize) -> Result<bool, Diagnostic> {
        let missing = length.saturating_sub(self.record.len()) as u64;
        let read = self.from.by_ref().take(missing);
        let count = { read }
            .read_to_end(&mut self.record)
            .map_err(|error| unreadable(packet_place(&self.name, self.packet), &error))?;
        self.bytes_read += count as u64;
        Ok(count as u64 == missing)
    }
}
