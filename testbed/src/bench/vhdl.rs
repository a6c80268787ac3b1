//! The test bench of a design in VHDL: it plays the lines of a file and stops at the first difference.

use hardpath_blocks::interface::Interface;

/// The bench's entity is `<top>_tb`; it reads `<top>_tb.txt`. `top` is what the design's top is called in VHDL.
pub fn bench(interface: &Interface, top: &str, clock_mhz: f64) -> String {
    let bus = interface.bus_bits;
    let user = interface.output_user_bits();
    let user_in = interface.input_user_bits();
    let mut optional = Optional::default();
    for (port, width) in super::optional_inputs(interface) {
        optional.add(port, width);
    }
    let half_period = format!("{:.3} ns", 500.0 / clock_mhz);
    let values = [
        ("@TOP@", top.to_string()),
        ("@HALF_PERIOD@", half_period),
        ("@DATA@", bus.to_string()),
        ("@KEEP@", (bus / 8).to_string()),
        ("@USER@", user.to_string()),
        ("@USER_OUT@", connected("m_axis_tuser", user)),
        ("@FATE_OUT@", connected("fate", interface.fate_bits())),
        ("@USER_IN@", user_in.to_string()),
        ("@USER_IN_DIGITS@", user_in.div_ceil(4).to_string()),
        ("@USER_DIGITS@", user.div_ceil(4).to_string()),
        ("@FATE@", interface.fate_bits().to_string()),
        (
            "@FATE_DIGITS@",
            interface.fate_bits().div_ceil(4).to_string(),
        ),
        ("@SIGNALS@", optional.signals),
        ("@CONNECTIONS@", optional.connections),
        ("@VARIABLES@", optional.variables),
        ("@READS@", optional.reads),
    ];
    super::fill(include_str!("bench.vhd"), &values)
}

/// The signal of a port, which is a vector here; a port of one bit is none.
fn connected(port: &str, width: u32) -> String {
    match width {
        1 => format!("{port}(0)"),
        _ => port.to_owned(),
    }
}

/// Ports that only some designs have: taken on a packet's first beat.
#[derive(Default)]
struct Optional {
    signals: String,
    connections: String,
    variables: String,
    reads: String,
}

impl Optional {
    fn add(&mut self, port: &str, width: u32) {
        let of_type = format!("std_logic_vector({} downto 0)", width - 1);
        self.signals += &format!("\n  signal {port:14} : {of_type} := (others => '0');");
        self.connections += &format!("\n      {port:14} => {},", connected(port, width));
        self.variables += &format!("\n    variable {port}_value : {of_type};");
        self.reads += &format!(
            "\n            hread(text_line, {port}_value);\n            {port} <= {port}_value;"
        );
    }
}
