//! The packets of a pcap file.

use super::input::Input;
use super::{check_link_type, check_whole, malformed, truncated, Captured, LONGEST_RECORD};
use hardpath_diagnostic::{Diagnostic, Place};
use pcap_parser::nom::{Err, Needed};
use pcap_parser::{
    parse_pcap_frame, parse_pcap_frame_be, parse_pcap_frame_modified, parse_pcap_header, PcapHeader,
};
use std::io::BufRead;

/// What the file's header says.
pub struct Pcap {
    header: PcapHeader,
    /// Nanoseconds of a unit of time.
    unit_ns: u64,
}

impl Pcap {
    /// Reads on to the end of the header. The record may have its first bytes.
    pub fn read_header(input: &mut Input<impl BufRead>) -> Result<Pcap, Diagnostic> {
        let header = loop {
            let missing = match parse_pcap_header(&input.record) {
                Ok((_, header)) => break header,
                Err(Err::Incomplete(Needed::Size(missing))) if !input.record.is_empty() => missing,
                Err(_) => return Err(no_capture(&input.name)),
            };
            if !input.fill(input.record.len() + missing.get())? {
                return Err(truncated(&input.name, 0));
            }
        };
        check_link_type(header.network, Place::of_file(&input.name))?;
        input.record.clear();
        let unit_ns = match header.is_nanosecond_precision() {
            true => 1,
            false => 1_000,
        };
        Ok(Pcap { header, unit_ns })
    }

    /// The next packet, or `None` at the end of the file.
    pub fn next(
        &mut self,
        input: &mut Input<impl BufRead>,
    ) -> Result<Option<Captured>, Diagnostic> {
        let parse = match (self.header.is_bigendian(), self.header.is_modified_format()) {
            (true, _) => parse_pcap_frame_be,
            (false, true) => parse_pcap_frame_modified,
            (false, false) => parse_pcap_frame,
        };
        input.record.clear();
        loop {
            let missing = match parse(&input.record) {
                Ok((_, frame)) => {
                    check_whole(frame.caplen, frame.origlen, &input.name, input.packet)?;
                    let seconds = u64::from(frame.ts_sec) * 1_000_000_000;
                    return Ok(Some(Captured {
                        data: frame.data.to_vec(),
                        time_ns: seconds + u64::from(frame.ts_usec) * self.unit_ns,
                        comment: None,
                    }));
                }
                Err(Err::Incomplete(Needed::Size(missing))) => missing.get(),
                Err(_) => return Err(malformed(&input.name, input.packet, "a packet is wrong")),
            };
            if missing > LONGEST_RECORD {
                let message = format!("a packet says that it is {missing} bytes long");
                return Err(malformed(&input.name, input.packet, message));
            }
            if !input.fill(input.record.len() + missing)? {
                return match input.record.is_empty() {
                    true => Ok(None),
                    false => Err(truncated(&input.name, input.packet)),
                };
            }
        }
    }
}

fn no_capture(name: &str) -> Diagnostic {
    let message = "this is neither a pcap nor a pcapng file";
    Diagnostic::input("not-a-capture", message)
        .at(Place::of_file(name))
        .help("give a capture as tcpdump, Wireshark or `hardpath traffic` write it")
}
