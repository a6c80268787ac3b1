//! pcapng files out.

use super::Captured;
use hardpath_diagnostic::{Diagnostic, Place};
use pcap_parser::pcapng::{
    EnhancedPacketBlock, InterfaceDescriptionBlock, OptionCode, PcapNGOption, SectionHeaderBlock,
};
use pcap_parser::{Linktype, ToVec};
use std::borrow::Cow;
use std::io::Write;

/// Writes Ethernet packets with times in nanoseconds as pcapng, one after the other.
pub struct Writer<W> {
    to: W,
    /// Of the file, for messages.
    name: String,
}

impl<W: Write> Writer<W> {
    /// Writes what stands in front of the packets. `to` should have a buffer; `name` is for messages.
    pub fn new(to: W, name: impl Into<String>) -> Result<Writer<W>, Diagnostic> {
        let mut writer = Writer {
            to,
            name: name.into(),
        };
        writer.block(&mut SectionHeaderBlock {
            block_type: 0,
            block_len1: 0,
            bom: 0,
            major_version: 1,
            minor_version: 0,
            // Unknown: readers go by the blocks.
            section_len: -1,
            options: Vec::new(),
            block_len2: 0,
        })?;
        writer.block(&mut InterfaceDescriptionBlock {
            block_type: 0,
            block_len1: 0,
            linktype: Linktype::ETHERNET,
            reserved: 0,
            snaplen: 0,
            options: Vec::new(),
            block_len2: 0,
            if_tsresol: 9,
            if_tsoffset: 0,
        })?;
        Ok(writer)
    }

    pub fn packet(&mut self, packet: &Captured) -> Result<(), Diagnostic> {
        let mut options = Vec::new();
        if let Some(text) = &packet.comment {
            let length = u16::try_from(text.len());
            options.push(PcapNGOption {
                code: OptionCode::Comment,
                len: length.map_err(|_| failed(&self.name, "a comment is too long"))?,
                value: Cow::Borrowed(text.as_bytes()),
            });
        }
        self.block(&mut EnhancedPacketBlock {
            block_type: 0,
            block_len1: 0,
            if_id: 0,
            ts_high: (packet.time_ns >> 32) as u32,
            ts_low: packet.time_ns as u32,
            caplen: packet.data.len() as u32,
            origlen: packet.data.len() as u32,
            data: &packet.data,
            options,
            block_len2: 0,
        })
    }

    /// Writes what is left in buffers, and gives back what was written to.
    pub fn finish(mut self) -> Result<W, Diagnostic> {
        match self.to.flush() {
            Ok(()) => Ok(self.to),
            Err(error) => Err(failed(&self.name, &error.to_string())),
        }
    }

    fn block(&mut self, block: &mut impl ToVec) -> Result<(), Diagnostic> {
        let bytes = block.to_vec();
        let bytes = bytes.map_err(|error| failed(&self.name, &format!("{error:?}")))?;
        let written = self.to.write_all(&bytes);
        written.map_err(|error| failed(&self.name, &error.to_string()))
    }
}

pub(super) fn failed(name: &str, what: &str) -> Diagnostic {
    Diagnostic::input(
        "capture-unwritable",
        format!("cannot write the capture: {what}"),
    )
    .at(Place::of_file(name))
}
