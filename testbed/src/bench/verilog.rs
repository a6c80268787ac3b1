//! The test bench of a design in SystemVerilog: it plays the lines of a file and stops at the first difference, while
//! another module checks the protocols. The text keeps to what Verilator, Questa, xsim and Icarus Verilog 11 take.

use hardpath_blocks::interface::Interface;

/// The bench's module is `<top>_tb`; it reads `<top>_tb.txt`.
pub fn bench(interface: &Interface) -> String {
    let bus = interface.bus_bits;
    let user = interface.output_user_bits();
    let mut optional = Optional::default();
    for (port, width) in super::optional_inputs(interface) {
        optional.add(port, width);
    }
    let values = [
        ("@TOP@", interface.top.clone()),
        ("@DATA@", bus.to_string()),
        ("@KEEP@", (bus / 8).to_string()),
        ("@USER@", user.to_string()),
        ("@USER_IN@", interface.input_user_bits().to_string()),
        ("@REGISTERS@", optional.registers),
        ("@CONNECTIONS@", optional.connections),
        ("@VARIABLES@", optional.variables),
        ("@ZEROS@", optional.zeros),
        ("@READS@", optional.reads),
        ("@FATE@", interface.fate_bits().to_string()),
    ];
    super::fill(include_str!("bench.sv"), &values)
}

/// The protocols at the design's ports as assertions: module `<top>_protocol`.
pub fn protocol(interface: &Interface) -> String {
    let bus = interface.bus_bits;
    let user = interface.output_user_bits();
    let last_copy = match interface.repeats {
        true => format!(" && !m_axis_tuser[{}]", user - 1),
        false => String::new(),
    };
    let (shortest, longest) = interface.lengths;
    let good = format!("!s_axis_tuser[0] && bytes >= 32'd{shortest} && bytes <= 32'd{longest}");
    let (entering, comes_in, same_user) = match interface.ahead_bytes {
        None => (
            String::from("  // A packet that the MAC marks bad, or of a wrong length, is dropped and has no fate."),
            format!("s_axis_tlast && {good}"),
            String::from("m_axis_tuser == m_user"),
        ),
        Some(ahead) => {
            let (highest, below) = (user - 1, user - 2);
            (
                format!(
                    "  // A packet enters with its first {ahead} bytes, and then has a fate, however it ends. One that ends before is dropped and\n  \
                     // has no fate if the MAC marks it bad, or if it is too short."
                ),
                format!(
                    "(s_axis_tlast ? bytes_before < 32'd{ahead} && {good} : bytes == 32'd{ahead})"
                ),
                format!(
                    "m_axis_tuser[{below}:0] == m_user[{below}:0] && (!m_axis_tuser[{highest}] || m_axis_tlast)"
                ),
            )
        }
    };
    // What stands beside data and keep, of s_axis or m_axis: one bit more than either has.
    let beside = (user + 36).max(interface.input_user_bits() + 2).max(64);
    let values = [
        ("@TOP@", interface.top.clone()),
        ("@DATA@", bus.to_string()),
        ("@KEEP@", (bus / 8).to_string()),
        ("@USER@", user.to_string()),
        ("@USER_IN@", interface.input_user_bits().to_string()),
        ("@FATE@", interface.fate_bits().to_string()),
        ("@SENT@", interface.output_bits().to_string()),
        ("@BESIDE@", beside.to_string()),
        ("@ENTERING@", entering),
        ("@COMES_IN@", comes_in),
        ("@SAME_USER@", same_user),
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
