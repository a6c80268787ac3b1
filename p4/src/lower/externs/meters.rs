//! Meters (RFC 2698): their rates in a table that only the host writes, their buckets in one that packets write.
//!
//! A bucket is the time at which it was empty, in 2^-15 ns and from 2^79 on, so that one that nobody has written is full. What it has is the
//! time since then, but never more than its burst, so a packet that costs `c` may pass at `now` if
//!
//! ```text
//! empty ≤ now - c   and   c ≤ burst        and leaves it at   max(empty, now - burst) + c
//! ```
//!
//! All but two comparisons and a sum of `empty` is known before the bucket is read. They are as deep as one of them and fit into one stage, so
//! one meter takes a packet in each clock.

use super::super::calls::Passed;
use super::super::layout::{little, Bits};
use super::super::node::Node;
use super::super::{ir, Found, Lower, Made};
use crate::interpreter::{Meter, NOT_THE_METERS_TABLE};
use crate::meters::{colour_before, Colour, Rates, Unit, BURST_BITS, COST_BITS, FRACTION};
use crate::source::Span;
use crate::typed::{Expression, Function};
use hardpath_ir::{Find, MapDecl};
use num_bigint::BigInt;

/// Bits of a time.
const TIME_BITS: u32 = 80;
/// Bytes of the buckets of a meter: the committed one, the peak one.
pub const BUCKET_BYTES: u32 = 2 * TIME_BITS / 8;
/// Bytes of the rates of a meter.
pub const RATE_BYTES: u32 = 32;

/// Where the parts of a meter's rates stand.
pub const IS_SET: Bits = Bits { lo: 0, width: 1 };
/// What a token costs in the committed and the peak bucket.
pub const COSTS: [Bits; 2] = [
    Bits {
        lo: 1,
        width: COST_BITS,
    },
    Bits {
        lo: 1 + COST_BITS,
        width: COST_BITS,
    },
];
/// Their bursts.
pub const BURSTS: [Bits; 2] = [
    Bits {
        lo: 1 + 2 * COST_BITS,
        width: BURST_BITS,
    },
    Bits {
        lo: 1 + 2 * COST_BITS + BURST_BITS,
        width: BURST_BITS,
    },
];
/// When the committed and the peak bucket were empty.
pub const BUCKETS: [Bits; 2] = [
    Bits {
        lo: 0,
        width: TIME_BITS,
    },
    Bits {
        lo: TIME_BITS,
        width: TIME_BITS,
    },
];

/// The rates of a meter as a value of its table.
pub fn rate_bytes(rates: Option<&Rates>) -> Vec<u8> {
    let mut number = BigInt::from(0);
    if let Some(rates) = rates {
        let buckets = [rates.committed, rates.peak];
        number = IS_SET.of(&BigInt::from(1));
        for (bucket, (cost, burst)) in buckets.iter().zip(COSTS.iter().zip(BURSTS)) {
            number += cost.of(&bucket.cost.into()) + burst.of(&bucket.burst.into());
        }
    }
    little(&number, RATE_BYTES)
}

/// The buckets of a meter as a value of its table.
pub fn bucket_bytes(meter: &Meter) -> Vec<u8> {
    let places = BUCKETS.iter().zip(meter.empty_at());
    let number = places.map(|(bits, empty)| bits.of(&empty.into())).sum();
    little(&number, BUCKET_BYTES)
}

/// A meter.
struct Cell {
    /// It is there.
    there: ir::Value,
    rates: ir::Value,
    /// Where its buckets stand.
    buckets: (ir::MapId, ir::Value),
}

/// What a packet asks a meter.
struct Asked {
    /// What it costs; `None`: one token.
    tokens: Option<ir::Value>,
    /// It is yellow, and red, already; `None`: the meter is blind for that.
    before: Option<[ir::Value; 2]>,
}

/// What is known of a bucket before it is read.
struct Prepared {
    cost: ir::Value,
    /// Nothing was taken for so long that the bucket is full.
    full: ir::Value,
    /// The latest time at which it may have been empty.
    latest: ir::Value,
    /// What a full bucket is left at.
    fresh: ir::Value,
    /// The burst is not too small.
    fits: ir::Value,
}

impl Lower<'_> {
    /// `execute_meter(index, out result)` of v1model, `execute(index, …)` of PSA and PNA.
    pub(super) fn meter(
        &mut self,
        object: usize,
        function: &Function,
        passed: &Passed,
        whole: &Expression,
    ) -> Made<Node> {
        let size = self.design.number(object, 0);
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        let index = self.index(&passed.nodes[0]);
        let cell = self.cell_of(object, size, index, whole.span)?;
        let asked = self.asked(object, function, passed);
        let colour = self.metered(&cell, &asked)?;
        Ok(self.give_colour(colour, passed, whole))
    }

    /// `read(out result)` of v1model, `execute(…)` of PSA and PNA: of the entry that was found.
    pub(super) fn direct_meter(
        &mut self,
        object: usize,
        function: &Function,
        passed: &Passed,
        whole: &Expression,
    ) -> Made<Node> {
        let Some(found) = self.found else {
            return self.refuse(whole.span, NOT_THE_METERS_TABLE);
        };
        let colour = match self.design.direct_meter(self.program, found.place) {
            Some((own, true)) if own == object => found.colour.expect("it was asked at the begin"),
            Some((own, false)) if own == object => {
                let asked = self.asked(object, function, passed);
                self.meter_found(object, found, &asked, whole.span)?
            }
            _ => return self.refuse(whole.span, NOT_THE_METERS_TABLE),
        };
        Ok(self.give_colour(colour, passed, whole))
    }

    /// What the meter of an entry says of each packet that finds it, as v1model has it.
    pub(in super::super) fn metered_by_itself(
        &mut self,
        found: Found,
        meter: usize,
        span: Span,
    ) -> Made<[ir::Value; 2]> {
        let tokens =
            (self.design.unit(self.program, meter) == Some(Unit::Bytes)).then(|| self.length());
        let asked = Asked {
            tokens,
            before: None,
        };
        self.meter_found(meter, found, &asked, span)
    }

    fn meter_found(
        &mut self,
        meter: usize,
        found: Found,
        asked: &Asked,
        span: Span,
    ) -> Made<[ir::Value; 2]> {
        let Some(index) = found.cell else {
            let green = self.number(0u32, 1);
            return Ok(asked.before.unwrap_or([green, green]));
        };
        let mut cell = self.cell_of(meter, self.tables[found.place].cells, index, span)?;
        cell.there = self.and(cell.there, found.hit);
        self.metered(&cell, asked)
    }

    /// A cell of a meter, which has so many.
    fn cell_of(&mut self, object: usize, size: u32, index: ir::Value, span: Span) -> Made<Cell> {
        let (buckets, rates) = self.meter_arrays(object, size, span)?;
        let rates = self.array_cell(rates, index);
        let found = self.effect(ir::Op::MapLookup(buckets), &[index], &[1, 32]);
        Ok(Cell {
            there: found[0],
            rates,
            buckets: (buckets, found[1]),
        })
    }

    /// The buckets of a meter, and its rates.
    pub(in super::super) fn meter_arrays(
        &mut self,
        object: usize,
        size: u32,
        span: Span,
    ) -> Made<(ir::MapId, ir::MapId)> {
        let buckets = self.array_of(object, (BUCKET_BYTES, size), "meter", span)?;
        Ok((buckets, self.rates(object, buckets)))
    }

    /// The table of a meter's rates.
    fn rates(&mut self, object: usize, buckets: ir::MapId) -> ir::MapId {
        if let Some(map) = self.rates.get(&object) {
            return *map;
        }
        let size = self.ir.maps[buckets].max_entries;
        let name = format!("{}.rates", self.ir.maps[buckets].name);
        let mut decl = MapDecl::new(&name, Find::Array, (4, RATE_BYTES), size);
        decl.packets_write = false;
        decl.outside = "meter's rates".into();
        let map = self.ir.maps.push(decl);
        self.rates.insert(object, map);
        map
    }

    fn asked(&mut self, meter: usize, function: &Function, passed: &Passed) -> Asked {
        let tokens = (self.design.unit(self.program, meter) == Some(Unit::Bytes))
            .then(|| self.told_length(function, passed));
        let before = colour_before(function).map(|at| {
            let number = self.bits(&passed.nodes[at], 32);
            let (types, of) = (&self.program.types, &passed.types[at]);
            [Colour::Yellow, Colour::Red].map(|colour| match colour.member(types, of) {
                Some(member) => self.is(number, member as u64),
                None => self.number(0u32, 1),
            })
        });
        Asked { tokens, before }
    }

    /// Whether a packet is yellow, and whether it is red.
    fn metered(&mut self, cell: &Cell, asked: &Asked) -> Made<[ir::Value; 2]> {
        let part = |all: &mut Self, bits: Bits| all.slice(cell.rates, bits.lo, bits.width);
        let is_set = part(self, IS_SET);
        let is_metered = self.and(cell.there, is_set);
        let now = self.input(ir::Input::Time, 64);
        let fraction = self.number(0u32, FRACTION);
        let origin = self.number(1u32, 1);
        let now = self.concat(&[origin, now, fraction]);
        let prepared = [0, 1].map(|at| {
            let (cost, burst) = (part(self, COSTS[at]), part(self, BURSTS[at]));
            self.prepared(now, cost, burst, asked.tokens)
        });
        let green = self.number(0u32, 1);
        let [was_yellow, was_red] = asked.before.unwrap_or([green, green]);
        let ((map, entry), zero) = (cell.buckets, self.number(0u32, 32));
        let levels = self.effect(ir::Op::MapLoad(map), &[entry, zero], &[BUCKET_BYTES * 8])[0];
        let empty = BUCKETS.map(|bits| self.slice(levels, bits.lo, bits.width));
        // What is known early comes together first, so that little is left behind the two comparisons.
        let [not_red, not_yellow] = [was_red, was_yellow].map(|was| self.not(was));
        let may_peak = self.and(prepared[1].fits, not_red);
        let may_committed = self.and(prepared[0].fits, not_yellow);
        let may_committed = self.and(may_committed, may_peak);
        let [committed, peak] =
            [0, 1].map(|at| self.op(ir::Op::Ule, &[empty[at], prepared[at].latest], 1));
        let takes_peak = self.and(peak, may_peak);
        let both = self.and(committed, peak);
        let takes_committed = self.and(both, may_committed);
        let after = [(0, takes_committed), (1, takes_peak)].map(|(at, takes)| {
            let after = self.taken(empty[at], &prepared[at]);
            self.select(takes, after, empty[at])
        });
        let levels = self.concat(&[after[1], after[0]]);
        self.branch(
            is_metered,
            |all| {
                all.effect(ir::Op::MapStore(map), &[entry, zero, levels], &[]);
                Ok(())
            },
            |_| Ok(()),
        )?;
        let is_red = self.not(takes_peak);
        let not_green = self.not(takes_committed);
        let is_yellow = self.and(takes_peak, not_green);
        Ok([(is_yellow, was_yellow), (is_red, was_red)]
            .map(|(is, was)| self.select(is_metered, is, was)))
    }

    fn prepared(
        &mut self,
        now: ir::Value,
        cost: ir::Value,
        burst: ir::Value,
        tokens: Option<ir::Value>,
    ) -> Prepared {
        let cost = match tokens {
            None => self.zext(cost, TIME_BITS),
            Some(tokens) => {
                // A packet has fewer bytes than 2^16; who is told another length is told that.
                let width = COST_BITS + self.ir.width(tokens);
                let (cost, tokens) = (self.zext(cost, width), self.zext(tokens, width));
                let product = self.op(ir::Op::Mul, &[cost, tokens], width);
                self.zext(product, TIME_BITS)
            }
        };
        let burst = self.zext(burst, TIME_BITS);
        let full = self.op(ir::Op::Sub, &[now, burst], TIME_BITS);
        // `full + cost`, so that it is not taken for the same sum as `empty + cost`, behind one choice of what is added to: that would be a
        // sum more between what is read and what is written.
        let rest = self.not(full);
        let rest = self.op(ir::Op::Sub, &[rest, cost], TIME_BITS);
        let fresh = self.not(rest);
        Prepared {
            cost,
            full,
            latest: self.op(ir::Op::Sub, &[now, cost], TIME_BITS),
            fresh,
            // The same as `fresh ≤ now`, but a stage earlier: nothing deep must be left where the bucket is read.
            fits: self.op(ir::Op::Ule, &[cost, burst], 1),
        }
    }

    /// When a bucket was empty, behind a packet that has taken its part.
    fn taken(&mut self, empty: ir::Value, prepared: &Prepared) -> ir::Value {
        let is_full = self.op(ir::Op::Ult, &[empty, prepared.full], 1);
        let less = self.add(empty, prepared.cost);
        self.select(is_full, prepared.fresh, less)
    }

    /// A colour as a number that comes out, or as a member of the enum that is given back.
    fn give_colour(
        &mut self,
        [yellow, red]: [ir::Value; 2],
        passed: &Passed,
        whole: &Expression,
    ) -> Node {
        let types = &self.program.types;
        let all = [Colour::Green, Colour::Yellow, Colour::Red];
        let numbers = all.map(|colour| colour.member(types, &whole.of));
        let is_member = numbers.iter().all(Option::is_some);
        let width = if is_member { self.width(&whole.of) } else { 2 };
        let [green_number, yellow_number, red_number] = match is_member {
            true => numbers.map(|number| self.number(BigInt::from(number.unwrap_or(0)), width)),
            false => [0u32, 1, 2].map(|number| self.number(number, width)),
        };
        let colour = self.select(yellow, yellow_number, green_number);
        let colour = self.select(red, red_number, colour);
        match is_member {
            true => Node::Bits(colour),
            false => {
                self.give(passed, passed.nodes.len() - 1, colour);
                Node::Void
            }
        }
    }
}
