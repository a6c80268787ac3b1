//! Predicates: what guards say, where a row ends, and what the row makes of the vector.
//!
//! A thread's predicates are one word, bit n predicate n. Three blocks work on it, each in its own stages: [`guards`] reads it,
//! [`cut`] finds the first branch of a row that is taken, and [`updates`] makes the word that the thread's next row sees.

use crate::isa::{Combine, Guard, Into, PREDICATES};
use hardpath_blocks::counters::choose;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Module, Node};

/// Bits of a predicate's number.
pub const PREDICATE_BITS: u32 = 4;

/// How predicates change, by the numbers on the port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// Not at all.
    Keep,
    /// [`Into::Set`]; of a combination and of a hit as well.
    Set,
    /// [`Into::Both`].
    Both,
    /// [`Into::And`].
    And,
    /// [`Into::Or`].
    Or,
}

impl From<Into> for Change {
    fn from(into: Into) -> Change {
        match into {
            Into::Set => Change::Set,
            Into::Both => Change::Both,
            Into::And => Change::And,
            Into::Or => Change::Or,
        }
    }
}

/// The number of a combination on its port.
fn combine_number(op: Combine) -> u64 {
    match op {
        Combine::And => 0,
        Combine::Or => 1,
        Combine::Xor => 2,
    }
}

signals! {
    /// The guards of a lane's operation. Predicate 0 is 1 whatever the word says; what has no guard has that one.
    pub struct GuardIn {
        /// Which one the operation has.
        guard: one "stage 0",
        guard_negated: one "stage 0",
        /// What a selection goes by, and the first one of a combination.
        first: one "stage 0",
        first_negated: one "stage 0",
        /// The second one of a combination.
        second: one "stage 0",
        second_negated: one "stage 0",
        /// 0 and, 1 or, 2 exclusive or.
        combine: one "stage 0",
    }
}

impl GuardIn<u32> {
    /// In bits.
    pub fn widths() -> GuardIn<u32> {
        GuardIn {
            guard: PREDICATE_BITS,
            guard_negated: 1,
            first: PREDICATE_BITS,
            first_negated: 1,
            second: PREDICATE_BITS,
            second_negated: 1,
            combine: 2,
        }
    }
}

impl GuardIn<u64> {
    /// What the ports take. `guard`: the operation's own; `first`, `second`: those that it goes by.
    pub fn of(
        guard: Option<Guard>,
        first: Option<Guard>,
        second: Option<Guard>,
        combine: Option<Combine>,
    ) -> GuardIn<u64> {
        let ports = |guard: Option<Guard>| {
            let index = guard.map_or(0, |guard| guard.pred.0.into());
            (index, guard.is_some_and(|guard| guard.negated).into())
        };
        let (guard, guard_negated) = ports(guard);
        let (first, first_negated) = ports(first);
        let (second, second_negated) = ports(second);
        GuardIn {
            guard,
            guard_negated,
            first,
            first_negated,
            second,
            second_negated,
            combine: combine.map_or(0, combine_number),
        }
    }
}

signals! {
    /// A thread's predicates, and what its row asks of them.
    pub struct GuardsIn {
        /// Of the row's thread.
        predicates: one "stage 0",
        guards: numbered GuardIn,
    }
}

signals! {
    /// What guards say, of each lane.
    pub struct GuardsOut {
        holds: several "stage 1: the operation's guard",
        chosen: several "stage 1: what a selection goes by",
        combined: several "stage 2: the combination",
    }
}

/// Reads the guards of a row.
pub fn guards(name: &str, lanes: u8) -> Block<GuardsIn, GuardsOut> {
    let mut m = Module::new(
        name,
        "Guards of a row: predicates and combinations of two.\n\
         The word and what is asked belong to stage 0, the answers stand in registers in stage 1, combinations in stage 2.\n\
         Predicate 0 is 1.",
    );
    let inputs = m.inputs(GuardsIn {
        predicates: PREDICATES.into(),
        guards: vec![GuardIn::widths(); lanes.into()],
    });
    let word = with_one(&mut m, inputs.predicates);
    let bits: Vec<Node> = (0..PREDICATES).map(|bit| m.bit(word, bit.into())).collect();
    let mut outputs = GuardsOut {
        holds: Vec::new(),
        chosen: Vec::new(),
        combined: Vec::new(),
    };
    for (lane, asked) in inputs.guards.iter().enumerate() {
        let read = |m: &mut Module, index, negated| {
            let bit = choose(m, &bits, index);
            m.xor(&[bit, negated])
        };
        let holds = read(&mut m, asked.guard, asked.guard_negated);
        let first = read(&mut m, asked.first, asked.first_negated);
        let second = read(&mut m, asked.second, asked.second_negated);
        let first = m.delay(format!("chosen_{lane}"), first);
        outputs.holds.push(m.delay(format!("holds_{lane}"), holds));
        outputs.chosen.push(first);
        let second = m.delay(format!("second_{lane}"), second);
        let how = m.delay(format!("combine_1_{lane}"), asked.combine);
        let (both, either) = (m.and(&[first, second]), m.or(&[first, second]));
        let differ = m.xor(&[first, second]);
        let combined = choose(&mut m, &[both, either, differ, differ], how);
        let combined = m.delay(format!("combined_{lane}"), combined);
        outputs.combined.push(combined);
    }
    m.into_block(inputs, outputs)
}

/// The word with predicate 0.
fn with_one(m: &mut Module, word: Node) -> Node {
    let others = m.slice(word, 1, u32::from(PREDICATES) - 1);
    let one = m.one();
    m.concat(&[others, one])
}

signals! {
    /// What a lane's operation does to the row.
    pub struct LeavesIn {
        holds: one "stage 0: its guard",
        leaves: one "stage 0: it is a branch, a jump or an exit",
        tests: one "stage 0: and has a condition",
        outcome: one "stage 0: which holds",
    }
}

signals! {
    /// A row.
    pub struct CutIn {
        lanes: numbered LeavesIn,
    }
}

signals! {
    /// Where it ends, of each lane.
    pub struct CutOut {
        reached: several "stage 1: no branch of an earlier lane is taken",
        active: several "stage 1: the same, and the guard holds: the operation happens",
        taken: several "stage 1: this is the branch that is taken",
    }
}

/// Finds the first branch of a row that is taken.
pub fn cut(name: &str, lanes: u8) -> Block<CutIn, CutOut> {
    let mut m = Module::new(
        name,
        "Where a row ends: behind the first branch, jump or exit that is taken.\n\
         Conditions and guards belong to stage 0, what happens stands in registers in stage 1.",
    );
    let inputs = m.inputs(CutIn {
        lanes: vec![
            LeavesIn {
                holds: 1,
                leaves: 1,
                tests: 1,
                outcome: 1,
            };
            lanes.into()
        ],
    });
    let mut earlier = vec![m.zero(1)];
    let mut outputs = CutOut {
        reached: Vec::new(),
        active: Vec::new(),
        taken: Vec::new(),
    };
    for (lane, inputs) in inputs.lanes.iter().enumerate() {
        let goes_anyway = m.not(inputs.tests);
        let goes = m.or(&[goes_anyway, inputs.outcome]);
        let would = m.and(&[inputs.leaves, inputs.holds, goes]);
        m.name(would, format!("would_leave_{lane}"));
        let cut = m.or(&earlier);
        let reached = m.not(cut);
        let active = m.and(&[reached, inputs.holds]);
        let taken = m.and(&[reached, would]);
        outputs
            .reached
            .push(m.delay(format!("reached_{lane}"), reached));
        outputs
            .active
            .push(m.delay(format!("active_{lane}"), active));
        outputs.taken.push(m.delay(format!("taken_{lane}"), taken));
        earlier.push(would);
    }
    m.into_block(inputs, outputs)
}

signals! {
    /// What a lane's operation does to predicates.
    pub struct UpdateIn {
        /// A [`Change`].
        change: one "stage 0",
        /// Of the first one.
        yes: one "stage 0: which predicate becomes the value",
        /// Of the second one.
        no: one "stage 0: which one becomes its opposite",
        reached: one "stage 0: the row does not end before",
        holds: one "stage 0: the guard",
        value: one "stage 0: an outcome, a combination or a hit",
    }
}

signals! {
    /// A thread's predicates, and what its row does to them.
    pub struct UpdatesIn {
        /// As they were before the row.
        old_word: one "stage 0",
        updates: numbered UpdateIn,
    }
}

signals! {
    /// What the thread's next row sees.
    pub struct UpdatesOut {
        /// Predicate 0 is 1.
        new_word: one "[`update_clocks`] later",
    }
}

impl UpdateIn<u32> {
    /// In bits.
    pub fn widths() -> UpdateIn<u32> {
        UpdateIn {
            change: 3,
            yes: PREDICATE_BITS,
            no: PREDICATE_BITS,
            reached: 1,
            holds: 1,
            value: 1,
        }
    }
}

/// Lanes whose writes are put in within one stage: a LUT for each of their two.
const LANES_A_STAGE: usize = 2;

/// Stages from the values to the new word.
pub fn update_clocks(lanes: u8) -> u32 {
    1 + usize::from(lanes).div_ceil(LANES_A_STAGE) as u32
}

/// Makes the predicates behind a row.
pub fn updates(name: &str, lanes: u8) -> Block<UpdatesIn, UpdatesOut> {
    let clocks = update_clocks(lanes);
    let mut m = Module::new(
        name,
        format!(
            "Predicates behind a row: what its lanes write, in their order, each first where the value goes and then its opposite.\n\
             The word and the values belong to stage 0, the new word stands in registers in stage {clocks}."
        ),
    );
    let inputs = m.inputs(UpdatesIn {
        old_word: PREDICATES.into(),
        updates: vec![UpdateIn::widths(); lanes.into()],
    });
    m.section("Stage 0: what is written");
    let mut word = m.delay("word_1", inputs.old_word);
    let mut writes = Vec::new();
    for (lane, update) in inputs.updates.iter().enumerate() {
        writes.extend(Write::of(&mut m, lane, update));
    }
    for stage in 1..clocks {
        m.section(format!("Stage {stage}: lanes in their order"));
        let later = writes.split_off(writes.len().min(2 * LANES_A_STAGE));
        for write in &writes {
            word = write.put(&mut m, word);
        }
        word = with_one(&mut m, word);
        word = m.delay(format!("word_{}", stage + 1), word);
        writes = later.iter().map(|write| write.wait(&mut m)).collect();
    }
    m.into_block(inputs, UpdatesOut { new_word: word })
}

/// A bit on its way into the word, in registers. What does not happen goes into predicate 0, where it vanishes.
struct Write {
    index: Node,
    value: Node,
    name: String,
}

impl Write {
    /// What a lane writes: the value, and its opposite.
    fn of(m: &mut Module, lane: usize, update: &UpdateIn) -> [Write; 2] {
        let is = |m: &mut Module, change: Change| m.eq_const(update.change, change as u64);
        let (set, both) = (is(m, Change::Set), is(m, Change::Both));
        let (and, or) = (is(m, Change::And), is(m, Change::Or));
        let not_value = m.not(update.value);
        let falls = m.and(&[and, not_value]);
        let rises = m.and(&[or, update.value]);
        let changes = m.or(&[set, falls, rises]);
        let guarded = m.and(&[update.holds, changes]);
        let yes = m.or(&[both, guarded]);
        let sets = m.and(&[update.holds, set]);
        let no = m.or(&[both, sets]);
        let value = m.and(&[update.holds, update.value]);
        let opposite = m.and(&[update.holds, not_value]);
        let write = |m: &mut Module, name: String, (goes, index), value| {
            let goes = m.and(&[update.reached, goes]);
            let stays = m.not(goes);
            let nowhere = m.zero(PREDICATE_BITS);
            let index = m.mux(stays, nowhere, index);
            Write {
                index: m.delay(format!("{name}_index"), index),
                value: m.delay(format!("{name}_value"), value),
                name,
            }
        };
        [
            write(m, format!("yes_{lane}"), (yes, update.yes), value),
            write(m, format!("no_{lane}"), (no, update.no), opposite),
        ]
    }

    /// The word with the bit in it.
    fn put(&self, m: &mut Module, word: Node) -> Node {
        let bits = (0..u32::from(PREDICATES)).rev().map(|bit| {
            let old = m.bit(word, bit);
            let is_it = m.eq_const(self.index, bit.into());
            m.mux(is_it, self.value, old)
        });
        let bits: Vec<Node> = bits.collect();
        m.concat(&bits)
    }

    /// The same a stage later.
    fn wait(&self, m: &mut Module) -> Write {
        Write {
            index: m.delay(format!("{}_index", self.name), self.index),
            value: m.delay(format!("{}_value", self.name), self.value),
            name: self.name.clone(),
        }
    }
}
