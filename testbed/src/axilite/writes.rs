//! Writes in a row, one in each clock that takes it: the next one does not wait for the answer of the one before.

use super::{check_response, unasked};
use crate::dut::{Dut, Port, PortDirection};
use hardpath_diagnostic::Diagnostic;
use std::collections::VecDeque;

/// Drives the write ports of `s_axil_*`. Call [`Writes::drive`] before each step and [`Writes::observe`] after it, while no access of
/// another master is under way.
pub struct Writes {
    awaddr: Port,
    awvalid: Port,
    awready: Port,
    wdata: Port,
    wstrb: Port,
    wvalid: Port,
    wready: Port,
    bresp: Port,
    bvalid: Port,
    bready: Port,
    /// Address and data of those that are not taken, and addresses of those that have no answer.
    waiting: VecDeque<(u32, u32)>,
    taken: VecDeque<u32>,
    address_taken: bool,
    data_taken: bool,
    clocks: u64,
}

impl Writes {
    /// Finds the ports.
    ///
    /// # Errors
    /// The design does not have them.
    pub fn new(dut: &dyn Dut) -> Result<Writes, Diagnostic> {
        let port = |name: &str, width, direction| {
            dut.required(&format!("s_axil_{name}"), width, direction)
        };
        let input = |name: &str, width| port(name, width, PortDirection::Input);
        let output = |name: &str, width| port(name, width, PortDirection::Output);
        Ok(Writes {
            awaddr: input("awaddr", 16)?,
            awvalid: input("awvalid", 1)?,
            awready: output("awready", 1)?,
            wdata: input("wdata", 32)?,
            wstrb: input("wstrb", 4)?,
            wvalid: input("wvalid", 1)?,
            wready: output("wready", 1)?,
            bresp: output("bresp", 2)?,
            bvalid: output("bvalid", 1)?,
            bready: input("bready", 1)?,
            waiting: VecDeque::new(),
            taken: VecDeque::new(),
            address_taken: false,
            data_taken: false,
            clocks: 0,
        })
    }

    /// Begins: addresses and data.
    pub fn begin(&mut self, writes: &[(u32, u32)]) {
        self.waiting = writes.iter().copied().collect();
        self.clocks = 0;
    }

    /// Sets the ports for the next clock.
    pub fn drive(&mut self, dut: &mut dyn Dut) {
        let first = self.waiting.front();
        dut.set_u64(
            self.awvalid,
            (first.is_some() && !self.address_taken).into(),
        );
        dut.set_u64(self.wvalid, (first.is_some() && !self.data_taken).into());
        dut.set_u64(self.bready, 1);
        if let Some((address, data)) = first {
            dut.set_u64(self.awaddr, (*address).into());
            dut.set_u64(self.wdata, (*data).into());
            dut.set_u64(self.wstrb, 0xf);
        }
    }

    /// Looks at the ports after a step. When all are done: the clocks from the first one offered to the last one taken.
    ///
    /// # Errors
    /// The design refuses a write, or answers one that it did not take.
    pub fn observe(&mut self, dut: &mut dyn Dut) -> Result<Option<u64>, Diagnostic> {
        if dut.get_bit(self.bvalid) {
            let address = self.taken.pop_front();
            let address = address.ok_or_else(|| unasked("s_axil_bvalid"))?;
            check_response(dut.get_u64(self.bresp), address)?;
        }
        if !self.waiting.is_empty() {
            self.clocks += 1;
            self.address_taken |= dut.get_bit(self.awready);
            self.data_taken |= dut.get_bit(self.wready);
            if self.address_taken && self.data_taken {
                let taken = self.waiting.pop_front();
                self.taken.extend(taken.map(|(address, _)| address));
                (self.address_taken, self.data_taken) = (false, false);
            }
        }
        let is_over = self.waiting.is_empty() && self.taken.is_empty();
        if is_over {
            self.drive(dut);
            dut.set_u64(self.bready, 0);
        }
        Ok(is_over.then_some(self.clocks))
    }
}
