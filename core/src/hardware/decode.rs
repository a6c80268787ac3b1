//! From an operation's word to what its lane does ([`crate::encode::layout`] says where everything stands).
//!
//! A word comes in stage 0, and each part is given in the stage in which the lane takes it: what stands between is a shift register. An
//! empty slot of a row is zeros, and does nothing.

use super::alu::{AluControlIn, Plain, TestIn, Turn};
use super::lanes::{EffectIn, LaneIn, LateIn, SourceIn};
use super::operand::FieldIn;
use super::predicates::{Change, GuardIn};
use super::shift::later;
use super::Shape;
use crate::encode::layout::{self, field, kind, Bits, Opcode};
use crate::isa::{Compute, Condition};
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Module, Node};

signals! {
    /// An operation.
    pub struct DecodeIn {
        word: one "stage 0",
    }
}

signals! {
    /// What the lane takes, but for what other units say.
    pub struct DecodeOut {
        /// Called `a` and `b`.
        operand: labelled SourceIn,
        guard: all GuardIn,
        control: all AluControlIn,
        selects: one "stage 6",
        effect: all EffectIn,
    }
}

impl DecodeOut {
    /// With what other units say.
    pub fn with(self, late: LateIn) -> LaneIn {
        LaneIn {
            operand: self.operand,
            guard: self.guard,
            control: self.control,
            selects: self.selects,
            effect: self.effect,
            late,
        }
    }
}

/// The decoder of a lane.
pub fn decode(name: &str, shape: &Shape) -> Block<DecodeIn, DecodeOut> {
    let mut m = Module::new(
        name,
        "Decoder: an operation's word in stage 0, and its parts in the stages of the lanes.",
    );
    let inputs = m.inputs(DecodeIn { word: 128 });
    let word = Word {
        node: inputs.word,
        opcode: part(&mut m, inputs.word, layout::OPCODE),
    };
    m.section("Operands");
    let operand = vec![
        ("a".to_string(), word.first(&mut m, shape)),
        ("b".to_string(), word.second(&mut m, shape)),
    ];
    m.section("Guards");
    let guard = word.guard(&mut m);
    m.section("Arithmetic");
    let control = word.control(&mut m);
    let selects = word.is(&mut m, &[Opcode::Select]);
    let selects = later(&mut m, "selects", selects, 6);
    m.section("Effects");
    let effect = word.effect(&mut m, shape);
    let outputs = DecodeOut {
        operand,
        guard,
        control,
        selects,
        effect,
    };
    m.into_block(inputs, outputs)
}

/// These bits of a word.
pub(super) fn part(m: &mut Module, word: Node, bits: Bits) -> Node {
    m.slice(word, bits.lo.into(), bits.width.into())
}

/// A bit that is 1 for some numbers.
pub(super) fn one_of(m: &mut Module, node: Node, numbers: impl Iterator<Item = u64>) -> Node {
    let hits: Vec<Node> = numbers.map(|number| m.eq_const(node, number)).collect();
    match hits.is_empty() {
        true => m.zero(1),
        false => m.or(&hits),
    }
}

/// A number that depends on another one: of those that are not named it is 0.
fn table(m: &mut Module, node: Node, width: u32, entries: &[(u64, u64)]) -> Node {
    let bits: Vec<Node> = (0..width)
        .rev()
        .map(|bit| {
            let ones = entries.iter().filter(|(_, value)| value >> bit & 1 == 1);
            let numbers: Vec<u64> = ones.map(|(number, _)| *number).collect();
            one_of(m, node, numbers.into_iter())
        })
        .collect();
    m.concat(&bits)
}

struct Word {
    node: Node,
    opcode: Node,
}

impl Word {
    fn part(&self, m: &mut Module, bits: Bits) -> Node {
        part(m, self.node, bits)
    }

    fn is(&self, m: &mut Module, opcodes: &[Opcode]) -> Node {
        let codes: Vec<u64> = opcodes.iter().map(|opcode| *opcode as u64).collect();
        one_of(m, self.opcode, codes.into_iter())
    }

    fn is_kind(&self, m: &mut Module, bits: Bits, kind: u64) -> Node {
        let found = self.part(m, bits);
        m.eq_const(found, kind)
    }

    fn first(&self, m: &mut Module, shape: &Shape) -> SourceIn {
        let field = self.part(m, layout::A_FIELD);
        let low = self.part(m, layout::A_NUMBER);
        let above = self.part(m, layout::B_NUMBER);
        // The upper half stands where b would.
        let alone = self.is_kind(m, layout::B_KIND, kind::ABSENT);
        let high = m.gate(alone, above);
        self.source(m, shape, ("a", layout::A_KIND), field, (low, high))
    }

    fn second(&self, m: &mut Module, shape: &Shape) -> SourceIn {
        let field = self.part(m, layout::B_FIELD);
        let low = self.part(m, layout::B_NUMBER);
        let above = self.part(m, layout::LAST);
        let mut own = Opcode::ALL.to_vec();
        own.retain(|opcode| opcode.has_last_word());
        let own = self.is(m, &own);
        let free = m.not(own);
        let high = m.gate(free, above);
        self.source(m, shape, ("b", layout::B_KIND), field, (low, high))
    }

    fn source(
        &self,
        m: &mut Module,
        shape: &Shape,
        (label, kinds): (&str, Bits),
        bits: Node,
        (low, high): (Node, Node),
    ) -> SourceIn {
        let is_field = self.is_kind(m, kinds, kind::FIELD);
        let index = part(m, bits, field::INDEX);
        let bank = part(m, bits, field::BANK);
        let width = part(m, bits, field::WIDTH);
        let top = m.constant(63, 6);
        let mut named = |what: &str, node: Node, clocks: u32| {
            let node = match what {
                "top" => m.mux(is_field, width, top),
                _ => node,
            };
            later(m, &format!("{what}_{label}"), node, clocks)
        };
        let field_top = named("top", width, 1);
        let bit = |m: &mut Module, what: &str, place: Bits| {
            let node = part(m, bits, place);
            let node = m.gate(is_field, node);
            later(m, &format!("{what}_{label}"), node, 1)
        };
        let field = FieldIn {
            field_lo: bit(m, "lo", field::LO),
            field_top,
            field_swapped: bit(m, "swapped", field::SWAPPED),
            field_signed: bit(m, "signed", field::SIGNED),
        };
        let is_number = self.is_kind(m, kinds, kind::NUMBER);
        let is_negative = self.is_kind(m, kinds, kind::NEGATIVE);
        let ones = m.sext(is_negative, 32);
        let high = m.gate(is_number, high);
        let high = m.or(&[high, ones]);
        let high = later(m, &format!("high_{label}"), high, 5);
        // A choice of zeros is what tools make the reset of registers of, which costs no LUT.
        let has_low = m.or(&[is_number, is_negative]);
        let no_low = m.not(has_low);
        let no_low = later(m, &format!("no_low_{label}"), no_low, 4);
        let low = later(m, &format!("low_{label}"), low, 4);
        let zeros = m.zero(32);
        let low = m.mux(no_low, zeros, low);
        let low = m.delay(format!("number_low_{label}"), low);
        let number = m.concat(&[high, low]);
        SourceIn {
            bank: shape.bank_bits().map(|width| m.slice(bank, 0, width)),
            // Of a number whatever its bits are: nobody reads.
            index: m.slice(index, 0, shape.index_bits()),
            is_field,
            field,
            number,
        }
    }

    fn guard(&self, m: &mut Module) -> GuardIn {
        let is_combined = self.is(m, &[Opcode::Combine]);
        let is_selected = self.is(m, &[Opcode::Select]);
        let choose = |m: &mut Module, name: &str, one: Bits, other: Option<Bits>| {
            let combined = self.part(m, one);
            let combined = m.gate(is_combined, combined);
            let node = match other {
                Some(other) => {
                    let selected = self.part(m, other);
                    let selected = m.gate(is_selected, selected);
                    m.or(&[combined, selected])
                }
                None => combined,
            };
            later(m, name, node, 5)
        };
        let first = choose(m, "first", layout::COMBINE_A, Some(layout::WHEN));
        let first_negated = choose(
            m,
            "first_negated",
            layout::COMBINE_A_NEGATED,
            Some(layout::WHEN_NEGATED),
        );
        let second = choose(m, "second", layout::COMBINE_B, None);
        let second_negated = choose(m, "second_negated", layout::COMBINE_B_NEGATED, None);
        let combine = choose(m, "combine", layout::COMBINE, None);
        let guard = self.part(m, layout::GUARD);
        let negated = self.part(m, layout::GUARD_NEGATED);
        GuardIn {
            guard: later(m, "guard", guard, 5),
            guard_negated: later(m, "guard_negated", negated, 5),
            first,
            first_negated,
            second,
            second_negated,
            combine,
        }
    }

    /// A branch or an exit asks something when it has a second operand.
    fn asks(&self, m: &mut Module) -> Node {
        let may = self.is(m, &[Opcode::Branch, Opcode::Exit]);
        let alone = self.is_kind(m, layout::B_KIND, kind::ABSENT);
        let not_alone = m.not(alone);
        let leaves = m.and(&[may, not_alone]);
        let compares = self.is(m, &[Opcode::Compare]);
        m.or(&[leaves, compares])
    }

    fn control(&self, m: &mut Module) -> AluControlIn {
        let asks = self.asks(m);
        let condition = self.part(m, layout::CONDITION);
        let computes = self.is(m, &[Opcode::Compute]);
        let code = self.part(m, layout::COMPUTE);
        let test = Conditions::new(m, condition);
        let by_code = |of: &dyn Fn(&AluControlIn<u64>) -> u64| -> Vec<(u64, u64)> {
            let all = (0..).zip(&layout::COMPUTES);
            let known = all.filter_map(|(code, op): (u64, &Compute)| {
                let control = AluControlIn::of_compute(*op, 64)?;
                Some((code, of(&control)))
            });
            known.collect()
        };
        let plain_of = table(m, code, 3, &by_code(&|control| control.plain));
        let plain = self.plain(m, (computes, plain_of), (asks, test.shares));
        let subtracts = table(m, code, 1, &by_code(&|control| control.subtract));
        let subtracts = m.and(&[computes, subtracts]);
        let apart = m.not(test.shares);
        let compares = m.and(&[asks, apart]);
        let subtract = m.or(&[subtracts, compares]);
        let turn_of = table(m, code, 3, &by_code(&|control| control.turn));
        let turn_of = m.gate(computes, turn_of);
        let inserts = self.is(m, &[Opcode::Insert]);
        let insert = m.constant(Turn::Insert as u64, 3);
        let insert = m.gate(inserts, insert);
        let turn = m.or(&[turn_of, insert]);
        let lo = self.part(m, layout::INSERT_LO);
        let lo = m.gate(inserts, lo);
        let width = self.part(m, layout::WIDTH);
        let up_to = m.add(lo, width);
        let is_cut = m.or(&[computes, inserts]);
        let all = m.constant(63, 6);
        let top = m.mux(is_cut, up_to, all);
        AluControlIn {
            plain: later(m, "plain", plain, 6),
            subtract: later(m, "subtract", subtract, 6),
            turn: later(m, "turn", turn, 6),
            turn_by: later(m, "turn_by", lo, 6),
            top: later(m, "top", top, 6),
            test: test.given(m, asks),
        }
    }

    /// Of what computes by its code, of what asks the difference or what both share, of an insertion the second operand; else the first.
    fn plain(
        &self,
        m: &mut Module,
        (computes, of_code): (Node, Node),
        (asks, shares): (Node, Node),
    ) -> Node {
        let inserts = self.is(m, &[Opcode::Insert]);
        let [first, second, sum, both] =
            [Plain::A, Plain::B, Plain::Sum, Plain::And].map(|plain| m.constant(plain as u64, 3));
        let other = m.mux(inserts, second, first);
        let asked = m.mux(shares, both, sum);
        let other = m.mux(asks, asked, other);
        m.mux(computes, of_code, other)
    }

    fn effect(&self, m: &mut Module, shape: &Shape) -> EffectIn {
        let always = self.is(
            m,
            &[
                Opcode::Move,
                Opcode::Insert,
                Opcode::Select,
                Opcode::Load,
                Opcode::Input,
            ],
        );
        let answers = m.eq_const(self.opcode, layout::ANSWER);
        let computes = self.is(m, &[Opcode::Compute]);
        let code = self.part(m, layout::COMPUTE);
        let here = (0..).zip(&layout::COMPUTES).filter_map(|(code, op)| {
            let slow = matches!(
                op,
                Compute::UDiv | Compute::URem | Compute::SDiv | Compute::SRem
            );
            (!slow).then_some(code)
        });
        let here = one_of(m, code, here);
        let computes = m.and(&[computes, here]);
        let has_to = self.part(m, layout::HAS_TO);
        let brings = m.and(&[answers, has_to]);
        let writes = m.or(&[always, computes, brings]);
        let to = self.part(m, layout::TO);
        let to = m.slice(to, 0, shape.index_bits());
        let leaves = self.is(m, &[Opcode::Branch, Opcode::Indirect, Opcode::Exit]);
        let asks = self.asks(m);
        let tests = m.and(&[leaves, asks]);
        let compares = self.is(m, &[Opcode::Compare]);
        let combines = self.is(m, &[Opcode::Combine]);
        let into = self.part(m, layout::INTO);
        let changes: Vec<(u64, u64)> = (0..)
            .zip(layout::INTOS)
            .map(|(code, into)| (code, Change::from(into) as u64))
            .collect();
        let change = table(m, into, 3, &changes);
        let change = m.gate(compares, change);
        let set = m.constant(Change::Set as u64, 3);
        let set = m.gate(combines, set);
        let change = m.or(&[change, set]);
        let decides = m.or(&[compares, combines]);
        let yes = self.part(m, layout::YES);
        let yes = m.gate(decides, yes);
        let no = self.part(m, layout::NO);
        let no = m.gate(compares, no);
        EffectIn {
            writes: later(m, "writes", writes, 5),
            to: later(m, "to", to, 5),
            leaves: later(m, "leaves", leaves, 5),
            tests: later(m, "tests", tests, 5),
            change: later(m, "change", change, 5),
            yes: later(m, "yes", yes, 5),
            no: later(m, "no", no, 5),
            combines: later(m, "combines", combines, 5),
        }
    }
}

/// What a condition is.
struct Conditions {
    condition: Node,
    shares: Node,
}

impl Conditions {
    fn new(m: &mut Module, condition: Node) -> Conditions {
        let shares = all_of(|test| test.subtract == 0);
        Conditions {
            condition,
            shares: one_of(m, condition, shares.into_iter()),
        }
    }

    fn given(&self, m: &mut Module, asks: Node) -> TestIn {
        let mut bit = |name: &str, of: &dyn Fn(&TestIn<u64>) -> u64| {
            let codes = all_of(|control| of(&control.test) == 1);
            let is = one_of(m, self.condition, codes.into_iter());
            let is = m.and(&[asks, is]);
            later(m, name, is, 6)
        };
        TestIn {
            test_less: bit("less", &|test| test.test_less),
            test_zero: bit("zero", &|test| test.test_zero),
            test_inverted: bit("inverted", &|test| test.test_inverted),
            test_signed: bit("is_signed", &|test| test.test_signed),
        }
    }
}

/// The codes of the conditions for which something holds.
fn all_of(holds: impl Fn(&AluControlIn<u64>) -> bool) -> Vec<u64> {
    let all = (0..).zip(layout::CONDITIONS);
    let found =
        all.filter(|(_, condition): &(u64, Condition)| holds(&AluControlIn::of_test(*condition)));
    found.map(|(code, _)| code).collect()
}
