//! Damaged and hostile input gives errors, never a panic.

use std::path::{Path, PathBuf};

use hardpath_ebpf::{lift, lift_raw, load, LoadOptions};
use hardpath_ir::verifier::verify;

const OBJECTS: [&str; 6] = [
    "core.o",
    "globals_v3.o",
    "isa_v4.o",
    "legacy_maps.o",
    "notype.o",
    "programs.o",
];

fn data_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// Loads, lifts every program and checks what was lifted.
fn try_everything(bytes: &[u8]) {
    let options = LoadOptions {
        btf: Some(data_file("core_kernel.o")),
        ..LoadOptions::default()
    };
    match load(bytes, "damaged.o", &options) {
        Ok(object) => {
            let _ = object.choose(None).map(|program| program.name.clone());
            for program in &object.programs {
                if let Ok(lifted) = lift(&object, program) {
                    verify(&lifted).expect("what is lifted obeys the IR's rules");
                }
            }
        }
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty());
            for diagnostic in diagnostics {
                assert!(!diagnostic.message.is_empty() && diagnostic.place.is_some());
            }
        }
    }
}

/// Sets variables of globals_v3.o, whose types and symbols may be damaged.
fn try_to_set(bytes: &[u8]) {
    let values = ["drop_all=1", "port_of_class[7]=80", "limits[3]=7"];
    for value in values {
        let (name, value) = value.split_once('=').unwrap();
        let options = LoadOptions {
            globals: vec![(name.to_string(), value.to_string())],
            ..LoadOptions::default()
        };
        if let Ok(object) = load(bytes, "damaged.o", &options) {
            assert_eq!(object.set.len(), 1);
        }
    }
}

/// xorshift64*: the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }
}

#[test]
fn files_that_end_too_early() {
    for name in OBJECTS {
        let bytes = std::fs::read(data_file(name)).unwrap();
        for length in 0..bytes.len() {
            try_everything(&bytes[..length]);
        }
    }
}

#[test]
fn files_with_changed_bytes() {
    let mut random = Random(0x6861_7264_7061_7468);
    for name in OBJECTS {
        let bytes = std::fs::read(data_file(name)).unwrap();
        for _ in 0..4000 {
            let mut changed = bytes.clone();
            for _ in 0..1 + random.below(3) {
                let position = random.below(changed.len());
                changed[position] = match random.below(3) {
                    0 => random.below(256) as u8,
                    1 => changed[position] ^ (1 << random.below(8)),
                    _ => [0, 0xff, 0x7f, 0x80][random.below(4)],
                };
            }
            try_everything(&changed);
            if name == "globals_v3.o" {
                try_to_set(&changed);
            }
        }
    }
}

#[test]
fn files_of_other_kinds() {
    let code_of = |bytes: &[u8]| load(bytes, "file", &LoadOptions::default()).unwrap_err()[0].code;
    assert_eq!(code_of(b""), "not-an-elf");
    assert_eq!(code_of(b"#!/bin/sh\n"), "not-an-elf");
    let bytes = std::fs::read(data_file("notype.o")).unwrap();
    let changed = |position: usize, byte: u8| {
        let mut changed = bytes.clone();
        changed[position] = byte;
        changed
    };
    assert_eq!(code_of(&changed(4, 1)), "wrong-machine");
    assert_eq!(code_of(&changed(5, 2)), "wrong-endianness");
    assert_eq!(code_of(&changed(18, 62)), "wrong-machine");
    assert_eq!(code_of(&changed(16, 2)), "not-relocatable");
    assert_eq!(code_of(&bytes[..40]), "malformed-elf");
}

#[test]
fn random_instructions() {
    let mut random = Random(42);
    // Mostly arithmetic, so that some programs are valid.
    let opcodes: Vec<u8> = (0..=255)
        .chain((0..200).map(|i| [0x07, 0x0c, 0xb7, 0xbf, 0xd4, 0x25, 0x16, 0x7b][i % 8]))
        .collect();
    let mut lifted = 0;
    for _ in 0..20_000 {
        let mut code = Vec::new();
        for _ in 0..1 + random.below(6) {
            let opcode = opcodes[random.below(opcodes.len())];
            let registers = (random.below(4) << 4 | random.below(3)) as u8;
            // Small fields make valid instructions likely.
            let off = random.below(4) as u8;
            let imm = [0, 1, 16, 64, 0xe1][random.below(5)];
            let source = if random.below(2) == 0 { 0 } else { registers };
            code.extend_from_slice(&[
                opcode,
                registers & 0xf | source & 0xf0,
                off,
                0,
                imm,
                0,
                0,
                0,
            ]);
        }
        code.extend_from_slice(&[0xb7, 0, 0, 0, 0, 0, 0, 0, 0x95, 0, 0, 0, 0, 0, 0, 0]);
        if let Ok(program) = lift_raw(&code, "random") {
            verify(&program).expect("what is lifted obeys the IR's rules");
            lifted += 1;
        }
    }
    assert!(lifted > 100, "only {lifted} programs were valid");
    assert!(lift_raw(&[], "empty").is_err());
    assert!(lift_raw(&[0x95, 0, 0], "cut").is_err());
}
