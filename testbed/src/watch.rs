//! A design in the native simulator, with a note of what enters its pipeline: packets and the host's map operations
//! are done in this order, whatever the ports show.

use crate::dut::{Dut, Port, Words};
use crate::journal::Journals;
use crate::native::Native;
use hardpath_blocks::interface::Interface;
use hardpath_diagnostic::Diagnostic;
use hardpath_registers::Foreign;

/// What entered the pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entered {
    /// A packet, from the entrance.
    Packet,
    /// A map command of the host's; of one that looks into several slots the last of them.
    Host,
}

/// A design in the native simulator, which is driven as any other while it is watched.
pub struct Watched<'a> {
    native: &'a mut Native,
    /// What entered since the watch began.
    pub order: Vec<Entered>,
    /// The most clocks that one map operation of the host took.
    pub longest_operation: u64,
    operation: u64,
    /// The one that is under way entered, and has this place in the order.
    entered: Option<usize>,
    /// What LRU maps took in and forgot.
    pub journals: Journals,
}

impl<'a> Watched<'a> {
    /// # Errors
    /// The design has not the ports that its interface names.
    pub fn new(native: &'a mut Native, interface: &Interface) -> Result<Watched<'a>, Diagnostic> {
        Ok(Watched {
            journals: Journals::new(native, interface)?,
            native,
            order: Vec::new(),
            longest_operation: 0,
            operation: 0,
            entered: None,
        })
    }

    /// The lowest 64 bits of a register; 0 when the design has none of that name.
    fn register(&self, name: &str) -> u64 {
        let limbs = self.native.simulator().peek(name);
        limbs.and_then(|limbs| limbs.first().copied()).unwrap_or(0)
    }
}

impl Dut for Watched<'_> {
    fn port(&self, name: &str) -> Option<Port> {
        self.native.port(name)
    }

    fn set(&mut self, port: Port, limbs: &[u64]) {
        self.native.set(port, limbs);
    }

    fn get(&self, port: Port) -> &[u64] {
        self.native.get(port)
    }

    fn step(&mut self) -> Result<(), Diagnostic> {
        self.operation = match self.register("host.busy") {
            1 => self.operation + 1,
            _ => {
                self.entered = None;
                0
            }
        };
        self.longest_operation = self.longest_operation.max(self.operation);
        // Of a pipeline, and of a processor.
        let entrances = ["ingress.packet_valid_reg", "packet_enters"];
        let packet = entrances.iter().any(|name| self.register(name) == 1);
        // The slot is injected in the last clock in which the entrance is held.
        let host = self.register("host.hold_count") == 1 && self.register("host.running") == 1;
        assert!(
            !(packet && host),
            "a packet and a host operation share a slot"
        );
        if packet {
            self.order.push(Entered::Packet);
        }
        if host {
            if let Some(before) = self.entered.replace(self.order.len()) {
                self.order.remove(before);
                self.entered = Some(self.order.len());
            }
            self.order.push(Entered::Host);
        }
        self.native.step()?;
        self.journals.observe(self.native);
        Ok(())
    }

    fn clocks(&self) -> u64 {
        self.native.clocks()
    }

    fn foreign(&self) -> &Foreign {
        self.native.foreign()
    }

    fn foreign_mut(&mut self) -> &mut Foreign {
        self.native.foreign_mut()
    }

    fn memory(&self, path: &str) -> Option<Words<'_>> {
        self.native.memory(path)
    }

    fn skip_sweep(&mut self) -> bool {
        self.native.skip_sweep()
    }
}
