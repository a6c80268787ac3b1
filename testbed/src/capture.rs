//! Capture files: pcap and pcapng in, pcapng out; packet by packet, so that a capture may be longer than memory.

mod input;
mod pcap;
mod pcapng;
mod writer;

pub use writer::Writer;

use hardpath_diagnostic::{file, Diagnostic, Place};
use hardpath_ir::count::counted;
use input::Input;
use pcap::Pcap;
use pcap_parser::Linktype;
use pcapng::Pcapng;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// A packet of a capture: an Ethernet frame without its check sequence.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Captured {
    /// From the destination address on.
    pub data: Vec<u8>,
    /// Nanoseconds since 1970; 0 when the file has no time for the packet.
    pub time_ns: u64,
    /// In a pcapng file.
    pub comment: Option<String>,
}

/// The packets of a pcap or pcapng file, one after the other. Nothing is left out silently: a file that is cut off, a
/// packet of which only a part was captured, or another link type than Ethernet is an error with the packet's number
/// (from 1), behind which nothing comes.
pub struct Reader<R> {
    input: Input<R>,
    format: Format,
    is_over: bool,
}

enum Format {
    Pcap(Pcap),
    Pcapng(Pcapng),
}

/// Opens a capture file.
///
/// # Errors
/// `capture-unreadable`, `not-a-capture`, or what is wrong with its header.
pub fn open(path: &Path) -> Result<Reader<BufReader<File>>, Diagnostic> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| {
        unreadable(Place::of_file(&name), &error).help(file::unread(path, &error))
    })?;
    Reader::new(BufReader::new(file), name)
}

/// Reads a whole capture file.
pub fn read(path: &Path) -> Result<Vec<Captured>, Diagnostic> {
    open(path)?.collect()
}

/// Reads a whole capture from memory; `name` is for messages.
pub fn parse(bytes: &[u8], name: &str) -> Result<Vec<Captured>, Diagnostic> {
    Reader::new(bytes, name)?.collect()
}

/// Writes a pcapng file of Ethernet packets with times in nanoseconds.
pub fn write(path: &Path, packets: &[Captured]) -> Result<(), Diagnostic> {
    let name = path.display().to_string();
    let file = File::create(path)
        .map_err(|error| writer::failed(&name, &error.to_string()).help(file::unwritten(&error)))?;
    let mut writer = Writer::new(std::io::BufWriter::new(file), name)?;
    for packet in packets {
        writer.packet(packet)?;
    }
    writer.finish().map(drop)
}

impl<R: BufRead> Reader<R> {
    /// `name` is for messages.
    ///
    /// # Errors
    /// `not-a-capture`, or what is wrong with the header.
    pub fn new(from: R, name: impl Into<String>) -> Result<Reader<R>, Diagnostic> {
        let mut input = Input::new(from, name.into());
        let has_block_type = input.fill(pcapng::SECTION_HEADER.len())?;
        let format = match has_block_type && input.record == pcapng::SECTION_HEADER {
            true => Format::Pcapng(Pcapng::default()),
            false => Format::Pcap(Pcap::read_header(&mut input)?),
        };
        Ok(Reader {
            input,
            format,
            is_over: false,
        })
    }

    /// Bytes of the file that were read so far.
    pub fn bytes_read(&self) -> u64 {
        self.input.bytes_read
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Captured, Diagnostic>;

    fn next(&mut self) -> Option<Result<Captured, Diagnostic>> {
        if self.is_over {
            return None;
        }
        self.input.packet += 1;
        let next = match &mut self.format {
            Format::Pcap(pcap) => pcap.next(&mut self.input),
            Format::Pcapng(pcapng) => pcapng.next(&mut self.input),
        };
        self.is_over = !matches!(next, Ok(Some(_)));
        next.transpose()
    }
}

/// The most bytes of a block or packet: Wireshark takes no more, either (`MAX_BLOCK_SIZE` in `wiretap/pcapng.c`). What
/// says that it is longer is damaged.
const LONGEST_RECORD: usize = 16 << 20;

fn unreadable(place: Place, error: &std::io::Error) -> Diagnostic {
    Diagnostic::input(
        "capture-unreadable",
        format!("cannot read the capture: {error}"),
    )
    .at(place)
    .help("give a file, or a pipe, that can be read")
}

fn check_link_type(link_type: Linktype, place: Place) -> Result<(), Diagnostic> {
    match link_type {
        Linktype::ETHERNET => Ok(()),
        other => Err(Diagnostic::input(
            "capture-link-type",
            format!("the packets have link type {}, not Ethernet (1)", other.0),
        )
        .at(place)
        .help("capture on an Ethernet interface, not on `any` or a tunnel")),
    }
}

fn check_whole(kept: u32, original: u32, name: &str, number: usize) -> Result<(), Diagnostic> {
    match kept >= original {
        true => Ok(()),
        false => Err(Diagnostic::input(
            "packet-cut",
            format!(
                "only {kept} of the packet's {} were captured",
                counted(original, "byte")
            ),
        )
        .at(packet_place(name, number))
        .help("capture whole packets: tcpdump -s 0, or dumpcap without -s")),
    }
}

fn truncated(name: &str, number: usize) -> Diagnostic {
    Diagnostic::input(
        "capture-truncated",
        "the file ends in the middle of a packet or block",
    )
    .at(packet_place(name, number))
    .help("copy the file again, or cut the broken end off: editcap FILE NEW")
}

fn malformed(name: &str, number: usize, what: impl Into<String>) -> Diagnostic {
    let what = what.into();
    Diagnostic::input(
        "capture-malformed",
        format!("the capture is damaged: {what}"),
    )
    .at(packet_place(name, number))
    .help("write the file again with tcpdump, Wireshark or editcap")
}

fn packet_place(name: &str, number: usize) -> Place {
    let file = Place::of_file(name);
    match number {
        0 => file,
        _ => file.unit(format!("packet {number}")),
    }
}
