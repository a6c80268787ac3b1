//! Programs that are loaded into a processor in the middle of traffic, a word in each clock.
//!
//! ```text
//! free ─► begins ─► words ─► runs ─► fills ─► goes ─► settles ─► known
//! ```
//!
//! A load begins when no packet runs from the bank into which it goes. Which packet is the first of the new program is known for sure
//! when the last one of the old program has left: until then what becomes of packets is kept back.

use crate::axilite::Writes;
use crate::dut::Dut;
use crate::host::{Host, HostAnswer, HostOperation};
use hardpath_blocks::interface::Interface;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::maps::Image;
use hardpath_registers::load::{self, Status, GOES};
use hardpath_registers::{field, register, May};
use std::collections::VecDeque;

/// A program that is loaded when that many packets were taken in.
#[derive(Clone)]
pub struct LoadEvent {
    /// Packets that were taken in whole, those that the entrance drops included.
    pub after_packets: usize,
    /// What a driver must know of the processor while it has the program, and the load itself.
    pub interface: Interface,
    /// What maps hold at first, beside those that stay. Where it is anything, the load is one that waits for the host.
    pub first: Image,
}

/// A program that was loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoadDone {
    /// Packets that had entered before: the first one that enters behind it is the program's own.
    pub before: u64,
    /// Words of the load.
    pub words: usize,
    /// Clocks from the first of them to the last.
    pub load_clocks: u64,
    /// Clocks from the last word to the first one in which packets were the program's own.
    pub switch_clocks: u64,
}

/// What is being done.
enum Step {
    /// Until so many packets were taken in.
    Waits,
    Free,
    Begins,
    Words,
    Runs,
    /// What maps hold at first.
    Fills(VecDeque<HostOperation>),
    Goes,
    Settles,
    Clocks,
    Known,
}

pub(super) struct Loads<'a> {
    /// Those that are not over; the first may be under way.
    events: &'a [LoadEvent],
    /// Present only when there are any.
    port: Option<Port>,
    step: Step,
    done: LoadDone,
}

struct Port {
    host: Host,
    writes: Writes,
}

impl<'a> Loads<'a> {
    pub fn new(
        dut: &mut dyn Dut,
        interface: &Interface,
        events: &'a [LoadEvent],
    ) -> Result<Loads<'a>, Diagnostic> {
        let port = match events.is_empty() {
            true => None,
            false => Some(Port {
                host: Host::new(dut, interface)?,
                writes: Writes::new(dut)?,
            }),
        };
        Ok(Loads {
            events,
            port,
            step: Step::Waits,
            done: NOTHING,
        })
    }

    pub fn is_done(&self) -> bool {
        self.events.is_empty()
    }

    /// One is under way.
    pub fn is_under_way(&self) -> bool {
        !matches!(self.step, Step::Waits)
    }

    /// What they wait for, for messages.
    pub fn pending(&self) -> Option<String> {
        let what = match &self.step {
            Step::Waits => return None,
            Step::Free => "packets of the program before the last one do not leave",
            Step::Begins | Step::Words => "words of a program are not taken",
            Step::Runs => "a program that is loaded does not run",
            Step::Fills(_) | Step::Goes => "the maps of a program that is loaded are not filled",
            Step::Settles | Step::Clocks | Step::Known => {
                "packets of the program before do not leave"
            }
        };
        Some(what.into())
    }

    /// Before a step. `taken`: packets that were taken in; `last`: no other one comes. `free`: what the load before came to is told.
    ///
    /// # Errors
    /// `load-too-late`: so many packets do not come.
    pub fn drive(
        &mut self,
        dut: &mut dyn Dut,
        (taken, last): (usize, bool),
        free: bool,
    ) -> Result<(), Diagnostic> {
        let (Some(event), Some(port)) = (self.events.first(), &mut self.port) else {
            return Ok(());
        };
        if let Step::Waits = self.step {
            match event.after_packets <= taken {
                true if free => self.step = Step::Free,
                true => {}
                false if last => return Err(too_late(event.after_packets, taken)),
                false => {}
            }
        }
        if let Step::Words = self.step {
            port.writes.drive(dut);
            return Ok(());
        }
        if port.host.is_idle() {
            if let Some(operation) = wanted(&self.step) {
                port.host.start(dut, operation)?;
            }
        }
        port.host.drive(dut);
        Ok(())
    }

    /// After it. Gives what the load came to, when it is over.
    ///
    /// # Errors
    /// The processor refuses the program.
    pub fn observe(&mut self, dut: &mut dyn Dut) -> Result<Option<LoadDone>, Diagnostic> {
        let (Some(event), Some(port)) = (self.events.first(), &mut self.port) else {
            return Ok(None);
        };
        if let Step::Words = self.step {
            if let Some(clocks) = port.writes.observe(dut)? {
                self.done.load_clocks = clocks;
                self.step = Step::Runs;
            }
            return Ok(None);
        }
        let Some(answer) = port.host.observe(dut)? else {
            return Ok(None);
        };
        if let Step::Begins = self.step {
            let words = load::writes(&event.interface.program);
            port.writes.begin(&words[1..]);
        }
        if let Step::Runs = self.step {
            port.host = Host::new(dut, &event.interface)?;
        }
        self.next(event, answer)?;
        let is_over = matches!(self.step, Step::Waits);
        if is_over {
            self.events = &self.events[1..];
        }
        Ok(is_over.then_some(self.done))
    }

    /// What comes behind an operation of the host.
    fn next(&mut self, event: &LoadEvent, answer: HostAnswer) -> Result<(), Diagnostic> {
        let status = Status::of(field::LOAD_STATUS.of(answer.data));
        self.step = match std::mem::replace(&mut self.step, Step::Waits) {
            Step::Waits => Step::Waits,
            Step::Free if status.old => Step::Free,
            Step::Free => Step::Begins,
            Step::Begins => {
                self.done = LoadDone {
                    words: event.interface.program.len(),
                    ..NOTHING
                };
                Step::Words
            }
            Step::Words => Step::Words,
            Step::Runs if status.wrong || status.missing => return Err(refused(event)),
            Step::Runs if status.waits => Step::Runs,
            Step::Runs if status.holds && !event.first.is_empty() => Step::Fills(fills(event)),
            Step::Runs => Step::Settles,
            Step::Fills(mut operations) => {
                operations.pop_front();
                if !answer.answer.is_done() {
                    return Err(not_filled(event, &answer));
                }
                match operations.is_empty() {
                    true => Step::Goes,
                    false => Step::Fills(operations),
                }
            }
            Step::Goes => Step::Settles,
            Step::Settles if status.old || status.holds => Step::Settles,
            Step::Settles => Step::Clocks,
            Step::Clocks => {
                self.done.switch_clocks = answer.data.into();
                Step::Known
            }
            Step::Known => {
                self.done.before = answer.data.into();
                Step::Waits
            }
        };
        Ok(())
    }
}

const NOTHING: LoadDone = LoadDone {
    before: 0,
    words: 0,
    load_clocks: 0,
    switch_clocks: 0,
};

/// The host's operation for a step.
fn wanted(step: &Step) -> Option<HostOperation> {
    let read = |address| Some(HostOperation::ReadRegister { address });
    match step {
        Step::Waits | Step::Words => None,
        Step::Free | Step::Runs | Step::Settles => read(register::LOAD),
        Step::Clocks => read(register::LOAD_CLOCKS),
        Step::Known => read(register::LOAD_BEFORE),
        Step::Begins => Some(HostOperation::WriteRegister {
            address: register::LOAD,
            data: 0,
        }),
        Step::Goes => {
            let (address, data) = GOES;
            Some(HostOperation::WriteRegister { address, data })
        }
        Step::Fills(operations) => operations.front().cloned(),
    }
}

/// The host's operations that give maps what they hold at first.
fn fills(event: &LoadEvent) -> VecDeque<HostOperation> {
    let maps = event.interface.maps.iter().enumerate();
    let all = maps.flat_map(|(number, map)| {
        let entries = event.first.get(&map.name).into_iter().flatten();
        entries.map(move |(key, value)| HostOperation::Update {
            map: number,
            key: key.clone(),
            value: value.clone(),
            may: May::PUT,
        })
    });
    all.collect()
}

fn too_late(after: usize, packets: usize) -> Diagnostic {
    let message = format!(
        "a program is to be loaded when {after} packets were sent, and the run has {packets}"
    );
    Diagnostic::input("load-too-late", message).help("load it earlier, or send more packets")
}

fn refused(event: &LoadEvent) -> Diagnostic {
    let message = format!(
        "the processor does not take the program that is loaded when {} packets were sent",
        event.after_packets
    );
    Diagnostic::defect("program-not-loaded", message)
}

fn not_filled(event: &LoadEvent, answer: &HostAnswer) -> Diagnostic {
    let message = format!(
        "a map of the program that is loaded when {} packets were sent does not take what it holds at first: {}",
        event.after_packets, answer.answer
    );
    Diagnostic::defect("program-not-loaded", message)
}
