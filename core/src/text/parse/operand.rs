//! Registers, predicates, numbers, and what operations work on.

use super::misplaced;
use crate::encode::{check_field, Bounds, Misfit};
use crate::isa::{Field, Guard, Operand, Pred, Reg, PREDICATES};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::parse::line::Line;

/// The two numbers of a word like `r0.5`.
fn register_word(word: &str) -> Option<(u32, u32)> {
    let (bank, index) = word.strip_prefix('r')?.split_once('.')?;
    Some((decimal(bank)?, decimal(index)?))
}

fn decimal(digits: &str) -> Option<u32> {
    let is_plain = digits.bytes().all(|digit| digit.is_ascii_digit());
    let is_short = digits == "0" || !digits.starts_with('0');
    (is_plain && is_short)
        .then(|| digits.parse().ok())
        .flatten()
}

/// A register, if one comes next.
pub(super) fn take_register(line: &mut Line, bounds: &Bounds) -> Result<Option<Reg>, Diagnostic> {
    let position = line.position();
    let Ok((bank, index)) = line.one_of("a register", register_word) else {
        return Ok(None);
    };
    let part = |what, value, count: u8| {
        let most = u64::from(count) - 1;
        let misfit = Misfit::Beyond {
            what,
            value: u64::from(value),
            most,
        };
        match u64::from(value) <= most {
            true => Ok(value as u8),
            false => Err(misplaced(position, misfit)),
        }
    };
    Ok(Some(Reg {
        bank: part("bank", bank, bounds.lanes)?,
        index: part("register", index, bounds.registers)?,
    }))
}

pub(super) fn register(line: &mut Line, bounds: &Bounds) -> Result<Reg, Diagnostic> {
    let error = line.expected("a register, such as `r0.5`");
    take_register(line, bounds)?.ok_or(error)
}

/// A predicate, if one comes next.
pub(super) fn take_pred(line: &mut Line) -> Result<Option<Pred>, Diagnostic> {
    let Some((number, position)) = line.take_numbered("p") else {
        return Ok(None);
    };
    let most = PREDICATES - 1;
    match u8::try_from(number) {
        Ok(number) if number <= most => Ok(Some(Pred(number))),
        _ => {
            let misfit = Misfit::Beyond {
                what: "predicate",
                value: number.into(),
                most: most.into(),
            };
            Err(misplaced(position, misfit))
        }
    }
}

/// `p3` or `!p3`
pub(super) fn guard(line: &mut Line) -> Result<Guard, Diagnostic> {
    let negated = line.take_sign('!');
    let error = line.expected("a predicate, such as `p3`");
    let pred = take_pred(line)?.ok_or(error)?;
    Ok(Guard { pred, negated })
}

/// A field, if one comes next.
pub(super) fn take_field(line: &mut Line, bounds: &Bounds) -> Result<Option<Field>, Diagnostic> {
    let position = line.position();
    if line.take_keyword("signed") {
        line.sign('(')?;
        let field = unsigned_field(line, bounds)?;
        line.sign(')')?;
        return Ok(Some(Field {
            signed: true,
            ..field
        }));
    }
    if line.take_keyword("swap") {
        line.sign('(')?;
        let field = bits(line, bounds)?;
        line.sign(')')?;
        let field = Field {
            swapped: true,
            ..field
        };
        let checked = check_field("the operand", &field);
        checked.map_err(|misfit| misplaced(position, misfit))?;
        return Ok(Some(field));
    }
    match take_register(line, bounds)? {
        Some(reg) => bits_of(reg, line).map(Some),
        None => Ok(None),
    }
}

/// What may stand in `signed(…)`.
fn unsigned_field(line: &mut Line, bounds: &Bounds) -> Result<Field, Diagnostic> {
    let error = line.expected("a register or `swap`");
    match take_field(line, bounds)? {
        Some(field) if !field.signed => Ok(field),
        _ => Err(error),
    }
}

fn bits(line: &mut Line, bounds: &Bounds) -> Result<Field, Diagnostic> {
    let reg = register(line, bounds)?;
    bits_of(reg, line)
}

/// `[8+:16]`, or nothing: all of a register.
fn bits_of(reg: Reg, line: &mut Line) -> Result<Field, Diagnostic> {
    let position = line.position();
    if !line.take_sign('[') {
        return Ok(Field::whole(reg));
    }
    let (lo, width) = range(line)?;
    line.sign(']')?;
    let field = Field {
        lo,
        width,
        ..Field::whole(reg)
    };
    let checked = check_field("the operand", &field);
    checked.map_err(|misfit| misplaced(position, misfit))?;
    Ok(field)
}

/// `8+:16`
pub(super) fn range(line: &mut Line) -> Result<(u8, u8), Diagnostic> {
    let lo = byte(line)?;
    line.sign('+')?;
    line.sign(':')?;
    Ok((lo, byte(line)?))
}

/// What an operation works on.
pub(super) fn operand(line: &mut Line, bounds: &Bounds) -> Result<Operand, Diagnostic> {
    if let Some(field) = take_field(line, bounds)? {
        return Ok(Operand::Field(field));
    }
    line.one_of("a register or a number of at most 64 bits", number)
        .map(Operand::Number)
}

/// Hexadecimal with `0x`, or decimal, which may be negative.
pub(super) fn number(word: &str) -> Option<u64> {
    let digits = |text: &str| {
        let is_plain = text.bytes().all(|digit| digit.is_ascii_digit());
        is_plain.then(|| text.parse::<u64>().ok()).flatten()
    };
    if let Some(digits) = word.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    match word.strip_prefix('-') {
        Some(word) => {
            let value = digits(word)?;
            (value <= 1 << 63).then(|| value.wrapping_neg())
        }
        None => digits(word),
    }
}

/// A number of up to 8 bits, whatever the operation makes of it.
pub(super) fn byte(line: &mut Line) -> Result<u8, Diagnostic> {
    line.one_of("a number below 256", |word| {
        u8::try_from(number(word)?).ok()
    })
}

/// A number of up to 16 bits.
pub(super) fn half(line: &mut Line) -> Result<u16, Diagnostic> {
    line.one_of("a number below 65536", |word| {
        u16::try_from(number(word)?).ok()
    })
}

/// A number with a sign.
pub(super) fn offset(line: &mut Line) -> Result<i32, Diagnostic> {
    line.one_of("an offset", |word| i32::try_from(number(word)? as i64).ok())
}
