//! The test bench of a design in SystemVerilog: it plays the lines of a file and stops at the first difference, while
//! another module checks the protocols. The text keeps to what Verilator, Questa, xsim and Icarus Verilog 11 take.

use hardpath_blocks::interface::Interface;
use hardpath_ir::{MAX_PACKET_BYTES, MIN_PACKET_BYTES};

/// The bench's module is `<top>_tb`; it reads `<top>_tb.txt`.
pub fn bench(interface: &Interface) -> String {
    let bus = interface.bus_bits;
    let user = interface.output_user_bits();
    let mut optional = Optional::default();
    for (port, width) in super::optional_inputs(interface) {
        optional.add(port, width);
    }
    let (wires, outputs) = match interface.repeats {
        true => (
            "\n  wire           verdict_sent;",
            "\n      .verdict_sent   (verdict_sent),",
        ),
        false => ("", ""),
    };
    let values = [
        ("@TOP@", interface.top.clone()),
        ("@DATA@", bus.to_string()),
        ("@KEEP@", (bus / 8).to_string()),
        ("@USER@", user.to_string()),
        ("@REGISTERS@", optional.registers),
        ("@CONNECTIONS@", optional.connections),
        ("@VARIABLES@", optional.variables),
        ("@ZEROS@", optional.zeros),
        ("@READS@", optional.reads),
        ("@WIRES@", wires.to_string()),
        ("@OUTPUTS@", outputs.to_string()),
    ];
    super::fill(include_str!("bench.sv"), &values)
}

/// The protocols at the design's ports as assertions: module `<top>_protocol`.
pub fn protocol(interface: &Interface) -> String {
    let bus = interface.bus_bits;
    let user = interface.output_user_bits();
    let (ports, sent, last_copy) = match interface.repeats {
        true => (
            "\n    input wire         verdict_sent,",
            " && verdict_sent",
            format!(" && !m_axis_tuser[{}]", user - 1),
        ),
        false => ("", "", String::new()),
    };
    let values = [
        ("@TOP@", interface.top.clone()),
        ("@DATA@", bus.to_string()),
        ("@KEEP@", (bus / 8).to_string()),
        ("@USER@", user.to_string()),
        ("@PORTS@", ports.to_string()),
        ("@SHORTEST@", MIN_PACKET_BYTES.to_string()),
        ("@LONGEST@", MAX_PACKET_BYTES.to_string()),
        ("@SENT@", sent.to_string()),
        ("@LAST_COPY@", last_copy),
    ];
    super::fill(include_str!("protocol.sv"), &values)
}

/// Ports that only some designs have: taken on a packet's first beat.
#[derive(Default)]
struct Optional {
    registers: String,
    connections: String,
    variables: String,
    zeros: String,
    reads: String,
}

impl Optional {
    fn add(&mut self, port: &str, width: u32) {
        let range = format!("[{}:0]", width - 1);
        self.registers += &format!("\n  reg  {range:9} {port};");
        self.connections += &format!("\n      .{port:14} ({port}),");
        self.variables += &format!("\n    reg {range} {port}_value;");
        self.zeros += &format!("\n    {port} = {width}'d0;");
        self.reads += &format!(
            "\n          fields = $fscanf(stimuli, \" %h\", {port}_value);\
             \n          check_fields(fields, 1, \"S\");\
             \n          {port} <= {port}_value;"
        );
    }
}
