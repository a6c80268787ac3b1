//! Is a mutant that the bench does not notice the same design? A proof says so, or a million packets that it passes as the
//! design does.

use crate::build::{Bench, Folder};
use crate::rules::Mutant;
use hardpath_testkit::proof;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packets of a chunk.
const CHUNK: u32 = 100_000;

/// yosys proves that the module with the mutant does what it did ([`proof::is_same`]). No rule touches the values that
/// registers begin with.
pub fn is_proved(folder: &Folder, mutant: &Mutant) -> bool {
    let files = folder.files();
    let mut of_file = files.iter().filter(|(name, _)| *name == mutant.file);
    let (_, text) = of_file.next().expect("the mutant's file");
    let mut other = text.clone();
    other.replace_range(mutant.place.clone(), &format!("({})", mutant.becomes));
    proof::is_same(&folder.path, &mutant.file, &other)
}

/// What very many packets do, as files for the bench.
pub struct LongRun {
    chunks: Vec<PathBuf>,
}

impl LongRun {
    /// By the native simulator, with what stands in the program's map file. Ten chunks are a million packets.
    pub fn make(folder: &Folder, program: &str, options: &[&str], chunks: u32) -> LongRun {
        let chunks = (0..chunks).map(|seed| {
            let capture = folder.path.join("chunk.pcapng");
            let lines = folder.path.join(format!("chunk_{seed}.txt"));
            let (packets, number) = (CHUNK.to_string(), seed.to_string());
            let mut traffic = vec!["traffic", "--packets", &packets, "--seed", &number];
            traffic.extend(["--proto", "mixed", "--flows", "200", "--both-directions"]);
            traffic.extend(["--distribution", ["uniform", "zipf"][seed as usize % 2]]);
            if program == "nat" {
                traffic.extend(["--nat", "203.0.113.1:1024"]);
            }
            if seed % 5 == 4 {
                traffic.push("--hostile");
            }
            let capture = capture.to_str().unwrap();
            hardpath(&[&traffic[..], &["-o", capture]].concat());
            let object = format!("build/programs/{program}.o");
            let maps = format!("programs/{program}.maps.json");
            let sim = [
                "sim", &object, "--pcap", capture, "--maps", &maps, "--bench",
            ];
            hardpath(&[&sim[..], &[lines.to_str().unwrap()], options].concat());
            lines
        });
        LongRun {
            chunks: chunks.collect(),
        }
    }

    /// The mutant cannot be told from the design.
    pub fn passes(&self, bench: &Bench, number: usize) -> bool {
        self.chunks
            .iter()
            .all(|lines| bench.passes(number, Some(lines)).0)
    }
}

/// The command, which must succeed.
pub fn hardpath(arguments: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_hardpath"))
        .current_dir(root)
        .args(arguments)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
}
