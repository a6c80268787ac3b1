//! Bounded proofs by yosys' SAT solver of what a block does. Each is also tried with mistakes in the block's text, which must be refuted.

use std::fs;
use std::path::Path;
use std::process::Command;

/// A block called `block`, beside what it must do.
pub struct Claim<'a> {
    /// Of a folder for the proof.
    pub name: &'a str,
    /// The block, as Verilog.
    pub block: String,
    /// A module `harness` with the block in it, and assertions.
    pub harness: &'a str,
    /// Parameters of the harness.
    pub parameters: &'a str,
    /// Clocks from reset for which it is proved.
    pub clocks: u32,
    /// What mistakes replace in the text, once, and by what.
    pub mistakes: &'a [(&'a str, &'a str)],
}

impl Claim<'_> {
    /// Proves it, in a folder of its own inside of this one. Where there is no yosys, and the environment does not say that there must be,
    /// nothing happens.
    ///
    /// # Panics
    /// It does not hold, or it holds with a mistake.
    pub fn holds(&self, place: &Path) {
        let Some(yosys) = yosys() else {
            return;
        };
        let folder = place.join(format!("proof-{}", self.name));
        fs::create_dir_all(&folder).expect("a folder for a test");
        let run = |text: &str| {
            let parameters = match self.parameters {
                "" => String::new(),
                some => format!("chparam {some} harness\n"),
            };
            // The block's own assertions say the same in simulation, in words that yosys does not read.
            let script = format!(
                "read_verilog -sv -DSYNTHESIS block.sv\nread_verilog -sv -formal harness.sv\n{parameters}\
                 prep -top harness\nflatten\nmemory -nordff\nopt -fast\n\
                 sat -verify -prove-asserts -set-assumes -seq {} harness\n",
                self.clocks
            );
            for (file, content) in [
                ("block.sv", text),
                ("harness.sv", self.harness),
                ("prove.ys", &script),
            ] {
                fs::write(folder.join(file), content).expect("a file for a test");
            }
            let output = Command::new(&yosys)
                .args(["-s", "prove.ys"])
                .current_dir(&folder)
                .output()
                .expect("yosys can be started");
            let said = String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr);
            (output.status.success(), said)
        };
        let (proved, said) = run(&self.block);
        assert!(
            proved && said.contains("SUCCESS!"),
            "{}:\n{said}",
            self.name
        );
        for (from, to) in self.mistakes {
            let text = &self.block;
            let count = text.matches(from).count();
            assert_eq!(count, 1, "{}: {from} in\n{text}", self.name);
            let (proved, said) = run(&text.replace(from, to));
            assert!(
                !proved && said.contains("proof did fail!"),
                "{}, with {to} for {from}:\n{said}",
                self.name
            );
        }
    }
}

/// yosys: `HARDPATH_YOSYS`, or that in PATH. `None`: there is none, and the environment does not say that there must be.
fn yosys() -> Option<String> {
    let yosys = std::env::var("HARDPATH_YOSYS").unwrap_or_else(|_| "yosys".into());
    let there = Command::new(&yosys).arg("-V").output().is_ok();
    assert!(
        there || std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none(),
        "there is no yosys: tools/setup"
    );
    there.then_some(yosys)
}
