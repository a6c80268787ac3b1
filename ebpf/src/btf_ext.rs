//! `.BTF.ext`: the source line of each instruction, and the CO-RE relocations.

use hardpath_diagnostic::Diagnostic;

use crate::btf::Btf;

/// What `.BTF.ext` says.
#[derive(Clone, Debug, Default)]
pub struct BtfExt {
    pub lines: Vec<Line>,
    pub relocations: Vec<CoreRelocation>,
}

/// Where the instructions from `slot` on (until the next record) come from.
#[derive(Clone, Debug)]
pub struct Line {
    pub section: String,
    /// Slot in that section.
    pub slot: u32,
    pub file: String,
    /// From 1.
    pub line: u32,
    /// In [`Line::source`], from 1; 0 when unknown.
    pub column: u32,
    pub source: String,
}

/// A field, type or enumeration value that depends on the kernel (`struct bpf_core_relo`).
#[derive(Clone, Debug)]
pub struct CoreRelocation {
    pub section: String,
    /// Slot in that section.
    pub slot: u32,
    pub type_id: u32,
    /// Offset in the BTF's strings.
    pub access: u32,
    /// `enum bpf_core_relo_kind`.
    pub kind: u32,
}

/// Records shorter than what is read from them, or this long, are not believed.
const MAX_RECORD_BYTES: u32 = 256;

impl BtfExt {
    /// # Errors
    /// `malformed-btf`.
    pub fn parse(bytes: &[u8], btf: &Btf) -> Result<BtfExt, Diagnostic> {
        let word = |at: usize| read_word(bytes, at);
        if word(0)? & 0xffff != 0xeb9f {
            return Err(malformed());
        }
        let header_bytes = word(4)? as usize;
        let mut ext = BtfExt::default();
        let (offset, length) = (word(16)? as usize, word(20)? as usize);
        for (section, record) in records(bytes, header_bytes + offset, length, 16, btf)? {
            let source = btf.string(read_word(record, 8)?);
            let position = read_word(record, 12)?;
            let indented = source.len() - source.trim_start().len();
            ext.lines.push(Line {
                section,
                slot: read_word(record, 0)? / 8,
                file: btf.string(read_word(record, 4)?).to_string(),
                line: position >> 10,
                column: (position & 0x3ff).saturating_sub(indented as u32),
                source: source.trim().to_string(),
            });
        }
        // Headers from before CO-RE end here.
        if header_bytes >= 32 {
            let (offset, length) = (word(24)? as usize, word(28)? as usize);
            for (section, record) in records(bytes, header_bytes + offset, length, 16, btf)? {
                let (type_id, access) = (read_word(record, 4)?, read_word(record, 8)?);
                if type_id as usize >= btf.types().len() || !btf.has_string(access) {
                    return Err(malformed());
                }
                ext.relocations.push(CoreRelocation {
                    section,
                    slot: read_word(record, 0)? / 8,
                    type_id,
                    access,
                    kind: read_word(record, 12)?,
                });
            }
        }
        ext.lines
            .sort_by(|a, b| (a.section.as_str(), a.slot).cmp(&(b.section.as_str(), b.slot)));
        Ok(ext)
    }

    /// The line of a slot of a section. Compilers give what they make themselves line 0: the line before it stands in.
    pub fn line(&self, section: &str, slot: u32) -> Option<&Line> {
        let after = self
            .lines
            .partition_point(|line| (line.section.as_str(), line.slot) <= (section, slot));
        let before = self.lines[..after].iter().rev();
        let mut of_section = before.take_while(|line| line.section == section);
        of_section.find(|line| line.line > 0)
    }
}

/// The records of one part of the section, each with the name of the section that it speaks of.
fn records<'a>(
    bytes: &'a [u8],
    start: usize,
    length: usize,
    least_bytes: u32,
    btf: &Btf,
) -> Result<Vec<(String, &'a [u8])>, Diagnostic> {
    let mut all = Vec::new();
    if length == 0 {
        return Ok(all);
    }
    let part = bytes.get(start..start + length).ok_or_else(malformed)?;
    let record_bytes = read_word(part, 0)?;
    if !(least_bytes..=MAX_RECORD_BYTES).contains(&record_bytes) {
        return Err(malformed());
    }
    let mut at = 4;
    while at < part.len() {
        let section = btf.string(read_word(part, at)?);
        let count = read_word(part, at + 4)? as usize;
        at += 8;
        for _ in 0..count {
            let end = at + record_bytes as usize;
            let record = part.get(at..end).ok_or_else(malformed)?;
            all.push((section.to_string(), record));
            at = end;
        }
    }
    Ok(all)
}

fn read_word(bytes: &[u8], at: usize) -> Result<u32, Diagnostic> {
    match bytes.get(at..at + 4) {
        Some([a, b, c, d]) => Ok(u32::from_le_bytes([*a, *b, *c, *d])),
        _ => Err(malformed()),
    }
}

fn malformed() -> Diagnostic {
    Diagnostic::input(
        "malformed-btf",
        "the line and relocation information (.BTF.ext) is damaged",
    )
    .help("compile the program again with -g")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_compilers_make_themselves_belongs_to_the_line_before() {
        let line = |section: &str, slot, line| Line {
            section: section.to_string(),
            slot,
            file: "a.c".to_string(),
            line,
            column: 0,
            source: String::new(),
        };
        let ext = BtfExt {
            lines: vec![
                line("a", 0, 7),
                line("xdp", 0, 0),
                line("xdp", 2, 9),
                line("xdp", 4, 0),
            ],
            relocations: Vec::new(),
        };
        let found = |slot| ext.line("xdp", slot).map(|line| line.line);
        assert_eq!([0, 1, 2, 5].map(found), [None, None, Some(9), Some(9)]);
    }
}
