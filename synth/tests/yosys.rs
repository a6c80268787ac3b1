//! Small designs whose area and depth are known by hand, through a real yosys. Without one the tests say so and
//! pass, unless `HARDPATH_REQUIRE_TOOLS` is 1.

use hardpath_synth::{yosys, Options, SynthReport};

fn run(text: &str, options: &Options) -> Option<SynthReport> {
    if hardpath_synth::tool::YOSYS.find().is_err() {
        let wanted = std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_some_and(|value| value == "1");
        assert!(!wanted, "yosys is required, but it is not installed");
        println!("note: yosys is not installed, so this test checks nothing");
        return None;
    }
    let files = [("top.sv".to_string(), text.to_string())];
    match yosys(&files, "top", options) {
        Ok(report) => Some(report),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn registers_and_one_lut() {
    let text = "
        module top (input wire clk, input wire a, input wire b, output wire q);
          logic ra, rb, both;
          always @(posedge clk) begin ra <= a; rb <= b; both <= ra & rb; end
          assign q = both;
        endmodule";
    let Some(report) = run(text, &Options::default()) else {
        return;
    };
    assert_eq!((report.lut, report.ff), (1, 3));
    assert_eq!(report.depth.levels.number(), 1.0);
    assert_eq!(report.depth.ports_levels.number(), 0.0);
    assert_eq!(
        (report.lut_without_maps, report.ff_without_maps),
        (Some(1), Some(3))
    );
    let path = &report.depth.critical_path;
    let kinds: Vec<&str> = path.iter().map(|step| step.cell.as_str()).collect();
    assert_eq!(kinds, ["FDRE", "LUT2", "FDRE"]);
    assert!(["ra", "rb"].contains(&path[0].name.as_str()));
    assert!(["both", "q"].contains(&path[2].name.as_str()));
}

#[test]
fn an_adder_is_a_lut_and_a_carry_chain() {
    let text = "
        module top (input wire clk, input wire [31:0] b, output wire [31:0] s);
          logic [31:0] rb, sum;
          always @(posedge clk) begin rb <= b; sum <= sum + rb; end
          assign s = sum;
        endmodule";
    let Some(report) = run(text, &Options::default()) else {
        return;
    };
    assert_eq!((report.lut, report.ff), (32, 64));
    assert!(report.carry == 4 || report.carry == 8, "{report:?}");
    // A LUT, into the chain, and a tenth for each cell behind the first.
    let levels = 2.0 + 0.1 * (report.carry - 1) as f64;
    assert_eq!(report.depth.levels.to_string(), format!("{levels:.1}"));
}

#[test]
fn a_wide_and_takes_more_than_one_level() {
    let text = "
        module top (input wire clk, input wire [35:0] a, output wire q);
          logic [35:0] ra; logic all;
          always @(posedge clk) begin ra <= a; all <= &ra; end
          assign q = all;
        endmodule";
    let Some(report) = run(text, &Options::default()) else {
        return;
    };
    assert_eq!(report.ff, 37);
    // Seven LUT6 in two levels would do; yosys takes smaller ones in three.
    assert!((6..=15).contains(&report.lut), "{report:?}");
    assert!(
        (2.0..=3.0).contains(&report.depth.levels.number()),
        "{report:?}"
    );
}

/// Yosys would make LUTs of up to nine inputs with multiplexers behind them, 2.5 levels deep.
#[test]
fn there_are_no_wide_luts() {
    let text = "
        module top (input wire clk, input wire [7:0] a, output wire q);
          logic [7:0] ra; logic some;
          always @(posedge clk) begin
            ra <= a; some <= (ra == 8'd3) ^ (ra == 8'd77) ^ (ra == 8'd200) ^ (ra < 8'd9) ^ (ra > 8'd231);
          end
          assign q = some;
        endmodule";
    let Some(report) = run(text, &Options::default()) else {
        return;
    };
    let path = report.depth.critical_path.iter();
    let kinds: Vec<&str> = path.map(|step| step.cell.as_str()).collect();
    assert!(
        kinds.iter().all(|kind| !kind.starts_with("MUXF")),
        "{kinds:?}"
    );
    assert!(report.depth.levels.number().fract() == 0.0, "{report:?}");
}

#[test]
fn ultra_rams_are_counted_as_the_device_has_them() {
    let text = "
        module top (input wire clk, input wire [13:0] a, input wire we, input wire [31:0] d, output wire [31:0] q);
          (* ram_style = \"ultra\" *) logic [31:0] m [0:16383];
          logic [13:0] ra, wa; logic rwe; logic [31:0] rd, data, twice;
          always @(posedge clk) begin
            ra <= a; wa <= ra; rwe <= we; rd <= d; twice <= data;
            if (rwe) m[wa] <= rd;
            data <= m[ra];
          end
          assign q = twice;
        endmodule";
    let Some(report) = run(text, &Options::default()) else {
        return;
    };
    // Yosys packs two words of 32 bits into a row of 72 and makes two of these four.
    assert_eq!(report.uram, 4);
    assert_eq!(report.modules[0].uram, 4, "{:?}", report.modules);
    // Out of the memory, and through the choice among its words.
    assert!(
        (5.0..=7.0).contains(&report.depth.levels.number()),
        "{report:?}"
    );
    assert_eq!(report.depth.critical_path[0].name, "m");
    assert_eq!(report.depth.critical_path[0].cell, "URAM288");
}

#[test]
fn memories_and_maps() {
    let text = "
        module map_counters (input wire clk, input wire [9:0] a, input wire we, input wire [35:0] d, output wire [35:0] q);
          (* ram_style = \"block\" *) logic [35:0] m [0:1023];
          logic [35:0] data; logic [35:0] plus;
          always @(posedge clk) begin if (we) m[a] <= d; data <= m[a]; plus <= data + 36'd1; end
          assign q = plus;
        endmodule
        module top (input wire clk, input wire [9:0] a, input wire we, input wire [35:0] d, output wire [35:0] q);
          logic [9:0] ra; logic rwe; logic [35:0] rd;
          always @(posedge clk) begin ra <= a; rwe <= we; rd <= ~d; end
          map_counters map (.clk, .a(ra), .we(rwe), .d(rd), .q);
        endmodule";
    let options = Options {
        map_modules: vec!["map_counters".to_string()],
        ..Options::default()
    };
    let Some(report) = run(text, &options) else {
        return;
    };
    assert_eq!(report.bram36, 1.0);
    assert_eq!(report.ff, 47 + 36);
    assert_eq!(report.ff_without_maps, Some(47));
    assert!(Some(report.lut) > report.lut_without_maps, "{report:?}");
    let json = serde_json::to_value(&report).unwrap();
    for key in [
        "flow",
        "part",
        "lut",
        "ff",
        "carry",
        "bram36",
        "dsp",
        "levels",
        "ports_levels",
        "ends_within_one_level",
        "critical_path",
        "worst_paths",
        "max_fanout",
        "lut_without_maps",
        "ff_without_maps",
    ] {
        assert!(json.get(key).is_some(), "{key} is missing");
    }
    let options = Options {
        parts: false,
        ..options
    };
    let whole = run(text, &options).expect("yosys is there");
    assert_eq!((whole.lut, whole.ff), (report.lut, report.ff));
    assert_eq!(
        (whole.lut_without_maps, whole.ff_without_maps),
        (None, None)
    );
    assert!(whole.modules.is_empty(), "{whole:?}");
}

#[test]
fn what_yosys_says_is_shown() {
    if hardpath_synth::tool::YOSYS.find().is_err() {
        return;
    }
    let files = [("top.sv".to_string(), "module top (; endmodule".to_string())];
    let error = yosys(&files, "top", &Options::default()).unwrap_err();
    assert_eq!(error.code, "yosys-failed");
    assert!(error.message.contains("top.sv:1"), "{error}");
}
