//! What is right for all packets, and for the maps behind the last one.

use super::told::Run;
use super::{failure, Failure, Layer, Subject};
use crate::packets::{enters, ports};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::maps::Image;
use hardpath_ir::Program;
use hardpath_oracle::compare::{compare_maps, compare_packet};
use hardpath_oracle::{Expected, ExpectedMaps, Illegal, KernelJudge, LruMap, Reference};
use hardpath_packet::{Fate, Sideband};

/// What is asked.
pub struct Question<'a> {
    pub subject: &'a Subject,
    pub lifted: &'a Program,
    pub image: &'a Image,
}

/// What the judges say, and whether they agree.
pub struct Answers {
    /// `None`: the packet does not enter.
    packets: Vec<Option<Expected>>,
    maps: ExpectedMaps,
    /// What is wrong with the tale of how the maps were filled.
    illegal: Vec<Illegal>,
}

/// What every later form of the program, and the design, must do.
pub struct Expectation {
    /// `None`: the packet does not enter.
    pub fates: Vec<Option<Fate>>,
    pub maps: Image,
}

impl Answers {
    /// By the kernel, where there is one, and the interpreter on the program as lifted. LRU maps that forget do so as the
    /// interpreter does.
    pub fn of(question: &Question, kernel: Option<KernelJudge>) -> Result<Answers, Diagnostic> {
        let subject = question.subject;
        if !subject.forgets() {
            return Answers::told(question, kernel, Vec::new(), &Run::default());
        }
        let wrong = |text: String| Diagnostic::input("malformed-case", text);
        let run = Run::interpreted(question.lifted, question.image, &subject.packets, true);
        let mut run = run.map_err(wrong)?;
        let lru = std::mem::take(&mut run.lru);
        Answers::told(question, kernel, lru, &run)
    }

    /// Where the LRU maps `lru` forget what a run tells.
    pub fn told(
        question: &Question,
        kernel: Option<KernelJudge>,
        lru: Vec<LruMap>,
        run: &Run,
    ) -> Result<Answers, Diagnostic> {
        let packets = &question.subject.packets;
        let entering = packets.iter().filter(|packet| enters(packet));
        let questions: Vec<(&[u8], Sideband)> = entering
            .map(|packet| (packet.data.as_slice(), ports().sideband(packet)))
            .collect();
        let moves = packets.iter().zip(&run.moves);
        let moves: Vec<_> = moves
            .filter(|(packet, _)| enters(packet))
            .map(|(_, moves)| moves.clone())
            .collect();
        let one = |mut errors: Vec<Diagnostic>| errors.remove(0);
        let mut reference = Reference::new(question.lifted, question.image, kernel).map_err(one)?;
        let mut illegal = Vec::new();
        if !lru.is_empty() {
            reference.forget_as_told(lru);
            illegal = reference.filled(&run.filled)?;
        }
        let mut answers = reference.run_all_told(&questions, &moves)?.into_iter();
        let answer = |packet| enters(packet).then(|| answers.next()).flatten();
        Ok(Answers {
            packets: packets.iter().map(answer).collect(),
            maps: reference.maps()?,
            illegal,
        })
    }

    pub fn judged_by_kernel(&self) -> u64 {
        let judged = self.packets.iter().flatten();
        judged.filter(|packet| packet.judged).count() as u64
    }

    /// Packets and map entries in which the interpreter differs from the kernel.
    pub fn disagreements(&self) -> u64 {
        let packets = self.packets.iter().flatten();
        let packets = packets.filter(|packet| packet.disagreement.is_some());
        (packets.count() + self.maps.disagreements.len()) as u64
    }

    /// Where the interpreter is wrong.
    pub fn disagreement(&self) -> Option<Failure> {
        let mut packets = self.packets.iter().enumerate();
        let in_packets = packets.find_map(|(index, expected)| {
            let text = expected.as_ref()?.disagreement.as_ref()?.to_string();
            Some(failure(Layer::Lifted, Some(index), text))
        });
        let in_maps = || {
            let first = self.maps.disagreements.first()?;
            Some(failure(Layer::Lifted, None, first.to_string()))
        };
        in_packets
            .or_else(in_maps)
            .or_else(|| self.illegal(Layer::Lifted))
    }

    /// A key that was forgotten against the rules.
    fn illegal(&self, layer: Layer) -> Option<Failure> {
        let text = |illegal: &Illegal| format!("map {} {}", illegal.map, illegal.why);
        let at_first = (self.illegal.first()).map(|one| failure(layer, None, text(one)));
        let mut packets = self.packets.iter().enumerate();
        at_first.or_else(|| {
            packets.find_map(|(index, expected)| {
                let first = expected.as_ref()?.illegal.first()?;
                Some(failure(layer, Some(index), text(first)))
            })
        })
    }

    /// Where a run, whose tale these answers follow, is not right.
    pub fn objection(&self, layer: Layer, run: &Run) -> Option<Failure> {
        if let Some(disagreement) = self.disagreement() {
            return Some(Failure {
                layer,
                ..disagreement
            });
        }
        let packets = self.packets.iter().zip(&run.fates).enumerate();
        let in_packets = |(index, (expected, got)): (usize, (&Option<Expected>, &Option<Fate>))| {
            let expected = expected.as_ref().map(|expected| &expected.fate);
            difference(layer, index, expected, got.as_ref())
        };
        let in_maps = || {
            let first = compare_maps(&self.maps.image, &run.maps)
                .into_iter()
                .next()?;
            Some(failure(layer, None, first.to_string()))
        };
        let mut packets = packets;
        packets.find_map(in_packets).or_else(in_maps)
    }

    /// What the forms behind the lifted one must do: the same, or where headers are followed to a depth only, what
    /// `meaning` does. Up to the first packet that is given up, both must do the same.
    pub fn limited(self, question: &Question, meaning: &Program) -> Result<Expectation, Failure> {
        let fates = self.packets.into_iter();
        let expected = Expectation {
            fates: fates
                .map(|expected| expected.map(|expected| expected.fate))
                .collect(),
            maps: self.maps.image,
        };
        let subject = question.subject;
        if subject.hardware.depth.is_none() {
            return Ok(expected);
        }
        let run = Run::interpreted(meaning, question.image, &subject.packets, subject.forgets())
            .map_err(|text| failure(Layer::Depth, None, text))?;
        let pairs = expected.fates.iter().zip(&run.fates).enumerate();
        for (index, (whole, limited)) in pairs {
            let known = whole.as_ref().map_or(0, |whole| whole.outputs.len());
            let limited = limited.as_ref().map(|fate| without_depth(fate, known));
            let given_up = limited.as_ref().is_some_and(|(_, given_up)| *given_up);
            let limited = limited.map(|(fate, _)| fate);
            match difference(Layer::Depth, index, whole.as_ref(), limited.as_ref()) {
                None => {}
                Some(_) if given_up => break,
                Some(failure) => return Err(failure),
            }
        }
        Ok(Expectation {
            fates: run.fates,
            maps: run.maps,
        })
    }
}

/// A fate with so many outputs only, and whether the one behind them says that the packet was given up.
fn without_depth(fate: &Fate, outputs: usize) -> (Fate, bool) {
    let given_up = fate.outputs.get(outputs) == Some(&1);
    let mut fate = fate.clone();
    fate.outputs.truncate(outputs);
    for copy in &mut fate.copies {
        copy.outputs.truncate(outputs);
    }
    (fate, given_up)
}

/// How a packet's fate differs. What does not enter must not come out.
pub fn difference(
    layer: Layer,
    index: usize,
    expected: Option<&Fate>,
    got: Option<&Fate>,
) -> Option<Failure> {
    let text = match (expected, got) {
        (Some(expected), got) => compare_packet(expected, got, &[])?.to_string(),
        (None, None) => return None,
        (None, Some(_)) => String::from("a packet that does not enter has a fate"),
    };
    Some(failure(layer, Some(index), text))
}
