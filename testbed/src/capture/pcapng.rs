//! The packets of a pcapng file.

use super::input::Input;
use super::{
    check_link_type, check_whole, malformed, packet_place, truncated, Captured, LONGEST_RECORD,
};
use hardpath_diagnostic::Diagnostic;
use pcap_parser::pcapng::{
    parse_block_be, parse_block_le, parse_sectionheaderblock, Block, EnhancedPacketBlock,
    InterfaceDescriptionBlock, OptionCode, SimplePacketBlock,
};
use pcap_parser::Linktype;
use std::io::BufRead;

/// What the blocks before the next packet say.
#[derive(Default)]
pub struct Pcapng {
    big_endian: bool,
    /// Those of the present section.
    interfaces: Vec<CaptureInterface>,
    /// The section header of which the file's first bytes are is behind us.
    is_begun: bool,
}

/// Block type of a section header, the same in both byte orders.
pub const SECTION_HEADER: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];
/// Obsolete packet block (draft-ietf-opsawg-pcapng, appendix A).
const OBSOLETE_PACKET_BLOCK: u32 = 2;
/// Bytes of the shortest block: its type, and its length twice.
const SHORTEST_BLOCK: usize = 12;

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

impl Pcapng {
    /// The next packet, or `None` at the end of the file.
    pub fn next(
        &mut self,
        input: &mut Input<impl BufRead>,
    ) -> Result<Option<Captured>, Diagnostic> {
        while self.read_block(input)? {
            if let Some(packet) = self.packet_of_block(&input.record, &input.name, input.packet)? {
                return Ok(Some(packet));
            }
        }
        Ok(None)
    }

    /// Reads the next block whole, by its length field; false at the end of the file.
    fn read_block(&mut self, input: &mut Input<impl BufRead>) -> Result<bool, Diagnostic> {
        if self.is_begun {
            input.record.clear();
        }
        self.is_begun = true;
        let has_length = input.fill(SHORTEST_BLOCK)? || input.record.len() >= 8;
        if input.record.is_empty() {
            return Ok(false);
        }
        if !has_length {
            return Err(truncated(&input.name, input.packet));
        }
        if input.record.starts_with(&SECTION_HEADER) {
            self.big_endian = input.record.get(8..12) == Some([0x1a, 0x2b, 0x3c, 0x4d].as_slice());
            self.interfaces.clear();
        }
        let field = [4, 5, 6, 7].map(|at| input.record[at]);
        let length = match self.big_endian {
            true => u32::from_be_bytes(field),
            false => u32::from_le_bytes(field),
        } as usize;
        if length < SHORTEST_BLOCK || !length.is_multiple_of(4) || length > LONGEST_RECORD {
            let message = format!("a block says that it is {length} bytes long");
            return Err(malformed(&input.name, input.packet, message));
        }
        match input.fill(length)? {
            true => Ok(true),
            false => Err(truncated(&input.name, input.packet)),
        }
    }

    /// Takes a block in. `number` is that of the next packet.
    fn packet_of_block(
        &mut self,
        block: &[u8],
        name: &str,
        number: usize,
    ) -> Result<Option<Captured>, Diagnostic> {
        if block.starts_with(&SECTION_HEADER) {
            return match parse_sectionheaderblock(block) {
                Ok(_) => Ok(None),
                Err(_) => Err(malformed(name, number, "a section header is wrong")),
            };
        }
        let parsed = match self.big_endian {
            true => parse_block_be(block),
            false => parse_block_le(block),
        };
        let (_, block) = parsed.map_err(|_| malformed(name, number, "a block is wrong"))?;
        match block {
            Block::InterfaceDescription(block) => {
                let interface = capture_interface(&block, self.big_endian);
                self.interfaces.push(interface);
                Ok(None)
            }
            Block::EnhancedPacket(block) => {
                enhanced_packet(&block, &self.interfaces, name, number).map(Some)
            }
            Block::SimplePacket(block) => {
                simple_packet(&block, &self.interfaces, name, number).map(Some)
            }
            Block::Unknown(block) if block.block_type == OBSOLETE_PACKET_BLOCK => {
                let message = "it holds packet blocks of the obsolete type 2";
                Err(malformed(name, number, message).help("convert it: editcap -F pcapng OLD NEW"))
            }
            _ => Ok(None),
        }
    }
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
    check_link_type(interface.link_type, packet_place(name, number))?;
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
