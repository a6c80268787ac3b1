//! BTF type information, checked (Linux `Documentation/bpf/btf.rst`).
//!
//! Reading checks everything that a later reader relies on: type numbers and string offsets are in range, chains
//! of modifiers end, enumerations in the encoding have known values. So code behind it, aya-obj's included, can
//! walk the types without looking.

use hardpath_diagnostic::Diagnostic;

/// The types of one `.BTF` section; type 0 is `void`.
#[derive(Clone, Debug)]
pub struct Btf {
    strings: Vec<u8>,
    types: Vec<Type>,
    /// The type section as it was read, for building another BTF from it.
    type_bytes: Vec<u8>,
}

#[derive(Clone, Debug)]
pub struct Type {
    name: u32,
    pub shape: Shape,
}

/// What matters of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    Void,
    /// Integer or floating-point number of `bytes`.
    Number {
        bytes: u32,
        encoding: Encoding,
    },
    Pointer(u32),
    Array {
        element: u32,
        count: u32,
    },
    /// Structure or union.
    Record {
        bytes: u32,
        members: Vec<Member>,
    },
    Enumeration {
        bytes: u32,
        values: Vec<Enumerator>,
    },
    /// `typedef`, `const`, `volatile`, `restrict` or a type tag of another type.
    Alias {
        to: u32,
        is_volatile: bool,
    },
    Variable(u32),
    /// A data section.
    Section(Vec<SectionVariable>),
    /// Anything else: forward declarations, functions, tags.
    Other,
}

/// What the bits of a number mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    Unsigned,
    Signed,
    Bool,
    Float,
}

/// A value of an enumeration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enumerator {
    name: u32,
    pub value: i128,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    name: u32,
    pub type_id: u32,
    /// Bits from the beginning of the structure.
    pub bit_offset: u32,
    /// Its bits, if it is a bit field.
    pub bits: Option<u32>,
}

/// A variable in a data section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SectionVariable {
    pub type_id: u32,
    /// Bytes from the beginning of the section. Compilers leave it open, and the symbol says it.
    pub offset: u32,
}

/// Chains of modifiers, pointers and arrays longer than this are not believed.
const MAX_CHAIN: usize = 32;
const HEADER_BYTES: usize = 24;
const MAGIC: u16 = 0xeb9f;

impl Btf {
    /// # Errors
    /// `malformed-btf`.
    pub fn parse(bytes: &[u8]) -> Result<Btf, Diagnostic> {
        let header = Reader { bytes, at: 0 };
        if header.u16_at(0)? != MAGIC {
            return Err(malformed("it does not begin with the magic number 0xeb9f"));
        }
        let header_bytes = header.u32_at(4)? as usize;
        if header_bytes < HEADER_BYTES {
            return Err(malformed("its header is too short"));
        }
        let part = |offset: usize, length: usize| -> Result<&[u8], Diagnostic> {
            let start = header_bytes + header.u32_at(offset)? as usize;
            let end = start + header.u32_at(length)? as usize;
            bytes
                .get(start..end)
                .ok_or_else(|| malformed("it is cut off"))
        };
        let type_bytes = part(8, 12)?;
        let strings = part(16, 20)?;
        if strings.first() != Some(&0) || strings.last() != Some(&0) {
            return Err(malformed("its strings do not begin and end with zero"));
        }
        let mut btf = Btf {
            strings: strings.to_vec(),
            types: vec![Type {
                name: 0,
                shape: Shape::Void,
            }],
            type_bytes: type_bytes.to_vec(),
        };
        let mut reader = Reader {
            bytes: type_bytes,
            at: 0,
        };
        while reader.at < type_bytes.len() {
            let ty = read_type(&mut reader)?;
            btf.types.push(ty);
        }
        btf.check()?;
        Ok(btf)
    }

    pub fn types(&self) -> &[Type] {
        &self.types
    }

    /// The type of that number; `void` for a number that does not exist.
    pub fn shape(&self, type_id: u32) -> &Shape {
        self.types
            .get(type_id as usize)
            .map_or(&Shape::Void, |ty| &ty.shape)
    }

    /// The type behind modifiers and typedefs.
    pub fn resolve(&self, type_id: u32) -> &Shape {
        self.shape(self.resolved(type_id))
    }

    /// The number of the type behind modifiers and typedefs.
    pub fn resolved(&self, mut type_id: u32) -> u32 {
        for _ in 0..MAX_CHAIN {
            match self.shape(type_id) {
                Shape::Alias { to, .. } => type_id = *to,
                _ => break,
            }
        }
        type_id
    }

    /// Whether a type, or the elements of an array, are volatile.
    pub fn is_volatile(&self, mut type_id: u32) -> bool {
        for _ in 0..MAX_CHAIN {
            match self.shape(type_id) {
                Shape::Alias {
                    is_volatile: true, ..
                } => return true,
                Shape::Alias { to: inner, .. } | Shape::Array { element: inner, .. } => {
                    type_id = *inner;
                }
                _ => break,
            }
        }
        false
    }

    /// Size in bytes; `None` for types without one.
    pub fn bytes(&self, type_id: u32) -> Option<u32> {
        self.bytes_within(type_id, MAX_CHAIN)
    }

    fn bytes_within(&self, type_id: u32, depth: usize) -> Option<u32> {
        match self.resolve(type_id) {
            Shape::Number { bytes, .. }
            | Shape::Record { bytes, .. }
            | Shape::Enumeration { bytes, .. } => Some(*bytes),
            Shape::Pointer(_) => Some(8),
            Shape::Array { element, count } => self
                .bytes_within(*element, depth.checked_sub(1)?)?
                .checked_mul(*count),
            _ => None,
        }
    }

    pub fn type_name(&self, type_id: u32) -> &str {
        self.types
            .get(type_id as usize)
            .map_or("", |ty| self.string(ty.name))
    }

    /// Where in a structure its own member is whose type is the structure `name`, in bytes.
    pub fn offset_of_struct(&self, type_id: u32, name: &str) -> Option<u32> {
        let Shape::Record { members, .. } = self.resolve(type_id) else {
            return None;
        };
        let is_named = |member: &&Member| {
            let inner = self.resolved(member.type_id);
            matches!(self.shape(inner), Shape::Record { .. }) && self.type_name(inner) == name
        };
        members
            .iter()
            .find(is_named)
            .map(|member| member.bit_offset / 8)
    }

    pub fn member_name(&self, member: &Member) -> &str {
        self.string(member.name)
    }

    pub fn enumerator_name(&self, enumerator: &Enumerator) -> &str {
        self.string(enumerator.name)
    }

    /// The variables of a data section.
    pub fn variables_of<'a>(
        &'a self,
        section: &'a str,
    ) -> impl Iterator<Item = SectionVariable> + 'a {
        let is_named = move |ty: &&Type| self.string(ty.name) == section;
        let sections = self.types.iter().filter(is_named);
        let variables = sections.filter_map(|ty| match &ty.shape {
            Shape::Section(variables) => Some(variables),
            _ => None,
        });
        variables.flatten().copied()
    }

    /// The text at an offset of the string section; empty when there is none.
    pub fn string(&self, offset: u32) -> &str {
        let rest = self.strings.get(offset as usize..).unwrap_or_default();
        let end = rest.iter().position(|byte| *byte == 0).unwrap_or(0);
        std::str::from_utf8(&rest[..end]).unwrap_or_default()
    }

    pub fn has_string(&self, offset: u32) -> bool {
        (offset as usize) < self.strings.len()
    }

    /// The same types in a fresh `.BTF` section with one more string, and that string's offset.
    pub fn to_bytes_with_string(&self, text: &str) -> (Vec<u8>, u32) {
        let mut strings = self.strings.clone();
        let offset = strings.len() as u32;
        strings.extend_from_slice(text.as_bytes());
        strings.push(0);
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&MAGIC.to_le_bytes());
        bytes.extend_from_slice(&[1, 0]);
        for word in [
            HEADER_BYTES as u32,
            0,
            self.type_bytes.len() as u32,
            self.type_bytes.len() as u32,
            strings.len() as u32,
        ] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.extend_from_slice(&self.type_bytes);
        bytes.extend_from_slice(&strings);
        (bytes, offset)
    }

    /// Type numbers in range and chains that end.
    fn check(&self) -> Result<(), Diagnostic> {
        let known = |type_id: &u32| (*type_id as usize) < self.types.len();
        for (index, ty) in self.types.iter().enumerate() {
            let mut names = vec![ty.name];
            let in_range = match &ty.shape {
                Shape::Pointer(inner) | Shape::Alias { to: inner, .. } | Shape::Variable(inner) => {
                    known(inner)
                }
                Shape::Array { element, .. } => known(element),
                Shape::Record { members, .. } => {
                    names.extend(members.iter().map(|member| member.name));
                    members.iter().all(|member| known(&member.type_id))
                }
                Shape::Enumeration { values, .. } => {
                    names.extend(values.iter().map(|value| value.name));
                    true
                }
                Shape::Section(variables) => {
                    variables.iter().all(|variable| known(&variable.type_id))
                }
                _ => true,
            };
            if !in_range || !names.iter().all(|name| self.has_string(*name)) {
                return Err(malformed(format!(
                    "type {index} refers to a type or name that does not exist"
                )));
            }
            self.check_chain(index as u32)?;
        }
        Ok(())
    }

    fn check_chain(&self, start: u32) -> Result<(), Diagnostic> {
        let mut type_id = start;
        for _ in 0..MAX_CHAIN {
            match self.shape(type_id) {
                Shape::Alias { to: inner, .. } | Shape::Array { element: inner, .. } => {
                    type_id = *inner;
                }
                _ => return Ok(()),
            }
        }
        Err(malformed(format!("type {start} is defined by itself")))
    }
}

/// Reads little-endian words and says when there are none left.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn u16_at(&self, at: usize) -> Result<u16, Diagnostic> {
        match self.bytes.get(at..at + 2) {
            Some([low, high]) => Ok(u16::from_le_bytes([*low, *high])),
            _ => Err(malformed("it is cut off")),
        }
    }

    fn u32_at(&self, at: usize) -> Result<u32, Diagnostic> {
        match self.bytes.get(at..at + 4) {
            Some([a, b, c, d]) => Ok(u32::from_le_bytes([*a, *b, *c, *d])),
            _ => Err(malformed("it is cut off")),
        }
    }

    fn next(&mut self) -> Result<u32, Diagnostic> {
        let word = self.u32_at(self.at)?;
        self.at += 4;
        Ok(word)
    }
}

fn read_type(reader: &mut Reader) -> Result<Type, Diagnostic> {
    let name = reader.next()?;
    let info = reader.next()?;
    let size_or_type = reader.next()?;
    let count = info & 0xffff;
    // Of structures: members have sizes in bits. Of enumerations: values are signed.
    let flag = info >> 31 == 1;
    let shape = match info >> 24 & 0x1f {
        // Int
        1 => {
            // The encoding's bits are signed, char and bool; aya-obj knows each alone.
            let encoding = reader.next()? >> 24 & 0xf;
            if !matches!(encoding, 0 | 1 | 2 | 4) || size_or_type > 16 {
                return Err(malformed("an integer has an unknown encoding"));
            }
            Shape::Number {
                bytes: size_or_type,
                encoding: match encoding {
                    1 => Encoding::Signed,
                    4 => Encoding::Bool,
                    _ => Encoding::Unsigned,
                },
            }
        }
        2 => Shape::Pointer(size_or_type),
        3 => {
            let element = reader.next()?;
            reader.next()?;
            let count = reader.next()?;
            Shape::Array { element, count }
        }
        // Struct and union
        4 | 5 => {
            let mut members = Vec::new();
            for _ in 0..count {
                let name = reader.next()?;
                let type_id = reader.next()?;
                // The upper byte is the size of a bit field where there are any.
                let place = reader.next()?;
                members.push(Member {
                    name,
                    type_id,
                    bit_offset: place & 0x00ff_ffff,
                    bits: Some(place >> 24).filter(|bits| flag && *bits > 0),
                });
            }
            Shape::Record {
                bytes: size_or_type,
                members,
            }
        }
        // Enum of 32 and of 64 bits
        kind @ (6 | 19) => {
            let mut values = Vec::new();
            for _ in 0..count {
                let name = reader.next()?;
                let low = reader.next()?;
                let value = match (kind, flag) {
                    (6, true) => i128::from(low as i32),
                    (6, false) => i128::from(low),
                    _ => {
                        let value = u64::from(reader.next()?) << 32 | u64::from(low);
                        if flag {
                            i128::from(value as i64)
                        } else {
                            i128::from(value)
                        }
                    }
                };
                values.push(Enumerator { name, value });
            }
            Shape::Enumeration {
                bytes: size_or_type,
                values,
            }
        }
        // Typedef, volatile, const, restrict, type tag
        kind @ (8..=11 | 18) => Shape::Alias {
            to: size_or_type,
            is_volatile: kind == 9,
        },
        // Forward declaration and function
        7 | 12 => Shape::Other,
        // Function prototype: name and type of each parameter
        13 => {
            for _ in 0..count * 2 {
                reader.next()?;
            }
            Shape::Other
        }
        // Variable
        14 => {
            if reader.next()? > 2 {
                return Err(malformed("a variable has an unknown linkage"));
            }
            Shape::Variable(size_or_type)
        }
        // Data section: type, offset and size of each variable
        15 => {
            let mut variables = Vec::new();
            for _ in 0..count {
                let type_id = reader.next()?;
                let offset = reader.next()?;
                reader.next()?;
                variables.push(SectionVariable { type_id, offset });
            }
            Shape::Section(variables)
        }
        // Float
        16 => Shape::Number {
            bytes: size_or_type,
            encoding: Encoding::Float,
        },
        // Declaration tag
        17 => {
            reader.next()?;
            Shape::Other
        }
        kind => return Err(malformed(format!("it has a type of unknown kind {kind}"))),
    };
    Ok(Type { name, shape })
}

fn malformed(reason: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::input(
        "malformed-btf",
        format!("the BTF type information is damaged: {reason}"),
    )
    .help("compile the program again with -g, or give another file with --btf")
}
