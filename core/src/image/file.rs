//! An image as a file.
//!
//! ```text
//! "hp-core\n"   version   length of the file   declarations   rows: how many, and their words   CRC-32
//! ```
//!
//! All numbers are little endian. The checksum ([`crc32fast`], that of Ethernet) is over everything in front of it. So any single bit
//! that is altered, a file that is cut and one with something behind it are refused.

use super::bytes::{In, Out};
use super::rows::{malformed, no_form, unpack};
use super::Image;
use cranelift_entity::PrimaryMap;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::{Field, Find, Limits, MapDecl, Match, Output, OwnInput};

/// What a file begins with.
pub const MAGIC: [u8; 8] = *b"hp-core\n";
/// The form that is written, and the only one that is read.
pub const VERSION: u32 = 2;
/// Bytes of magic, version and length.
const HEAD: usize = 16;

impl Image {
    /// As a file. Refused is a program that no core can have.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Diagnostic> {
        let words = self.words()?;
        let mut out = Out(MAGIC.to_vec());
        out.number(VERSION);
        let length = out.0.len();
        out.number(0);
        self.write_declarations(&mut out);
        out.number(self.rows.len() as u32);
        out.list(&words, |out, word| out.number(*word));
        let whole = u32::try_from(out.0.len() + 4)
            .map_err(|_| no_form("a file has less than 4 GiB".into()))?;
        out.0[length..][..4].copy_from_slice(&whole.to_le_bytes());
        let sum = crc32fast::hash(&out.0);
        out.number(sum);
        Ok(out.0)
    }

    /// Reads a file.
    pub fn from_bytes(file: &[u8]) -> Result<Image, Diagnostic> {
        let mut input = In(body(file)?);
        let mut image = Image::read_declarations(&mut input)?;
        let rows = input.number()?;
        let bounds = image.bounds(rows as usize).map_err(malformed)?;
        let words = input.list(In::number)?;
        if !input.0.is_empty() {
            return Err(malformed("there is something behind the rows"));
        }
        image.rows = unpack(&words, &bounds)?;
        image.check().map_err(malformed)?;
        Ok(image)
    }

    fn write_declarations(&self, out: &mut Out) {
        out.text(&self.name);
        out.byte(self.lanes);
        out.byte(self.registers);
        out.number(self.stack);
        let Limits {
            shortest,
            longest,
            headroom,
            tail,
            stack,
        } = self.limits;
        for limit in [shortest, longest, headroom, tail, stack] {
            out.number(limit);
        }
        out.list(&self.inputs, |out, input| {
            out.text(&input.name);
            out.number(input.width);
        });
        out.list(&self.outputs, |out, output| {
            out.text(&output.name);
            out.number(output.width);
            out.list(&output.values, |out, value| out.text(value));
        });
        let maps: Vec<&MapDecl> = self.maps.values().collect();
        out.list(&maps, |out, map| write_map(out, map));
    }

    fn read_declarations(input: &mut In) -> Result<Image, Diagnostic> {
        Ok(Image {
            name: input.text()?,
            lanes: input.byte()?,
            registers: input.byte()?,
            rows: Vec::new(),
            stack: input.number()?,
            limits: Limits {
                shortest: input.number()?,
                longest: input.number()?,
                headroom: input.number()?,
                tail: input.number()?,
                stack: input.number()?,
            },
            inputs: input.list(|input| {
                Ok(OwnInput {
                    name: input.text()?,
                    width: input.number()?,
                })
            })?,
            outputs: input.list(|input| {
                Ok(Output {
                    name: input.text()?,
                    width: input.number()?,
                    values: input.list(In::text)?,
                })
            })?,
            maps: PrimaryMap::from_iter(input.list(read_map)?),
        })
    }
}

/// What stands between head and checksum.
fn body(file: &[u8]) -> Result<&[u8], Diagnostic> {
    let again = "compile the program again, and copy the file in binary mode";
    let broken = |message: String| Err(malformed(message).help(again));
    if !file.starts_with(&MAGIC) {
        return broken("this is no program for a core".into());
    }
    let mut head = In(&file[MAGIC.len()..]);
    let (Ok(version), Ok(length)) = (head.number(), head.number()) else {
        return broken("the file is cut off".into());
    };
    if version != VERSION {
        return broken(format!(
            "the file has version {version} of the form, and {VERSION} is read"
        ));
    }
    let has = file.len();
    if has != length as usize {
        return broken(format!("the file has {has} bytes, and says {length}"));
    }
    let Some((summed, sum)) = file.split_last_chunk::<4>() else {
        return broken("the file is cut off".into());
    };
    if summed.len() < HEAD {
        return broken("the file is cut off".into());
    }
    match crc32fast::hash(summed) == u32::from_le_bytes(*sum) {
        true => Ok(&summed[HEAD..]),
        false => broken("the file was altered: its checksum is another one".into()),
    }
}

fn write_map(out: &mut Out, map: &MapDecl) {
    out.text(&map.name);
    out.text(&map.outside);
    out.code(&Find::ALL, &map.find);
    out.list(&map.fields, |out, field| {
        out.code(&Match::ALL, &field.by);
        out.number(field.bits);
    });
    // A table without masks has no entries, so zero is free.
    out.number(map.most_masks.unwrap_or(0));
    for number in [map.key_bytes, map.value_bytes, map.max_entries] {
        out.number(number);
    }
    for flag in [
        map.forgets,
        map.in_place,
        map.packets_write,
        map.broadcast,
        map.initial.is_some(),
    ] {
        out.flag(flag);
    }
    if let Some(initial) = &map.initial {
        out.bytes(initial);
    }
}

fn read_map(input: &mut In) -> Result<MapDecl, Diagnostic> {
    Ok(MapDecl {
        name: input.text()?,
        outside: input.text()?,
        find: input.code("a kind of table", &Find::ALL)?,
        fields: input.list(|input| {
            Ok(Field {
                by: input.code("a way to match", &Match::ALL)?,
                bits: input.number()?,
            })
        })?,
        most_masks: Some(input.number()?).filter(|masks| *masks > 0),
        key_bytes: input.number()?,
        value_bytes: input.number()?,
        max_entries: input.number()?,
        forgets: input.flag()?,
        in_place: input.flag()?,
        packets_write: input.flag()?,
        broadcast: input.flag()?,
        initial: match input.flag()? {
            true => Some(input.bytes()?.to_vec()),
            false => None,
        },
    })
}
