//! Once more with operations of the host in the middle. The interpreter does the same in the order in which all that
//! entered the pipeline.

use super::answers::difference;
use super::layers::Trial;
use super::{failure, Failure, Layer};
use crate::hardware::{self, host_events};
use crate::journals;
use crate::packets::{enters, ports};
use hardpath_blocks::interface::Interface;
use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::{KeyMove, Maps};
use hardpath_ir::Answer;
use hardpath_oracle::compare::compare_maps;
use hardpath_oracle::forgetting::Forgetting;
use hardpath_oracle::Illegal;
use hardpath_pipeline::Compiled;
use hardpath_testbed::host::{HostAnswer, HostOperation};
use hardpath_testbed::watch::Entered;

impl Trial {
    pub fn with_host(&self, compiled: &Compiled, seed: u64) -> Result<(), Failure> {
        let differs = |packet, text: String| failure(Layer::Host, packet, text);
        let (hardware, packets) = (&self.subject.hardware, &self.subject.packets);
        let interface = &compiled.interface;
        let events = host_events(interface, &self.expected.maps, packets.len(), seed);
        if events.is_empty() {
            return Ok(());
        }
        let mixed = hardware::drive_mixed(compiled, hardware, &self.in_hardware, packets, &events)
            .map_err(|error| differs(None, error.to_string()))?;
        let mut model = Model::new(self, interface)?;
        model.fill(&mixed.filled)?;
        let mut prepared = Prepared::new(&self.meaning);
        let mut entering = (0..packets.len()).filter(|index| enters(&packets[*index]));
        let mut operations = events.iter().zip(&mixed.answers);
        for (entered, moves) in mixed.order.iter().zip(&mixed.moves) {
            match entered {
                Entered::Packet => {
                    let Some(index) = entering.next() else {
                        return Err(differs(None, "more packets entered than came".into()));
                    };
                    let sideband = ports().sideband(&packets[index]);
                    let expected = model.follow(moves, |maps| {
                        prepared.run(maps, &packets[index].data, &sideband)
                    })?;
                    let got = mixed.outcomes[index].as_ref();
                    if let Some(failure) = difference(Layer::Host, index, Some(&expected), got) {
                        return Err(failure);
                    }
                }
                Entered::Host => {
                    let Some((event, answer)) = operations.next() else {
                        return Err(differs(None, "more operations entered than came".into()));
                    };
                    let operation = &event.operation;
                    let expected =
                        model.follow(moves, |maps| self.host_answer(maps, interface, operation))?;
                    if (expected.answer, &expected.value) != (answer.answer, &answer.value) {
                        let text = format!("{operation:?} gave {answer:?}, not {expected:?}");
                        return Err(differs(None, text));
                    }
                }
            }
        }
        let left = (entering.count(), operations.count());
        if left != (0, 0) {
            let text = format!("{} packets and {} operations did not enter", left.0, left.1);
            return Err(differs(None, text));
        }
        match compare_maps(&model.maps.image(), &mixed.maps).first() {
            None => Ok(()),
            Some(difference) => Err(differs(None, difference.to_string())),
        }
    }

    /// Does an operation of the host's as it should be done.
    fn host_answer(
        &self,
        maps: &mut Maps,
        interface: &Interface,
        operation: &HostOperation,
    ) -> HostAnswer {
        let id = |map: &usize| {
            let name = &interface.maps[*map].name;
            let mut all = self.lifted.maps.iter();
            all.find(|(_, decl)| decl.name == *name).map(|(id, _)| id)
        };
        match operation {
            HostOperation::Lookup { map, key } => {
                match id(map).and_then(|map| maps.get(map, key)) {
                    Some(value) => HostAnswer {
                        value: value.to_vec(),
                        ..HostAnswer::default()
                    },
                    None => HostAnswer::of(Answer::Missing),
                }
            }
            HostOperation::Update {
                map,
                key,
                value,
                may,
            } => id(map).map_or(HostAnswer::default(), |map| {
                HostAnswer::of(maps.update(map, key, value, *may))
            }),
            HostOperation::Delete { map, key } => id(map).map_or(HostAnswer::default(), |map| {
                HostAnswer::of(maps.delete(map, key))
            }),
            _ => HostAnswer::default(),
        }
    }
}

/// The interpreter's maps, and the books of those that forget.
struct Model {
    maps: Maps,
    forgetting: Option<Forgetting>,
}

impl Model {
    fn new(trial: &Trial, interface: &Interface) -> Result<Model, Failure> {
        let mut maps = Maps::new(&trial.lifted.maps);
        maps.load(&trial.image).map_err(|errors| {
            let text = format!("maps are gone: {:?}", errors.first());
            failure(Layer::Host, None, text)
        })?;
        let forgetting = trial.subject.forgets().then(|| {
            let lru = journals::of_design(interface);
            for told in &lru {
                maps.forget_as_told(told.map, told.slots);
            }
            maps.watch_keys();
            Forgetting::new(lru)
        });
        Ok(Model { maps, forgetting })
    }

    /// What filling the maps moved: it is in the model already.
    fn fill(&mut self, moves: &[KeyMove]) -> Result<(), Failure> {
        let Some(forgetting) = &mut self.forgetting else {
            return Ok(());
        };
        is_legal(&forgetting.forget(&mut self.maps, moves).illegal)
    }

    /// Does what a packet or the host did, behind what it made the maps forget.
    fn follow<R: PartialEq>(
        &mut self,
        moves: &[KeyMove],
        mut run: impl FnMut(&mut Maps) -> R,
    ) -> Result<R, Failure> {
        let Some(forgetting) = &mut self.forgetting else {
            return Ok(run(&mut self.maps));
        };
        let (result, followed) = forgetting.run(&mut self.maps, moves, run);
        is_legal(&followed.illegal)?;
        Ok(result)
    }
}

fn is_legal(illegal: &[Illegal]) -> Result<(), Failure> {
    match illegal.first() {
        None => Ok(()),
        Some(one) => {
            let text = format!("map {} {}", one.map, one.why);
            Err(failure(Layer::Host, None, text))
        }
    }
}
