//! Numbers as commands write them.

use num_bigint::{BigInt, BigUint, Sign};
use std::net::{Ipv4Addr, Ipv6Addr};

/// More digits than any number of a test needs: a limit, so that a line costs no more than its length.
const MOST_DIGITS: usize = 4096;

/// A number, and how it was written where that matters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Number {
    /// What it is; digits that are `*` are 0.
    pub value: BigInt,
    /// Bits that are `*`.
    pub wild: BigInt,
    /// How it was written.
    pub form: Form,
    /// How many digits it was written with.
    pub digits: u32,
}

/// How a number is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `10`, `-1`
    Decimal,
    /// `0x0a`, with `*` for digits that are not known
    Hexadecimal,
    /// `0b01`, with `*` for digits that are not known
    Binary,
    /// `0o12`, with `*` for digits that are not known
    Octal,
    /// `aa:bb:cc:00:11:22`
    Mac,
    /// `10.0.0.1`
    Ipv4,
    /// `fe80::1`
    Ipv6,
}

impl Form {
    /// So many bits a digit says; nothing for those of decimal numbers. An address has so many digits that this is its width.
    fn digit_bits(self) -> Option<u32> {
        match self {
            Form::Decimal => None,
            Form::Hexadecimal | Form::Mac | Form::Ipv4 | Form::Ipv6 => Some(4),
            Form::Binary => Some(1),
            Form::Octal => Some(3),
        }
    }
}

impl Number {
    /// As a count or an index; what has no 64 bits is more than all of these.
    pub fn word(&self) -> u64 {
        u64::try_from(&self.value).unwrap_or(u64::MAX)
    }

    /// A number that nobody wrote with digits.
    pub fn of(value: BigInt) -> Number {
        Number {
            value,
            wild: BigInt::from(0),
            form: Form::Decimal,
            digits: 0,
        }
    }

    /// Reads a number in one of the forms of tests: 0x, 0b, 0o or decimal.
    ///
    /// # Errors
    /// What was expected.
    pub fn plain(text: &str) -> Result<Number, String> {
        let prefixed = |prefixes: [&str; 2]| {
            let mut prefixes = prefixes.into_iter();
            prefixes.find_map(|prefix| text.strip_prefix(prefix))
        };
        let based = if let Some(digits) = prefixed(["0x", "0X"]) {
            Some((Form::Hexadecimal, digits, 16))
        } else if let Some(digits) = prefixed(["0b", "0B"]) {
            Some((Form::Binary, digits, 2))
        } else {
            prefixed(["0o", "0O"]).map(|digits| (Form::Octal, digits, 8))
        };
        let read = match based {
            Some((form, digits, base)) => wildcard_digits(form, digits, base),
            None => decimal(text),
        };
        read.ok_or_else(|| {
            let most = match text.len() > MOST_DIGITS {
                true => format!(", of at most {MOST_DIGITS} digits"),
                false => String::new(),
            };
            format!(
                "a number is expected (10, 0x0a, 0b1010{most}), and there is `{}`",
                short(text)
            )
        })
    }

    /// Reads a number in one of those forms, or the address of a network card or of a host.
    ///
    /// # Errors
    /// What was expected.
    pub fn or_address(text: &str) -> Result<Number, String> {
        let address = |form, bytes: &[u8]| Number {
            value: BigInt::from_bytes_be(Sign::Plus, bytes),
            wild: BigInt::default(),
            form,
            digits: bytes.len() as u32 * 2,
        };
        if let Ok(host) = text.parse::<Ipv4Addr>() {
            return Ok(address(Form::Ipv4, &host.octets()));
        }
        if let Some(card) = mac(text) {
            return Ok(address(Form::Mac, &card));
        }
        if let Ok(host) = text.parse::<Ipv6Addr>() {
            return Ok(address(Form::Ipv6, &host.octets()));
        }
        Number::plain(text)
    }

    /// No digit is `*`.
    pub fn is_whole(&self) -> bool {
        self.wild == BigInt::default()
    }

    /// So many bits its digits say; nothing where it is decimal.
    pub fn bits(&self) -> Option<u32> {
        Some(self.form.digit_bits()? * self.digits)
    }

    /// The bits that count where the key has a mask, of a key of this width: those that its digits say and are not `*`; all of them where
    /// it is decimal. `0x5` says four bits, and the others may be anything.
    pub fn mask(&self, width: u32) -> BigInt {
        let bits = self.bits().map_or(width, |bits| bits.min(width));
        let ones = (BigInt::from(1) << bits) - 1;
        &ones ^ (&ones & &self.wild)
    }

    /// How long a prefix it is where the key of this width is one: so many bits as its digits say, but for those that are `*` at its end;
    /// the whole width where it is decimal. Nothing where a `*` stands elsewhere, or where it has more bits than the key.
    pub fn prefix_length(&self, width: u32) -> Option<u32> {
        let bits = self.bits().unwrap_or(width);
        let wild = self.wild.bits() as u32;
        let is_tail = self.wild == (BigInt::from(1) << wild) - 1;
        (is_tail && bits <= width).then(|| bits - wild)
    }
}

/// Digits and `*` of a base that is a power of two.
fn wildcard_digits(form: Form, digits: &str, base: u32) -> Option<Number> {
    if digits.is_empty() || digits.len() > MOST_DIGITS {
        return None;
    }
    let (mut values, mut wild) = (Vec::new(), Vec::new());
    for digit in digits.chars() {
        let is_wild = digit == '*';
        values.push(match is_wild {
            true => 0,
            false => digit.to_digit(base)? as u8,
        });
        wild.push(match is_wild {
            true => base as u8 - 1,
            false => 0,
        });
    }
    let number = |digits: &[u8]| BigUint::from_radix_be(digits, base).map(BigInt::from);
    Some(Number {
        value: number(&values)?,
        wild: number(&wild)?,
        form,
        digits: digits.len() as u32,
    })
}

/// Decimal digits, with a sign where they are negative.
fn decimal(text: &str) -> Option<Number> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let all_digits = digits.bytes().all(|digit| digit.is_ascii_digit());
    if digits.is_empty() || digits.len() > MOST_DIGITS || !all_digits {
        return None;
    }
    Some(Number {
        value: text.parse().ok()?,
        wild: BigInt::default(),
        form: Form::Decimal,
        digits: digits.len() as u32,
    })
}

/// Six bytes of two digits each.
fn mac(text: &str) -> Option<[u8; 6]> {
    let mut parts = text.split(':');
    let mut bytes = [0; 6];
    for byte in &mut bytes {
        let part = parts.next()?;
        let is_byte = part.len() == 2 && part.bytes().all(|digit| digit.is_ascii_hexdigit());
        *byte = u8::from_str_radix(part, 16).ok().filter(|_| is_byte)?;
    }
    parts.next().is_none().then_some(bytes)
}

/// So much of a text as a message can have.
pub(crate) fn short(text: &str) -> String {
    let mut start: String = text.chars().take(40).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}
