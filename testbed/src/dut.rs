//! The device under test: a design in some engine, seen through its ports.

use hardpath_diagnostic::Diagnostic;
use hardpath_registers::Foreign;
use hardpath_rtl::print::PrintError;
use hardpath_rtl::{column_name, Direction};
use std::borrow::Cow;

/// A port of a device under test, found once by name and then used at every clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Port {
    /// The engine's own number for it.
    pub index: u32,
    /// In bits.
    pub width: u32,
    /// Seen from the design.
    pub is_input: bool,
}

impl Port {
    /// Number of 64-bit limbs that hold the port's value.
    pub fn limbs(&self) -> usize {
        self.width.div_ceil(64) as usize
    }
}

/// A clock of a device under test: the engine's own number for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockPin(pub u32);

/// A running design. Values are limbs of 64 bits, least significant first.
///
/// `set` inputs, then `step`. `get` gives what stood on a port just before the clock edge of the last `step`: a
/// beat whose valid and ready both read 1 after a step was transferred at that step's edge.
pub trait Dut {
    /// The port of that name; clocks are none, `rst` and the resets of other clocks are.
    fn port(&self, name: &str) -> Option<Port>;

    /// Sets an input. Bits above the port's width are ignored; missing limbs are zeros.
    fn set(&mut self, port: Port, limbs: &[u64]);

    /// An output as it stood before the last clock edge, or an input as it was set.
    fn get(&self, port: Port) -> &[u64];

    /// Evaluates, then one rising clock edge, of all clocks at once. An error when an assertion of the design failed.
    fn step(&mut self) -> Result<(), Diagnostic>;

    /// The clock of that name; `None`: there is no such clock, or it cannot be stepped alone here.
    fn clock(&self, _name: &str) -> Option<ClockPin> {
        None
    }

    /// [`Dut::step`] with the edges of some of the clocks, at once. What `get` gives stood before them.
    fn step_on(&mut self, _clocks: &[ClockPin]) -> Result<(), Diagnostic> {
        Err(Diagnostic::defect(
            "step-failed",
            "the clocks of this device under test cannot be stepped alone",
        ))
    }

    /// Clock edges so far.
    fn clocks(&self) -> u64;

    /// What the host keeps beside the design, of what its maps hold.
    fn foreign(&self) -> &Foreign;

    /// The same, to be changed by operations of the host and cleared by a reset.
    fn foreign_mut(&mut self) -> &mut Foreign;

    /// The words of a memory, by its path below the top ([`hardpath_blocks::interface::Storage`]); `None`: there is no
    /// such memory, or this engine cannot look.
    fn memory(&self, _path: &str) -> Option<Words<'_>> {
        None
    }

    /// Ends the sweep that clears all maps after a reset, if they are known to be clear anyway. False: it has to run.
    fn skip_sweep(&mut self) -> bool {
        false
    }

    /// Right after a reset: makes zeros of all memories at once and ends the sweep that would clear the maps. What else
    /// stands in memories, the port table, has to be written again. False: the sweep has to run.
    fn clear_maps(&mut self) -> bool {
        false
    }
}

/// The words of a memory, one behind the other.
#[derive(Clone)]
pub struct Words<'a> {
    /// Bit 0 of a word is in the first one. All of them but the last have whole bytes.
    pub columns: Vec<Column<'a>>,
}

/// Some bits of the words of a memory.
#[derive(Clone)]
pub struct Column<'a> {
    /// Banks of as many words each. Least significant byte first; bits above the width are 0.
    pub banks: Vec<&'a [u8]>,
    /// Bytes from one word to the next.
    pub stride: usize,
    /// Bits of a word.
    pub width: u32,
}

impl<'a> Words<'a> {
    /// The columns of a memory: those that are found by its name, or by the names of what it is divided into.
    pub fn find(memory: &str, find: impl Fn(&str) -> Option<Column<'a>>) -> Option<Words<'a>> {
        let columns = match find(memory) {
            Some(whole) => vec![whole],
            None => {
                let columns = (0..).map_while(|number| find(&column_name(memory, number)));
                columns.collect()
            }
        };
        (!columns.is_empty()).then_some(Words { columns })
    }

    /// Each word from 0 on, in whole bytes.
    pub fn iter(&self) -> impl Iterator<Item = Cow<'a, [u8]>> + '_ {
        (0..self.columns[0].count()).map(|index| self.word(index))
    }

    /// # Panics
    /// There is no such word.
    pub fn word(&self, index: usize) -> Cow<'a, [u8]> {
        if let [whole] = &self.columns[..] {
            return Cow::Borrowed(whole.word(index));
        }
        let bytes = |column: &Column<'a>| {
            let count = column.width.div_ceil(8) as usize;
            column.word(index)[..count].to_vec()
        };
        Cow::Owned(self.columns.iter().flat_map(bytes).collect())
    }
}

impl<'a> Column<'a> {
    fn count(&self) -> usize {
        self.banks.iter().map(|bank| bank.len() / self.stride).sum()
    }

    fn word(&self, index: usize) -> &'a [u8] {
        let words = self.banks[0].len() / self.stride;
        &self.banks[index / words][index % words * self.stride..][..self.stride]
    }
}

/// A bit of a word; 0 above its bytes.
pub(crate) fn bit(word: &[u8], index: usize) -> bool {
    word.get(index / 8)
        .is_some_and(|byte| byte >> (index % 8) & 1 != 0)
}

/// What is common to ports of up to 64 bits.
impl dyn Dut + '_ {
    /// Sets an input. Bits above the lowest 64 become zeros.
    pub fn set_u64(&mut self, port: Port, value: u64) {
        self.set(port, &[value]);
    }

    /// The lowest 64 bits of what [`Dut::get`] gives.
    pub fn get_u64(&self, port: Port) -> u64 {
        self.get(port)[0]
    }

    /// Bit 0 of what [`Dut::get`] gives.
    pub fn get_bit(&self, port: Port) -> bool {
        self.get(port)[0] & 1 != 0
    }

    /// The port of that name, width and direction, or an error that says what the design has instead.
    pub fn required(
        &self,
        name: &str,
        width: u32,
        direction: PortDirection,
    ) -> Result<Port, Diagnostic> {
        let port = self.port(name).ok_or_else(|| {
            Diagnostic::defect("port-missing", format!("the design has no port {name}"))
                .help("compile the program again: design and interface do not belong together")
        })?;
        if port.width != width || port.is_input != (direction == PortDirection::Input) {
            return Err(Diagnostic::defect(
                "port-differs",
                format!(
                    "port {name} is an {} of {} bits, not an {} of {width} bits",
                    if port.is_input { "input" } else { "output" },
                    port.width,
                    match direction {
                        PortDirection::Input => "input",
                        PortDirection::Output => "output",
                    },
                ),
            )
            .help("compile the program again: design and interface do not belong together"));
        }
        Ok(port)
    }
}

/// Seen from the design.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PortDirection {
    /// The driver sets it.
    Input,
    /// The design sets it.
    Output,
}

/// A design that has no text.
pub fn no_text(error: PrintError) -> Diagnostic {
    Diagnostic::defect("no-text", error.to_string())
}

/// The ports of a design's top with their widths: the resets of its clocks, then the declared ones in their order.
pub(crate) fn top_ports(design: &hardpath_rtl::Design) -> Vec<(String, Port)> {
    let top = &design.modules[design.top()];
    let resets = top.clocks.values();
    let resets = resets.map(|clock| (clock.reset.clone(), 1, true));
    let declared = top.ports.iter().map(|port| {
        (
            port.name.clone(),
            port.width,
            port.direction == Direction::Input,
        )
    });
    resets
        .chain(declared)
        .enumerate()
        .map(|(index, (name, width, is_input))| {
            let index = index as u32;
            (
                name,
                Port {
                    index,
                    width,
                    is_input,
                },
            )
        })
        .collect()
}

/// Writes `limbs` into `to`, with zeros for what is missing and without bits above `width`.
pub(crate) fn store_limbs(to: &mut [u64], width: u32, limbs: &[u64]) {
    let common = to.len().min(limbs.len());
    to[..common].copy_from_slice(&limbs[..common]);
    to[common..].fill(0);
    if let (Some(last), false) = (to.last_mut(), width.is_multiple_of(64)) {
        *last &= u64::MAX >> (64 - width % 64);
    }
}
