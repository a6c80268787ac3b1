//! The native engine: the design compiled into this process.

use crate::dut::{top_ports, Dut, Port};
use hardpath_ir::Diagnostic;
use hardpath_rtl::Design;
use hardpath_rtlsim::{PortHandle, SimError, Simulator};

/// A design in the native simulator.
pub struct Native {
    simulator: Simulator,
    /// By port index.
    ports: Vec<(String, Port, PortHandle)>,
}

impl Native {
    /// Compiles the design in memory.
    pub fn new(design: &Design) -> Result<Native, Diagnostic> {
        let simulator = Simulator::new(design).map_err(failed)?;
        let mut ports = Vec::new();
        for (name, port) in top_ports(design) {
            let handle = match port.is_input {
                true => simulator.input(&name),
                false => simulator.output(&name),
            };
            let handle = handle.ok_or_else(|| {
                Diagnostic::defect("port-missing", format!("the simulator has no port {name}"))
            })?;
            ports.push((name, port, handle));
        }
        Ok(Native { simulator, ports })
    }

    /// The simulator, for what is not seen at the ports.
    pub fn simulator(&self) -> &Simulator {
        &self.simulator
    }
}

impl Dut for Native {
    fn port(&self, name: &str) -> Option<Port> {
        let (_, port, _) = self.ports.iter().find(|(port, _, _)| port == name)?;
        Some(*port)
    }

    fn set(&mut self, port: Port, limbs: &[u64]) {
        debug_assert!(port.is_input, "only inputs are set");
        self.simulator.set(self.ports[port.index as usize].2, limbs);
    }

    fn get(&self, port: Port) -> &[u64] {
        self.simulator.get(self.ports[port.index as usize].2)
    }

    fn step(&mut self) -> Result<(), Diagnostic> {
        self.simulator.step().map_err(failed)
    }
}

fn failed(error: SimError) -> Diagnostic {
    let defect = "this is a defect of the generated design: please report it with the program";
    match error {
        SimError::Assertion { name, message, .. } => Diagnostic::defect(
            "assertion-failed",
            format!("an assertion of the design failed: {name}: {message}"),
        )
        .help(defect),
        other => Diagnostic::defect("simulator-failed", other.to_string()).help(defect),
    }
}
