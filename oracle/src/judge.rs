//! The right answer for a stream of packets: the judge's where it can be asked, else the interpreter's.
//!
//! The interpreter runs every packet, the judge (mostly the kernel) those that it can; each has its own maps. After a packet that only
//! the interpreter ran, the entries which that packet wrote are copied into the judge's maps, so that both go on
//! from the same state. Where both ran a packet, they are compared: the interpreter must be right, too.

use crate::compare::{compare_maps, compare_packet, Difference};
use crate::forgetting::{Followed, Forgetting, Illegal, LruMap, Victim};
use crate::judges::{Interpreter, Judge, MapChange, Who};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::maps::{Image, KeyMove, Maps};
use hardpath_ir::{Output, Program};
use hardpath_packet::{Copy, Fate, Sideband};
use std::collections::BTreeMap;

/// Packets that go to the kernel in one piece.
pub const BATCH: usize = 256;

/// Interpreter and, where there is one, a judge beside it, running the same program over the same packets.
pub struct Reference<'j> {
    interpreter: Interpreter,
    judge: Option<Box<dyn Judge + 'j>>,
    forgetting: Forgetting,
}

/// The right answer for one packet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expected {
    /// The judge's, or the interpreter's.
    pub fate: Fate,
    /// Else the interpreter's answer stands in.
    pub judged: bool,
    /// Why there was a judge and it was not asked.
    pub objection: Option<String>,
    /// Where the interpreter differs from the judge, who ran the packet too.
    pub disagreement: Option<Difference>,
    /// What is wrong with the packet's reports of what LRU maps forget.
    pub illegal: Vec<Illegal>,
}

/// The right contents of all maps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExpectedMaps {
    /// The judge's, and the interpreter's of maps that the judge does not have.
    pub image: Image,
    /// Where the interpreter's maps differ from the judge's.
    pub disagreements: Vec<Difference>,
}

/// A judge's fate with the outputs that the program declares. Those that the judge does not know are zeros: packets for which
/// that is wrong are none of its business.
fn declared(fate: Fate, given: &[String], outputs: &[Output]) -> Fate {
    let pick = |from: &[u64]| -> Vec<u64> {
        let find = |output: &Output| {
            let known = given.iter().zip(from);
            let mut known = known.filter(|(name, _)| **name == output.name);
            known.next().map_or(0, |(_, value)| *value)
        };
        outputs.iter().map(find).collect()
    };
    let copies = fate.copies.into_iter().map(|copy| Copy {
        outputs: pick(&copy.outputs),
        ..copy
    });
    Fate {
        copies: copies.collect(),
        outputs: pick(&fate.outputs),
    }
}

impl<'j> Reference<'j> {
    /// Starts with fresh maps and, in them, `image`. A kernel must have been started with the same image
    /// ([`JudgeOptions`](crate::JudgeOptions)) and the same program.
    ///
    /// # Errors
    /// The image does not fit the program's maps.
    pub fn new(
        program: &Program,
        image: &Image,
        judge: Option<impl Judge + 'j>,
    ) -> Result<Reference<'j>, Vec<Diagnostic>> {
        Ok(Reference {
            interpreter: Interpreter::new(program, image)?,
            judge: judge.map(|judge| Box::new(judge) as Box<dyn Judge + 'j>),
            forgetting: Forgetting::default(),
        })
    }

    /// From now on these LRU maps forget what [`Reference::run_all_told`] says, and nothing else. The kernel's copies of them
    /// are plain hashes ([`JudgeOptions::plain`](crate::JudgeOptions::plain)).
    pub fn forget_as_told(&mut self, maps: Vec<LruMap>) {
        for told in &maps {
            self.interpreter.maps.forget_as_told(told.map, told.slots);
        }
        self.interpreter.maps.watch_keys();
        self.forgetting = Forgetting::new(maps);
    }

    /// How many keys LRU maps have forgotten, by the map's name.
    pub fn forgotten(&self) -> BTreeMap<String, u64> {
        self.forgetting.forgotten()
    }

    /// What the host's filling of the maps, which is in the judges' maps already, moved in LRU maps.
    ///
    /// # Errors
    /// The kernel fails.
    pub fn filled(&mut self, moves: &[KeyMove]) -> Result<Vec<Illegal>, Diagnostic> {
        let mut followed = self.forgetting.forget(&mut self.interpreter.maps, moves);
        let mut illegal = std::mem::take(&mut followed.illegal);
        for one in moves {
            let held = self.interpreter.maps.get(one.map, &one.key).is_some();
            let same = |victim: &Victim| victim.map == one.map && victim.key == one.key;
            let forgotten = followed.forgotten.iter().any(same);
            if !held && !forgotten {
                illegal.push(Illegal {
                    map: self.interpreter.name(one.map),
                    why: "takes a key in that nobody put there".into(),
                });
            }
        }
        let changes = self.forgotten_of(&followed);
        if let Some(judge) = &mut self.judge {
            judge.apply(changes)?;
        }
        Ok(illegal)
    }

    /// What the kernel's maps have to do because keys were forgotten.
    fn forgotten_of(&self, followed: &Followed) -> Vec<MapChange> {
        let change = |victim: &Victim| MapChange {
            map: self.interpreter.name(victim.map),
            key: victim.key.clone(),
            value: None,
        };
        followed.forgotten.iter().map(change).collect()
    }

    /// What the program says of each packet.
    pub fn outputs(&self) -> &[Output] {
        &self.interpreter.outputs
    }

    /// Who judges beside the interpreter.
    pub fn judge(&self) -> Option<Who> {
        self.judge.as_ref().map(|judge| judge.who())
    }

    /// Runs one packet. For many packets [`Reference::run_all`] is several times faster.
    ///
    /// # Errors
    /// The kernel fails; see [`KernelJudge::run`].
    pub fn run(&mut self, packet: &[u8], context: &Sideband) -> Result<Expected, Diagnostic> {
        let mut answers = self.run_all(&[(packet, *context)])?;
        // One packet gives one answer.
        Ok(answers.remove(0))
    }

    /// Runs packets, one after the other.
    ///
    /// # Errors
    /// The kernel fails; see [`KernelJudge::run`].
    pub fn run_all<P: AsRef<[u8]>>(
        &mut self,
        packets: &[(P, Sideband)],
    ) -> Result<Vec<Expected>, Diagnostic> {
        self.run_all_told(packets, &[])
    }

    /// Runs packets, one after the other; with each goes what it moved in LRU maps, as whoever ran it tells. Behind the
    /// end of `moves` nothing was moved.
    ///
    /// # Errors
    /// The kernel fails; see [`KernelJudge::run`].
    pub fn run_all_told<P: AsRef<[u8]>>(
        &mut self,
        packets: &[(P, Sideband)],
        moves: &[Vec<KeyMove>],
    ) -> Result<Vec<Expected>, Diagnostic> {
        let mut answers = Vec::with_capacity(packets.len());
        let mut rest = packets;
        while !rest.is_empty() {
            let told = |done: usize| moves.get(done.min(moves.len())..).unwrap_or_default();
            let batch = &rest[..rest.len().min(BATCH)];
            let (judged, objection) = self.judgeable(batch, told(answers.len()))?;
            let (both, others) = rest.split_at(judged);
            rest = others;
            if !both.is_empty() {
                self.run_both(both, told(answers.len()), &mut answers)?;
            }
            if objection.is_some() || self.judge.is_none() {
                if let Some(((packet, context), others)) = rest.split_first() {
                    let told = told(answers.len()).first();
                    let told = told.map(Vec::as_slice).unwrap_or_default();
                    let (fate, illegal) =
                        self.run_interpreter_alone(packet.as_ref(), context, told)?;
                    answers.push(Expected {
                        fate,
                        judged: false,
                        objection,
                        disagreement: None,
                        illegal,
                    });
                    rest = others;
                }
            }
        }
        Ok(answers)
    }

    /// All maps as they should be now: the kernel's, and from the interpreter those that the kernel does not have
    /// because the program never uses them.
    ///
    /// # Errors
    /// The kernel's maps cannot be read; see [`KernelJudge::image`].
    pub fn maps(&mut self) -> Result<ExpectedMaps, Diagnostic> {
        let interpreted = self.interpreter.maps.image();
        let mut image = interpreted.clone();
        if let Some(judge) = &mut self.judge {
            // A map that only dead code names is in the kernel, but not in the program as lifted.
            let mut judged = judge.image()?;
            judged.retain(|name, _| image.contains_key(name));
            image.extend(judged);
        }
        Ok(ExpectedMaps {
            disagreements: compare_maps(&image, &interpreted),
            image,
        })
    }

    /// Writes a map entry as the host does (`None`: removes it), in the middle of traffic.
    ///
    /// # Errors
    /// `unknown-map`, `kernel-rejects-entry`, or the entry does not fit the map.
    pub fn set(
        &mut self,
        map: &str,
        key: &[u8],
        value: Option<&[u8]>,
    ) -> Result<(), Vec<Diagnostic>> {
        let change = MapChange {
            map: map.into(),
            key: key.to_vec(),
            value: value.map(<[u8]>::to_vec),
        };
        let one = |error: Diagnostic| vec![error];
        self.interpreter.set(change.clone()).map_err(one)?;
        match &mut self.judge {
            Some(judge) => judge.set(change).map_err(one),
            None => Ok(()),
        }
    }

    /// How many packets from the first one on the kernel can be asked about, and what it has against the next one.
    fn judgeable<P: AsRef<[u8]>>(
        &mut self,
        packets: &[(P, Sideband)],
        moves: &[Vec<KeyMove>],
    ) -> Result<(usize, Option<String>), Diagnostic> {
        let Some(judge) = &mut self.judge else {
            return Ok((0, None));
        };
        for (count, (packet, context)) in packets.iter().enumerate() {
            let mut objection = judge.objection(packet.as_ref().len(), context)?;
            let moves = moves.get(count).map(Vec::as_slice).unwrap_or_default();
            if self.forgetting.forgets_at_once(moves) {
                let text = "a map forgets a key in the middle of it";
                objection.get_or_insert(String::from(text));
            }
            if objection.is_some() {
                return Ok((count, objection));
            }
        }
        Ok((packets.len(), None))
    }

    /// Packets that the kernel takes: it runs them while the interpreter does.
    fn run_both<P: AsRef<[u8]>>(
        &mut self,
        packets: &[(P, Sideband)],
        moves: &[Vec<KeyMove>],
        answers: &mut Vec<Expected>,
    ) -> Result<(), Diagnostic> {
        // What was forgotten is known before the kernel begins, and what contradicts it only behind each packet: so the
        // interpreter goes first where something moves.
        let moved = !moves.is_empty() && moves.iter().any(|moves| !moves.is_empty());
        let mut interpreted = Vec::with_capacity(packets.len());
        let mut forgotten = Vec::new();
        if moved {
            self.interpret_all(packets, moves, &mut interpreted, &mut forgotten);
        }
        let Some(judge) = &mut self.judge else {
            return Ok(());
        };
        let questions = packets.iter();
        let questions = questions.map(|(packet, sideband)| (packet.as_ref().to_vec(), *sideband));
        let running = judge.begin(questions.collect(), forgotten)?;
        let given = judge.outputs();
        if !moved {
            self.interpret_all(packets, &[], &mut interpreted, &mut Vec::new());
        }
        for (fate, (interpreted, illegal)) in running.wait()?.into_iter().zip(interpreted) {
            let outputs = &self.interpreter.outputs;
            let fate = declared(fate, &given, outputs);
            answers.push(Expected {
                disagreement: compare_packet(&fate, Some(&interpreted), outputs),
                fate,
                judged: true,
                objection: None,
                illegal,
            });
        }
        Ok(())
    }

    /// The interpreter's answers, and what the kernel's maps have to forget in front of each packet.
    fn interpret_all<P: AsRef<[u8]>>(
        &mut self,
        packets: &[(P, Sideband)],
        moves: &[Vec<KeyMove>],
        answers: &mut Vec<(Fate, Vec<Illegal>)>,
        forgotten: &mut Vec<Vec<MapChange>>,
    ) {
        for (number, (packet, context)) in packets.iter().enumerate() {
            let moves = moves.get(number).map(Vec::as_slice).unwrap_or_default();
            let (fate, followed) = self.interpret(packet.as_ref(), context, moves);
            forgotten.push(self.forgotten_of(&followed));
            answers.push((fate, followed.illegal));
        }
    }

    /// A packet that the kernel does not take: what it writes goes into the kernel's maps, too.
    fn run_interpreter_alone(
        &mut self,
        packet: &[u8],
        context: &Sideband,
        moves: &[KeyMove],
    ) -> Result<(Fate, Vec<Illegal>), Diagnostic> {
        if self.judge.is_some() {
            self.interpreter.maps.watch_changes();
        }
        let (fate, followed) = self.interpret(packet, context, moves);
        let forgotten = self.forgotten_of(&followed);
        if let Some(judge) = &mut self.judge {
            let changes = self.interpreter.maps.take_changes();
            let changes = changes.into_iter().map(|change| MapChange {
                map: self.interpreter.name(change.map),
                key: change.key,
                value: change.value,
            });
            judge.apply(forgotten)?;
            judge.apply(changes.collect())?;
        }
        Ok((fate, followed.illegal))
    }

    /// The interpreter's answer, behind what it had to forget, and what its run finds wrong with the reports.
    fn interpret(
        &mut self,
        packet: &[u8],
        context: &Sideband,
        moves: &[KeyMove],
    ) -> (Fate, Followed) {
        let Interpreter { prepared, maps, .. } = &mut self.interpreter;
        let run = |maps: &mut Maps| prepared.run(maps, packet, context);
        self.forgetting.run(maps, moves, run)
    }
}
