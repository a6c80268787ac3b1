//! Compares a run with what is right while it goes on, always behind the engine: what the judge is told about a packet is
//! known by then.

use hardpath_diagnostic::Diagnostic;
use hardpath_ir::maps::{Image, KeyMove};
use hardpath_oracle::{Comparison, LruMap, Reference, BATCH};
use hardpath_packet::{Fate, Sideband};

/// A packet with what a judge must know of it.
pub trait Judged {
    /// Its bytes.
    fn data(&self) -> &[u8];
    /// What the program sees beside them.
    fn sideband(&self) -> Sideband;
    /// The number of the capture that it is from, and its place there, from 1.
    fn place(&self) -> (usize, u64);
}

/// The judge beside a run, and what it has found.
pub struct Judging<'j, P> {
    reference: Reference<'j>,
    comparison: Comparison,
    /// The names of the captures.
    captures: Vec<String>,
    /// Packets that are not judged yet: the kernel is asked about many at once.
    waiting: Vec<(P, Option<Fate>)>,
    /// What each of them moved in LRU maps.
    moves: Vec<Vec<KeyMove>>,
}

impl<'j, P: Judged> Judging<'j, P> {
    /// `captures`: the names of the captures.
    pub fn new(reference: Reference<'j>, captures: Vec<String>) -> Judging<'j, P> {
        Judging {
            comparison: Comparison::new(reference.judge(), reference.outputs()),
            reference,
            captures,
            waiting: Vec::with_capacity(BATCH),
            moves: Vec::with_capacity(BATCH),
        }
    }

    /// LRU maps forget what the engine says.
    pub fn forget_as_told(&mut self, maps: Vec<LruMap>) {
        self.reference.forget_as_told(maps);
    }

    /// What the host moved in LRU maps, between the packets of before and those to come.
    ///
    /// # Errors
    /// The kernel fails.
    pub fn host_moved(&mut self, moves: &[KeyMove]) -> Result<(), Diagnostic> {
        self.judge()?;
        let illegal = self.reference.filled(moves)?;
        self.comparison.forgets(illegal);
        Ok(())
    }

    /// The next packet that enters the program, and what became of it.
    ///
    /// # Errors
    /// The kernel fails.
    pub fn packet(
        &mut self,
        packet: P,
        fate: Option<Fate>,
        moves: Vec<KeyMove>,
    ) -> Result<(), Diagnostic> {
        self.waiting.push((packet, fate));
        self.moves.push(moves);
        match self.waiting.len() < BATCH {
            true => Ok(()),
            false => self.judge(),
        }
    }

    /// Another program takes over: packets from here on are its own. `make`: a judge for it, from what the maps of the one before hold.
    ///
    /// # Errors
    /// The kernel fails; those of `make`.
    pub fn goes_on(
        &mut self,
        make: impl FnOnce(&Image) -> Result<Reference<'j>, Diagnostic>,
    ) -> Result<(), Diagnostic> {
        self.judge()?;
        let maps = self.reference.maps()?;
        self.reference = make(&maps.image)?;
        Ok(())
    }

    /// After the last packet: judges those that wait, and compares the maps.
    ///
    /// # Errors
    /// The kernel fails.
    pub fn finish(mut self, maps: &Image) -> Result<Comparison, Diagnostic> {
        self.judge()?;
        self.comparison.maps(&self.reference.maps()?, maps);
        self.comparison.forgotten = self.reference.forgotten();
        Ok(self.comparison)
    }

    fn judge(&mut self) -> Result<(), Diagnostic> {
        let questions: Vec<(&[u8], Sideband)> = (self.waiting.iter())
            .map(|(packet, _)| (packet.data(), packet.sideband()))
            .collect();
        let answers = self.reference.run_all_told(&questions, &self.moves)?;
        for ((packet, fate), expected) in self.waiting.iter().zip(&answers) {
            let (capture, number) = packet.place();
            let capture = &self.captures[capture];
            self.comparison
                .packet(capture, number, expected, fate.as_ref());
        }
        self.waiting.clear();
        self.moves.clear();
        Ok(())
    }
}
