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
    assert_eq!((report.lut, report.ff, report.levels), (1, 3, 1));
    assert_eq!(report.port_levels, 0);
    assert_eq!(
        (report.lut_without_maps, report.ff_without_maps),
        (Some(1), Some(3))
    );
    let kinds: Vec<&str> = report
        .critical_path
        .iter()
        .map(|step| step.cell.as_str())
        .collect();
    assert_eq!(kinds, ["FDRE", "LUT2", "FDRE"]);
    assert!(["ra", "rb"].contains(&report.critical_path[0].name.as_str()));
    assert!(["both", "q"].contains(&report.critical_path[2].name.as_str()));
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
    assert_eq!((report.lut, report.ff, report.levels), (32, 64, 2));
    assert!(report.carry == 4 || report.carry == 8, "{report:?}");
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
    // Seven LUT6 in two levels; yosys 0.70 takes smaller LUTs in three.
    assert!((6..=12).contains(&report.lut), "{report:?}");
    assert!((2..=3).contains(&report.levels), "{report:?}");
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
        "critical_path",
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
