//! What can be written to: found once, then read and written (§6.7, §8.1).

use super::data::Data;
use super::{Machine, Run, Stop};
use crate::typed::{Expression, ExpressionKind};
use crate::types::Type;
use crate::value;
use num_bigint::BigInt;

/// A place in a variable.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The variable; `None`: nobody wants what is written.
    variable: Option<usize>,
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
enum Step {
    Field(usize),
    /// Of a stack or a tuple; one that it does not have is read as zero and not written (§8.18).
    Index(usize),
    /// `next` of a stack.
    Next(usize),
    /// Bits of a number of this type.
    Slice(u32, u32, Type),
}

impl Machine<'_> {
    /// The place that an expression is.
    pub(super) fn place(&mut self, of: &Expression) -> Run<Place> {
        let (inner, step) = match &of.kind {
            ExpressionKind::Variable(number) => {
                return Ok(Place {
                    variable: Some(*number),
                    steps: Vec::new(),
                });
            }
            ExpressionKind::Field(inner, at) => (self.place(inner)?, Step::Field(*at)),
            ExpressionKind::Index(inner, at) => {
                let inner = self.place(inner)?;
                let at = self.expression(at)?.to_number();
                (
                    inner,
                    Step::Index(usize::try_from(at).unwrap_or(usize::MAX)),
                )
            }
            ExpressionKind::Slice(inner, high, low) => {
                let of = self.program.types.number_type(&inner.of).clone();
                (self.place(inner)?, Step::Slice(*high, *low, of))
            }
            ExpressionKind::Part(inner, low, width) => {
                let of = self.program.types.number_type(&inner.of).clone();
                let inner = self.place(inner)?;
                let low = u32::try_from(self.expression(low)?.to_number()).unwrap_or(u32::MAX);
                (inner, Step::Slice(low.saturating_add(width - 1), low, of))
            }
            ExpressionKind::Next(inner) => {
                let inner = self.place(inner)?;
                match self.read(&inner) {
                    Data::Stack(next, items) if next < items.len() => (inner, Step::Next(next)),
                    _ => return self.reject("StackOutOfBounds"),
                }
            }
            ExpressionKind::Last(inner) => {
                let inner = self.place(inner)?;
                match self.read(&inner) {
                    Data::Stack(next, _) if next > 0 => (inner, Step::Index(next - 1)),
                    _ => return self.reject("StackOutOfBounds"),
                }
            }
            _ => {
                return Ok(Place {
                    variable: None,
                    steps: Vec::new(),
                });
            }
        };
        let mut whole = inner;
        whole.steps.push(step);
        Ok(whole)
    }

    /// What stands there.
    pub(super) fn read(&self, place: &Place) -> Data {
        let Some(variable) = place.variable else {
            return Data::Void;
        };
        let mut whole = &self.variables[variable];
        for step in &place.steps {
            whole = match step {
                Step::Field(at) | Step::Index(at) | Step::Next(at) => {
                    match whole.parts().get(*at) {
                        Some(part) => part,
                        None => return zero_like(whole),
                    }
                }
                Step::Slice(high, low, _) => return sliced(whole, *high, *low),
            };
        }
        whole.clone()
    }

    /// Writes what stands there.
    pub(super) fn write(&mut self, place: &Place, data: Data) {
        if let Some(variable) = place.variable {
            store(&mut self.variables[variable], &place.steps, data);
        }
    }

    /// Behind an extract into `next`, that is the one behind it.
    pub(super) fn advance_next(&mut self, place: &Place) {
        // Of a stack of unions, `next` stands in front of the header.
        let last = place
            .steps
            .iter()
            .rposition(|step| matches!(step, Step::Next(_)));
        let (Some(last), Some(variable)) = (last, place.variable) else {
            return;
        };
        let Step::Next(at) = place.steps[last] else {
            return;
        };
        let mut whole = &mut self.variables[variable];
        for step in &place.steps[..last] {
            let (Step::Field(at) | Step::Index(at) | Step::Next(at)) = step else {
                return;
            };
            match whole.parts_mut().get_mut(*at) {
                Some(part) => whole = part,
                None => return,
            }
        }
        if let Data::Stack(next, _) = whole {
            *next = at + 1;
        }
    }

    /// A parser ends with one of the errors of the core library.
    pub(super) fn reject<T>(&self, error: &str) -> Run<T> {
        let errors = &self.program.types.errors;
        let number = errors.iter().position(|name| name == error);
        Err(Stop::Reject(number.unwrap_or(0)))
    }
}

/// Bits of a number.
pub(super) fn sliced(data: &Data, high: u32, low: u32) -> Data {
    Data::Number(value::slice(&data.to_number(), high, low))
}

/// What a part is that a stack does not have: like its first one, with nothing in it.
pub(super) fn zero_like(stack: &Data) -> Data {
    fn nothing(of: &Data) -> Data {
        match of {
            Data::Bool(_) => Data::Bool(false),
            Data::Number(_) => Data::number(0),
            Data::Varbit(..) => Data::Varbit(0, BigInt::from(0)),
            Data::Member(_) => Data::Member(0),
            Data::Struct(parts) => Data::Struct(parts.iter().map(nothing).collect()),
            Data::Header(_, parts) => Data::Header(false, parts.iter().map(nothing).collect()),
            Data::Union(parts) => Data::Union(parts.iter().map(nothing).collect()),
            Data::Stack(_, parts) => Data::Stack(0, parts.iter().map(nothing).collect()),
            other => other.clone(),
        }
    }
    stack.parts().first().map_or(Data::Void, nothing)
}

fn store(whole: &mut Data, steps: &[Step], data: Data) {
    let Some((step, behind)) = steps.split_first() else {
        *whole = data;
        return;
    };
    match step {
        Step::Slice(high, low, of) => {
            let width = high - low + 1;
            let mask = ((BigInt::from(1) << width) - 1) << *low;
            let before = whole.to_number();
            let kept = &before - (&before & &mask);
            // Bits of bits.
            let mut part = Data::Number(value::slice(&before, *high, *low));
            store(&mut part, behind, data);
            let put = value::wrap(part.to_number(), width, false) << *low;
            *whole = Data::Number(value::in_type(kept + put, of));
        }
        Step::Field(at) | Step::Index(at) | Step::Next(at) => {
            // What is written to a header that is not valid changes nothing (§8.17).
            if matches!(whole, Data::Header(false, _)) {
                return;
            }
            let is_union = matches!(whole, Data::Union(_));
            let parts = whole.parts_mut();
            let Some(part) = parts.get_mut(*at) else {
                return;
            };
            store(part, behind, data);
            // A whole header that is put there takes the place of all others, valid or not.
            if is_union && (behind.is_empty() || parts[*at].is_valid()) {
                only(parts, *at);
            }
        }
    }
}

/// §8.20: of a union one header at most is valid.
fn only(headers: &mut [Data], valid: usize) {
    for (at, header) in headers.iter_mut().enumerate() {
        if let Data::Header(is_valid, _) = header {
            *is_valid &= at == valid;
        }
    }
}
