//! What only processors have: registers into which programs are loaded, and counters of what becomes of their clocks.
//!
//! Every clock of a processor is one of these: a row of the program begins ([`Event::Rows`]), a row in which a unit answers
//! ([`Event::Answers`]), or none that has an effect, for the one reason that the first [`Stall`] names that holds. So all of these
//! together are the clocks since reset.

use crate::address_map::{counter, field, register, word, Register, Rights, Words, REGISTERS};

/// Counters that processors have beside the others.
pub const EVENTS: usize = 16;

/// What a processor counts, in the order of the registers from [`register::EVENTS`] on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Event {
    /// A row of the program begins.
    Rows,
    /// A row begins with which a unit answers: a map, the divider, what works on many bytes.
    Answers,
    /// A packet begins again, because what it has read was changed by an older one.
    Reruns,
    /// An addition to a map finds the log of its packet full, and waits until it is the oldest one; or a packet has read too many things to
    /// know them all, and begins again with whatever is changed.
    Overflows,
    /// The watchdog ends a program.
    Cuts,
    /// No row has an effect, for this reason.
    Stall(Stall),
}

/// Why a clock passes in which no row has an effect. The first that holds counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stall {
    /// A row begins that writes bytes of a packet which may have to begin again: it comes once more.
    Parked,
    /// A thread is free, and packets may not get it: a host's operation or another program waits until none is inside.
    Closed,
    /// A thread is free, and the next packet is still coming in: its beats, the zeros around it, or room for it.
    Intake,
    /// A thread is free, and no packet is offered.
    Traffic,
    /// The oldest packet's program is over, and its additions go to the maps.
    Commit,
    /// The oldest packet's program is over, and those in front of it are still being sent.
    Transmit,
    /// The oldest packet waits for a map's answer.
    Maps,
    /// The oldest packet waits for a division, or for what works on many bytes.
    Units,
    /// There is no room for what rows store.
    Stores,
    /// The oldest packet has a row under way, and others wait to be the oldest one.
    Order,
    /// All packets have a row under way, or wait for what is no reason above: it takes more threads to fill the clocks.
    Rows,
}

impl Stall {
    /// All, the first that holds in front.
    pub const ALL: [Stall; 11] = [
        Stall::Parked,
        Stall::Closed,
        Stall::Intake,
        Stall::Traffic,
        Stall::Commit,
        Stall::Transmit,
        Stall::Maps,
        Stall::Units,
        Stall::Stores,
        Stall::Order,
        Stall::Rows,
    ];

    /// As scripts have it.
    pub const fn name(self) -> &'static str {
        match self {
            Stall::Parked => "parked",
            Stall::Closed => "closed",
            Stall::Intake => "intake",
            Stall::Traffic => "traffic",
            Stall::Commit => "commit",
            Stall::Transmit => "transmit",
            Stall::Maps => "maps",
            Stall::Units => "units",
            Stall::Stores => "stores",
            Stall::Order => "order",
            Stall::Rows => "rows",
        }
    }

    /// In a few words.
    pub const fn meaning(self) -> &'static str {
        match self {
            Stall::Parked => "a row that stores comes once more, until its packet is the oldest",
            Stall::Closed => "packets wait for a host's operation, or for another program",
            Stall::Intake => "the next packet is still coming in",
            Stall::Traffic => "no packet is offered",
            Stall::Commit => "additions of the oldest packet go to the maps",
            Stall::Transmit => "the oldest packet waits to be sent",
            Stall::Maps => "the oldest packet waits for a map",
            Stall::Units => "the oldest packet waits for a division, or for many bytes",
            Stall::Stores => "there is no room for what rows store",
            Stall::Order => "packets wait to be the oldest",
            Stall::Rows => "all packets have a row under way",
        }
    }
}

impl Event {
    /// Its place among the counters.
    pub const fn place(self) -> usize {
        match self {
            Event::Rows => 0,
            Event::Answers => 1,
            Event::Reruns => 2,
            Event::Overflows => 3,
            Event::Cuts => 4,
            Event::Stall(stall) => 5 + stall as usize,
        }
    }

    /// The offset of its counter.
    pub const fn address(self) -> u32 {
        register::EVENTS + 8 * self.place() as u32
    }
}

/// The counters of a processor since reset.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Events(pub [u64; EVENTS]);

impl Events {
    /// How often.
    pub fn of(&self, event: Event) -> u64 {
        self.0[event.place()]
    }

    /// What was counted since an earlier reading.
    pub fn since(&self, before: &Events) -> Events {
        Events(std::array::from_fn(|place| self.0[place] - before.0[place]))
    }

    /// All clocks: each is a row, an answer or a stall.
    pub fn clocks(&self) -> u64 {
        let stalls = Stall::ALL.map(|stall| self.of(Event::Stall(stall)));
        self.of(Event::Rows) + self.of(Event::Answers) + stalls.iter().sum::<u64>()
    }
}

/// Registers that processors have beside [`REGISTERS`](crate::REGISTERS), by rising offset.
pub const PROCESSOR_REGISTERS: [Register; EVENTS + 4] = [
    count("ROWS", Event::Rows, "rows of programs"),
    count("ANSWERS", Event::Answers, "rows in which a unit answers"),
    count("RERUNS", Event::Reruns, "packets that began again"),
    count(
        "OVERFLOWS",
        Event::Overflows,
        "additions that found their packet's log full, and packets that read too many things to know them all",
    ),
    count("CUTS", Event::Cuts, "programs that the watchdog ended"),
    stall("STALL_PARKED", Stall::Parked),
    stall("STALL_CLOSED", Stall::Closed),
    stall("STALL_INTAKE", Stall::Intake),
    stall("STALL_TRAFFIC", Stall::Traffic),
    stall("STALL_COMMIT", Stall::Commit),
    stall("STALL_TRANSMIT", Stall::Transmit),
    stall("STALL_MAPS", Stall::Maps),
    stall("STALL_UNITS", Stall::Units),
    stall("STALL_STORES", Stall::Stores),
    stall("STALL_ORDER", Stall::Order),
    stall("STALL_ROWS", Stall::Rows),
    Register {
        fields: &[field::LOAD_STATUS],
        ..word(
            "LOAD",
            register::LOAD,
            Rights::Both,
            "a write begins to load a program, a read says how that goes",
        )
    },
    word(
        "LOAD_CLOCKS",
        register::LOAD_CLOCKS,
        Rights::Read,
        "clocks from the last word of a load to the first one in which packets are its program's own",
    ),
    word(
        "LOAD_BEFORE",
        register::LOAD_BEFORE,
        Rights::Read,
        "packets that entered before the program that runs; final when none of the one before is inside",
    ),
    Register {
        words: Words::Fixed(256),
        ..word(
            "PROGRAM",
            register::PROGRAM,
            Rights::Write,
            "the next word of the program, at any of 256 addresses",
        )
    },
];

const fn count(name: &'static str, event: Event, meaning: &'static str) -> Register {
    counter(name, event.address(), meaning)
}

const fn stall(name: &'static str, stall: Stall) -> Register {
    counter(name, Event::Stall(stall).address(), stall.meaning())
}

/// All registers of a design, by rising offset.
pub fn registers_of(has_port_table: bool, is_processor: bool) -> Vec<&'static Register> {
    let common = REGISTERS.iter().filter(|one| one.is_there(has_port_table));
    let own = PROCESSOR_REGISTERS.iter().filter(|_| is_processor);
    let mut all: Vec<&Register> = common.chain(own).collect();
    all.sort_by_key(|one| one.offset);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address_map::name_of;

    #[test]
    fn places_are_those_of_the_registers() {
        let counters = PROCESSOR_REGISTERS.iter().filter(|one| one.bits == 64);
        let offsets: Vec<u32> = counters.map(|one| one.offset).collect();
        let stalls = Stall::ALL.map(Event::Stall);
        let others = [
            Event::Rows,
            Event::Answers,
            Event::Reruns,
            Event::Overflows,
            Event::Cuts,
        ];
        let events: Vec<Event> = others.into_iter().chain(stalls).collect();
        let places: Vec<usize> = events.iter().map(|event| event.place()).collect();
        assert_eq!(places, (0..EVENTS).collect::<Vec<usize>>());
        let addresses: Vec<u32> = events.iter().map(|event| event.address()).collect();
        assert_eq!(addresses, offsets);
    }

    #[test]
    fn registers_of_a_processor_overlap_no_others() {
        let mut end = 0;
        for one in registers_of(true, true) {
            assert!(one.offset >= end, "{}", one.name);
            end = one.offset + 4 * one.words(32, 32);
        }
        assert_eq!(registers_of(true, false).len(), REGISTERS.len());
        assert_eq!(registers_of(false, false).len(), REGISTERS.len() - 1);
    }

    #[test]
    fn clocks_are_rows_answers_and_stalls() {
        let mut events = Events([1; EVENTS]);
        events.0[Event::Cuts.place()] = 100;
        assert_eq!(events.clocks(), 13);
        assert_eq!(name_of(Event::Stall(Stall::Maps).address()), "STALL_MAPS");
        assert_eq!(name_of(register::PROGRAM + 1020), "PROGRAM");
    }
}
