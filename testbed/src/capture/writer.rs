//! pcapng files out: one section, one Ethernet interface, one block a packet.
//!
//! The format is that of the IETF draft `draft-ietf-opsawg-pcapng`: section 3.1 has the blocks, 3.5 the options, 4.1 to 4.3 the
//! three blocks that are written here.

use super::Captured;
use hardpath_diagnostic::{Diagnostic, Place};
use std::io::Write;

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
/// Tells readers the order of bytes.
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
/// Link type.
const ETHERNET: u16 = 1;

const END_OF_OPTIONS: u16 = 0;
const COMMENT: u16 = 1;
/// Of an interface: times count in 10 to the power of minus this of a second.
const TIME_RESOLUTION: u16 = 9;
const NANOSECONDS: u8 = 9;
/// Of an interface: what is to be added to times, in seconds.
const TIME_OFFSET: u16 = 14;

/// Writes Ethernet packets with times in nanoseconds as pcapng, one after the other.
pub struct Writer<W> {
    to: W,
    /// Of the file, for messages.
    name: String,
    /// The block that is made; kept, so that no packet needs new memory.
    block: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Writes what stands in front of the packets. `to` should have a buffer; `name` is for messages.
    pub fn new(to: W, name: impl Into<String>) -> Result<Writer<W>, Diagnostic> {
        let mut writer = Writer {
            to,
            name: name.into(),
            block: Vec::new(),
        };
        writer.begin(SECTION_HEADER);
        writer.word(BYTE_ORDER);
        // Version 1.0.
        writer.half(1);
        writer.half(0);
        // How long the section is stays unknown: readers go by the blocks.
        writer.bytes(&(-1i64).to_le_bytes());
        writer.end()?;
        writer.begin(INTERFACE_DESCRIPTION);
        writer.half(ETHERNET);
        writer.half(0);
        // No limit of length.
        writer.word(0);
        writer.option(TIME_RESOLUTION, &[NANOSECONDS]);
        writer.option(TIME_OFFSET, &0i64.to_le_bytes());
        writer.option(END_OF_OPTIONS, &[]);
        writer.end()?;
        Ok(writer)
    }

    /// Writes a packet.
    ///
    /// # Errors
    /// `capture-unwritable`: the file cannot be written, or the comment is longer than an option may be.
    pub fn packet(&mut self, packet: &Captured) -> Result<(), Diagnostic> {
        let comment = packet.comment.as_deref();
        if comment.is_some_and(|text| text.len() > usize::from(u16::MAX)) {
            return Err(failed(&self.name, "a comment is too long"));
        }
        let length = packet.data.len() as u32;
        self.begin(ENHANCED_PACKET);
        // The interface, the time with its upper half first, bytes that are here and that there were.
        for word in [0, (packet.time_ns >> 32) as u32, packet.time_ns as u32] {
            self.word(word);
        }
        self.word(length);
        self.word(length);
        self.bytes(&packet.data);
        if let Some(text) = comment {
            self.option(COMMENT, text.as_bytes());
            self.option(END_OF_OPTIONS, &[]);
        }
        self.end()
    }

    /// Writes what is left in buffers, and gives back what was written to.
    pub fn finish(mut self) -> Result<W, Diagnostic> {
        match self.to.flush() {
            Ok(()) => Ok(self.to),
            Err(error) => Err(failed(&self.name, &error.to_string())),
        }
    }

    /// A block's type; its length is put behind it when it is known.
    fn begin(&mut self, block_type: u32) {
        self.block.clear();
        self.word(block_type);
        self.word(0);
    }

    /// The length of the block at both its ends, and the block into the file.
    fn end(&mut self) -> Result<(), Diagnostic> {
        let length = (self.block.len() + 4) as u32;
        self.block[4..8].copy_from_slice(&length.to_le_bytes());
        self.word(length);
        let written = self.to.write_all(&self.block);
        written.map_err(|error| failed(&self.name, &error.to_string()))
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        self.half(code);
        self.half(value.len() as u16);
        self.bytes(value);
    }

    fn half(&mut self, half: u16) {
        self.block.extend(half.to_le_bytes());
    }

    fn word(&mut self, word: u32) {
        self.block.extend(word.to_le_bytes());
    }

    /// With zeros behind, up to a multiple of four bytes.
    fn bytes(&mut self, bytes: &[u8]) {
        self.block.extend_from_slice(bytes);
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }
}

pub(super) fn failed(name: &str, what: &str) -> Diagnostic {
    Diagnostic::input(
        "capture-unwritable",
        format!("cannot write the capture: {what}"),
    )
    .at(Place::of_file(name))
}
