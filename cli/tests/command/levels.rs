//! Synthesized designs keep the depth that the delay model promises, and their size, which is about the one estimated.

use crate::common::{hardpath, object};

/// Levels that a clock of 250 MHz has room for on UltraScale+.
const MOST_LEVELS: u64 = 9;

/// Object, and a few LUTs more than it needs with streams of 512 bits.
const PROGRAMS: [(&str, u64); 1] = [("listing1", 1450)];

#[test]
fn small_programs_keep_their_depth_and_size() {
    for (program, most_luts) in PROGRAMS {
        let run = hardpath(&["synth", &object(program), "--json"]);
        let report = run.json();
        if report["error"]["code"] == "yosys-missing" {
            assert!(
                std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none(),
                "{report}"
            );
            eprintln!("not tested, there is no yosys: tools/setup");
            return;
        }
        assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
        let number = |key: &str| report[key].as_u64().expect("a number");
        let (levels, luts) = (number("levels"), number("lut"));
        assert!(levels > 0 && levels <= MOST_LEVELS, "{program}: {report:#}");
        assert!(luts <= most_luts, "{program}: {luts} LUTs");
        let estimate = &hardpath(&["compile", &object(program), "--json"]).json()["estimate"];
        for part in ["lut", "ff", "bram36"] {
            let (estimated, measured) = (&estimate[part], &report[part]);
            let ratio = estimated.as_f64().unwrap() / measured.as_f64().unwrap();
            assert!(
                (0.75..=1.25).contains(&ratio),
                "{part}: {estimated}, not {measured}"
            );
        }
    }
}
