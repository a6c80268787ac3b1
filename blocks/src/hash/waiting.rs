//! From the answer to the commit: what is known of a packet's key stands in registers, and each clock's commit is patched
//! into it.

use super::evict::Ranked;
use super::forward::{Commits, Found};
use super::held::PacketSlots;
use super::lookup::Port;
use super::neighbours::Passing;
use super::Hash;
use hardpath_rtl::{Module, Node};

/// A packet between the compare and the commit.
pub(super) struct Pending {
    pub(super) rows: Node,
    pub(super) found: Found,
    pub(super) key: Node,
    pub(super) host: Node,
    /// By place: the slot is taken.
    pub(super) taken: Vec<Node>,
    /// Only in a table that evicts.
    pub(super) ranked: Option<Ranked>,
    /// Only where a key can be displaced behind the lookup's answer: the one that was found is gone.
    pub(super) displaced: Option<Node>,
}

impl Pending {
    /// The same a clock later, which is called so in names. Ranks and what was displaced stay as they are.
    pub(super) fn in_registers(self, m: &mut Module, port: Port, clock: &str) -> Pending {
        let name = |wish: &str| port.name(format!("{wish}_{clock}"));
        Pending {
            rows: m.delay(name("rows"), self.rows),
            found: Found {
                hit: m.delay(name("hit"), self.found.hit),
                place: m.delay(name("place"), self.found.place),
            },
            key: m.delay(name("key"), self.key),
            host: m.delay_reset(name("host"), self.host),
            taken: (self.taken.iter().enumerate())
                .map(|(place, bit)| m.delay(name(&format!("taken_{place}")), *bit))
                .collect(),
            ..self
        }
    }

    /// As others see it.
    fn passing(&self) -> Passing {
        Passing {
            rows: self.rows,
            key: self.key,
        }
    }

    /// Goes from A to the port's commit stage. `before`: how it passes a clock before A; also given back for the clock before
    /// the commit stage.
    pub(super) fn wait(
        mut self,
        m: &mut Module,
        port: Port,
        commits: &Commits,
        mut before: Passing,
    ) -> (Pending, PacketSlots, Passing) {
        let own = port.own();
        let mut slots = PacketSlots::new(before.rows);
        let first_turn = own.commit_after - own.slot;
        for clock in 0..own.commit_after {
            let stage = Hash::answer_clocks(port.table.registers) + clock + 1;
            port.section(m, stage, "waiting for the commit");
            if clock == first_turn {
                slots.come(&self);
            }
            let turns = clock >= first_turn;
            let now = self.passing();
            // In names the register of A is the second.
            self = self.step(m, port, commits, (before, turns), &mut slots, clock + 3);
            before = now;
        }
        if own.slot == 0 {
            slots.come(&self);
        }
        (self, slots, before)
    }

    /// One clock. `before`: how the packet passes a clock before; `turns`: it is one of the packet's turns, before the port's own.
    fn step(
        mut self,
        m: &mut Module,
        port: Port,
        commits: &Commits,
        (before, turns): (Passing, bool),
        slots: &mut PacketSlots,
        clock: u32,
    ) -> Pending {
        let commit = &commits.now;
        let name = |wish: String| port.name(format!("{wish}_{clock}th"));
        let common = commit.common(m, before, turns, name);
        let touched = commit.touched(m, &common, name);
        self.taken = commit.patched(m, &touched, &self.taken);
        if let Some(same_key) = common.key {
            // What the same packet commits.
            self.found = self.found.after(m, commits, same_key);
            slots.turn(m, commit, &touched);
        } else {
            slots.rows_before = self.rows;
            if let Some(before) = self.displaced {
                let now = self.found.displaced(m, commit, &touched);
                m.name(now, port.name(format!("displaced_now_{clock}")));
                let displaced = m.or(&[before, now]);
                let name = port.name(format!("displaced_{clock}th"));
                self.displaced = Some(m.delay(name, displaced));
            }
        }
        let suffix = format!("{clock}th");
        let mut next = self.in_registers(m, port, &suffix);
        let ranked = next.ranked.as_ref();
        next.ranked = ranked.map(|ranked| ranked.wait(m, |wish| port.name(wish), &suffix));
        next
    }
}
