//! A design that is stepped by hand, with its ports by name.

use hardpath_rtl::check::check;
use hardpath_rtl::{Design, Module};
use hardpath_rtlsim::{PortHandle, SimError, Simulator};
use std::collections::HashMap;

pub struct Bench {
    simulator: Simulator,
    ports: HashMap<String, PortHandle>,
}

impl Bench {
    /// Checks and compiles a design; it is in its reset state.
    pub fn new(design: &Design) -> Bench {
        if let Err(errors) = check(design) {
            let list: Vec<String> = errors.iter().map(ToString::to_string).collect();
            panic!("{}", list.join("\n"));
        }
        let simulator = Simulator::new(design).unwrap_or_else(|error| panic!("{error}"));
        Bench {
            simulator,
            ports: HashMap::new(),
        }
    }

    /// One module alone.
    pub fn of(module: impl Into<Module>) -> Bench {
        let mut design = Design::new();
        design.add(module);
        Bench::new(&design)
    }

    fn port(&mut self, name: &str) -> PortHandle {
        if let Some(port) = self.ports.get(name) {
            return *port;
        }
        let found = self
            .simulator
            .input(name)
            .or_else(|| self.simulator.output(name));
        let port = found.unwrap_or_else(|| panic!("no port {name}"));
        self.ports.insert(name.to_string(), port);
        port
    }

    pub fn set(&mut self, name: &str, value: u64) {
        let port = self.port(name);
        self.simulator.set_u64(port, value);
    }

    pub fn set_wide(&mut self, name: &str, limbs: &[u64]) {
        let port = self.port(name);
        self.simulator.set(port, limbs);
    }

    /// What stood on a port before the last clock edge.
    pub fn get(&mut self, name: &str) -> u64 {
        let port = self.port(name);
        self.simulator.get_u64(port)
    }

    /// What stands in a register; `None`: there is none of that name.
    pub fn register(&self, name: &str) -> Option<u64> {
        self.simulator.peek(name).map(|limbs| limbs[0])
    }

    pub fn get_wide(&mut self, name: &str) -> Vec<u64> {
        let port = self.port(name);
        self.simulator.get(port).to_vec()
    }

    pub fn step(&mut self) {
        self.simulator
            .step()
            .unwrap_or_else(|error| panic!("{error}"));
    }

    /// The edges of the clocks of those names, at once.
    pub fn step_on(&mut self, clocks: &[&str]) {
        self.try_step_on(clocks)
            .unwrap_or_else(|error| panic!("{error}"));
    }

    pub fn try_step_on(&mut self, clocks: &[&str]) -> Result<(), SimError> {
        let clocks = clocks.iter().map(|name| self.simulator.clock(name));
        let clocks: Vec<_> = clocks.map(|clock| clock.expect("a clock")).collect();
        self.simulator.step_on(&clocks)
    }

    /// The error of a step that must break an assertion.
    pub fn step_fails(&mut self) -> String {
        self.simulator
            .step()
            .expect_err("an assertion fails")
            .to_string()
    }

    pub fn reset(&mut self, clocks: u32) {
        self.set("rst", 1);
        for _ in 0..clocks {
            self.step();
        }
        self.set("rst", 0);
    }
}
