//! Ready-made objects, loaded, lifted and run by the interpreter. `data/build.sh` makes them from their sources.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hardpath_diagnostic::Diagnostic;
use hardpath_ebpf::{lift, lift_returned, load, LoadOptions, MapRefKind, Object};
use hardpath_ir::interpreter::run;
use hardpath_ir::maps::{Image, Maps};
use hardpath_ir::verifier::verify;
use hardpath_ir::{Find, Program};
use hardpath_kernel::xdp as verdict;
use hardpath_packet::{Fate, Sideband};

fn data_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn load_with(name: &str, options: &LoadOptions) -> Result<Object, Vec<Diagnostic>> {
    let bytes = std::fs::read(data_file(name)).unwrap();
    load(&bytes, name, options)
}

fn load_file(name: &str) -> Object {
    load_with(name, &LoadOptions::default()).unwrap()
}

fn lift_program(object: &Object, name: Option<&str>) -> Program {
    let program = lift_returned(object, object.choose(name).unwrap()).unwrap();
    verify(&program).unwrap();
    program
}

fn run_on(program: &Program, packet: &[u8], context: Sideband) -> (Fate, Image) {
    let mut maps = Maps::new(&program.maps);
    let outcome = run(program, &mut maps, packet, &context);
    (outcome, maps.image())
}

fn codes(object: &Object, program: &str) -> Vec<&'static str> {
    let diagnostics = lift(object, object.choose(Some(program)).unwrap()).unwrap_err();
    for diagnostic in &diagnostics {
        assert!(diagnostic.place.is_some() && diagnostic.help.is_some());
    }
    diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code)
        .collect()
}

#[test]
fn legacy_maps_and_unknown_sections() {
    let object = load_file("legacy_maps.o");
    assert_eq!(object.license, "GPL");
    assert_eq!(object.maps.len(), 2);
    assert_eq!(object.maps[0].name, "counters");
    assert_eq!(object.maps[1].name, "seen");
    assert_eq!(object.maps[1].key_bytes, 6);
    assert_eq!(object.maps[1].flags, 1);
    let program = lift_program(&object, Some("count_packets"));
    let (outcome, maps) = run_on(&program, &[0; 60], Sideband::default());
    assert_eq!(outcome.outputs[1], verdict::PASS);
    let key = 1u32.to_le_bytes().to_vec();
    assert_eq!(maps["counters"][&key], 60u64.to_le_bytes());
}

#[test]
fn max_entries_from_the_options() {
    let object = load_file("legacy_maps.o");
    assert_eq!(codes(&object, "remember"), ["max-entries-missing"]);

    let mut options = LoadOptions {
        max_entries: BTreeMap::from([("seen".to_string(), 1)]),
        ..LoadOptions::default()
    };
    let object = load_with("legacy_maps.o", &options).unwrap();
    let program = lift_program(&object, Some("remember"));
    let mut maps = Maps::new(&program.maps);
    let context = Sideband::default();
    let verdicts: Vec<u64> = [1u8, 1, 2]
        .iter()
        .map(|source| run(&program, &mut maps, &[*source; 60], &context).outputs[1])
        .collect();
    assert_eq!(verdicts, [verdict::PASS, verdict::PASS, verdict::ABORTED]);
    assert_eq!(maps.image()["seen"].len(), 1);

    options.max_entries.insert("sen".to_string(), 1);
    let errors = load_with("legacy_maps.o", &options).unwrap_err();
    assert_eq!(errors[0].code, "unknown-map");
    assert!(errors[0].help.as_deref().unwrap().contains("seen"));
}

#[test]
fn global_data() {
    for (level, prefix) in [("v1", "globals_"), ("v2", "globals_"), ("v3", "globals_")] {
        let object = load_file(&format!("globals_{level}.o"));
        let rodata = object.maps.iter().find(|map| map.read_only).unwrap();
        assert_eq!(rodata.name, format!("{prefix}.rodata"));
        assert_eq!(rodata.initial.as_ref().unwrap().len(), 20);
        let program = lift_program(&object, None);
        let names: Vec<&str> = program.maps.values().map(|map| map.name.as_str()).collect();
        assert_eq!(names.len(), 3, "read-only data is no map of the program");
        for class in 0..8u8 {
            let mut packet = vec![class | 0x30; 150];
            packet[1] = class & 3;
            let (outcome, maps) = run_on(&program, &packet, Sideband::default());
            let limit = 100 * (usize::from(class & 3) + 1);
            let expected = if 150 > limit {
                verdict::TX
            } else {
                verdict::PASS
            };
            assert_eq!(outcome.outputs[1], expected, "{level} class {class}");
            let port = [10, 11, 12, 13, 24, 25, 26, 27][usize::from(class)];
            assert_eq!(
                outcome.data().unwrap()[12..14],
                [port, 0],
                "{level} class {class}"
            );
            let key = vec![0; 4];
            assert_eq!(maps["globals_.data"][&key], 6u64.to_le_bytes());
            assert_eq!(maps["globals_.bss"][&key], u32::from(class).to_le_bytes());
            assert_eq!(maps[".data.limits"][&key][4..8], 200u32.to_le_bytes());
        }
        let (outcome, _) = run_on(&program, &[0; 13], Sideband::default());
        assert_eq!(outcome.outputs[1], verdict::ABORTED);
    }
}

#[test]
fn references_to_global_data_can_be_loaded_by_the_kernel() {
    let object = load_file("globals_v3.o");
    let image = object.choose(None).unwrap();
    assert_eq!(image.map_refs.len(), 5);
    for reference in &image.map_refs {
        let first = image.insns[reference.slot as usize];
        let second = image.insns[reference.slot as usize + 1];
        let MapRefKind::Value { offset } = reference.kind else {
            panic!("global data is reached by address");
        };
        assert_eq!((first.code, first.src), (0x18, 2));
        assert_eq!((first.imm, second.imm), (0, offset as i32));
        assert!(offset < object.maps[reference.map].value_bytes);
    }
}

fn core_options() -> LoadOptions {
    LoadOptions {
        btf: Some(data_file("core_kernel.o")),
        ..LoadOptions::default()
    }
}

#[test]
fn offsets_come_from_the_kernels_types() {
    let object = load_with("core.o", &core_options()).unwrap();
    let program = lift_program(&object, Some("guarded"));
    let packet: Vec<u8> = (0..64).collect();
    let (outcome, _) = run_on(&program, &packet, Sideband::default());
    assert_eq!(
        outcome.outputs[1],
        22 | 23 << 8,
        "size is at offset 22 there"
    );
    assert_eq!(codes(&object, "unguarded"), ["core-missing-field"]);
}

#[test]
fn relocation_without_types_is_an_error() {
    for (btf, code) in [
        ("no-such-file", "no-kernel-btf"),
        ("notype.o", "no-kernel-btf"),
        ("build.sh", "malformed-btf"),
    ] {
        let options = LoadOptions {
            btf: Some(data_file(btf)),
            ..LoadOptions::default()
        };
        let errors = load_with("core.o", &options).unwrap_err();
        assert_eq!(errors[0].code, code, "{btf}");
        assert!(errors[0].place.is_some() && errors[0].help.is_some());
    }
}

#[test]
fn several_programs() {
    let object = load_file("programs.o");
    assert_eq!(object.license, "Dual MIT/GPL");
    let error = object.choose(None).unwrap_err();
    assert_eq!(error.code, "several-programs");
    let help = error.help.unwrap();
    assert!(help.contains("forward (xdp.frags)") && !help.contains("classify"));
    assert_eq!(
        object.choose(Some("nothing")).unwrap_err().code,
        "unknown-program"
    );
    let error = object.choose(Some("classify")).unwrap_err();
    assert_eq!(error.code, "not-xdp");
    assert!(error.message.contains("BPF_PROG_TYPE_SCHED_CLS"));
    assert!(error.help.unwrap().contains("forward (xdp.frags)"));
    assert!(object.choose(Some("forward")).unwrap().frags);
    assert!(!object.choose(Some("xdp/direct")).unwrap().frags);
}

#[test]
fn redirects() {
    let object = load_file("programs.o");
    let direct = lift_program(&object, Some("direct"));
    let context = Sideband {
        ingress: 3,
        ..Sideband::default()
    };
    let (outcome, _) = run_on(&direct, &[0; 60], context);
    assert_eq!(
        (outcome.outputs[1], outcome.indices()),
        (verdict::REDIRECT, vec![7])
    );
    let (outcome, _) = run_on(&direct, &[0; 60], Sideband::default());
    assert_eq!(
        (outcome.outputs[1], outcome.indices()),
        (verdict::PASS, vec![0])
    );

    let forward = lift_program(&object, Some("forward"));
    let ports = forward.maps.values().next().unwrap();
    assert_eq!(
        (ports.find, ports.outside.as_str()),
        (Find::Slots, "devmap")
    );
    let mut maps = Maps::new(&forward.maps);
    let entry = (2u32.to_le_bytes().to_vec(), 77u32.to_le_bytes().to_vec());
    maps.load(&Image::from([(
        "ports".to_string(),
        [entry].into_iter().collect(),
    )]))
    .unwrap();
    for (queue, expected) in [
        (2, (verdict::REDIRECT, vec![77])),
        (1, (verdict::TX, vec![0])),
    ] {
        let context = Sideband {
            queue,
            ..Sideband::default()
        };
        let outcome = run(&forward, &mut maps, &[0; 60], &context);
        assert_eq!((outcome.outputs[1], outcome.indices()), expected);
    }
}

#[test]
fn all_reasons_at_once() {
    let object = load_file("programs.o");
    assert_eq!(
        codes(&object, "loops"),
        ["unsupported-map", "unsupported-helper"]
    );
    let image = object.choose(Some("loops")).unwrap();
    let diagnostics = lift(&object, image).unwrap_err();
    assert!(diagnostics[0].message.contains("SOCKHASH"));
    assert!(diagnostics[1].message.contains("bpf_get_current_pid_tgid"));
    assert_eq!(
        diagnostics[1].place_text(),
        "programs.o: section xdp/loops, instruction 24 (programs.c:64: bpf_get_current_pid_tgid();)"
    );
}

#[test]
fn called_functions_are_linked_behind_the_program() {
    let object = load_file("programs.o");
    let image = object.choose(Some("calls")).unwrap();
    let names: Vec<&str> = image
        .functions
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names, ["calls", "sum"]);
    let call = image.insns.iter().position(|insn| insn.is_local_call());
    let call = call.unwrap();
    let target = call as i64 + 1 + i64::from(image.insns[call].imm);
    assert_eq!(target, i64::from(image.functions[1].slot));
    assert_eq!(image.places.len(), image.insns.len());
}

#[test]
fn functions_without_a_type() {
    let object = load_file("notype.o");
    let second = lift_program(&object, Some("second"));
    for (queue, expected) in [(5, 5), (6, 1)] {
        let context = Sideband {
            queue,
            ..Sideband::default()
        };
        assert_eq!(run_on(&second, &[], context).0.outputs[1], expected);
    }
    assert!(object.choose(Some("far")).is_err(), "a label is no program");
}

#[test]
fn instructions_of_a_current_clang() {
    let object = load_file("isa_v4.o");
    let image = object.choose(None).unwrap();
    let has = |accept: &dyn Fn(u8, i16) -> bool| {
        image.insns.iter().any(|insn| accept(insn.code, insn.off))
    };
    assert!(has(&|code, _| code & 0xe7 == 0x81), "a signed load");
    assert!(has(&|code, _| code == 0xd7), "a byte swap");
    assert!(
        has(&|code, off| code & 0xf7 == 0x34 && off == 1),
        "a signed division"
    );
    let program = lift_program(&object, None);
    let mut maps = Maps::new(&program.maps);
    let mut packet = vec![0; 60];
    packet[14..16].copy_from_slice(&(-2i16).to_le_bytes());
    packet[16..20].copy_from_slice(&(-100i32).to_le_bytes());
    packet[20] = (-7i8) as u8;
    for round in 0..2u16 {
        let outcome = run(&program, &mut maps, &packet, &Sideband::default());
        assert_eq!(outcome.outputs[1], verdict::TX);
        assert_eq!(outcome.data().unwrap()[22..26], (14i32 - 2).to_le_bytes());
        assert_eq!(outcome.data().unwrap()[26..30], (-2i32).to_be_bytes());
        assert_eq!(outcome.data().unwrap()[30..32], round.to_be_bytes());
    }
    let key = vec![0; 4];
    let mut counters = 2u64.to_le_bytes().to_vec();
    counters.extend_from_slice(&120u64.to_le_bytes());
    assert_eq!(maps.image()["totals"][&key], counters);
}
