//! What a P4 source means as a judge: the reference interpreter, which knows nothing of what the program became. Only what its tables hold
//! at the end is written as the tables of that have it.

use super::Meaning;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::maps::Image;
use hardpath_oracle::{Judge, Known, MapChange, Question, Running, Who};
use hardpath_p4::interpreter::{Machine, Outcome, Way};
use hardpath_packet::{Class, Copy, Fate, Sideband};

/// The reference interpreter, with the entries that the program begins with.
pub struct Reference<'p> {
    meaning: &'p Meaning,
    machine: Machine<'p>,
    /// What the tables of what the program became hold at the begin.
    first: Image,
    /// Packets that it has run.
    packets: u64,
}

impl Meaning {
    /// A judge before the first packet.
    ///
    /// # Errors
    /// As those of [`Machine::new`]; what entries do not fit.
    pub fn judge(&self) -> Result<Reference<'_>, Vec<Diagnostic>> {
        let read = &self.read;
        let mut machine = Machine::new(&read.program, &read.sources, &read.design)?;
        read.fill(&mut machine, &self.entries)?;
        self.heard.take();
        let first = read.contents(&self.lowered, &self.entries)?;
        Ok(Reference {
            first,
            meaning: self,
            machine,
            packets: 0,
        })
    }
}

impl Reference<'_> {
    /// What becomes of a packet; what the program says of it is heard.
    ///
    /// # Errors
    /// `p4-unsupported`: it asks for what is not there.
    pub fn run(&mut self, packet: &[u8], sideband: &Sideband) -> Result<Fate, Diagnostic> {
        self.packets += 1;
        self.machine.draw_from(sideband.random);
        let ran = self
            .machine
            .packet(sideband.ingress, packet, sideband.time_ns);
        let mut outcome = ran.map_err(|mut error| {
            error.message += &format!(" (packet {} of the run asks for it)", self.packets);
            error
        })?;
        let messages = std::mem::take(&mut outcome.messages);
        self.meaning.heard.borrow_mut().add(self.packets, messages);
        Ok(fate(outcome))
    }
}

/// As hardware tells it.
fn fate(outcome: Outcome) -> Fate {
    let (class, index) = match outcome.way {
        Way::Nowhere => return Fate::ends(&[]),
        Way::Back => (Class::SamePort, 0),
        Way::Port(port) => (Class::Port, port),
        Way::Host(queue) => (Class::HostQueue, queue),
    };
    Fate::leaves(Copy {
        class,
        index,
        outputs: Vec::new(),
        data: outcome.bytes,
    })
}

impl Judge for Reference<'_> {
    fn who(&self) -> Who {
        Who {
            name: "the P4 reference interpreter",
            version: None,
        }
    }

    fn outputs(&self) -> Vec<String> {
        Vec::new()
    }

    fn objection(&mut self, _: usize, _: &Sideband) -> Result<Option<String>, Diagnostic> {
        Ok(None)
    }

    fn begin(
        &mut self,
        packets: Vec<Question>,
        _: Vec<Vec<MapChange>>,
    ) -> Result<Box<dyn Running>, Diagnostic> {
        let packets = packets.iter();
        let fates = packets.map(|(packet, sideband)| self.run(packet, sideband));
        Ok(Box::new(Known(fates.collect::<Result<_, _>>()?)))
    }

    /// Nobody else is ever asked in its place.
    fn apply(&mut self, _: Vec<MapChange>) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn set(&mut self, _: MapChange) -> Result<(), Diagnostic> {
        let message = "the P4 reference interpreter takes no entries while packets run";
        Err(Diagnostic::defect("p4-judge", message))
    }

    fn image(&mut self) -> Result<Image, Diagnostic> {
        let read = &self.meaning.read;
        let lowered = &self.meaning.lowered;
        let machine = &mut self.machine;
        Ok(lowered.image(machine, &read.program, &read.design, &self.first))
    }
}

#[cfg(test)]
mod tests {
    use crate::arguments::{Command, CommandLine};
    use crate::source::{self, Loaded};
    use crate::target;
    use clap::Parser;
    use hardpath_ir::interpreter::Prepared;
    use hardpath_ir::maps::{Image, Maps};
    use hardpath_oracle::{Comparison, Reference};
    use hardpath_packet::Sideband;

    fn loaded() -> Loaded {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../programs/p4/");
        let [program, entries] = ["l2l3.p4", "l2l3.entries"].map(|file| format!("{folder}{file}"));
        let words = [
            "hardpath",
            "check",
            &program,
            "--entries",
            &entries,
            "--pcap",
            "none",
        ];
        let line = CommandLine::try_parse_from(words).expect("a command");
        let Command::Check(arguments) = line.command else {
            unreachable!("it is that command");
        };
        let asked = target::asked(&arguments.program.hardware).expect("a target");
        source::load(&arguments.program, &asked).unwrap_or_else(|errors| panic!("{errors:#?}"))
    }

    /// What a run whose tables hold this gives, compared with the meaning of the source.
    fn compared(loaded: &Loaded, image: &Image) -> Comparison {
        let meaning = loaded.meaning.as_ref().expect("a P4 source");
        let judge = meaning.judge().expect("a judge");
        let mut reference =
            Reference::new(&loaded.program, &loaded.contents, Some(judge)).expect("a reference");
        let mut comparison = Comparison::new(reference.judge(), reference.outputs());
        let mut maps = Maps::new(&loaded.program.maps);
        maps.load(image).expect("it fits");
        let mut engine = Prepared::new(&loaded.program);
        // To a station that is known, and to one that is not.
        for (number, last) in [(1, 0x0a), (2, 0x77)] {
            let packet = [&[2, 0, 0, 0, 0, last][..], &[7; 54]].concat();
            let sideband = Sideband::default();
            let expected = reference.run(&packet, &sideband).expect("an answer");
            let fate = engine.run(&mut maps, &packet, &sideband);
            comparison.packet("one.pcap", number, &expected, Some(&fate));
        }
        comparison.maps(&reference.maps().expect("they are there"), &maps.image());
        comparison
    }

    #[test]
    fn other_entries_are_told_from_those_of_the_source() {
        let loaded = loaded();
        let right = compared(&loaded, &loaded.contents);
        assert!(right.is_clean(), "{:#?}", right.first);
        assert_eq!((right.packets, right.judged), (2, 2));
        let mut other = loaded.contents.clone();
        let stations = other
            .iter_mut()
            .find(|(name, _)| name.ends_with(".dmac"))
            .expect("the table")
            .1;
        let (_, entry) = stations
            .iter_mut()
            .find(|(key, _)| key[0] == 0x0a)
            .expect("an entry");
        // The port is behind the number of the action.
        entry[0] ^= 1 << 4;
        let wrong = compared(&loaded, &other);
        assert_eq!((wrong.mismatches, wrong.map_mismatches), (1, 1));
        assert_eq!(wrong.interpreter_mismatches, 0);
        let told: Vec<String> = wrong.first.iter().map(ToString::to_string).collect();
        assert!(
            told[0].starts_with("one.pcap, packet 1: destination: expected port 1, got port "),
            "{told:#?}"
        );
    }
}
