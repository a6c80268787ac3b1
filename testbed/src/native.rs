//! The native engine: the design compiled into this process.

use crate::dut::{top_ports, ClockPin, Column, Dut, Port, Words};
use hardpath_diagnostic::Diagnostic;
use hardpath_registers::Foreign;
use hardpath_rtl::Design;
use hardpath_rtlsim::{ClockHandle, MemoryView, PortHandle, SimError, Simulator};

/// A design in the native simulator.
pub struct Native {
    simulator: Simulator,
    /// By port index; the first one is the reset of the first clock.
    ports: Vec<(String, Port, PortHandle)>,
    reset: PortHandle,
    /// In the order of the design.
    clocks: Vec<(String, ClockHandle)>,
    /// Nothing happened but reset: all memories are zeros.
    is_fresh: bool,
    foreign: Foreign,
}

/// The register that says that the sweep after reset is over ([`hardpath_blocks::host`]).
const SWEEP_IS_OVER: &str = "sweep_over";

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
        let clocks = design.modules[design.top()].clocks.values();
        let clocks = clocks.map(|clock| {
            let handle = simulator.clock(&clock.name).expect("a clock of the design");
            (clock.name.clone(), handle)
        });
        let clocks = clocks.collect();
        let reset = ports[0].2;
        Ok(Native {
            simulator,
            ports,
            reset,
            clocks,
            is_fresh: true,
            foreign: Foreign::default(),
        })
    }

    /// The same design before its first clock. It costs no compiling.
    pub fn fresh(&self) -> Native {
        Native {
            simulator: self.simulator.fresh(),
            ports: self.ports.clone(),
            reset: self.reset,
            clocks: self.clocks.clone(),
            is_fresh: true,
            foreign: Foreign::default(),
        }
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
        self.is_fresh &= self.simulator.get_u64(self.reset) == 1;
        self.simulator.step().map_err(failed)
    }

    fn clock(&self, name: &str) -> Option<ClockPin> {
        let clock = self.clocks.iter().position(|(clock, _)| clock == name)?;
        Some(ClockPin(clock as u32))
    }

    fn step_on(&mut self, clocks: &[ClockPin]) -> Result<(), Diagnostic> {
        self.is_fresh &= self.simulator.get_u64(self.reset) == 1;
        let clocks = clocks.iter().map(|clock| self.clocks[clock.0 as usize].1);
        let clocks: Vec<ClockHandle> = clocks.collect();
        self.simulator.step_on(&clocks).map_err(failed)
    }

    fn clocks(&self) -> u64 {
        self.simulator.clock_count()
    }

    fn foreign(&self) -> &Foreign {
        &self.foreign
    }

    fn foreign_mut(&mut self) -> &mut Foreign {
        &mut self.foreign
    }

    fn memory(&self, path: &str) -> Option<Words<'_>> {
        Words::find(path, |path| {
            let MemoryView {
                bytes,
                stride,
                width,
            } = self.simulator.memory(path)?;
            Some(Column {
                banks: vec![bytes],
                stride,
                width,
            })
        })
    }

    fn skip_sweep(&mut self) -> bool {
        self.is_fresh && self.simulator.poke_all(SWEEP_IS_OVER, &[1]) > 0
    }

    fn clear_maps(&mut self) -> bool {
        self.simulator.clear_memories();
        self.simulator.poke_all(SWEEP_IS_OVER, &[1]) > 0
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
        // Whoever put the module into the design has to give it.
        error @ SimError::NoModel { .. } => {
            Diagnostic::defect("simulator-failed", error.to_string())
        }
        other => Diagnostic::defect("simulator-failed", other.to_string()).help(defect),
    }
}
