//! The constraints of designs with one clock and with several ones.

use hardpath_blocks::async_fifo::{async_fifo, AsyncFifoIn, AsyncFifoRead, AsyncFifoWrite};
use hardpath_rtl::check::check;
use hardpath_rtl::foreign::Foreign;
use hardpath_rtl::{verilog, vhdl, Clock, Design, MemStyle, Module};
use hardpath_synth::constraints::Constraints;
use hardpath_synth::project::Vendor;

/// Adds a FIFO whose writing and reading clocks are these of the parent, with ports for both of its sides.
fn cross(design: &mut Design, m: &mut Module, name: &str, [write, read]: [Clock; 2]) {
    m.on(write);
    let push = m.input(format!("{name}_push"), 1, "");
    let data_in = m.input(format!("{name}_data_in"), 8, "");
    m.on(read);
    let pop = m.input(format!("{name}_pop"), 1, "");
    let inputs = AsyncFifoIn {
        write: AsyncFifoWrite { push, data_in },
        read: AsyncFifoRead { pop },
    };
    let fifo = async_fifo(&format!("fifo_{name}"), 8, 4, MemStyle::Distributed);
    let placed = fifo.place_on(design, m, name, &[write, read], inputs);
    m.output(format!("{name}_data"), placed.out.read.data_out, "");
    m.on(write);
    m.output(format!("{name}_ready"), placed.out.write.ready, "");
}

/// A design with the clocks `clk` and `Far_Clk`, and a FIFO for each pair of numbers of clocks.
fn two_clocks(fifos: &[(&str, [u32; 2])]) -> Design {
    let mut design = Design::new();
    let mut m = Module::new("top", "");
    m.clock("Far_Clk", "far_rst");
    for (name, clocks) in fifos {
        cross(&mut design, &mut m, name, clocks.map(Clock::from_u32));
    }
    design.add(m);
    assert_eq!(check(&design), Ok(()));
    design
}

#[test]
fn one_clock() {
    let mut design = Design::new();
    design.add(Module::new("top", ""));
    let constraints = Constraints::of(&design, &verilog::LANGUAGE, &[300.0]);
    let xdc = "# The design on its own; inside another one the clock comes from there.\n\
        # The clock that it was scheduled for: 300 MHz.\n\
        create_clock -name clk -period 3.333 [get_ports clk]\n\
        # What the surroundings of its ports need is theirs to say, for example a quarter of the period:\n\
        # set_input_delay -clock clk 0.833 [all_inputs]\n\
        # set_output_delay -clock clk 0.833 [all_outputs]\n";
    assert_eq!(constraints.xdc(), xdc);
    assert_eq!(
        constraints.sdc(),
        format!("{xdc}derive_clock_uncertainty\n")
    );
}

#[test]
fn two_clocks_that_words_cross_both_ways() {
    let design = two_clocks(&[("there", [0, 1]), ("back", [1, 0])]);
    let constraints = Constraints::of(&design, &verilog::LANGUAGE, &[300.0, 250.0]);
    let clocks = "# The design on its own; inside another one the clocks come from there.\n\
        # The clocks that it was made for: clk 300 MHz, Far_Clk 250 MHz.\n\
        create_clock -name clk -period 3.333 [get_ports clk]\n\
        create_clock -name Far_Clk -period 4.000 [get_ports Far_Clk]\n";
    let why = "# What goes from one clock to another takes less than a period of either, so that no two changes are seen at once.\n";
    let ports = "# What the surroundings of its ports need is theirs to say, for example a quarter of the period:\n\
        # set_input_delay -clock clk 0.833 [get_ports INPUTS]\n\
        # set_output_delay -clock clk 0.833 [get_ports OUTPUTS]\n\
        # set_input_delay -clock Far_Clk 1.000 [get_ports INPUTS]\n\
        # set_output_delay -clock Far_Clk 1.000 [get_ports OUTPUTS]\n";
    let xdc = format!(
        "{clocks}{why}\
         set_max_delay -datapath_only -from [get_clocks clk] -to [get_clocks Far_Clk] 3.333\n\
         set_max_delay -datapath_only -from [get_clocks Far_Clk] -to [get_clocks clk] 3.333\n{ports}"
    );
    assert_eq!(constraints.xdc(), xdc);
    let sdc = format!(
        "{clocks}# The clocks have no phase in common.\n\
         set_clock_groups -asynchronous -group [get_clocks clk] -group [get_clocks Far_Clk]\n{why}\
         set_data_delay -from [get_clocks clk] -to [get_clocks Far_Clk] 3.333\n\
         set_data_delay -from [get_clocks Far_Clk] -to [get_clocks clk] 3.333\n{ports}derive_clock_uncertainty\n"
    );
    assert_eq!(constraints.sdc(), sdc);
    // Nothing cuts what has to hold within a clock.
    assert!(!sdc.contains("false_path") && !xdc.contains("clock_groups"));
}

/// The commands that let go of paths, in Vivado's text.
fn bounds(design: &Design) -> Vec<String> {
    let text = Constraints::of(design, &vhdl::LANGUAGE, &[100.0, 50.0]).xdc();
    let lines = text
        .lines()
        .filter(|line| line.starts_with("set_max_delay"));
    lines.map(String::from).collect()
}

/// News of what was taken cross back, so a FIFO is a way in both directions; where both of its clocks are one, it is none.
#[test]
fn only_what_crosses_is_let_go() {
    assert_eq!(bounds(&two_clocks(&[])), [""; 0]);
    assert_eq!(bounds(&two_clocks(&[("alone", [1, 1])])), [""; 0]);
    assert_eq!(bounds(&two_clocks(&[("there", [0, 1])])).len(), 2);

    // A word of a memory goes one way.
    let mut crossing = Module::new("crossing", "");
    crossing.is_crossing = true;
    let far = crossing.clock("far_clk", "far_rst");
    let word = crossing.input("word", 4, "");
    let address = crossing.input("address", 4, "");
    let one = crossing.one();
    let words = crossing.mem("words", 4, 16, MemStyle::Distributed);
    crossing.mem_write(words, address, word, one);
    crossing.on(far);
    let from = crossing.input("from", 4, "");
    let read = crossing.mem_read_async(words, from);
    crossing.output("read", read, "");
    let mut design = Design::new();
    design.add(crossing);
    assert_eq!(check(&design), Ok(()));
    let line =
        "set_max_delay -datapath_only -from [get_clocks clk] -to [get_clocks far_clk] 10.000";
    assert_eq!(bounds(&design), [line]);
}

/// Nobody knows what happens inside.
#[test]
fn a_foreign_module_of_two_clocks_may_cross() {
    let mut foreign = Module::foreign(
        "vendors_fifo",
        "",
        Foreign {
            name: "vendors_fifo".into(),
            parameters: Vec::new(),
            verilog: Some("module vendors_fifo; endmodule\n".into()),
            vhdl: None,
            model: None,
        },
    );
    let far = foreign.clock("far_clk", "far_rst");
    foreign.input("word", 4, "");
    foreign.on(far);
    foreign.foreign_output("out", 4, &[], "");
    let mut design = Design::new();
    let id = design.add(foreign);
    let mut m = Module::new("top", "");
    let far = m.clock("far_clk", "far_rst");
    let word = m.input("word", 4, "");
    let callee = &design.modules[id];
    let clocks = [Clock::FIRST, far];
    let placed = m.instance_of_clocks(callee, id, "theirs", &clocks, &[("word", word)]);
    let out = m.instance_output(callee, placed, "out");
    m.on(far);
    m.output("out", out, "");
    design.add(m);
    assert_eq!(check(&design), Ok(()));
    assert_eq!(bounds(&design).len(), 2);
}

/// Ports get no pins in Quartus, but clocks keep them: a virtual pin is no clock.
#[test]
fn clocks_are_no_virtual_pins() {
    let design = two_clocks(&[("there", [0, 1])]);
    let constraints = Constraints::of(&design, &verilog::LANGUAGE, &[300.0, 250.0]);
    let script = Vendor::Quartus.script("top", &constraints);
    let kept = "set_instance_assignment -name VIRTUAL_PIN ON -to *\n\
        set_instance_assignment -name VIRTUAL_PIN OFF -to clk\n\
        set_instance_assignment -name VIRTUAL_PIN OFF -to Far_Clk\n\
        export_assignments\n";
    assert!(script.contains(kept), "{script}");
}
