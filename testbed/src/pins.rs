//! The pins of the host port as a bus that answers each access before the next: for a driver of a design whose clock nobody
//! else steps meanwhile.

use crate::axilite::AxiLite;
use crate::dut::Dut;
use hardpath_diagnostic::Diagnostic;
use hardpath_registers::{Access, Bus, SPACE};

/// Clocks after which an access counts as lost.
const ACCESS_CLOCKS: u32 = 1000;
/// So often a command may be busy: the map operations that take longest, of prefixes, take some clocks for each entry.
const POLLS: u64 = 1_000_000;

/// A design's host port. What stands on other pins stays as it is, for all clocks that an access takes.
pub struct Pins<'a> {
    dut: &'a mut dyn Dut,
    master: AxiLite,
}

impl<'a> Pins<'a> {
    /// # Errors
    /// The design has no host port.
    pub fn new(dut: &'a mut dyn Dut) -> Result<Pins<'a>, Diagnostic> {
        let master = AxiLite::new(dut)?;
        Ok(Pins { dut, master })
    }

    fn carry_out(&mut self, access: Access) -> Result<u32, Diagnostic> {
        self.master.start(access);
        for _ in 0..ACCESS_CLOCKS {
            self.master.drive(self.dut);
            self.dut.step()?;
            if let Some(word) = self.master.observe(self.dut)? {
                self.master.drive(self.dut);
                return Ok(word);
            }
        }
        let access = access.describe();
        Err(Diagnostic::defect(
            "host-port-hangs",
            format!("the design does not answer the {access} within {ACCESS_CLOCKS} clocks"),
        )
        .help("this is a defect of the generated design: please report it with the program"))
    }
}

impl Bus for Pins<'_> {
    type Error = Diagnostic;

    fn read32(&mut self, address: u64) -> Result<u32, Diagnostic> {
        let address = pin_address(address)?;
        self.carry_out(Access::Read { address })
    }

    fn write32(&mut self, address: u64, data: u32) -> Result<(), Diagnostic> {
        let address = pin_address(address)?;
        self.carry_out(Access::Write { address, data }).map(|_| ())
    }

    fn waits(&mut self, polls: u64) -> bool {
        polls < POLLS
    }
}

/// The pins have 16 bits of an address.
fn pin_address(address: u64) -> Result<u32, Diagnostic> {
    let of_pins = u32::try_from(address)
        .ok()
        .filter(|address| *address < SPACE);
    of_pins.ok_or_else(|| {
        Diagnostic::input(
            "host-port-error",
            format!("address {address:#x} is behind the registers of a design, which take {SPACE:#x} bytes"),
        )
        .help("give the design a base address on the bus in front of it")
    })
}
