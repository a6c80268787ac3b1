//! What the options can ask for.

use hardpath_diagnostic::Diagnostic;
use hardpath_diagnostic::Severity;
use hardpath_filetests::case::read;
use hardpath_filetests::text;
use hardpath_pipeline::technology::{Technology, TECHNOLOGIES};
use hardpath_pipeline::{compile, Compiled, Options};

const PRODUCT: &str = "program \"product\" control-flow\noutput \"verdict\" 32

block0:
    v0:64 = const 0
    v1:16 = packet.load v0
    v2:64 = const 2
    v3:16 = packet.load v2
    v4:16 = mul v1, v3
    packet.store v0, v4
    v5:32 = const 2
    v6:32 = const 0
    v9000:1 = const 1
    emit v9000 with v5
";

fn refusal(clock_mhz: f64, bus_bits: u32) -> (Severity, &'static str, String) {
    let options = Options {
        clock_mhz,
        bus_bits,
        ..Options::default()
    };
    let errors = compile(read(PRODUCT), &options).expect_err("something is wrong");
    (errors[0].severity, errors[0].code, errors[0].to_string())
}

#[test]
fn buses_and_clocks_that_do_not_exist() {
    for bus_bits in [0, 1, 32, 96, 1024] {
        let (class, code, _) = refusal(250.0, bus_bits);
        assert_eq!((class, code), (Severity::Input, "bus-width"));
    }
    for clock_mhz in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let (class, code, _) = refusal(clock_mhz, 512);
        assert_eq!((class, code), (Severity::Input, "clock"));
    }
}

/// The message names a clock; that clock is one that works.
#[test]
fn a_clock_that_an_operation_cannot_keep() {
    let (class, code, text) = refusal(900.0, 512);
    assert_eq!((class, code), (Severity::Refused, "clock-too-fast"));
    let clock_mhz = clock_in(&text);
    let options = Options {
        clock_mhz,
        bus_bits: 64,
        ..Options::default()
    };
    assert!(compile(read(PRODUCT), &options).is_ok(), "{clock_mhz} MHz");
}

/// A remainder by a constant becomes several products, which are refused as the one instruction of the source.
#[test]
fn one_error_for_an_instruction() {
    let text = r#"program "spread" control-flow
output "verdict" 32

place0 slot 3 file "spread.c" line 7 source "hash % 7"

block0:
    v0:64 = const 0
    v1:64 = packet.load v0
    v2:64 = const 7
    v3:64 = urem v1, v2 at place0
    packet.store v0, v3
    v4:32 = const 2
    v5:32 = const 0
    v9001:1 = const 1
    emit v9001 with v4
"#;
    let options = Options {
        clock_mhz: 400.0,
        ..Options::default()
    };
    let errors = compile(read(text), &options).expect_err("a product takes longer");
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(
        texts[0].contains("operation Mul") && texts[0].contains("spread.c:7"),
        "{texts:?}"
    );
}

/// Operations, and what stands around memories: one error names the one clock that all allow, on every family.
#[test]
fn the_fastest_clock_of_a_family() {
    let texts = [
        ("map counts: ", &text("pipeline/report_counter", &[])),
        ("map flows: ", &text("pipeline/report_insert", &[])),
    ];
    for (map, text) in texts {
        for technology in TECHNOLOGIES {
            let at = |clock_mhz: f64| compile_at(text, technology, clock_mhz);
            let errors = at(1900.0).expect_err("far too fast");
            let [error] = errors.as_slice() else {
                panic!("one error for one reason: {errors:?}");
            };
            assert_eq!(error.code, "clock-too-fast");
            let says = |words: &str| error.to_string().contains(words);
            assert!(says(" places take longer than that: also "), "{error}");
            assert!(says(map), "{error}");
            assert!(says("operation Add on 64 bits"), "{error}");
            let clock = clock_in(&error.to_string());
            assert!(at(clock).is_ok());
            assert!(at(clock * 1.02).is_err());
        }
    }
}

/// Where packets wait for each other is known only when all else fits the clock. The clock that is named works.
#[test]
fn the_fastest_clock_of_a_window() {
    let text = &text("pipeline/report_expiry", &[]);
    for technology in TECHNOLOGIES {
        let at = |clock_mhz: f64| compile_at(text, technology, clock_mhz);
        let errors = at(1900.0).expect_err("far too fast");
        let clock = clock_in(&errors[0].to_string());
        assert!(at(clock).is_ok(), "{clock} MHz");
        let errors = at(clock * 1.02).expect_err("a little too fast");
        let said = errors[0].to_string();
        // Entrances stand close together; where that saves enough, keys take longer.
        let slowest = match technology.close < 1.0 {
            true => "the compare of a key",
            false => "the entrance of the packets",
        };
        let said_slowest = said.contains(&format!("map flows: {slowest}"));
        assert!(said_slowest, "{}: {said}", technology.name);
        assert_eq!(clock_in(&said), clock);
    }
}

/// A second update that is done when the first one fails: there is time for that at one clock and not at another. One map,
/// so its windows have nothing to do with it.
#[test]
fn a_clock_at_which_a_commit_comes_too_late() {
    let text = &text("pipeline/report_second_choice", &[]);
    let at = |clock_mhz: f64| compile_at(text, TECHNOLOGIES[0], clock_mhz);
    assert!(at(250.0).is_ok());
    let errors = at(390.0).expect_err("too fast");
    let [error] = errors.as_slice() else {
        panic!("{errors:?}");
    };
    let said = error.to_string();
    assert_eq!(error.code, "clock-too-fast", "{said}");
    assert!(
        said.contains("map flows") && said.contains("390 MHz"),
        "{said}"
    );
    let clock = clock_in(&said);
    assert!(at(clock).is_ok(), "{clock} MHz");
    assert!(at(clock + 1.0).is_err(), "{clock} MHz");
}

fn compile_at(
    text: &str,
    technology: &'static Technology,
    clock_mhz: f64,
) -> Result<Compiled, Vec<Diagnostic>> {
    let options = Options {
        clock_mhz,
        technology,
        ..Options::default()
    };
    compile(read(text), &options)
}

/// The clock that a message names.
fn clock_in(text: &str) -> f64 {
    let (_, rest) = text.split_once("at most ").expect("a clock is named");
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}
