//! A run as text that a test bench plays again: what the host and the stream did, and what the design answered.
//!
//! [`Recorder`] stands between a driver and an engine and writes a line for each transaction at the design's ports;
//! [`script`] makes lines from packets and from what must become of them. [`vhdl`] and [`verilog`] make benches that read
//! the lines, and [`player`] plays them here; all ends stay in step because AXI does, whatever the clock:
//!
//! | line | meaning |
//! |---|---|
//! | `W ADDRESS DATA` | the host writes a register |
//! | `R ADDRESS DATA` | the host reads a register until it holds that |
//! | `C ADDRESS DATA` | the host reads a register once, and it must hold that |
//! | `E ADDRESS DATA STROBES` | the host writes these bytes of a word, and is refused |
//! | `F ADDRESS` | the host reads, and is refused |
//! | `S USER LAST KEEP DATA [TIME] [RANDOM] [EGRESS]` | a beat of `s_axis`, with the inputs that the design has |
//! | `M DEST USER LAST KEEP DATA` | a beat of `m_axis` must come |
//! | `V FATE` | a strobe of a packet's fate must come |
//! | `G CLOCKS` | nothing is done for so many clocks |
//! | `P CLOCKS` | the sink is not ready for so many clocks, while the lines behind go on |
//! | `Q BEATS FATES` | waits until so many beats and fates came out since the start |
//! | `X CLOCKS` | reset for so many clocks |
//! | `#` | a comment |
//!
//! Numbers are hexadecimal with all digits of their port. All but `M` and `V` are done one after the other; the `M` and the
//! `V` lines each have their own order. Bytes whose `KEEP` bit is 0 mean nothing. Any other line is an error.

pub mod player;
pub mod script;
pub mod verilog;
pub mod vhdl;

use crate::dut::{Dut, Port, Words};
use hardpath_blocks::interface::Interface;
use hardpath_diagnostic::Diagnostic;
use hardpath_registers::Foreign;
use std::io::Write;

/// What stands at the head of the text.
const HEAD: &str = "\
    # Stimuli and expected outputs of the test bench; numbers are hexadecimal.\n\
    # W ADDRESS DATA                          the host writes a register\n\
    # R ADDRESS DATA                          the host reads a register until it holds that\n\
    # C ADDRESS DATA                          the host reads a register once, and it must hold that\n\
    # E ADDRESS DATA STROBES                  the host writes these bytes of a word, and is refused\n\
    # F ADDRESS                               the host reads, and is refused\n\
    # S USER LAST KEEP DATA [TIME] [RANDOM] [EGRESS]   a beat of s_axis, with the inputs that the design has\n\
    # M DEST USER LAST KEEP DATA              a beat of m_axis must come\n\
    # V FATE                                  a packet's fate must come\n\
    # G CLOCKS                                nothing is done for so many clocks\n\
    # P CLOCKS                                the sink is not ready for so many clocks; the lines behind go on\n\
    # Q BEATS FATES                           waits until so many came out since the start\n\
    # X CLOCKS                                reset for so many clocks\n";

/// An engine of which every transaction is written down as it happens.
pub struct Recorder<'a, W> {
    dut: &'a mut dyn Dut,
    ports: Ports,
    is_paused: bool,
    to: W,
    /// What happened in this clock.
    lines: String,
    write_address: Option<u64>,
    write_data: Option<u64>,
    read_address: Option<u64>,
    /// A read that may be repeated: its address, and what it gave last.
    last_read: Option<(u64, u64)>,
}

struct Ports {
    input: Stream,
    /// [`optional_inputs`].
    with_input: Vec<Port>,
    output: Stream,
    destination: Port,
    fate_valid: Port,
    fate: Port,
    write_address: Channel,
    write_data: Channel,
    read_address: Channel,
    read_data: Channel,
}

impl Ports {
    fn find(dut: &dyn Dut, interface: &Interface) -> Result<Ports, Diagnostic> {
        let find = |name: &str| {
            dut.port(name).ok_or_else(|| {
                Diagnostic::defect("port-missing", format!("the design has no port {name}"))
                    .help("compile the program again: design and interface do not belong together")
            })
        };
        let stream = |side: &str| -> Result<Stream, Diagnostic> {
            Ok(Stream {
                user: find(&format!("{side}_tuser"))?,
                last: find(&format!("{side}_tlast"))?,
                keep: find(&format!("{side}_tkeep"))?,
                data: find(&format!("{side}_tdata"))?,
                valid: find(&format!("{side}_tvalid"))?,
                ready: find(&format!("{side}_tready"))?,
            })
        };
        let channel = |letters: &str, payload: &str| -> Result<Channel, Diagnostic> {
            Ok(Channel {
                payload: find(&format!("s_axil_{letters}{payload}"))?,
                valid: find(&format!("s_axil_{letters}valid"))?,
                ready: find(&format!("s_axil_{letters}ready"))?,
            })
        };
        let with_input = optional_inputs(interface)
            .map(|(name, _)| find(name))
            .collect::<Result<Vec<Port>, Diagnostic>>()?;
        Ok(Ports {
            input: stream("s_axis")?,
            with_input,
            output: stream("m_axis")?,
            destination: find("m_axis_tdest")?,
            fate_valid: find("fate_valid")?,
            fate: find("fate")?,
            write_address: channel("aw", "addr")?,
            write_data: channel("w", "data")?,
            read_address: channel("ar", "addr")?,
            read_data: channel("r", "data")?,
        })
    }
}

struct Channel {
    payload: Port,
    valid: Port,
    ready: Port,
}

struct Stream {
    user: Port,
    last: Port,
    keep: Port,
    data: Port,
    valid: Port,
    ready: Port,
}

impl<'a, W: Write> Recorder<'a, W> {
    /// Writes the head. `to` should have a buffer.
    ///
    /// # Errors
    /// The design has not the ports of a generated top; `cannot-write`.
    pub fn new(
        dut: &'a mut dyn Dut,
        interface: &Interface,
        mut to: W,
    ) -> Result<Recorder<'a, W>, Diagnostic> {
        let ports = Ports::find(dut, interface)?;
        to.write_all(HEAD.as_bytes()).map_err(unwritable)?;
        Ok(Recorder {
            dut,
            ports,
            is_paused: false,
            to,
            lines: String::new(),
            write_address: None,
            write_data: None,
            read_address: None,
            last_read: None,
        })
    }

    /// What is done while it pauses must not change what the design answers later.
    pub fn pause(&mut self, is_paused: bool) {
        self.is_paused = is_paused;
    }

    /// Writes what was seen last, and gives back what was written to.
    ///
    /// # Errors
    /// `cannot-write`.
    pub fn finish(mut self) -> Result<W, Diagnostic> {
        self.put_last_read();
        self.write_lines()?;
        self.to.flush().map_err(unwritable)?;
        Ok(self.to)
    }

    fn line(&mut self, tag: char, values: &[Port]) {
        self.put_last_read();
        self.lines.push(tag);
        for port in values {
            self.lines.push(' ');
            hexadecimal(&mut self.lines, self.dut.get(*port), port.width);
        }
        self.lines.push('\n');
    }

    /// A read is over when something else follows.
    fn put_last_read(&mut self) {
        if let Some((address, data)) = self.last_read.take() {
            self.lines += &format!("R {address:04x} {data:08x}\n");
        }
    }

    fn write_lines(&mut self) -> Result<(), Diagnostic> {
        let written = self.to.write_all(self.lines.as_bytes());
        self.lines.clear();
        written.map_err(unwritable)
    }

    fn is_transferred(&self, valid: Port, ready: Port) -> bool {
        self.dut.get_bit(valid) && self.dut.get_bit(ready)
    }

    fn taken(&self, channel: &Channel) -> Option<u64> {
        self.is_transferred(channel.valid, channel.ready)
            .then(|| self.dut.get_u64(channel.payload))
    }

    fn observe(&mut self) {
        if let Some(address) = self.taken(&self.ports.write_address) {
            self.write_address = Some(address);
        }
        if let Some(data) = self.taken(&self.ports.write_data) {
            self.write_data = Some(data);
        }
        if let (Some(address), Some(data)) = (self.write_address, self.write_data) {
            self.put_last_read();
            self.lines += &format!("W {address:04x} {data:08x}\n");
            (self.write_address, self.write_data) = (None, None);
        }
        if let Some(address) = self.taken(&self.ports.read_address) {
            self.read_address = Some(address);
        }
        if let (Some(data), Some(address)) = (self.taken(&self.ports.read_data), self.read_address)
        {
            // Who reads a register again waits for what it gets at last.
            if self.last_read.is_some_and(|(last, _)| last != address) {
                self.put_last_read();
            }
            self.last_read = Some((address, data));
            self.read_address = None;
        }
        let input = &self.ports.input;
        if self.is_transferred(input.valid, input.ready) {
            let mut values = vec![input.user, input.last, input.keep, input.data];
            values.extend(&self.ports.with_input);
            self.line('S', &values);
        }
        let output = &self.ports.output;
        if self.is_transferred(output.valid, output.ready) {
            let destination = self.ports.destination;
            let values = [
                destination,
                output.user,
                output.last,
                output.keep,
                output.data,
            ];
            self.line('M', &values);
        }
        if self.dut.get_bit(self.ports.fate_valid) {
            let fate = self.ports.fate;
            self.line('V', &[fate]);
        }
    }
}

impl<W: Write> Dut for Recorder<'_, W> {
    fn port(&self, name: &str) -> Option<Port> {
        self.dut.port(name)
    }

    fn set(&mut self, port: Port, limbs: &[u64]) {
        self.dut.set(port, limbs);
    }

    fn get(&self, port: Port) -> &[u64] {
        self.dut.get(port)
    }

    fn step(&mut self) -> Result<(), Diagnostic> {
        self.dut.step()?;
        if !self.is_paused {
            self.observe();
            self.write_lines()?;
        }
        Ok(())
    }

    fn clocks(&self) -> u64 {
        self.dut.clocks()
    }

    fn foreign(&self) -> &Foreign {
        self.dut.foreign()
    }

    fn foreign_mut(&mut self) -> &mut Foreign {
        self.dut.foreign_mut()
    }

    fn memory(&self, path: &str) -> Option<Words<'_>> {
        self.dut.memory(path)
    }

    fn skip_sweep(&mut self) -> bool {
        self.dut.skip_sweep()
    }
}

fn unwritable(error: std::io::Error) -> Diagnostic {
    Diagnostic::input(
        "cannot-write",
        format!("cannot write the run for the test bench: {error}"),
    )
    .help("give a place that this user can write to, with enough room")
}

/// Inputs beside the packet's beats that only some designs have, with their widths, in the order of a line.
fn optional_inputs(interface: &Interface) -> impl Iterator<Item = (&'static str, u32)> {
    let inputs = [
        (interface.has_time, "time_ns", 64),
        (interface.has_random, "random", 32),
        (interface.has_egress, "egress", 32),
    ];
    inputs
        .into_iter()
        .filter(|(exists, _, _)| *exists)
        .map(|(_, name, width)| (name, width))
}

/// A template with its marks replaced.
fn fill(template: &str, values: &[(&str, String)]) -> String {
    let template = template.to_string();
    values
        .iter()
        .fold(template, |text, (mark, value)| text.replace(mark, value))
}

/// All digits of the width.
fn hexadecimal(text: &mut String, limbs: &[u64], width: u32) {
    for digit in (0..width.div_ceil(4) as usize).rev() {
        let value = limbs[digit / 16] >> (digit % 16 * 4) & 15;
        text.extend(char::from_digit(value as u32, 16));
    }
}
