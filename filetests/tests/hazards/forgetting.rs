//! Small LRU maps that are always full, in every hazard class: they forget, and only what they may.

use crate::case;
use crate::mutants::be_silent_here;
use hardpath_filetests::hardware::Hardware;
use hardpath_filetests::processor::Processor;
use hardpath_filetests::running::Running;
use hardpath_filetests::torture::{torture, torture_with};
use hardpath_filetests::traffic::Keys;
use hardpath_rtl::{Design, Module, NodeOp};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// The same program with maps that forget.
pub fn lru(text: &str) -> String {
    let lines = text.lines().map(|line| match line.contains(" exact key ") {
        true => format!("{line} forgets\n"),
        false => format!("{line}\n"),
    });
    let text: String = lines.collect();
    assert!(text.contains(" forgets\n"), "{text}");
    text
}

/// A program under traffic, its hazard class, and that its maps forget.
fn forgets(name: &str, text: &str, class: &str, seed: u64) {
    let mut hardware = Hardware::new(&lru(text), 512);
    let map = hardware.interface().maps[0].name.clone();
    assert_eq!(hardware.hazard(&map), class, "{name}");
    torture(&mut hardware, seed, 300);
    crowd(&mut hardware, seed, 700);
    assert!(hardware.forgotten() > 0, "{name} forgot nothing");
}

/// More keys than the maps have room for, but few enough to come again.
fn crowd(hardware: &mut Running, seed: u64, count: usize) {
    let kinds = [Keys::Of(14), Keys::Of(30), Keys::Of(100)];
    torture_with(hardware, seed, count, &kinds);
}

#[test]
fn in_one_stage() {
    for entries in [8, 12, 40] {
        forgets(
            "everything",
            &case(
                "hash_everything",
                &[("ENTRIES", &entries.to_string()), ("WORD", "soon")],
            ),
            "fused",
            2,
        );
        forgets(
            "blind",
            &case("hash_blind", &[("ENTRIES", &entries.to_string())]),
            "fused",
            3,
        );
    }
}

#[test]
fn behind_an_interlock() {
    for entries in [8, 12, 40] {
        forgets(
            "everything",
            &case(
                "hash_everything",
                &[("ENTRIES", &entries.to_string()), ("WORD", "late")],
            ),
            "interlock",
            4,
        );
        forgets(
            "expiry",
            &case("expiry", &[("ENTRIES", &entries.to_string())]),
            "interlock",
            5,
        );
    }
}

#[test]
fn in_a_window_that_is_replayed() {
    forgets(
        "one and another",
        &case("update_one_delete_other", &[]),
        "replay",
        6,
    );
    forgets(
        "two keys",
        &case("two_keys", &[("ENTRIES", "8")]),
        "replay",
        7,
    );
    forgets(
        "two keys",
        &case("two_keys", &[("ENTRIES", "12")]),
        "replay",
        8,
    );
}

/// The same on a core: keys go in the middle of a packet, but none whose entry it may still use.
#[test]
fn lru_maps_of_a_core() {
    let programs = [8, 12].into_iter().flat_map(|entries| {
        let entries = entries.to_string();
        let words = [("ENTRIES", entries.as_str()), ("WORD", "soon")];
        [
            case("hash_everything", &words),
            case("hash_blind", &words[..1]),
            case("expiry", &words[..1]),
            case("two_keys", &words[..1]),
        ]
    });
    let others = [case("update_one_delete_other", &[])];
    for (seed, text) in (10..).zip(programs.chain(others)) {
        for threads in [32, 1] {
            let processor = Processor::new(&lru(&text), 4, threads);
            let mut running = processor.expect("a core has all units for it").start();
            crowd(&mut running, seed, 120);
            assert!(
                running.forgotten() > 0,
                "nothing was forgotten, {threads} threads: {text}"
            );
        }
    }
}

/// What a design can do wrong when it forgets, or tells of it.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// Keys go while there is room.
    Early,
    /// A key that another port of the packet holds goes.
    Held,
    /// A key goes, and nobody is told.
    Silent,
    /// Every new key is said to have put out another one.
    Twice,
    /// Another slot is named.
    OtherSlot,
    /// Another key is named.
    OtherKey,
    /// A packet goes on with a key that it has found and that is gone since.
    Displaced,
}

impl Fault {
    fn break_with(self, design: &mut Design) {
        let modules = design.modules.values_mut();
        let changed = modules.map(|module| self.put_into_module(module));
        assert_eq!(changed.max(), Some(true), "{self:?} changes nothing");
    }

    /// Traffic over a design with the fault finds it.
    fn is_found(self, run: impl FnOnce()) {
        let found = catch_unwind(AssertUnwindSafe(run));
        assert!(found.is_err(), "{self:?} was not found");
    }

    fn put_into_module(self, module: &mut Module) -> bool {
        let table = module.name.ends_with("_keys");
        match self {
            Fault::Early if table => stuck(module, |name| name == "full", true),
            Fault::Held if table => stuck(module, |name| name.starts_with("held_"), false),
            Fault::Displaced if table => {
                stuck(module, |name| name.starts_with("displaced_now"), false)
            }
            Fault::Silent => report(module, "forgot", |module, _| module.zero(1)),
            Fault::Twice => report(module, "forgot", |module, _| module.one()),
            Fault::OtherSlot => report(module, "slot", |module, slot| module.add_const(slot, 1)),
            Fault::OtherKey => report(module, "key", |module, key| module.add_const(key, 1)),
            _ => false,
        }
    }
}

/// Nodes of such names, registers among them, become constants.
fn stuck(module: &mut Module, named: fn(&str) -> bool, to: bool) -> bool {
    let mut some = false;
    for node in module.nodes.values_mut() {
        let name = match node.op {
            NodeOp::Reg(reg) => Some(module.regs[reg].name.as_str()),
            _ => node.name.as_deref(),
        };
        if node.width == 1 && name.is_some_and(named) {
            node.op = NodeOp::Const(vec![u64::from(to)]);
            node.args.clear();
            some = true;
        }
    }
    some
}

/// The registers of journals take something else.
fn report(
    module: &mut Module,
    signal: &str,
    other: fn(&mut Module, hardpath_rtl::Node) -> hardpath_rtl::Node,
) -> bool {
    let (behind, of_core) = (format!("_{signal}_reg"), format!("journal_{signal}_1"));
    let of_pipeline = |name: &str| name.starts_with("lru_") && name.ends_with(&behind);
    let of_journal = |name: &str| name == of_core || of_pipeline(name);
    let regs = module.regs.iter();
    let regs: Vec<_> = regs
        .filter(|(_, reg)| of_journal(&reg.name))
        .filter_map(|(reg, data)| Some((reg, data.next?)))
        .collect();
    for (reg, next) in &regs {
        let wrong = other(module, *next);
        module.regs[*reg].next = Some(wrong);
    }
    !regs.is_empty()
}

/// The judge believes nothing: each fault is found.
#[test]
fn faults_are_found() {
    be_silent_here();
    let in_time = lru(&case(
        "hash_everything",
        &[("ENTRIES", "8"), ("WORD", "soon")],
    ));
    let again = lru(&case("two_keys", &[("ENTRIES", "12")]));
    let cases = [
        (Fault::Early, &in_time),
        (Fault::Silent, &in_time),
        (Fault::Twice, &in_time),
        (Fault::OtherSlot, &in_time),
        (Fault::OtherKey, &in_time),
        (Fault::Early, &again),
        (Fault::Held, &again),
        (Fault::Displaced, &again),
    ];
    for (fault, text) in cases {
        let sound = Hardware::new(text, 512);
        let (program, mut compiled) = (sound.program.clone(), sound.compiled);
        fault.break_with(&mut compiled.design);
        fault.is_found(|| crowd(&mut Hardware::with(program, compiled), 31, 1500));
    }
}

/// The same on a core.
#[test]
fn faults_of_a_core_are_found() {
    be_silent_here();
    let everything = lru(&case(
        "hash_everything",
        &[("ENTRIES", "8"), ("WORD", "soon")],
    ));
    let again = lru(&case("two_keys", &[("ENTRIES", "8")]));
    let cases = [
        (Fault::Early, &everything),
        (Fault::Silent, &everything),
        (Fault::Twice, &everything),
        (Fault::OtherSlot, &everything),
        (Fault::OtherKey, &everything),
        (Fault::Held, &again),
    ];
    for (fault, text) in cases {
        let mut core = Processor::new(text, 4, 16).expect("a core has all units for it");
        fault.break_with(&mut core.design);
        fault.is_found(|| crowd(&mut core.start(), 31, 300));
    }
}
