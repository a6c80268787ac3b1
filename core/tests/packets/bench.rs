//! A design that is stepped by hand, with its ports by name.

use hardpath_rtl::check::check;
use hardpath_rtl::{Design, Module};
use hardpath_rtlsim::{PortHandle, Simulator};
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
        let input = self.simulator.input(name);
        let found = input.or_else(|| self.simulator.output(name));
        let port = found.unwrap_or_else(|| panic!("no port {name}"));
        self.ports.insert(name.to_string(), port);
        port
    }

    pub fn set(&mut self, name: &str, value: u64) {
        let port = self.port(name);
        self.simulator.set_u64(port, value);
    }

    /// Sets bytes, the first one lowest.
    pub fn set_bytes(&mut self, name: &str, bytes: &[u8]) {
        let limbs: Vec<u64> = bytes
            .chunks(8)
            .map(|chunk| {
                let mut limb = [0; 8];
                limb[..chunk.len()].copy_from_slice(chunk);
                u64::from_le_bytes(limb)
            })
            .collect();
        self.set_wide(name, &limbs);
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

    pub fn get_bytes(&mut self, name: &str) -> Vec<u8> {
        let port = self.port(name);
        let limbs = self.simulator.get(port).iter();
        limbs.flat_map(|limb| limb.to_le_bytes()).collect()
    }

    pub fn step(&mut self) {
        let stepped = self.simulator.step();
        stepped.unwrap_or_else(|error| panic!("{error}"));
    }

    /// The error of a step that must break an assertion.
    pub fn step_fails(&mut self) -> String {
        let stepped = self.simulator.step();
        stepped.expect_err("an assertion fails").to_string()
    }
}

/// The name of a port of which there are several.
pub fn numbered(name: &str, number: usize) -> String {
    hardpath_rtl::signals::numbered(name, number)
}
