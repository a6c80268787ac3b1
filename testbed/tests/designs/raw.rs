//! Every packet comes out with 64 bits beside it, empty ones too.

use crate::packet;
use hardpath_blocks::interface::Interface;
use hardpath_packet::{Output, Packet};
use hardpath_rtl::{Design, Module};
use hardpath_testbed::native::Native;
use hardpath_testbed::pace::Pace;
use hardpath_testbed::run::{run, RunOptions};

/// What is said of each packet.
const SAID: u64 = 0xfedc_ba98_7654_3210;

/// Wires from the source to the sink.
fn wires() -> (Design, Interface) {
    let mut module = Module::new("wires", "Gives every packet back, for tests.");
    let m = &mut module;
    let data = m.input("s_axis_tdata", 512, "");
    let keep = m.input("s_axis_tkeep", 64, "");
    let valid = m.input("s_axis_tvalid", 1, "");
    let last = m.input("s_axis_tlast", 1, "");
    m.input("s_axis_tuser", 25, "");
    let ready = m.input("m_axis_tready", 1, "");
    let result = m.constant(SAID, 64);
    let one = m.one();
    let fate = m.concat(&[one, result]);
    let over = m.and(&[valid, ready, last]);
    let nowhere = m.zero(34);
    m.output("s_axis_tready", ready, "");
    m.output("m_axis_tdata", data, "");
    m.output("m_axis_tkeep", keep, "");
    m.output("m_axis_tvalid", valid, "");
    m.output("m_axis_tlast", last, "");
    m.output("m_axis_tuser", result, "");
    m.output("m_axis_tdest", nowhere, "");
    m.output("fate_valid", over, "");
    m.output("fate", fate, "");
    let mut design = Design::new();
    design.add(module);
    let interface = Interface {
        top: "wires".into(),
        bus_bits: 512,
        lengths: (0, 9216),
        inputs: Vec::new(),
        outputs: vec![Output::new("r0", 64)],
        has_time: false,
        has_random: false,
        has_egress: false,
        repeats: false,
        ahead_bytes: None,
        has_port_table: false,
        maps: Vec::new(),
        design_id: 0,
        program: Vec::new(),
    };
    (design, interface)
}

#[test]
fn packets_of_any_length_come_back() {
    let (design, interface) = wires();
    let mut dut = Native::new(&design).unwrap();
    let lengths = [0, 1, 7, 8, 63, 64, 65, 128, 200, 9216];
    let packets: Vec<Packet> = (0..100u32)
        .map(|i| packet(i as u8, lengths[i as usize % lengths.len()], i))
        .collect();
    let options = RunOptions {
        pace: Pace::Random(1),
        backpressure: Some(1),
        ..RunOptions::default()
    };
    let result = run(&mut dut, &interface, &packets, &options).unwrap();
    for (packet, outcome) in packets.iter().zip(&result.outcomes) {
        let outcome = outcome.as_ref().unwrap();
        assert_eq!(outcome.data(), Some(packet.data.as_slice()));
        assert_eq!(outcome.outputs, [SAID]);
    }
    assert_eq!(result.statistics.not_taken_in, 0);
    assert_eq!(result.statistics.latency_clocks.min, Some(0));
    assert_eq!(result.statistics.verdicts["forwarded"], 100);
}
