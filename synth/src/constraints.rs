//! Timing constraints of a design on its own: its clocks, and what goes from one of them to another.
//!
//! Clocks of a design have any frequencies and phases. What goes between two of them (words of Gray code into the flip-flops of a
//! synchronizer, words of a memory) may not be timed as if they had a phase in common; but a word of which one bit changes at a time
//! must not arrive so spread that two of its changes are seen at once. So the way is at most as long as the shorter one of both
//! periods, the clocks' own delays aside. Vivado has one constraint for that (UG903, `set_max_delay -datapath_only`). In Quartus
//! Prime Pro the clocks become asynchronous, and `set_data_delay` holds all the same, because asynchronous groups do not
//! override it (Quartus Prime Pro Edition User Guide: Timing Analyzer, "Data Delay").

use hardpath_rtl::crossings::{crossings, Crossings};
use hardpath_rtl::print::names::PublicNames;
use hardpath_rtl::print::Language;
use hardpath_rtl::{Clock, Design};
use std::fmt::Write;

/// What the constraints of a design say.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraints {
    /// The top's clocks, in its order: what the input is called in the text, and the frequency in MHz.
    clocks: Vec<(String, f64)>,
    crossings: Crossings,
}

impl Constraints {
    /// Of a design that passes the check, as its text is in a language. `mhz`: the frequency of each clock of the top, in its order.
    ///
    /// # Panics
    /// When there are more or fewer frequencies than clocks.
    pub fn of(design: &Design, language: &'static Language, mhz: &[f64]) -> Constraints {
        let names = &PublicNames::of(design, language).clocks[design.top()];
        assert_eq!(names.len(), mhz.len(), "a frequency for each clock");
        let names = names.values().map(|(clock, _)| clock.clone());
        Constraints {
            clocks: names.zip(mhz.iter().copied()).collect(),
            crossings: crossings(design),
        }
    }

    /// What the inputs of the clocks are called.
    pub fn clock_names(&self) -> impl Iterator<Item = &str> {
        self.clocks.iter().map(|(name, _)| name.as_str())
    }

    /// As Vivado reads them.
    pub fn xdc(&self) -> String {
        let mut text = self.clocks_text();
        text.push_str(&self.crossings_text("set_max_delay -datapath_only"));
        text.push_str(&self.ports_text());
        text
    }

    /// As Quartus Prime reads them, which leaves the uncertainty of clocks to the constraints.
    pub fn sdc(&self) -> String {
        let mut text = self.clocks_text();
        if self.clocks.len() > 1 {
            text.push_str("# The clocks have no phase in common.\nset_clock_groups -asynchronous");
            for name in self.clock_names() {
                let _ = write!(text, " -group [get_clocks {name}]");
            }
            text.push('\n');
        }
        text.push_str(&self.crossings_text("set_data_delay"));
        text.push_str(&self.ports_text());
        text.push_str("derive_clock_uncertainty\n");
        text
    }

    fn clocks_text(&self) -> String {
        let mut text = match self.clocks.as_slice() {
            [(_, mhz)] => format!(
                "# The design on its own; inside another one the clock comes from there.\n\
                 # The clock that it was scheduled for: {mhz} MHz.\n"
            ),
            clocks => {
                let all: Vec<String> = clocks
                    .iter()
                    .map(|(name, mhz)| format!("{name} {mhz} MHz"))
                    .collect();
                format!(
                    "# The design on its own; inside another one the clocks come from there.\n\
                     # The clocks that it was made for: {}.\n",
                    all.join(", ")
                )
            }
        };
        for (name, mhz) in &self.clocks {
            let period = period_ns(*mhz);
            let _ = writeln!(
                text,
                "create_clock -name {name} -period {period:.3} [get_ports {name}]"
            );
        }
        text
    }

    /// A line for each way from a clock to another one, which begins with a command that bounds paths without the clocks' delays.
    fn crossings_text(&self, command: &str) -> String {
        let mut text = String::new();
        if !self.crossings.is_empty() {
            text.push_str(
                "# What goes from one clock to another takes less than a period of either, so that no two changes are seen at once.\n",
            );
        }
        for (from, to) in &self.crossings {
            let [(from, from_mhz), (to, to_mhz)] = [from, to].map(|clock| self.clock(*clock));
            let most = period_ns(from_mhz.max(*to_mhz));
            let _ = writeln!(
                text,
                "{command} -from [get_clocks {from}] -to [get_clocks {to}] {most:.3}"
            );
        }
        text
    }

    fn ports_text(&self) -> String {
        let (inputs, outputs) = match self.clocks.len() {
            1 => ("[all_inputs]", "[all_outputs]"),
            _ => ("[get_ports INPUTS]", "[get_ports OUTPUTS]"),
        };
        let mut text = String::from(
            "# What the surroundings of its ports need is theirs to say, for example a quarter of the period:\n",
        );
        for (name, mhz) in &self.clocks {
            let quarter = period_ns(*mhz) / 4.0;
            let _ = write!(
                text,
                "# set_input_delay -clock {name} {quarter:.3} {inputs}\n\
                 # set_output_delay -clock {name} {quarter:.3} {outputs}\n"
            );
        }
        text
    }

    fn clock(&self, clock: Clock) -> &(String, f64) {
        &self.clocks[clock.as_u32() as usize]
    }
}

fn period_ns(mhz: f64) -> f64 {
    1000.0 / mhz
}
