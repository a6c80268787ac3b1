//! Meters, as RFC 2698 has them: two buckets of tokens that fill with time, of which a packet takes its own.

use super::calls::Passed;
use super::data::Data;
use super::externs::{held, State};
use super::{Machine, Run};
use crate::meters::{colour_before, Bucket, Colour, Rates, Unit, FRACTION, ORIGIN};
use crate::typed::{Expression, Function};
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// A meter, and what it has left.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Meter {
    /// `None`: nothing is metered.
    pub rates: Option<Rates>,
    committed: Level,
    peak: Level,
}

/// What is left in a bucket.
#[derive(Clone, PartialEq, Debug, Default)]
enum Level {
    /// Nobody has taken anything: it is full.
    #[default]
    Full,
    /// So much was left at this nanosecond.
    Left(u128, u64),
}

impl Level {
    /// What is there now: it has filled since, but never above its burst (RFC 2698, section 3).
    fn now(&self, bucket: &Bucket, now: u64) -> u128 {
        match self {
            Level::Full => bucket.burst,
            Level::Left(left, at) => {
                let since = u128::from(now.saturating_sub(*at)) << FRACTION;
                bucket.burst.min(left + since)
            }
        }
    }

    /// The time at which it was empty, in 2^-15 ns and from [`ORIGIN`] on; 0: it is full.
    fn empty_at(&self) -> u128 {
        match self {
            Level::Full => 0,
            Level::Left(left, at) => ORIGIN + (u128::from(*at) << FRACTION) - left,
        }
    }
}

impl Meter {
    /// One with full buckets.
    pub fn of(rates: Rates) -> Meter {
        Meter {
            rates: Some(rates),
            ..Meter::default()
        }
    }

    /// The colour of a packet of so many tokens, which has this colour already (RFC 2698, section 3: colour-aware) or none (colour-blind).
    pub fn colour(&mut self, now: u64, tokens: u64, before: Option<Colour>) -> Colour {
        let Some(rates) = self.rates else {
            return before.unwrap_or(Colour::Green);
        };
        let price = |bucket: &Bucket| u128::from(tokens) * u128::from(bucket.cost);
        let peak = self.peak.now(&rates.peak, now);
        let committed = self.committed.now(&rates.committed, now);
        if before == Some(Colour::Red) || peak < price(&rates.peak) {
            return Colour::Red;
        }
        self.peak = Level::Left(peak - price(&rates.peak), now);
        if before == Some(Colour::Yellow) || committed < price(&rates.committed) {
            return Colour::Yellow;
        }
        self.committed = Level::Left(committed - price(&rates.committed), now);
        Colour::Green
    }

    /// When the committed and the peak bucket were empty, in 2^-15 ns and from [`ORIGIN`] on: what hardware has of them.
    pub fn empty_at(&self) -> [u128; 2] {
        [self.committed.empty_at(), self.peak.empty_at()]
    }
}

/// A direct meter is asked where no entry of its table was found.
pub const NOT_THE_METERS_TABLE: &str = "only actions of the table that has this meter ask it";

impl Machine<'_> {
    /// `execute_meter(index, out result)` of v1model, `execute(index, …)` of PSA and PNA.
    pub(super) fn meter(
        &mut self,
        object: usize,
        function: &Function,
        passed: &Passed,
        whole: &Expression,
    ) -> Run<Data> {
        let index = passed.values[0].to_number();
        let is_inside = index >= BigInt::from(0) && index < self.design.number(object, 0);
        let (tokens, before) = (
            self.tokens(object, function, passed),
            self.before(function, passed),
        );
        let now = self.time;
        let mut nowhere = Meter::default();
        let meter = match u64::try_from(index) {
            Ok(index) if is_inside => self.meters(object).entry(index).or_default(),
            _ => &mut nowhere,
        };
        let colour = meter.colour(now, tokens, before);
        self.give_colour(colour, passed, whole)
    }

    /// `read(out result)` of v1model, `execute(…)` of PSA and PNA: of the entry that was found.
    pub(super) fn direct_meter(
        &mut self,
        object: usize,
        function: &Function,
        passed: &Passed,
        whole: &Expression,
    ) -> Run<Data> {
        let Some(found) = self.found else {
            return self.refuse(whole.span, NOT_THE_METERS_TABLE);
        };
        let colour = match self.design.direct_meter(self.program, found.table) {
            Some((own, true)) if own == object => found.colour,
            Some((own, false)) if own == object => {
                let tokens = self.tokens(object, function, passed);
                let before = self.before(function, passed);
                self.meter_found(found.table, found.entry, tokens, before)
            }
            _ => return self.refuse(whole.span, NOT_THE_METERS_TABLE),
        };
        self.give_colour(colour, passed, whole)
    }

    /// The colour that the meter of an entry gives; where none was found nothing is metered.
    pub(super) fn meter_found(
        &mut self,
        table: usize,
        entry: Option<usize>,
        tokens: u64,
        before: Option<Colour>,
    ) -> Colour {
        let now = self.time;
        match entry {
            Some(entry) => self.tables[table].entries[entry]
                .meter
                .colour(now, tokens, before),
            None => before.unwrap_or(Colour::Green),
        }
    }

    /// What a packet costs.
    pub(super) fn tokens_of(&self, meter: usize, bytes: u64) -> u64 {
        match self.design.unit(self.program, meter) {
            Some(Unit::Bytes) => bytes,
            _ => 1,
        }
    }

    fn tokens(&self, meter: usize, function: &Function, passed: &Passed) -> u64 {
        self.tokens_of(meter, self.counted_bytes(function, passed))
    }

    fn before(&self, function: &Function, passed: &Passed) -> Option<Colour> {
        let at = colour_before(function)?;
        match &passed.values[at] {
            Data::Member(member) => {
                Colour::named(self.program.types.member_name(&passed.types[at], *member)?)
            }
            _ => None,
        }
    }

    /// A colour as a number that comes out, or as a member of the enum that is given back.
    fn give_colour(&mut self, colour: Colour, passed: &Passed, whole: &Expression) -> Run<Data> {
        match colour.member(&self.program.types, &whole.of) {
            Some(member) => Ok(Data::Member(member)),
            None => {
                let at = passed.places.len() - 1;
                self.give(passed, at, Data::number(colour as u8))
            }
        }
    }

    /// The meters of an array, by their cells.
    pub fn meters(&mut self, object: usize) -> &mut BTreeMap<u64, Meter> {
        held!(self, object, State::Meters)
    }
}
