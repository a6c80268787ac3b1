//! A value in text form as the bytes of a type: numbers, truth values, names of an enumeration, addresses, strings.

use hardpath_ir::count::counted;
use std::net::{Ipv4Addr, Ipv6Addr};

use crate::btf::{Btf, Encoding, Shape};
use crate::globals::parts_of;

/// The bits of a value, the lowest first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Encoded {
    pub bytes: Vec<u8>,
    /// How many count: all but of bit fields.
    pub bits: u32,
}

impl Encoded {
    fn whole(bytes: Vec<u8>) -> Encoded {
        let bits = bytes.len() as u32 * 8;
        Encoded { bytes, bits }
    }
}

/// What is wrong with a value, and what to do.
type Wrong = (String, String);

/// The bits of a value for a variable `name` of a type, or a bit field of `field_bits`.
///
/// A number is the variable's value as the program sees it; addresses are in network byte order, whatever the type of
/// matching size is. A string ends with a zero, and zeros fill the rest of its array.
pub fn encode(
    btf: &Btf,
    type_id: u32,
    field_bits: Option<u32>,
    name: &str,
    text: &str,
) -> Result<Encoded, Wrong> {
    let bytes = btf.bytes(type_id).unwrap_or(0);
    let bits = field_bits.unwrap_or(bytes.saturating_mul(8));
    let address = address_of_size(text, bytes).filter(|_| field_bits.is_none());
    match btf.resolve(type_id) {
        Shape::Number {
            encoding: Encoding::Bool,
            ..
        } => match text {
            "0" | "false" => fitting(0, bits, false, name, text),
            "1" | "true" => fitting(1, bits, false, name, text),
            _ => Err((
                format!("{text} is no value of {name}, which is true or false"),
                "give true, false, 1 or 0".to_string(),
            )),
        },
        Shape::Number { encoding, .. } if *encoding != Encoding::Float => {
            match (parse_number(text), address) {
                (Some(value), _) => fitting(value, bits, *encoding == Encoding::Signed, name, text),
                (None, Some(address)) => Ok(Encoded::whole(address)),
                (None, None) => Err((
                    format!("{text} is no number for {name}"),
                    format!("give a number of {bits} bits, 80 or 0x50{}", example(bytes)),
                )),
            }
        }
        Shape::Enumeration { values, .. } => {
            let named = |value: &&crate::btf::Enumerator| btf.enumerator_name(value) == text;
            let value = match values.iter().find(named) {
                Some(named) => Some(named.value),
                None => parse_number(text),
            };
            let is_signed = values.iter().any(|value| value.value < 0);
            let Some(value) = value else {
                let names: Vec<&str> = (values.iter())
                    .map(|value| btf.enumerator_name(value))
                    .collect();
                let help = format!("give one of {}, or a number", names.join(", "));
                return Err((format!("{text} is no value of {name}"), help));
            };
            fitting(value, bits, is_signed, name, text)
        }
        Shape::Array { element, count } if is_char(btf, *element) => {
            string(*count, name, text).or_else(|wrong| address.map(Encoded::whole).ok_or(wrong))
        }
        Shape::Array { .. } | Shape::Record { .. } => match address {
            Some(address) => Ok(Encoded::whole(address)),
            None => {
                let parts = parts_of(btf, type_id, name);
                let example = example(bytes);
                let message = format!(
                    "{name} has {}, which {text} is no value of",
                    counted(bytes, "byte")
                );
                Err((message, format!("set its parts: {parts}{example}")))
            }
        },
        _ => Err((
            format!("{name} is of a type that has no value here"),
            "numbers, truth values, enumerations, addresses and strings can be set".to_string(),
        )),
    }
}

/// A number, a truth value or a name of an enumeration as text that [`encode`] takes; `None` for other types.
pub fn decode(btf: &Btf, type_id: u32, bytes: &[u8]) -> Option<String> {
    let mut word = [0; 16];
    word.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let value = i128::from_le_bytes(word);
    let unused = 128 - bytes.len() as u32 * 8;
    let signed = value.checked_shl(unused)?.checked_shr(unused)?;
    match btf.resolve(type_id) {
        Shape::Number { encoding, .. } => match encoding {
            Encoding::Unsigned => Some(value.to_string()),
            Encoding::Signed => Some(signed.to_string()),
            Encoding::Bool => Some((value != 0).to_string()),
            Encoding::Float => None,
        },
        Shape::Enumeration { values, .. } => {
            let mut values = values.iter();
            let named = values.find(|one| [value, signed].contains(&one.value));
            Some(match named {
                Some(named) => btf.enumerator_name(named).to_string(),
                None => value.to_string(),
            })
        }
        _ => None,
    }
}

/// The addresses that a type of so many bytes takes, for messages.
fn example(bytes: u32) -> &'static str {
    match bytes {
        4 => "; or an address, 192.0.2.1",
        6 => "; or an address, 02:00:00:00:00:01",
        16 => "; or an address, 2001:db8::1",
        _ => "",
    }
}

fn is_char(btf: &Btf, type_id: u32) -> bool {
    btf.type_name(btf.resolved(type_id)) == "char"
}

fn string(room: u32, name: &str, text: &str) -> Result<Encoded, Wrong> {
    let mut bytes = text.as_bytes().to_vec();
    if bytes.len() >= room as usize {
        return Err((
            format!(
                "the {} bytes of \"{text}\" and the zero behind them do not fit into {name}, which has {room}",
                bytes.len()
            ),
            "give a shorter string".to_string(),
        ));
    }
    bytes.resize(room as usize, 0);
    Ok(Encoded::whole(bytes))
}

/// `-12`, `0x1f` or `0b101`.
fn parse_number(text: &str) -> Option<i128> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let (digits, radix) = match digits.split_at_checked(2) {
        Some(("0x" | "0X", digits)) => (digits, 16),
        Some(("0b" | "0B", digits)) => (digits, 2),
        _ => (digits, 10),
    };
    if !digits.starts_with(|digit: char| digit.is_digit(radix)) {
        return None;
    }
    let value = i128::from_str_radix(digits, radix).ok()?;
    Some(if is_negative { -value } else { value })
}

fn fitting(
    value: i128,
    bits: u32,
    is_signed: bool,
    name: &str,
    text: &str,
) -> Result<Encoded, Wrong> {
    if !(1..=128).contains(&bits) {
        let message = format!("{name} has {bits} bits, which no number has");
        return Err((message, "compile the program again with -g".to_string()));
    }
    // What is larger than an i128 was no number before.
    let span = bits.min(127);
    let (least, most) = match is_signed {
        true => (-(1i128 << (span - 1)), (1i128 << (span - 1)) - 1),
        false => (0, (1i128 << (span - 1)) - 1 + (1i128 << (span - 1))),
    };
    if (least..=most).contains(&value) {
        return Ok(number(value, bits));
    }
    Err((
        format!("{text} does not fit into {name}"),
        format!("give a number from {least} to {most}"),
    ))
}

fn number(value: i128, bits: u32) -> Encoded {
    let bytes = value.to_le_bytes()[..bits.div_ceil(8) as usize].to_vec();
    Encoded { bytes, bits }
}

/// An IPv4, IPv6 or MAC address in network byte order, if it has that size.
fn address_of_size(text: &str, bytes: u32) -> Option<Vec<u8>> {
    let address = if let Ok(address) = text.parse::<Ipv4Addr>() {
        address.octets().to_vec()
    } else if let Ok(address) = text.parse::<Ipv6Addr>() {
        address.octets().to_vec()
    } else {
        mac_address(text)?
    };
    (address.len() == bytes as usize).then_some(address)
}

fn mac_address(text: &str) -> Option<Vec<u8>> {
    let parts: Vec<&str> = text.split(['-', ':']).collect();
    if parts.len() != 6 {
        return None;
    }
    let byte = |part: &str| match part.len() {
        2 => u8::from_str_radix(part, 16).ok(),
        _ => None,
    };
    parts.into_iter().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(parse_number("-12"), Some(-12));
        assert_eq!(parse_number("0xfF"), Some(255));
        assert_eq!(parse_number("0b101"), Some(5));
        for wrong in ["", "-", "0x", "+-1", "--1", "0x-1", "1 ", "ten", "0b2"] {
            assert_eq!(parse_number(wrong), None, "{wrong:?}");
        }
        let fits = |value, bits, is_signed| fitting(value, bits, is_signed, "x", "").is_ok();
        assert!(fits(255, 8, false) && !fits(256, 8, false) && !fits(-1, 8, false));
        assert!(fits(127, 8, true) && !fits(128, 8, true));
        assert!(fits(-128, 8, true) && !fits(-129, 8, true));
        assert!(fits(i128::from(u64::MAX), 64, false) && fits(1, 1, false) && !fits(2, 1, false));
    }

    #[test]
    fn addresses() {
        let address = |text, bytes| address_of_size(text, bytes);
        assert_eq!(address("10.0.0.1", 4), Some(vec![10, 0, 0, 1]));
        assert_eq!(address("10.0.0.1", 16), None);
        assert_eq!(
            address("02:00:00:00:0A:ff", 6),
            Some(vec![2, 0, 0, 0, 10, 255])
        );
        assert_eq!(address("02:00:00:00:0A", 6), None);
        assert_eq!(
            address("2001:db8::1", 16).unwrap()[..4],
            [0x20, 1, 0xd, 0xb8]
        );
    }
}
