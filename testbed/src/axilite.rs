//! An AXI4-Lite master: one transaction at a time, stepped beside the streams.

mod writes;

use crate::dut::{Dut, Port, PortDirection};
use hardpath_diagnostic::Diagnostic;
use hardpath_registers::Access;
pub use writes::Writes;

/// AXI's OKAY (AMBA AXI, A3.4.4): the access was done.
pub const OKAY: u64 = 0;
/// AXI's SLVERR (likewise): the design refuses the access.
pub const SLVERR: u64 = 2;

/// Drives the `s_axil_*` ports. Call [`AxiLite::drive`] before each step and [`AxiLite::observe`] after it.
pub struct AxiLite {
    ports: Ports,
    state: State,
}

/// The answer of a finished access: the data of a read, 0 after a write.
pub type Answer = u32;

struct Ports {
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
    araddr: Port,
    arvalid: Port,
    arready: Port,
    rdata: Port,
    rresp: Port,
    rvalid: Port,
    rready: Port,
}

enum State {
    Idle,
    Read {
        address: u32,
        address_taken: bool,
    },
    Write {
        address: u32,
        data: u32,
        address_taken: bool,
        data_taken: bool,
    },
}

impl AxiLite {
    /// Finds the ports and sets them to idle.
    pub fn new(dut: &mut dyn Dut) -> Result<AxiLite, Diagnostic> {
        let input = |dut: &dyn Dut, name: &str, width| {
            dut.required(&format!("s_axil_{name}"), width, PortDirection::Input)
        };
        let output = |dut: &dyn Dut, name: &str, width| {
            dut.required(&format!("s_axil_{name}"), width, PortDirection::Output)
        };
        let ports = Ports {
            awaddr: input(dut, "awaddr", 16)?,
            awvalid: input(dut, "awvalid", 1)?,
            awready: output(dut, "awready", 1)?,
            wdata: input(dut, "wdata", 32)?,
            wstrb: input(dut, "wstrb", 4)?,
            wvalid: input(dut, "wvalid", 1)?,
            wready: output(dut, "wready", 1)?,
            bresp: output(dut, "bresp", 2)?,
            bvalid: output(dut, "bvalid", 1)?,
            bready: input(dut, "bready", 1)?,
            araddr: input(dut, "araddr", 16)?,
            arvalid: input(dut, "arvalid", 1)?,
            arready: output(dut, "arready", 1)?,
            rdata: output(dut, "rdata", 32)?,
            rresp: output(dut, "rresp", 2)?,
            rvalid: output(dut, "rvalid", 1)?,
            rready: input(dut, "rready", 1)?,
        };
        let mut master = AxiLite {
            ports,
            state: State::Idle,
        };
        master.drive(dut);
        Ok(master)
    }

    /// No access is under way.
    pub fn is_idle(&self) -> bool {
        matches!(self.state, State::Idle)
    }

    /// Begins an access at the next clock. The master must be idle.
    pub fn start(&mut self, access: Access) {
        debug_assert!(self.is_idle(), "one access at a time");
        self.state = match access {
            Access::Read { address } => State::Read {
                address,
                address_taken: false,
            },
            Access::Write { address, data } => State::Write {
                address,
                data,
                address_taken: false,
                data_taken: false,
            },
        };
    }

    /// Sets the ports for the next clock.
    pub fn drive(&mut self, dut: &mut dyn Dut) {
        let ports = &self.ports;
        let (read, write) = match self.state {
            State::Idle => (None, None),
            State::Read {
                address,
                address_taken,
            } => (Some((address, address_taken)), None),
            State::Write {
                address,
                data,
                address_taken,
                data_taken,
            } => (None, Some((address, data, address_taken, data_taken))),
        };
        let asks_read = matches!(read, Some((_, false)));
        dut.set_u64(ports.arvalid, asks_read.into());
        dut.set_u64(ports.rready, read.is_some().into());
        if let Some((address, _)) = read {
            dut.set_u64(ports.araddr, address.into());
        }
        let asks_write = matches!(write, Some((_, _, false, _)));
        let gives_data = matches!(write, Some((_, _, _, false)));
        dut.set_u64(ports.awvalid, asks_write.into());
        dut.set_u64(ports.wvalid, gives_data.into());
        dut.set_u64(ports.bready, write.is_some().into());
        if let Some((address, data, _, _)) = write {
            dut.set_u64(ports.awaddr, address.into());
            dut.set_u64(ports.wdata, data.into());
            dut.set_u64(ports.wstrb, 0xf);
        }
    }

    /// Looks at the ports after a step: the answer, when the access is done; an error when the design answered
    /// with one or answered what was not asked.
    pub fn observe(&mut self, dut: &dyn Dut) -> Result<Option<Answer>, Diagnostic> {
        let ports = &self.ports;
        let answers_read = dut.get_bit(ports.rvalid);
        let answers_write = dut.get_bit(ports.bvalid);
        match &mut self.state {
            State::Idle => {}
            State::Read {
                address,
                address_taken,
            } => {
                *address_taken |= dut.get_bit(ports.arready);
                if answers_read {
                    if !*address_taken {
                        return Err(unasked("s_axil_rvalid"));
                    }
                    let data = dut.get_u64(ports.rdata) as u32;
                    check_response(dut.get_u64(ports.rresp), *address)?;
                    self.state = State::Idle;
                    return Ok(Some(data));
                }
            }
            State::Write {
                address,
                address_taken,
                data_taken,
                ..
            } => {
                *address_taken |= dut.get_bit(ports.awready);
                *data_taken |= dut.get_bit(ports.wready);
                if answers_write {
                    if !*address_taken || !*data_taken {
                        return Err(unasked("s_axil_bvalid"));
                    }
                    check_response(dut.get_u64(ports.bresp), *address)?;
                    self.state = State::Idle;
                    return Ok(Some(0));
                }
            }
        }
        let expects_read = matches!(self.state, State::Read { .. });
        let expects_write = matches!(self.state, State::Write { .. });
        if answers_read && !expects_read {
            return Err(unasked("s_axil_rvalid"));
        }
        if answers_write && !expects_write {
            return Err(unasked("s_axil_bvalid"));
        }
        Ok(None)
    }

    /// What the master waits for, for messages.
    pub fn pending(&self) -> Option<String> {
        match self.state {
            State::Idle => None,
            State::Read { address, .. } => Some(format!("a read of register {address:#06x}")),
            State::Write { address, .. } => Some(format!("a write to register {address:#06x}")),
        }
    }
}

fn unasked(port: &str) -> Diagnostic {
    Diagnostic::defect(
        "protocol-violation",
        format!("{port} is 1 without an access that it could answer"),
    )
}

fn check_response(response: u64, address: u32) -> Result<(), Diagnostic> {
    match response {
        OKAY => Ok(()),
        _ => Err(Diagnostic::defect(
            "host-port-error",
            format!("the design answered the access to register {address:#06x} with response {response}"),
        )),
    }
}
