//! The public BPF conformance suite, lifted and run by the interpreter.

use hardpath_ebpf::lift_raw;
use hardpath_ir::interpreter::run;
use hardpath_ir::maps::Maps;
use hardpath_ir::verifier::verify;
use hardpath_packet::Sideband;
use serde_json::Value;

const SUITE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../shared/conformance/bpf_isa.json"
);

fn bytes_of(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2)
        .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap())
        .collect()
}

#[test]
fn every_test_of_the_suite_gives_its_result() {
    let Ok(text) = std::fs::read_to_string(SUITE) else {
        println!("skipped: {SUITE} is not there");
        return;
    };
    let tests: Vec<Value> = serde_json::from_str(&text).unwrap();
    let mut failed = Vec::new();
    for test in &tests {
        let name = test["name"].as_str().unwrap();
        let result = test["result"].as_str().unwrap().trim_start_matches("0x");
        let expected = u64::from_str_radix(result, 16).unwrap();
        let program = match lift_raw(&bytes_of(test["insns"].as_str().unwrap()), name) {
            Ok(program) => program,
            Err(diagnostics) => {
                failed.push(format!("{name}: {diagnostics:?}"));
                continue;
            }
        };
        if let Err(errors) = verify(&program) {
            failed.push(format!("{name}: {errors:?}"));
            continue;
        }
        let memory = bytes_of(test["mem"].as_str().unwrap());
        let mut maps = Maps::new(&program.maps);
        let outcome = run(&program, &mut maps, &memory, &Sideband::default());
        if outcome.first_output() != expected {
            failed.push(format!(
                "{name}: {:#x} instead of {expected:#x}",
                outcome.first_output()
            ));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert_eq!(tests.len(), 313);
}
