//! Capture files: pcap and pcapng in, pcapng out.

use hardpath_ir::{destination, verdict, Diagnostic};
use pcap_parser::nom;
use pcap_parser::pcapng::{
    parse_block_be, parse_block_le, parse_sectionheaderblock, Block, EnhancedPacketBlock,
    InterfaceDescriptionBlock, OptionCode, PcapNGOption, SectionHeaderBlock, SimplePacketBlock,
};
use pcap_parser::{
    parse_pcap_frame, parse_pcap_frame_be, parse_pcap_frame_modified, parse_pcap_header, Linktype,
    ToVec,
};
use std::borrow::Cow;
use std::fs;
use std::path::Path;

/// A packet of a capture: an Ethernet frame without its check sequence.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Captured {
    pub data: Vec<u8>,
    /// Nanoseconds since 1970; 0 when the file has no time for the packet.
    pub time_ns: u64,
    /// In a pcapng file.
    pub comment: Option<String>,
}

/// Reads a pcap or pcapng file. Nothing is left out silently: a file that is cut off, a packet of which only a
/// part was captured, or another link type than Ethernet is an error with the packet's number (from 1).
pub fn read(path: &Path) -> Result<Vec<Captured>, Diagnostic> {
    let name = path.display().to_string();
    let bytes = fs::read(path).map_err(|error| {
        Diagnostic::input(
            "capture-unreadable",
            format!("cannot read the capture: {error}"),
        )
        .at(name.as_str())
    })?;
    parse(&bytes, &name)
}

/// Reads a capture from memory; `name` is for messages.
pub fn parse(bytes: &[u8], name: &str) -> Result<Vec<Captured>, Diagnostic> {
    if bytes.starts_with(&SECTION_HEADER) {
        return parse_pcapng(bytes, name);
    }
    match parse_pcap_header(bytes) {
        Ok(_) => parse_pcap(bytes, name),
        Err(nom::Err::Incomplete(_)) if !bytes.is_empty() => Err(truncated(name, 0)),
        Err(_) => {
            let message = "this is neither a pcap nor a pcapng file";
            Err(Diagnostic::input("not-a-capture", message)
                .at(name)
                .help("give a capture as tcpdump, Wireshark or `hardpath traffic` write it"))
        }
    }
}

/// A pcapng file of Ethernet packets with times in nanoseconds.
pub fn write(path: &Path, packets: &[Captured]) -> Result<(), Diagnostic> {
    let name = path.display().to_string();
    let failed = |what: String| {
        Diagnostic::input(
            "capture-unwritable",
            format!("cannot write the capture: {what}"),
        )
        .at(name.as_str())
    };
    let bytes = to_pcapng(packets).map_err(failed)?;
    fs::write(path, bytes).map_err(|error| failed(error.to_string()))
}

/// What stands beside a packet that a program sent on: `XDP_PASS`, `XDP_REDIRECT to ifindex 7`.
pub fn verdict_comment(given: u64, destination: u32) -> String {
    let name = verdict::name(given);
    match given {
        verdict::REDIRECT => format!("{name} to {}", destination::describe(destination)),
        _ => name.into(),
    }
}

/// Block type of a section header, the same in both byte orders.
const SECTION_HEADER: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];
/// Obsolete packet block (draft-ietf-opsawg-pcapng, appendix A).
const OBSOLETE_PACKET_BLOCK: u32 = 2;

fn parse_pcap(bytes: &[u8], name: &str) -> Result<Vec<Captured>, Diagnostic> {
    let (mut rest, header) =
        parse_pcap_header(bytes).map_err(|_| malformed(name, 0, "its header is wrong"))?;
    check_link_type(header.network, name)?;
    let unit_ns = if header.is_nanosecond_precision() {
        1
    } else {
        1_000
    };
    let mut packets = Vec::new();
    while !rest.is_empty() {
        let number = packets.len() + 1;
        let parsed = match (header.is_bigendian(), header.is_modified_format()) {
            (true, _) => parse_pcap_frame_be(rest),
            (false, true) => parse_pcap_frame_modified(rest),
            (false, false) => parse_pcap_frame(rest),
        };
        let (after, frame) = parsed.map_err(|_| truncated(name, number))?;
        rest = after;
        check_whole(frame.caplen, frame.origlen, name, number)?;
        packets.push(Captured {
            data: frame.data.to_vec(),
            time_ns: u64::from(frame.ts_sec) * 1_000_000_000 + u64::from(frame.ts_usec) * unit_ns,
            comment: None,
        });
    }
    Ok(packets)
}

/// What a packet needs of its interface description.
struct CaptureInterface {
    link_type: Linktype,
    /// Bytes of a packet that are kept; 0: all.
    snaplen: u32,
    resolution: Resolution,
    offset_seconds: i64,
}

/// `if_tsresol`: units in a second.
#[derive(Clone, Copy)]
enum Resolution {
    PowerOf10(u32),
    PowerOf2(u32),
}

fn parse_pcapng(bytes: &[u8], name: &str) -> Result<Vec<Captured>, Diagnostic> {
    let mut rest = bytes;
    let mut big_endian = false;
    let mut interfaces: Vec<CaptureInterface> = Vec::new();
    let mut packets = Vec::new();
    while !rest.is_empty() {
        let number = packets.len() + 1;
        if rest.starts_with(&SECTION_HEADER) {
            big_endian = rest.get(8..12) == Some([0x1a, 0x2b, 0x3c, 0x4d].as_slice());
            let whole = whole_block(rest, big_endian, name, number)?;
            parse_sectionheaderblock(whole)
                .map_err(|_| malformed(name, number, "a section header is wrong"))?;
            interfaces.clear();
            rest = &rest[whole.len()..];
            continue;
        }
        let whole = whole_block(rest, big_endian, name, number)?;
        let parsed = match big_endian {
            true => parse_block_be(whole),
            false => parse_block_le(whole),
        };
        let (_, block) = parsed.map_err(|_| malformed(name, number, "a block is wrong"))?;
        match block {
            Block::InterfaceDescription(block) => {
                interfaces.push(capture_interface(&block, big_endian));
            }
            Block::EnhancedPacket(block) => {
                packets.push(enhanced_packet(&block, &interfaces, name, number)?);
            }
            Block::SimplePacket(block) => {
                packets.push(simple_packet(&block, &interfaces, name, number)?);
            }
            Block::Unknown(block) if block.block_type == OBSOLETE_PACKET_BLOCK => {
                let message = "it holds packet blocks of the obsolete type 2";
                return Err(
                    malformed(name, number, message).help("convert it: editcap -F pcapng OLD NEW")
                );
            }
            _ => {}
        }
        rest = &rest[whole.len()..];
    }
    Ok(packets)
}

/// The block that `rest` begins with, by its length field.
fn whole_block<'a>(
    rest: &'a [u8],
    big_endian: bool,
    name: &str,
    number: usize,
) -> Result<&'a [u8], Diagnostic> {
    let field = rest.get(4..8).ok_or_else(|| truncated(name, number))?;
    let field = [field[0], field[1], field[2], field[3]];
    let length = match big_endian {
        true => u32::from_be_bytes(field),
        false => u32::from_le_bytes(field),
    };
    if length < 12 || !length.is_multiple_of(4) {
        let message = format!("a block says that it is {length} bytes long");
        return Err(malformed(name, number, message));
    }
    rest.get(..length as usize)
        .ok_or_else(|| truncated(name, number))
}

fn capture_interface(block: &InterfaceDescriptionBlock, big_endian: bool) -> CaptureInterface {
    let exponent = u32::from(block.if_tsresol & 0x7f);
    CaptureInterface {
        link_type: block.linktype,
        snaplen: block.snaplen,
        resolution: match block.if_tsresol & 0x80 {
            0 => Resolution::PowerOf10(exponent),
            _ => Resolution::PowerOf2(exponent),
        },
        // The library reads the offset as little endian in either order.
        offset_seconds: match big_endian {
            true => block.if_tsoffset.swap_bytes(),
            false => block.if_tsoffset,
        },
    }
}

fn interface_of<'a>(
    interfaces: &'a [CaptureInterface],
    index: u32,
    name: &str,
    number: usize,
) -> Result<&'a CaptureInterface, Diagnostic> {
    let interface = interfaces.get(index as usize).ok_or_else(|| {
        malformed(
            name,
            number,
            format!("it names interface {index}, which is not described"),
        )
    })?;
    check_link_type(interface.link_type, &packet_place(name, number))?;
    Ok(interface)
}

fn enhanced_packet(
    block: &EnhancedPacketBlock,
    interfaces: &[CaptureInterface],
    name: &str,
    number: usize,
) -> Result<Captured, Diagnostic> {
    let interface = interface_of(interfaces, block.if_id, name, number)?;
    check_whole(block.caplen, block.origlen, name, number)?;
    let data = block
        .data
        .get(..block.caplen as usize)
        .ok_or_else(|| malformed(name, number, "a packet is longer than its block"))?;
    let units = u64::from(block.ts_high) << 32 | u64::from(block.ts_low);
    let comment = block
        .options
        .iter()
        .find(|option| option.code == OptionCode::Comment);
    Ok(Captured {
        data: data.to_vec(),
        time_ns: nanoseconds(units, interface),
        comment: comment
            .and_then(|option| option.as_bytes().ok())
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned()),
    })
}

fn simple_packet(
    block: &SimplePacketBlock,
    interfaces: &[CaptureInterface],
    name: &str,
    number: usize,
) -> Result<Captured, Diagnostic> {
    let interface = interface_of(interfaces, 0, name, number)?;
    let kept = match interface.snaplen {
        0 => block.origlen,
        snaplen => block.origlen.min(snaplen),
    };
    check_whole(kept, block.origlen, name, number)?;
    let data = block
        .data
        .get(..kept as usize)
        .ok_or_else(|| malformed(name, number, "a packet is longer than its block"))?;
    Ok(Captured {
        data: data.to_vec(),
        time_ns: 0,
        comment: None,
    })
}

/// Rounds down; a time outside of 64 bits becomes the nearest one inside.
fn nanoseconds(units: u64, interface: &CaptureInterface) -> u64 {
    let units = u128::from(units);
    let since_offset = match interface.resolution {
        Resolution::PowerOf10(exponent @ 0..=9) => units * 10u128.pow(9 - exponent),
        Resolution::PowerOf10(exponent) => match 10u128.checked_pow(exponent - 9) {
            Some(divisor) => units / divisor,
            None => 0,
        },
        // 64 bits of units times 10^9 fit 94 bits.
        Resolution::PowerOf2(exponent) => (units * 1_000_000_000) >> exponent,
    };
    let offset = i128::from(interface.offset_seconds) * 1_000_000_000;
    let time = offset + since_offset.min(i128::MAX as u128 / 2) as i128;
    time.clamp(0, i128::from(u64::MAX)) as u64
}

fn check_link_type(link_type: Linktype, place: &str) -> Result<(), Diagnostic> {
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
            format!("only {kept} of the packet's {original} bytes were captured"),
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

fn packet_place(name: &str, number: usize) -> String {
    match number {
        0 => name.into(),
        _ => format!("{name}, packet {number}"),
    }
}

fn to_pcapng(packets: &[Captured]) -> Result<Vec<u8>, String> {
    let mut section = SectionHeaderBlock {
        block_type: 0,
        block_len1: 0,
        bom: 0,
        major_version: 1,
        minor_version: 0,
        // Unknown: readers go by the blocks.
        section_len: -1,
        options: Vec::new(),
        block_len2: 0,
    };
    let mut interface = InterfaceDescriptionBlock {
        block_type: 0,
        block_len1: 0,
        linktype: Linktype::ETHERNET,
        reserved: 0,
        snaplen: 0,
        options: Vec::new(),
        block_len2: 0,
        if_tsresol: 9,
        if_tsoffset: 0,
    };
    let mut bytes = block_bytes(&mut section)?;
    bytes.extend(block_bytes(&mut interface)?);
    for packet in packets {
        let mut options = Vec::new();
        if let Some(text) = &packet.comment {
            options.push(PcapNGOption {
                code: OptionCode::Comment,
                len: u16::try_from(text.len()).map_err(|_| "a comment is too long".to_string())?,
                value: Cow::Borrowed(text.as_bytes()),
            });
        }
        let mut block = EnhancedPacketBlock {
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
        };
        bytes.extend(block_bytes(&mut block)?);
    }
    Ok(bytes)
}

fn block_bytes(block: &mut impl ToVec) -> Result<Vec<u8>, String> {
    block.to_vec().map_err(|error| format!("{error:?}"))
}
