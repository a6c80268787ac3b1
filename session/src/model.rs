//! The interpreter beside a design: it does what the design did, in the same order, and forgets the keys that the design forgot.

use crate::journals;
use crate::mixed::{reaches_maps, Mixed};
use hardpath_blocks::interface::Interface;
use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::{KeyMove, Maps};
use hardpath_ir::{Answer, MapId, Program};
use hardpath_oracle::compare::compare_packet;
use hardpath_oracle::forgetting::Forgetting;
use hardpath_oracle::Illegal;
use hardpath_packet::{Packet, Ports};
use hardpath_testbed::host::{HostAnswer, HostOperation};
use hardpath_testbed::run::{enters, HostEvent};
use hardpath_testbed::watch::Entered;

/// Does on the interpreter's maps, which whoever calls has, what a design did; with the books of those that forget.
#[derive(Default)]
pub struct Model {
    forgetting: Forgetting,
}

/// Something that a design did is not right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Differs {
    /// The packet, counted from 0; `None`: an operation of the host, or all of them together.
    pub packet: Option<usize>,
    /// What is wrong.
    pub text: String,
}

impl Differs {
    fn all(text: impl Into<String>) -> Differs {
        Differs {
            packet: None,
            text: text.into(),
        }
    }
}

impl Model {
    /// Beside a design. The LRU maps of `maps` forget from now on what the design reports, and nothing else, if it has journals.
    pub fn new(maps: &mut Maps, interface: &Interface) -> Model {
        let model = Model {
            forgetting: Forgetting::new(journals::of_design(interface)),
        };
        tell(maps, interface);
        model
    }

    /// Keys that LRU maps forgot.
    pub fn forgotten(&self) -> u64 {
        self.forgetting.forgotten().values().sum()
    }

    /// What filling the maps, which hold it already, moved in the design.
    ///
    /// # Errors
    /// A key was forgotten against the rules.
    pub fn filled(&mut self, maps: &mut Maps, moves: &[KeyMove]) -> Result<(), Differs> {
        is_legal(&self.forgetting.forget(maps, moves).illegal)
    }

    /// Does what a packet or the host did, behind what it made the maps forget.
    ///
    /// # Errors
    /// A key was forgotten against the rules.
    pub fn follow<R: PartialEq>(
        &mut self,
        maps: &mut Maps,
        moves: &[KeyMove],
        run: impl FnMut(&mut Maps) -> R,
    ) -> Result<R, Differs> {
        let (result, followed) = self.forgetting.run(maps, moves, run);
        is_legal(&followed.illegal)?;
        Ok(result)
    }

    /// Does an operation of the host, and compares the answer.
    ///
    /// # Errors
    /// The answer is not right, or a key was forgotten against the rules.
    pub fn operation(
        &mut self,
        maps: &mut Maps,
        (program, interface): (&Program, &Interface),
        (operation, answer): (&HostOperation, &HostAnswer),
        moves: &[KeyMove],
    ) -> Result<(), Differs> {
        let checked = self.follow(maps, moves, |maps| {
            check_answer(maps, program, interface, operation, answer)
        })?;
        checked.map_err(Differs::all)
    }

    /// Does what a whole run did, and compares every packet and every answer.
    ///
    /// # Errors
    /// The first thing that is not right.
    pub fn follow_all(
        &mut self,
        maps: &mut Maps,
        (program, interface): (&Program, &Interface),
        (ports, packets, events): (&Ports, &[Packet], &[HostEvent]),
        mixed: &Mixed,
    ) -> Result<(), Differs> {
        let mut prepared = Prepared::new(program);
        let mut entering = (0..packets.len()).filter(|index| enters(&packets[*index], interface));
        let mut operations =
            (0..events.len()).filter(|index| reaches_maps(&events[*index], interface));
        for (entered, moves) in &mixed.order {
            match entered {
                Entered::Packet => {
                    let Some(index) = entering.next() else {
                        return Err(Differs::all("more packets entered than came"));
                    };
                    let (packet, sideband) = (&packets[index], ports.sideband(&packets[index]));
                    let data = &packet.data[..interface.counted_bytes(packet.data.len())];
                    let expected =
                        self.follow(maps, moves, |maps| prepared.run(maps, data, &sideband))?;
                    let got = mixed.result.outcomes[index].as_ref();
                    if let Some(difference) = compare_packet(&expected, got, &program.outputs) {
                        return Err(Differs {
                            packet: Some(index),
                            text: difference.to_string(),
                        });
                    }
                }
                Entered::Host => {
                    let Some(index) = operations.next() else {
                        return Err(Differs::all("more operations entered than came"));
                    };
                    let both = (&events[index].operation, &mixed.result.host_answers[index]);
                    self.operation(maps, (program, interface), both, moves)?;
                }
            }
        }
        match (entering.count(), operations.count()) {
            (0, 0) => Ok(()),
            (packets, operations) => {
                let text = format!("{packets} packets and {operations} operations did not enter");
                Err(Differs::all(text))
            }
        }
    }
}

/// LRU maps forget what a design with journals reports, and nothing else.
pub fn tell(maps: &mut Maps, interface: &Interface) {
    let lru = journals::of_design(interface);
    for told in &lru {
        maps.forget_as_told(told.map, told.slots);
    }
    if !lru.is_empty() {
        maps.watch_keys();
    }
}

fn is_legal(illegal: &[Illegal]) -> Result<(), Differs> {
    match illegal.first() {
        None => Ok(()),
        Some(one) => Err(Differs::all(format!("map {} {}", one.map, one.why))),
    }
}

/// Does an operation of the host on maps, and compares what the design answered. Which slot a key stands in is the design's
/// business: of what it read by slots, all must be there that it says.
///
/// # Errors
/// What it answered, and what is right.
pub fn check_answer(
    maps: &mut Maps,
    program: &Program,
    interface: &Interface,
    operation: &HostOperation,
    answer: &HostAnswer,
) -> Result<(), String> {
    let Some((id, port)) = operation.map().and_then(|map| {
        let port = interface.maps.get(map)?;
        Some((id_of(program, &port.name)?, port))
    }) else {
        return Ok(());
    };
    let same = |is: bool, right: &str| match is {
        true => Ok(()),
        false => Err(format!("{operation:?} gave {answer:?}, not {right}")),
    };
    let found = answer.answer.is_done().then_some(answer.value.as_slice());
    match operation {
        HostOperation::Lookup { key, .. } => {
            let right = maps.get(id, key);
            same(found == right, &format!("{right:02x?}"))
        }
        HostOperation::Update {
            key, value, may, ..
        } => {
            let right = maps.update(id, key, value, *may);
            same(answer.answer == right, right.name())
        }
        HostOperation::Delete { key, .. } => {
            let right = maps.delete(id, key);
            same(answer.answer == right, right.name())
        }
        HostOperation::Dump { slot, .. } => {
            let is_indexed = program.maps[id].is_indexed();
            let last = match is_indexed {
                true => program.maps[id].max_entries,
                false => port.slots,
            };
            let key = slot.to_le_bytes();
            let right = match is_indexed {
                true => maps.get(id, &key),
                false if answer.answer.is_done() => maps.held(id, &answer.key),
                false => None,
            };
            let absent = match *slot >= last {
                true => Answer::BadIndex,
                false => Answer::Missing,
            };
            match right {
                None => same(answer.answer == absent, absent.name()),
                Some(value) => {
                    let has_key = !is_indexed || answer.key == key;
                    same(found == Some(value) && has_key, &format!("{value:02x?}"))
                }
            }
        }
        HostOperation::Next { slot, .. } if answer.answer.is_done() => {
            let is_there = (*slot..port.slots).contains(&answer.slot);
            let is_indexed = program.maps[id].is_indexed();
            let has_key = !is_indexed || answer.key == answer.slot.to_le_bytes();
            let right = maps.held(id, &answer.key);
            let is_right = found == right && is_there && has_key;
            same(is_right, &format!("{right:02x?}, at that slot or behind"))
        }
        // Entries may have come and gone behind its back.
        HostOperation::Next { .. } => same(answer.answer == Answer::Missing, "MISSING"),
        HostOperation::ReadRegister { .. } | HostOperation::WriteRegister { .. } => Ok(()),
    }
}

fn id_of(program: &Program, name: &str) -> Option<MapId> {
    let mut maps = program.maps.iter();
    maps.find(|(_, decl)| decl.name == name).map(|(id, _)| id)
}
