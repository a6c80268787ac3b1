//! A small design through yosys and nextpnr for ECP5. Without them the test says so and passes, unless
//! `HARDPATH_REQUIRE_TOOLS` is 1.

use hardpath_synth::ecp5::{ecp5, Ecp5Options, Placer};
use hardpath_synth::tool::{NEXTPNR_ECP5, YOSYS};
use hardpath_synth::wrapper::WrappedPort;
use hardpath_synth::Options;

fn port(name: &str, bits: u32, is_input: bool) -> WrappedPort {
    WrappedPort {
        name: name.into(),
        bits,
        is_input,
    }
}

#[test]
fn a_multiply_and_add_is_placed_in_both_ways_and_routed() {
    if YOSYS.find().is_err() || NEXTPNR_ECP5.find().is_err() {
        let wanted = std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_some_and(|value| value == "1");
        assert!(!wanted, "yosys and nextpnr-ecp5 are required");
        println!("note: yosys or nextpnr-ecp5 is not installed, so this test checks nothing");
        return;
    }
    let text = "
        module top (input wire clk, input wire rst, input wire [15:0] a, input wire [15:0] b, input wire one,
                    output wire [31:0] sum);
          logic [15:0] ra, rb;
          logic [31:0] product, total;
          always @(posedge clk) begin
            ra <= a; rb <= b; product <= ra * rb;
            total <= rst ? 32'd0 : total + product + {31'd0, one};
          end
          assign sum = total;
        endmodule";
    let files = [("top.sv".to_string(), text.to_string())];
    let by_heap = Ecp5Options {
        clock_mhz: 100.0,
        seed: 1,
        placer: Placer::Heap,
        ports: vec![
            port("a", 16, true),
            port("b", 16, true),
            port("one", 1, true),
            port("sum", 32, false),
        ],
        yosys: Options::default(),
    };
    let by_all = Ecp5Options {
        placer: Placer::Static,
        ..by_heap.clone()
    };
    for options in [by_heap, by_all] {
        let report = ecp5(&files, "top", &options).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(report.dsp, 1, "{report:?}");
        // The wrapper's registers are not the design's.
        assert!((32..=96).contains(&report.ff), "{report:?}");
        assert!(report.carry >= 16, "{report:?}");
        let fmax = report.fmax_mhz.expect("a routed design has a clock");
        assert!((30.0..400.0).contains(&fmax), "{fmax} MHz");
        assert!(report.depth.levels.number() >= 1.0, "{report:?}");
        let ends =
            |step: Option<&hardpath_synth::levels::PathStep>| step.map(|step| step.cell.clone());
        assert_eq!(
            ends(report.depth.critical_path.last()),
            Some("register".into())
        );
        assert_eq!(report.modules[0].name, "top");
    }
}
