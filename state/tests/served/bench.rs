//! A map that is stepped by hand.

use crate::kinds::{Answer, Asked};
use hardpath_blocks::host::LONG_BYTES;
use hardpath_blocks::interface::command::{DUMP, LOOKUP};
use hardpath_ir::{Answer as Said, May};
use hardpath_rtl::check::check;
use hardpath_rtl::Design;
use hardpath_rtlsim::{PortHandle, Simulator};
use hardpath_state::served::{served, Kind, Served, ROW_CLOCKS};
use std::collections::{HashMap, VecDeque};

pub struct Bench {
    simulator: Simulator,
    ports: HashMap<String, PortHandle>,
    /// Of folded values.
    long: Option<LongValue>,
}

/// What the host port keeps of a long value.
struct LongValue {
    bytes: Vec<u8>,
    /// Rows that were asked for, the last one at the end.
    asked: VecDeque<usize>,
}

pub fn design(config: &Served) -> Design {
    let mut design = Design::new();
    let block = served(&mut design, config);
    design.add(block);
    design
}

impl Bench {
    pub fn new(config: &Served) -> Bench {
        let design = design(config);
        assert_eq!(check(&design), Ok(()));
        let simulator = Simulator::new(&design).expect("it simulates");
        let mut bench = Bench {
            simulator,
            ports: HashMap::new(),
            long: (config.kind == Kind::Folded).then(|| LongValue {
                bytes: vec![0; (config.value_bits / 8).next_multiple_of(LONG_BYTES) as usize],
                asked: vec![0; ROW_CLOCKS as usize - 1].into(),
            }),
        };
        bench.reset();
        bench
    }

    pub fn reset(&mut self) {
        self.set("rst", 1);
        self.step();
        self.set("rst", 0);
    }

    fn port(&mut self, name: &str) -> PortHandle {
        if let Some(port) = self.ports.get(name) {
            return *port;
        }
        let simulator = &self.simulator;
        let found = simulator.input(name).or_else(|| simulator.output(name));
        let port = found.unwrap_or_else(|| panic!("no port {name}"));
        self.ports.insert(name.to_string(), port);
        port
    }

    pub fn has(&self, name: &str) -> bool {
        self.simulator.input(name).is_some()
    }

    pub fn set(&mut self, name: &str, value: u64) {
        let port = self.port(name);
        self.simulator.set_u64(port, value);
    }

    /// What stood on a port before the last clock edge.
    pub fn get(&mut self, name: &str) -> u64 {
        let port = self.port(name);
        self.simulator.get_u64(port)
    }

    /// Bytes, the first one in the lowest bits.
    pub fn set_bytes(&mut self, name: &str, bytes: &[u8]) {
        let limb = |bytes: &[u8]| {
            bytes
                .iter()
                .rev()
                .fold(0, |all, byte| all << 8 | u64::from(*byte))
        };
        let limbs: Vec<u64> = bytes.chunks(8).map(limb).collect();
        let port = self.port(name);
        self.simulator.set(port, &limbs);
    }

    /// So many bytes of what stood on a port before the last clock edge.
    pub fn get_bytes(&mut self, name: &str, bytes: u32) -> Vec<u8> {
        let port = self.port(name);
        let limbs = self.simulator.get(port).iter();
        let all = limbs.flat_map(|limb| limb.to_le_bytes());
        all.take(bytes as usize).collect()
    }

    pub fn step(&mut self) {
        self.simulator.step().expect("no assertion fails");
        self.move_long();
    }

    /// What the host port does in a clock for a map with long values.
    fn move_long(&mut self) {
        let Some(mut long) = self.long.take() else {
            return;
        };
        let row = |number: usize| number * LONG_BYTES as usize..(number + 1) * LONG_BYTES as usize;
        let number = self.get("long_row") as usize;
        if self.get("long_gives") == 1 {
            let given = self.get_bytes("long_given", LONG_BYTES);
            long.bytes[row(number)].copy_from_slice(&given);
        }
        long.asked.push_back(number);
        let shown = long.asked.pop_front().expect("one was put");
        let bytes = long.bytes[row(shown)].to_vec();
        self.set_bytes("long_bytes", &bytes);
        self.long = Some(long);
    }

    /// A value for the host's operation.
    pub fn host_value(&mut self, value: &[u8]) {
        match &mut self.long {
            Some(long) => long.bytes[..value.len()].copy_from_slice(value),
            None => self.set_bytes("host_value", value),
        }
    }

    /// What an operation found.
    pub fn host_found(&mut self, bytes: u32) -> Vec<u8> {
        match &self.long {
            Some(long) => long.bytes[..bytes as usize].to_vec(),
            None => self.get_bytes("host_value_out", bytes),
        }
    }

    /// Values are whole in requests and answers.
    pub fn has_whole_values(&self) -> bool {
        self.long.is_none()
    }

    /// Steps until a request is taken, or would be; whether one was within so many clocks.
    pub fn steps_until_ready(&mut self, clocks: u32) -> bool {
        (0..clocks).any(|_| {
            self.step();
            self.get("request_ready") == 1
        })
    }

    pub fn request(&mut self, asked: &Asked) {
        self.set("request_command", asked.command.into());
        self.set("request_may", asked.may.bits().into());
        self.set("request_key", asked.key);
        self.set("request_value", asked.value);
    }

    /// Puts in a request; it is taken in the last clock.
    pub fn ask(&mut self, asked: &Asked) {
        self.request(asked);
        self.set("request_valid", 1);
        assert!(self.steps_until_ready(10_000), "{asked:?} is never taken");
        self.set("request_valid", 0);
    }

    pub fn operation(&mut self, asked: &Asked) {
        self.set("host_command", asked.command.into());
        self.set("host_may", asked.may.bits().into());
        self.set("host_slot", asked.slot);
        self.set("host_key", asked.key);
        self.set("host_value", asked.value);
    }

    /// What the response says to something that was asked.
    pub fn response(&mut self, asked: &Asked) -> Answer {
        let (said, value) = (
            said(self.get("response_answer")),
            self.get("response_value"),
        );
        // All that is no change is a lookup.
        let reads = ![2, 3].contains(&asked.command);
        Answer {
            said,
            value: (reads && said == Said::Done).then_some(value),
        }
    }

    /// What the host is told, and the key.
    pub fn host_answer(&mut self, asked: &Asked) -> (Answer, u64) {
        let (said, value) = (said(self.get("host_answer")), self.get("host_value_out"));
        let reads = [LOOKUP, DUMP].contains(&asked.command);
        let value = (reads && said == Said::Done).then_some(value);
        (Answer { said, value }, self.get("host_key_out"))
    }

    /// Plays an operation of the host to its end.
    pub fn operate(&mut self, asked: &Asked) -> (Answer, u64) {
        self.operation(asked);
        self.set("host_start", 1);
        self.step();
        self.set("host_start", 0);
        for _ in 0..10_000 {
            self.step();
            if self.get("host_done") == 1 {
                return self.host_answer(asked);
            }
        }
        panic!("the host waits for ever: {asked:?}");
    }

    /// Everything that is in the map, as a dump finds it.
    pub fn dump(&mut self, slots: u32) -> Vec<(u64, u64)> {
        let mut found = Vec::new();
        for slot in 0..slots {
            let asked = Asked {
                command: DUMP,
                may: May::PUT,
                slot: slot.into(),
                key: 0,
                value: 0,
            };
            if let (
                Answer {
                    said: Said::Done,
                    value: Some(value),
                },
                key,
            ) = self.operate(&asked)
            {
                found.push((key, value));
            }
        }
        found.sort_unstable();
        found
    }
}

pub fn said(code: u64) -> Said {
    Said::from_code(code as u32).expect("a number of an answer")
}
