//! The host's side of a design: what `hardpath_registers` does over the AXI4-Lite port, step by step beside the streams.

use crate::axilite::AxiLite;
use crate::dut::{Dut, PortDirection};
use hardpath_blocks::interface::Interface;
use hardpath_diagnostic::{suggest, Diagnostic};
use hardpath_ir::maps::Image;
use hardpath_registers::{field, load, register, Design, Exchange, Fault, Foreign, Map, Operate};

pub use hardpath_registers::{
    Answer, Counters, Event, Events, HostAnswer, HostOperation, May, Stall,
};

/// Clocks after which an operation counts as lost, and so many more for each slot of its map: one may go through all of them, and where
/// entries have places all may move. A table of few masks that is full goes through all of them for each of 17 entries on a way, four ways
/// and 21 banks (`blocks/src/ternary/masks/control.rs`).
const OPERATION_CLOCKS: u64 = 200_000;
const SLOT_CLOCKS: u64 = 2_000;

/// Performs operations one after another. While packets run, [`Host::drive`] and [`Host::observe`] go along with
/// the streams; otherwise the methods that take a `dut` step the clock themselves.
pub struct Host {
    design: Design,
    master: AxiLite,
    running: Option<Exchange>,
}

impl Host {
    /// Finds the ports `s_axil_*` of the design and sets them to idle.
    ///
    /// # Errors
    /// The design does not have them.
    pub fn new(dut: &mut dyn Dut, interface: &Interface) -> Result<Host, Diagnostic> {
        Ok(Host {
            design: interface.design(),
            master: AxiLite::new(dut)?,
            running: None,
        })
    }

    /// No operation is under way.
    pub fn is_idle(&self) -> bool {
        self.running.is_none()
    }

    /// What the host waits for, for messages.
    pub fn pending(&self) -> Option<String> {
        let operation = self.running.as_ref()?.operation();
        let access = self.master.pending().unwrap_or_default();
        Some(format!(
            "{} ({access})",
            operation.describe(&self.design.maps)
        ))
    }

    /// Begins an operation; the host must be idle. Sizes of key and value are checked.
    pub fn start(&mut self, dut: &dyn Dut, operation: HostOperation) -> Result<(), Diagnostic> {
        debug_assert!(self.is_idle(), "one operation at a time");
        let exchange = Exchange::new(&self.design.maps, dut.foreign(), operation);
        self.running = Some(exchange.map_err(told)?);
        Ok(())
    }

    /// Sets the ports for the next clock.
    pub fn drive(&mut self, dut: &mut dyn Dut) {
        if self.master.is_idle() {
            match self.running.as_ref().and_then(Exchange::wanted) {
                Some(access) => self.master.start(access),
                None => return,
            }
        }
        self.master.drive(dut);
    }

    /// Looks at the ports after a step: the answer, when the operation is done.
    pub fn observe(&mut self, dut: &mut dyn Dut) -> Result<Option<HostAnswer>, Diagnostic> {
        let Some(word) = self.master.observe(dut)? else {
            return Ok(None);
        };
        self.master.drive(dut);
        if let Some(running) = &mut self.running {
            running.take(word).map_err(told)?;
        }
        let over = self.running.take_if(|running| running.wanted().is_none());
        let answer = over.map(|exchange| exchange.finish(dut.foreign_mut()));
        answer.transpose().map_err(told)
    }

    /// Performs one operation while no packet is driven.
    pub fn perform(
        &mut self,
        dut: &mut dyn Dut,
        operation: HostOperation,
    ) -> Result<HostAnswer, Diagnostic> {
        let map = operation.map().and_then(|map| self.design.maps.get(map));
        let slots = map.map_or(0, |map| map.slots);
        let limit = OPERATION_CLOCKS + SLOT_CLOCKS * u64::from(slots);
        self.start(dut, operation)?;
        for _ in 0..limit {
            self.drive(dut);
            dut.step()?;
            if let Some(answer) = self.observe(dut)? {
                return Ok(answer);
            }
        }
        let pending = self.pending().unwrap_or_default();
        Err(Diagnostic::defect(
            "host-port-hangs",
            format!("the design does not answer the host within {limit} clocks: {pending}"),
        )
        .help("this is a defect of the generated design: please report it with the program"))
    }

    /// This host, which steps the clock for all that it does.
    fn stepping<'a>(&'a mut self, dut: &'a mut dyn Dut) -> Stepping<'a> {
        Stepping { host: self, dut }
    }

    /// Reads a register while no packet is driven; `address` in bytes.
    ///
    /// # Errors
    /// The design refuses, or does not answer.
    pub fn read_register(&mut self, dut: &mut dyn Dut, address: u32) -> Result<u32, Diagnostic> {
        self.stepping(dut).read_register(address)
    }

    /// Writes a register while no packet is driven; `address` in bytes.
    ///
    /// # Errors
    /// The design refuses, or does not answer.
    pub fn write_register(
        &mut self,
        dut: &mut dyn Dut,
        address: u32,
        data: u32,
    ) -> Result<(), Diagnostic> {
        self.stepping(dut).write_register(address, data)
    }

    /// Reads what the design has counted, while no packet is driven.
    ///
    /// # Errors
    /// The design refuses, does not answer, or reads as ones.
    pub fn counters(&mut self, dut: &mut dyn Dut) -> Result<Counters, Diagnostic> {
        self.stepping(dut).counters()
    }

    /// Reads what a processor has counted, while no packet is driven.
    ///
    /// # Errors
    /// The design refuses, does not answer, or reads as ones.
    pub fn events(&mut self, dut: &mut dyn Dut) -> Result<Events, Diagnostic> {
        self.stepping(dut).events()
    }

    /// Checks that the design is one of this version of hardpath and made for this program.
    pub fn identify(&mut self, dut: &mut dyn Dut) -> Result<(), Diagnostic> {
        self.stepping(dut).identify()
    }

    /// Writes the program of a processor, and waits until it runs.
    ///
    /// # Errors
    /// The design refuses it, or does not answer.
    pub fn load_program(&mut self, dut: &mut dyn Dut, words: &[u32]) -> Result<(), Diagnostic> {
        let loaded = load::load(&mut self.stepping(dut), words)?;
        let error = |why| {
            let message = format!("the processor does not take the program: {why}");
            Diagnostic::defect("program-not-loaded", message)
        };
        loaded.map(|_| ()).map_err(error)
    }

    /// Sets the interface of an ingress port (0 to 15) and the number that is added to its queues.
    pub fn set_port(
        &mut self,
        dut: &mut dyn Dut,
        port: u8,
        interface: u32,
        first_queue: u32,
    ) -> Result<(), Diagnostic> {
        self.stepping(dut).set_port(port, interface, first_queue)
    }

    /// Writes entries into the design's maps.
    pub fn load_image(&mut self, dut: &mut dyn Dut, image: &Image) -> Result<(), Diagnostic> {
        self.load_image_with(dut, image, |_| ())
    }

    /// The same; `progress` is told how many entries are written.
    pub fn load_image_with(
        &mut self,
        dut: &mut dyn Dut,
        image: &Image,
        mut progress: impl FnMut(usize),
    ) -> Result<(), Diagnostic> {
        let mut written = 0;
        for (name, entries) in image {
            let map = self.map_named(name)?;
            for (key, value) in entries {
                let update = HostOperation::Update {
                    map,
                    key: key.clone(),
                    value: value.clone(),
                    may: May::PUT,
                };
                let answer = self.perform(dut, update)?;
                if !answer.answer.is_done() {
                    return Err(Diagnostic::input(
                        "map-update-failed",
                        format!(
                            "the design does not take key {key:02x?} of map {name}: {}",
                            answer.answer
                        ),
                    )
                    .help("give fewer entries, or a larger map with --max-entries"));
                }
                written += 1;
                progress(written);
            }
        }
        Ok(())
    }

    /// Every entry of every map.
    pub fn dump_image(&mut self, dut: &mut dyn Dut) -> Result<Image, Diagnostic> {
        let mut image = Image::new();
        for map in 0..self.design.maps.len() {
            let name = self.design.maps[map].name.clone();
            image.insert(name, self.stepping(dut).dump(map)?);
        }
        Ok(image)
    }

    fn map_named(&self, name: &str) -> Result<usize, Diagnostic> {
        self.design.map_named(name).ok_or_else(|| {
            let maps = self.design.maps.iter();
            let names: Vec<&str> = maps.map(|map| map.name.as_str()).collect();
            Diagnostic::input("unknown-map", format!("the design has no map {name}"))
                .help(suggest::known(name, names, "its maps:", "it has none"))
        })
    }
}

/// A host, and the design whose clock it steps.
struct Stepping<'a> {
    host: &'a mut Host,
    dut: &'a mut dyn Dut,
}

impl Operate for Stepping<'_> {
    type Error = Diagnostic;

    fn design(&self) -> &Design {
        &self.host.design
    }

    fn foreign(&self) -> &Foreign {
        self.dut.foreign()
    }

    fn perform(&mut self, operation: HostOperation) -> Result<HostAnswer, Diagnostic> {
        self.host.perform(self.dut, operation)
    }

    fn error(&self, fault: Fault) -> Diagnostic {
        told(fault)
    }
}

/// As a message.
fn told(fault: Fault) -> Diagnostic {
    let (code, message) = (fault.code(), fault.to_string());
    let message = match fault.is_input() {
        true => Diagnostic::input(code, message),
        false => Diagnostic::defect(code, message),
    };
    match fault.help() {
        Some(help) => message.help(help),
        None => message,
    }
}

/// A map that holds a key twice.
pub(crate) fn key_twice(map: &Map, key: &[u8]) -> Diagnostic {
    told(Fault::KeyTwice {
        map: map.name.clone(),
        key: key.to_vec(),
    })
}

/// Entries that a processor may have room for.
const MOST_ROOMS: u64 = 1 << 20;

/// Resets the design and waits until it takes packets. Gives the clocks that this took.
pub fn reset(dut: &mut dyn Dut, interface: &Interface) -> Result<u64, Diagnostic> {
    let rst = dut.required("rst", 1, PortDirection::Input)?;
    let valid = dut.required("s_axis_tvalid", 1, PortDirection::Input)?;
    let ready = dut.required("m_axis_tready", 1, PortDirection::Input)?;
    let mut host = Host::new(dut, interface)?;
    dut.set_u64(valid, 0);
    dut.set_u64(ready, 1);
    dut.set_u64(rst, 1);
    let mut clocks = 4;
    for _ in 0..clocks {
        dut.step()?;
    }
    dut.set_u64(rst, 0);
    dut.skip_sweep();
    dut.foreign_mut().clear();

    // Maps are cleared word by word: a few clocks a slot are far more than any of them needs.
    let slots: u64 = interface.maps.iter().map(|map| u64::from(map.slots)).sum();
    let slots = match interface.is_processor() {
        // Its maps stand in rooms that may be larger, and there may be more of these.
        true => slots.max(MOST_ROOMS),
        false => slots,
    };
    let limit = 10_000 + 16 * slots;
    while clocks < limit {
        let address = register::STATUS;
        host.start(dut, HostOperation::ReadRegister { address })?;
        while clocks < limit {
            host.drive(dut);
            dut.step()?;
            clocks += 1;
            match host.observe(dut)? {
                Some(answer) if field::READY.of(answer.data) == 1 => return Ok(clocks),
                Some(_) => break,
                None => {}
            }
        }
    }
    Err(Diagnostic::defect(
        "design-hangs",
        format!("the design does not become ready within {limit} clocks after reset"),
    )
    .help("this is a defect of the generated design: please report it with the program"))
}
