//! Somebody who knows what is right: the kernel, the interpreter, and whoever comes later.
//!
//! A judge has maps of its own and runs one packet after the other. What it cannot be asked about it says beforehand
//! ([`Judge::objection`]); then somebody else answers, and tells it what that did to the maps ([`Judge::apply`]).

use hardpath_diagnostic::Diagnostic;
use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::{Image, Maps};
use hardpath_ir::{MapId, Output, Program};
use hardpath_packet::{Fate, Sideband};
use std::collections::BTreeMap;
use std::fmt;

/// A packet's bytes, and what stands beside them.
pub type Question = (Vec<u8>, Sideband);

/// An entry that the host writes or, with `None`, removes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MapChange {
    /// The map's full name.
    pub map: String,
    /// In memory order, as long as the map's keys are.
    pub key: Vec<u8>,
    /// In memory order, as long as the map's values are.
    pub value: Option<Vec<u8>>,
}

/// Who judges.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Who {
    /// Its name: `the kernel`.
    pub name: &'static str,
    /// Its version, where it has one of its own: `6.18.5`.
    pub version: Option<String>,
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.version {
            Some(version) => write!(f, "{} {version}", self.name),
            None => f.write_str(self.name),
        }
    }
}

/// Runs a program on packets and keeps its maps.
pub trait Judge {
    /// Who it is.
    fn who(&self) -> Who;

    /// What the outputs of its fates are called, in their order.
    fn outputs(&self) -> Vec<String>;

    /// Why it cannot be asked about packets like this one, of that length in bytes; `None`: it can.
    ///
    /// # Errors
    /// It has stopped.
    fn objection(
        &mut self,
        length: usize,
        sideband: &Sideband,
    ) -> Result<Option<String>, Diagnostic>;

    /// Begins to run packets that [`Judge::objection`] has nothing against, and may go on at once. In front of each packet its
    /// `changes` are made; behind their end there are none.
    ///
    /// # Errors
    /// It has stopped.
    fn begin(
        &mut self,
        packets: Vec<Question>,
        changes: Vec<Vec<MapChange>>,
    ) -> Result<Box<dyn Running>, Diagnostic>;

    /// Makes the changes that others found right.
    ///
    /// # Errors
    /// A change does not fit.
    fn apply(&mut self, changes: Vec<MapChange>) -> Result<(), Diagnostic>;

    /// Writes or removes an entry as the host does; one that is removed need not be there.
    ///
    /// # Errors
    /// `unknown-map`, or the entry does not fit.
    fn set(&mut self, change: MapChange) -> Result<(), Diagnostic>;

    /// The contents of all maps that it has.
    ///
    /// # Errors
    /// They cannot be read.
    fn image(&mut self) -> Result<Image, Diagnostic>;
}

/// Packets that are being run.
pub trait Running {
    /// What becomes of each, in order.
    ///
    /// # Errors
    /// The judge fails.
    fn wait(self: Box<Self>) -> Result<Vec<Fate>, Diagnostic>;
}

/// The interpreter, which can be asked about every packet.
pub struct Interpreter {
    pub(crate) prepared: Prepared,
    pub(crate) maps: Maps,
    names: BTreeMap<MapId, String>,
    pub(crate) outputs: Vec<Output>,
}

impl Interpreter {
    /// Starts with fresh maps and, in them, `image`.
    ///
    /// # Errors
    /// The image does not fit the program's maps.
    pub fn new(program: &Program, image: &Image) -> Result<Interpreter, Vec<Diagnostic>> {
        let mut maps = Maps::new(&program.maps);
        maps.load(image)?;
        let names = program.maps.iter().map(|(id, map)| (id, map.name.clone()));
        Ok(Interpreter {
            prepared: Prepared::new(program),
            maps,
            names: names.collect(),
            outputs: program.outputs.clone(),
        })
    }

    /// Runs one packet.
    pub(crate) fn run(&mut self, packet: &[u8], sideband: &Sideband) -> Fate {
        self.prepared.run(&mut self.maps, packet, sideband)
    }

    /// The full name of a map.
    pub(crate) fn name(&self, map: MapId) -> String {
        self.names[&map].clone()
    }
}

/// The program has no such map.
fn unknown_map(map: &str) -> Diagnostic {
    Diagnostic::input("unknown-map", format!("the program has no map `{map}`"))
}

impl Judge for Interpreter {
    fn who(&self) -> Who {
        Who {
            name: "the interpreter",
            version: None,
        }
    }

    fn outputs(&self) -> Vec<String> {
        let outputs = self.outputs.iter();
        outputs.map(|output| output.name.clone()).collect()
    }

    fn objection(&mut self, _: usize, _: &Sideband) -> Result<Option<String>, Diagnostic> {
        Ok(None)
    }

    fn begin(
        &mut self,
        packets: Vec<Question>,
        changes: Vec<Vec<MapChange>>,
    ) -> Result<Box<dyn Running>, Diagnostic> {
        let mut changes = changes.into_iter();
        let mut fates = Vec::with_capacity(packets.len());
        for (packet, sideband) in packets {
            self.apply(changes.next().unwrap_or_default())?;
            fates.push(self.run(&packet, &sideband));
        }
        Ok(Box::new(Known(fates)))
    }

    fn apply(&mut self, changes: Vec<MapChange>) -> Result<(), Diagnostic> {
        changes.into_iter().try_for_each(|change| self.set(change))
    }

    fn set(&mut self, change: MapChange) -> Result<(), Diagnostic> {
        let mut ids = self.names.iter();
        let id = ids.find(|(_, name)| **name == change.map);
        let id = *id.ok_or_else(|| unknown_map(&change.map))?.0;
        match change.value {
            Some(value) => {
                let image = Image::from([(change.map, [(change.key, value)].into())]);
                self.maps
                    .load(&image)
                    .map_err(|mut errors| errors.remove(0))
            }
            None => {
                self.maps.delete(id, &change.key);
                Ok(())
            }
        }
    }

    fn image(&mut self) -> Result<Image, Diagnostic> {
        Ok(self.maps.image())
    }
}

/// Answers that are there already.
pub struct Known(pub Vec<Fate>);

impl Running for Known {
    fn wait(self: Box<Self>) -> Result<Vec<Fate>, Diagnostic> {
        Ok(self.0)
    }
}
