//! What the hardware calls packet bytes: the fields that the program reads, as its source names them.

use crate::lower::{identifier, Lower};
use crate::segments::{Segment, Segments};
use hardpath_ir::{Op, Program, Value};
use hardpath_rtl::Node;
use std::collections::HashMap;

/// Bits of the packet's window that the program reads as one.
struct Field {
    lo: u32,
    width: u32,
    /// An identifier.
    name: String,
}

/// The fields with names, the narrowest first.
#[derive(Default)]
pub struct Fields(Vec<Field>);

impl Fields {
    /// Those of a program whose loads have constant offsets. Where two places have one name, the byte is added.
    pub fn of(program: &Program) -> Fields {
        let mut fields: Vec<Field> = Vec::new();
        for inst in &program.blocks[program.region()].insts {
            let data = &program.insts[*inst];
            if data.op != Op::PacketLoad {
                continue;
            }
            let result = data.results[0];
            let (Some(offset), Some(name)) = (
                program.as_const(data.args[0]),
                program.values[result].name.clone(),
            ) else {
                continue;
            };
            let (lo, width) = (offset.low_u64() as u32 * 8, program.width(result));
            let is_known = fields
                .iter()
                .any(|field| (field.lo, field.width) == (lo, width));
            if !is_known && !is_place(&name) {
                let name = identifier(&name);
                fields.push(Field { lo, width, name });
            }
        }
        let mut places: HashMap<String, u32> = HashMap::new();
        for field in &fields {
            *places.entry(field.name.clone()).or_default() += 1;
        }
        for field in &mut fields {
            if places[&field.name] > 1 {
                field.name = format!("{}_{}", field.name, field.lo / 8);
            }
        }
        fields.sort_by_key(|field| (field.width, field.lo));
        Fields(fields)
    }

    /// The number of the narrowest field that holds these bits.
    fn around(&self, lo: u32, len: u32) -> Option<usize> {
        let holds = |field: &Field| field.lo <= lo && lo + len <= field.lo + field.width;
        self.0.iter().position(holds)
    }

    /// The name of exactly these bits.
    pub fn name(&self, lo: u32, width: u32) -> Option<&str> {
        let field = self
            .0
            .iter()
            .find(|field| (field.lo, field.width) == (lo, width));
        field.map(|field| field.name.as_str())
    }
}

/// A name that only says where the bytes are: `pkt_14`, or a register.
fn is_place(name: &str) -> bool {
    let number = name.strip_prefix("pkt").or(name.strip_prefix('r'));
    number.is_some_and(|rest| {
        rest.trim_start_matches('_')
            .chars()
            .all(|c| c.is_ascii_digit())
    })
}

impl Lower<'_> {
    /// Bits of the window as a part of a field that holds them. `None`: there is none.
    pub fn part_of_field(&mut self, lo: u32, len: u32) -> Option<Node> {
        let number = self.fields.around(lo, len)?;
        let node = self.field(number)?;
        Some(self.m.slice(node, lo - self.fields.0[number].lo, len))
    }

    /// A field under its name. `None`: not all of its bits have come up to the present stage.
    fn field(&mut self, number: usize) -> Option<Node> {
        if let Some(node) = self.named.get(&number) {
            return Some(*node);
        }
        let field = &self.fields.0[number];
        let (lo, width) = (field.lo, field.width);
        let name = format!("{}_s{}", field.name, self.now);
        let window = self.segments.window();
        let mut at = lo;
        while at < lo + width {
            let (start, node) = self.run_at(window, at)?;
            at = start + self.m.width(node);
        }
        let node = self.bits_in_place(window, lo, width);
        let node = match self.is_stored(node) {
            true => node,
            false => self.m.alias(node, name),
        };
        self.named.insert(number, node);
        Some(node)
    }

    /// `h_proto_is_0x0800`, `packet_length_from_34`: compares of something with a name with a constant.
    pub fn condition_name(&self, segments: &Segments, op: &Op, args: &[Value]) -> Option<String> {
        let compared = self.compared(segments, op, args)?;
        let Compared {
            constant,
            constant_first,
            name,
            is_field,
            lo,
            len,
            whole,
        } = compared;
        let name = name?;
        let equals = |joint: &str| match compared.in_packet_order() {
            Some(constant) => Some(format!("{name}_{joint}_{constant}")),
            None if len == 8 && is_field || !is_field && lo == 0 => {
                Some(format!("{name}_{joint}_{constant}"))
            }
            None => None,
        };
        match op {
            Op::Eq => return equals("is"),
            Op::Ne => return equals("is_not"),
            // The first byte of a longer field is its lowest here, but its highest in the packet.
            _ if is_field && len > 8 => return None,
            // Without its upper bits something else is compared.
            _ if !is_field && lo + len < whole => return None,
            _ => {}
        }
        // c <= x, c < x, x < c, x <= c; without the lower bits of x.
        let next = u64::from((*op == Op::Ult) == constant_first);
        let lower = if is_field { 0 } else { lo };
        let bound = constant.checked_add(next)?.checked_mul(1 << lower)?;
        let joint = if constant_first { "from" } else { "below" };
        Some(format!("{name}_{joint}_{bound}"))
    }

    /// The constant that several bytes of the packet are compared with, as the source has it: `0x0800`.
    pub fn source_constant(&self, op: &Op, args: &[Value]) -> Option<String> {
        match op {
            Op::Eq | Op::Ne => self.compared(&self.segments, op, args)?.in_packet_order(),
            _ => None,
        }
    }

    fn compared<'a>(
        &'a self,
        segments: &'a Segments,
        op: &Op,
        args: &[Value],
    ) -> Option<Compared<'a>> {
        if !matches!(op, Op::Eq | Op::Ne | Op::Ult | Op::Ule) {
            return None;
        }
        let constant = |place: usize| self.program.as_const(*args.get(place)?)?.as_u64();
        let (constant, constant_first) = match (constant(0), constant(1)) {
            (Some(constant), None) => (constant, true),
            (None, Some(constant)) => (constant, false),
            _ => return None,
        };
        let other = args[usize::from(constant_first)];
        // Zeros above do not matter.
        let (first, above) = segments.of(other).split_first()?;
        let is_zero = |segment: &Segment| matches!(segment, Segment::Const(bits) if bits.is_zero());
        let Segment::Bits {
            base,
            lo,
            len,
            inverted: false,
        } = first
        else {
            return None;
        };
        if !above.iter().all(is_zero) {
            return None;
        }
        let data = &segments.bases[*base];
        let is_field = *base == segments.window();
        let name = match is_field {
            true => self.fields.name(*lo, *len),
            false if segments.given().any(|input| input == *base) => Some(data.name.as_str()),
            false => return None,
        };
        Some(Compared {
            constant,
            constant_first,
            name,
            is_field,
            lo: *lo,
            len: *len,
            whole: data.width,
        })
    }
}

/// Something of the packet, or that came with it, that is compared with a constant.
#[derive(Clone, Copy)]
struct Compared<'a> {
    constant: u64,
    constant_first: bool,
    /// `None`: bytes of the packet that no source has named.
    name: Option<&'a str>,
    /// It is a field of the packet; else some bits of what came with the packet.
    is_field: bool,
    lo: u32,
    len: u32,
    /// Bits of all of it.
    whole: u32,
}

impl Compared<'_> {
    /// The constant as manuals have the values of a field of several bytes: in the order of the packet.
    fn in_packet_order(&self) -> Option<String> {
        // Bits across bytes are in no order of the packet.
        match (self.is_field && self.lo.is_multiple_of(8), self.len) {
            (true, 16) => Some(format!("0x{:04x}", (self.constant as u16).swap_bytes())),
            (true, 32) => Some(format!("0x{:08x}", (self.constant as u32).swap_bytes())),
            _ => None,
        }
    }
}
