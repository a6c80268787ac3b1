//! The cores on which random programs run: each is built once and takes many programs, as a card does.
//!
//! Building the simulator of a core takes far longer than the packets of a random program do in it, and cores that differ in their slots
//! alone are nearly the same hardware. So there is a short list of slots ([`sets`]), and a program gets the first core that it fits
//! ([`fit`]), by the same rule as a program that is compiled for a given core. Which one that is follows from the program alone: what ran
//! before it has no part in it, and the simulator is fresh, so a seed or a case repeats a failure. Programs that fit none have a core for
//! themselves, and so have all that ask for it ([`Hardware::own_core`](crate::hardware::Hardware::own_core)).

use crate::engines::Engines;
use crate::hardware::Made;
use hardpath_blocks::interface::Interface;
use hardpath_core::hardware::processor::{fit::fit, processor, Built, Processor};
use hardpath_core::image::Image;
use hardpath_core::long::WHOLE_BYTES;
use hardpath_ir::{Find, MapDecl};
use std::sync::{Arc, Mutex, PoisonError};

/// A core, and its simulators.
pub struct Core {
    /// What it is built for.
    pub config: Processor,
    /// Its hardware.
    pub built: Built,
    /// See there.
    pub engines: Engines,
}

impl Core {
    /// One that was not built before.
    pub fn new(config: Processor) -> Core {
        Core {
            built: processor(&config),
            config,
            engines: Engines::default(),
        }
    }

    /// With what a driver of a program on it must know.
    pub fn made<'a>(&'a self, interface: &'a Interface) -> Made<'a> {
        Made {
            design: &self.built.design,
            interface,
            engines: &self.engines,
        }
    }
}

/// Cores that take many programs, built when the first one comes.
#[derive(Default)]
pub struct Cores {
    built: Mutex<Vec<Arc<Core>>>,
}

impl Cores {
    /// The core for a program; `own`: the one that fits it exactly.
    pub fn core(&self, own: Processor, image: &Image) -> Arc<Core> {
        match shared(&own, image) {
            Some(config) => self.built(config),
            None => Arc::new(Core::new(own)),
        }
    }

    /// The one for it in Verilator.
    pub fn in_verilator(&self, own: Processor, image: &Image) -> Arc<Core> {
        let bus_bits = BUS_BITS[own.machine.lanes.ilog2() as usize];
        self.core(Processor { bus_bits, ..own }, image)
    }

    fn built(&self, config: Processor) -> Arc<Core> {
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        let known = built.iter().find(|core| core.config == config);
        if let Some(core) = known {
            return Arc::clone(core);
        }
        let core = Arc::new(Core::new(config));
        built.push(Arc::clone(&core));
        core
    }
}

/// Bits of the streams of cores that take many programs, by the logarithm of their lanes. In Verilator there are no others: a model takes far
/// longer to build than a program runs in it. The native simulator has the widest streams, too, and with 4 lanes all.
const BUS_BITS: [u32; 4] = [64, 128, 512, 256];

/// What becomes of other widths.
fn bus_bits(own: &Processor) -> u32 {
    let lanes = own.machine.lanes;
    match own.bus_bits {
        bits if lanes == 4 || bits == 512 => bits,
        _ => BUS_BITS[lanes.ilog2() as usize],
    }
}

/// The first core for many programs that takes this one, with its inputs and outputs. `None`: there is no such core.
fn shared(own: &Processor, image: &Image) -> Option<Processor> {
    let cores = sets().into_iter().map(|slots| {
        let has_lru = slots.iter().any(|slot| slot.forgets);
        Processor {
            bus_bits: bus_bits(own),
            journal: own.journal && has_lru,
            slots,
            ..own.clone()
        }
    });
    let mut cores = cores;
    cores.find(|core| fit(core, image, &[]).is_ok())
}

/// What slots there are, the fewest first.
fn sets() -> [Vec<MapDecl>; 5] {
    let slot = |find: Find, bytes, entries| MapDecl::new("room", find, bytes, entries);
    let hash = |entries| slot(Find::Exact, (24, 64), entries);
    let lru = |entries| MapDecl {
        forgets: true,
        ..hash(entries)
    };
    let array = |entries| slot(Find::Array, (4, WHOLE_BYTES), entries);
    let folded = |entries| slot(Find::Array, (4, 256), entries);
    let targets = |value_bytes| slot(Find::Slots, (4, value_bytes), 8);
    let prefixes = slot(Find::Prefix, (6, 96), 64);
    [
        vec![],
        vec![hash(64), array(16), folded(16)],
        vec![hash(64), hash(64), array(16), array(16)],
        vec![
            hash(64),
            hash(64),
            hash(3000),
            array(16),
            array(5000),
            folded(16),
            folded(5000),
            targets(4),
            targets(8),
            prefixes,
        ],
        vec![
            hash(64),
            hash(64),
            lru(16),
            lru(16),
            lru(1024),
            array(16),
            folded(16),
            targets(4),
        ],
    ]
}
