//! Designs that break the rules of their streams, modelled in software: each fault must be found.

use crate::packet;
use crate::toy::verdict;
use hardpath_blocks::interface::Interface;
use hardpath_diagnostic::Diagnostic;
use hardpath_registers::Foreign;
use hardpath_testbed::dut::{Dut, Port};
use hardpath_testbed::run::{run, RunOptions};
use std::collections::VecDeque;

const PASS: u64 = 2;
const TX: u64 = 3;

/// Sends on every packet, two beats of 8 bytes each, with one fault from the third packet on.
struct Model {
    fault: Fault,
    ports: Vec<(&'static str, Port)>,
    values: Vec<Vec<u64>>,
    /// Beats to come out: data, keep, last.
    beats: VecDeque<(u64, u64, bool)>,
    packets_out: u32,
    held: bool,
    clocks: u64,
    foreign: Foreign,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    None,
    ValidFalls,
    DataChanges,
    KeepHasHole,
    KeepPartialInside,
    KeepZero,
    OutputChangesInside,
    NotSent,
    OutputDiffersFromStrobe,
    OutputTooLarge,
    GoesNowhere,
    StrobeMissing,
    StrobeTwice,
    PacketTwice,
    PacketMissing,
    /// Beats come for ever, and none is the last.
    NeverEnds,
    NeverReady,
}

const PORTS: [(&str, u32, bool); 15] = [
    ("rst", 1, true),
    ("s_axis_tdata", 64, true),
    ("s_axis_tkeep", 8, true),
    ("s_axis_tvalid", 1, true),
    ("s_axis_tlast", 1, true),
    ("s_axis_tuser", 25, true),
    ("m_axis_tready", 1, true),
    ("s_axis_tready", 1, false),
    ("m_axis_tdata", 64, false),
    ("m_axis_tkeep", 8, false),
    ("m_axis_tvalid", 1, false),
    ("m_axis_tlast", 1, false),
    ("m_axis_tuser", 3, false),
    ("m_axis_tdest", 34, false),
    ("fate_valid", 1, false),
];

impl Model {
    fn new(fault: Fault) -> Model {
        let all = PORTS.into_iter().chain([("fate", 4, false)]);
        let ports = all.enumerate().map(|(index, (name, width, is_input))| {
            let index = index as u32;
            (
                name,
                Port {
                    index,
                    width,
                    is_input,
                },
            )
        });
        let ports: Vec<_> = ports.collect();
        Model {
            fault,
            values: vec![vec![0]; ports.len()],
            ports,
            beats: VecDeque::new(),
            packets_out: 0,
            held: false,
            clocks: 0,
            foreign: Foreign::default(),
        }
    }

    fn value(&mut self, name: &str) -> &mut u64 {
        let port = self.port(name).unwrap();
        &mut self.values[port.index as usize][0]
    }
}

impl Dut for Model {
    fn foreign(&self) -> &Foreign {
        &self.foreign
    }

    fn foreign_mut(&mut self) -> &mut Foreign {
        &mut self.foreign
    }

    fn clocks(&self) -> u64 {
        self.clocks
    }

    fn port(&self, name: &str) -> Option<Port> {
        self.ports
            .iter()
            .find(|(port, _)| *port == name)
            .map(|(_, port)| *port)
    }

    fn set(&mut self, port: Port, limbs: &[u64]) {
        self.values[port.index as usize][0] = limbs[0];
    }

    fn get(&self, port: Port) -> &[u64] {
        &self.values[port.index as usize]
    }

    fn step(&mut self) -> Result<(), Diagnostic> {
        self.clocks += 1;
        let fault = if self.packets_out >= 2 {
            self.fault
        } else {
            Fault::None
        };
        let ready = self.fault != Fault::NeverReady;
        *self.value("s_axis_tready") = ready.into();

        let beat = self.beats.front().copied();
        let sink_ready = *self.value("m_axis_tready") == 1;
        let (mut data, mut keep, mut last) = beat.unwrap_or_default();
        let is_second = last;
        let mut valid = beat.is_some();
        let (mut user, mut destination, mut sent) = (PASS, 0, 8);
        let mut strobe = valid && last && sink_ready;
        let mut strobe_output = PASS;
        match fault {
            Fault::ValidFalls => valid &= !self.held,
            Fault::DataChanges => data ^= u64::from(self.held),
            Fault::KeepHasHole if is_second => keep = 0b1011,
            Fault::KeepPartialInside if !is_second => keep = 0x7f,
            Fault::KeepZero if is_second => keep = 0,
            Fault::OutputChangesInside if is_second => user = TX,
            Fault::NotSent => sent = 0,
            Fault::OutputDiffersFromStrobe => strobe_output = TX,
            Fault::OutputTooLarge => strobe_output = 5,
            Fault::GoesNowhere => destination = 3 << 32,
            Fault::StrobeMissing => strobe = false,
            Fault::StrobeTwice => strobe |= valid && sink_ready,
            Fault::PacketMissing => valid = false,
            Fault::NeverEnds => (valid, last, keep, strobe) = (true, false, 0xff, false),
            _ => {}
        }
        for (name, value) in [
            ("m_axis_tdata", data),
            ("m_axis_tkeep", keep),
            ("m_axis_tvalid", valid.into()),
            ("m_axis_tlast", last.into()),
            ("m_axis_tuser", user),
            ("m_axis_tdest", destination),
            ("fate_valid", strobe.into()),
            ("fate", sent | strobe_output),
        ] {
            *self.value(name) = value;
        }
        let leaves = beat.is_some() && (sink_ready || fault == Fault::PacketMissing);
        self.held = valid && !sink_ready;
        if leaves {
            self.beats.pop_front();
            self.packets_out += u32::from(last);
            if fault == Fault::PacketTwice && last {
                self.beats.push_front((data, keep, true));
                self.fault = Fault::None;
            }
        }
        if ready && *self.value("s_axis_tvalid") == 1 {
            let beat = (
                *self.value("s_axis_tdata"),
                *self.value("s_axis_tkeep"),
                *self.value("s_axis_tlast") == 1,
            );
            self.beats.push_back(beat);
        }
        Ok(())
    }
}

fn interface() -> Interface {
    Interface {
        top: "model".into(),
        bus_bits: 64,
        lengths: (14, 9216),
        inputs: Vec::new(),
        outputs: vec![verdict()],
        has_time: false,
        has_random: false,
        has_egress: false,
        repeats: false,
        ahead_bytes: None,
        has_port_table: false,
        maps: Vec::new(),
        design_id: 0,
        program: Vec::new(),
    }
}

fn outcome(fault: Fault) -> Result<usize, Diagnostic> {
    let packets: Vec<_> = (0..40).map(|i| packet(0, 14, i)).collect();
    let options = RunOptions {
        backpressure: Some(2),
        watchdog_clocks: Some(500),
        ..RunOptions::default()
    };
    let result = run(&mut Model::new(fault), &interface(), &packets, &options)?;
    Ok(result
        .outcomes
        .iter()
        .flatten()
        .filter(|out| !out.copies.is_empty())
        .count())
}

#[test]
fn a_good_design_passes() {
    assert_eq!(outcome(Fault::None).unwrap(), 40);
}

#[test]
fn every_fault_is_found() {
    let broken_rules = [
        (Fault::ValidFalls, "fell before"),
        (Fault::DataChanges, "changed while it waited"),
        (Fault::KeepHasHole, "not packed"),
        (Fault::KeepPartialInside, "not all ones"),
        (Fault::KeepZero, "is 0"),
        (Fault::OutputChangesInside, "changed inside"),
        (Fault::NotSent, "no fate sends on"),
        (Fault::OutputDiffersFromStrobe, "its strobe said [3]"),
        (Fault::OutputTooLarge, "counted as 5"),
        (Fault::GoesNowhere, "goes nowhere"),
        (Fault::StrobeMissing, "no fate sends on"),
        (Fault::StrobeTwice, "fate"),
        (Fault::PacketTwice, "comes out"),
        (Fault::NeverEnds, "does not end"),
    ];
    for (fault, message) in broken_rules {
        let error = outcome(fault).unwrap_err();
        assert_eq!(error.code, "protocol-violation", "{fault:?}: {error}");
        assert!(error.message.contains(message), "{fault:?}: {error}");
        assert!(error.place.is_some(), "{fault:?}");
    }
}

#[test]
fn a_design_that_hangs_is_left() {
    let error = outcome(Fault::NeverReady).unwrap_err();
    assert_eq!(error.code, "design-hangs");
    assert!(
        error.message.contains("packet 1 is not taken in"),
        "{error}"
    );

    let error = outcome(Fault::PacketMissing).unwrap_err();
    assert_eq!(error.code, "design-hangs", "{error}");
    assert!(
        error
            .message
            .contains("did not come out: 16, the first is packet"),
        "{error}"
    );
}
