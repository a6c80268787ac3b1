//! A design in the native engine that a C program drives over a pipe, and what the same commands do to the interpreter of the IR.

use hardpath_blocks::interface::Interface;
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ir::interpreter::{Prepared, MOST_STEPS};
use hardpath_ir::maps::{Image, Maps};
use hardpath_ir::{Answer, MapId, May};
use hardpath_p4::commands::{Command, CommandKind};
use hardpath_p4::design::{self, Design};
use hardpath_p4::lower::run::{refuses, Device, Running};
use hardpath_p4::lower::{self, Deparse, Lowered};
use hardpath_p4::preprocess::Options;
use hardpath_p4::runner::{self, Verdict};
use hardpath_p4::source::Sources;
use hardpath_p4::typed::Program;
use hardpath_p4::{entries, load};
use hardpath_packet::{Fate, Packet, Sideband};
use hardpath_registers::{Bus, Driver, Operate};
use hardpath_session::Session;
use hardpath_testbed::host;
use hardpath_testbed::native::Native;
use hardpath_testbed::pins::Pins;
use hardpath_testbed::run::RunOptions;
use std::cell::RefCell;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::rc::Rc;

/// Where packets come in, by what C programs write into the port table of designs that have one.
const PORT: u32 = 5;

/// What the C program does up to a check, as commands, and the packets that are sent then.
#[derive(Default)]
pub struct Phase {
    pub commands: &'static str,
    /// Cells of registers that BMv2's commands cannot write, those of structs: map, index, number.
    pub cells: Vec<(&'static str, u32, u64)>,
    pub packets: Vec<Vec<u8>>,
}

/// A program, and its hardware.
pub struct Subject {
    program: Program,
    sources: Sources,
    design: Design,
    lowered: Lowered,
    hardware: hardpath_rtl::Design,
    interface: Interface,
}

impl Subject {
    /// As `hardpath compile` makes it.
    pub fn of(file: &Path) -> Subject {
        let options = Options {
            folders: Vec::new(),
            defines: Vec::new(),
        };
        let (program, sources) = load(file, None, &options).expect("it is right");
        let design = design::design(&program, &sources).expect("it has a design");
        let lowered = lower::lower(&program, &sources, &design, Deparse::Front);
        let lowered = lowered.expect("it can be hardware");
        let mut ir = lowered.program.clone();
        hardpath_passes::lower_structured(&mut ir).expect("it has no loops");
        let compiled = hardpath_pipeline::compile(ir, &hardpath_pipeline::Options::default());
        let compiled = compiled.expect("it becomes hardware");
        Subject {
            program,
            sources,
            design,
            lowered,
            hardware: compiled.design,
            interface: compiled.interface,
        }
    }

    /// Lets a C program work on the design until it ends.
    pub fn drive(&self, driver: &Path, phases: &[Phase]) {
        let mut dut = Native::new(&self.hardware).expect("it can be simulated");
        host::reset(&mut dut, &self.interface).expect("it can be reset");
        let started = Process::new(driver)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut driver = started.expect("it can be started");
        let mut to = driver.stdin.take().expect("a pipe");
        let mut from = driver.stdout.take().expect("a pipe");
        let mut checked = Vec::new();
        let mut message = [0; 9];
        loop {
            match from.read_exact(&mut message) {
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => break,
                read => read.expect("a message"),
            }
            let word = |at: usize| u32::from_le_bytes(message[at..at + 4].try_into().unwrap());
            let (one, other) = (word(1), word(5));
            let answer = match message[0] {
                b'R' => pins(&mut dut).read32(one.into()).ok(),
                b'W' => pins(&mut dut).write32(one.into(), other).ok().map(|()| 0),
                b'C' => {
                    checked.push(one as usize);
                    self.check(&mut dut, phases, &checked, other == 1);
                    Some(0)
                }
                other => panic!("no message begins with {other}"),
            };
            let words = [u32::from(answer.is_none()), answer.unwrap_or(0)];
            let bytes = words.map(u32::to_le_bytes).concat();
            to.write_all(&bytes).expect("it takes the answer");
        }
        let ended = driver.wait_with_output().expect("it ends");
        let text = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success(), "{text}");
        for phase in 0..phases.len() {
            assert!(checked.contains(&phase), "phase {phase} was not checked");
        }
    }

    /// Sends the packets of the last phase, and compares what comes of them and what the tables hold then.
    fn check(&self, dut: &mut Native, phases: &[Phase], checked: &[usize], holds_the_same: bool) {
        let (fates, image) = self.meant(phases, checked);
        let before: usize = checked.iter().map(|at| phases[*at].packets.len()).sum();
        let last = checked[checked.len() - 1];
        let before = before - phases[last].packets.len();
        let mut session = Session::goes_on(dut, &self.interface);
        for (number, data) in phases[last].packets.iter().enumerate() {
            let packet = Packet {
                data: data.clone(),
                time_ns: time(before + number),
                ..Packet::default()
            };
            let ran = session.run(&[packet], &RunOptions::default());
            let fate = ran.expect("it runs").outcomes.remove(0);
            let fate = fate.expect("it enters");
            assert_eq!(
                fate,
                fates[before + number],
                "phase {last}, packet {number}"
            );
        }
        if !holds_the_same {
            return;
        }
        let design = self.interface.design();
        let names: Vec<String> = design.maps.iter().map(|map| map.name.clone()).collect();
        let mut driver = Driver::attach(pins(dut), design).expect("it is the design");
        for (number, name) in names.iter().enumerate() {
            let held = driver.dump(number).expect("it can be dumped");
            assert_eq!(
                Some(&held),
                image.get(name),
                "phase {last}: what stands in {name}"
            );
        }
    }

    /// What the commands and packets of these phases mean: what came of each packet, and what the tables hold.
    fn meant(&self, phases: &[Phase], checked: &[usize]) -> (Vec<Fate>, Image) {
        let mut commands: Vec<Command> = Vec::new();
        for (event, number) in checked.iter().enumerate() {
            let phase = &phases[*number];
            if !checked[..event].contains(number) {
                let read = entries::read(&format!("phase {number}"), phase.commands);
                commands.extend(read.unwrap_or_else(|errors| panic!("{errors:#?}")));
            }
            commands.extend(phase.packets.iter().map(|bytes| Command {
                place: Place::of_file("packets"),
                kind: CommandKind::Packet {
                    port: PORT,
                    bytes: bytes.clone(),
                },
            }));
        }
        let maps = Rc::new(RefCell::new(Maps::new(&self.lowered.program.maps)));
        let fates = Rc::default();
        let device = Meant {
            maps: Rc::clone(&maps),
            prepared: Prepared::new(&self.lowered.program),
            fates: Rc::clone(&fates),
        };
        // No packet writes them, and no other phase: they may be there from the begin.
        for number in checked {
            for (map, index, value) in &phases[*number].cells {
                let decls = &self.lowered.program.maps;
                let (map, decl) = decls.iter().find(|(_, decl)| decl.name == *map).unwrap();
                let bytes = &value.to_le_bytes()[..decl.value_bytes as usize];
                let key = index.to_le_bytes();
                let written = maps.borrow_mut().update(map, &key, bytes, May::PUT);
                assert_eq!(written, Answer::Done);
            }
        }
        let (program, sources, design) = (&self.program, &self.sources, &self.design);
        let running = Running::new(device, &self.lowered, program, sources, design);
        let mut running = running.expect("it begins");
        let verdict = runner::run(&mut running, program, sources, design, &commands);
        assert_eq!(verdict, Ok(Verdict::Passed));
        let image = maps.borrow().image();
        (fates.take(), image)
    }
}

/// Of a packet, as the runner has it.
fn time(number: usize) -> u64 {
    1_000_000 * (number as u64 + 1)
}

fn pins(dut: &mut Native) -> Pins<'_> {
    Pins::new(dut).expect("it has a host port")
}

/// The interpreter of the IR, whose tables somebody else looks at.
struct Meant {
    maps: Rc<RefCell<Maps>>,
    prepared: Prepared,
    fates: Rc<RefCell<Vec<Fate>>>,
}

impl Device for Meant {
    fn packet(&mut self, port: u32, bytes: &[u8], time: u64) -> Result<Fate, Diagnostic> {
        let sideband = Sideband {
            ingress: port,
            time_ns: time,
            ..Sideband::default()
        };
        let maps = &mut self.maps.borrow_mut();
        let ran = self.prepared.run_within(MOST_STEPS, maps, bytes, &sideband);
        let fate = ran.expect("it ends");
        self.fates.borrow_mut().push(fate.clone());
        Ok(fate)
    }

    fn update(&mut self, map: MapId, key: &[u8], value: &[u8]) -> Result<(), String> {
        match self.maps.borrow_mut().update(map, key, value, May::PUT) {
            Answer::Done => Ok(()),
            answer => Err(refuses(answer)),
        }
    }

    fn delete(&mut self, map: MapId, key: &[u8]) {
        self.maps.borrow_mut().delete(map, key);
    }

    fn value(&mut self, map: MapId, key: &[u8]) -> Option<Vec<u8>> {
        self.maps.borrow().held(map, key).map(<[u8]>::to_vec)
    }
}

/// A packet of `tables.p4`.
fn asked(kind: u8, a: u16, b: u32, wide: u128, low: u8) -> Vec<u8> {
    let mut bytes = vec![kind];
    bytes.extend(a.to_be_bytes());
    bytes.extend(b.to_be_bytes());
    bytes.extend(wide.to_be_bytes());
    bytes.push(low);
    bytes.resize(52, 0);
    bytes
}

/// What `ecmp.c` does: the entries of `programs/p4/ecmp.entries` and packets of its tests.
pub fn ecmp() -> Vec<Phase> {
    let packets = [
        "02000000000102000000000a08004500001e123440004011e2980a000001cb00710103e807d0000ae320cafe",
        "02000000000102000000000a08004500001e123440004011e2980a000001cb00710103e907d0000ae31fcafe",
        "02000000000102000000000a08004500001e123440004011e2970a000002cb00710103e807d0000ae31fcafe",
        "02000000000102000000000a080045000028123440004006e2990a000001cb00710103e807d00000000100000000500220003e270000",
    ];
    let bytes = |text: &str| -> Vec<u8> {
        let digits = (0..text.len()).step_by(2);
        let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).expect("digits");
        digits.map(byte).collect()
    };
    let packets = || packets.iter().map(|text| bytes(text)).collect();
    vec![
        Phase {
            commands: include_str!("../../../../programs/p4/ecmp.entries"),
            packets: packets(),
            ..Phase::default()
        },
        Phase {
            commands: "act_prof_remove_member_from_group next_hops 0 0\n",
            packets: packets(),
            ..Phase::default()
        },
    ]
}

/// A packet of `table-shared.p4`: of one of two versions, with an address.
fn addressed(version: u8, to: u128) -> Vec<u8> {
    let mut bytes = vec![version];
    match version {
        4 => bytes.extend((to as u32).to_be_bytes()),
        _ => bytes.extend(to.to_be_bytes()),
    }
    bytes.resize(40, 0);
    bytes
}

/// What `shared.c` does.
pub fn shared() -> Vec<Phase> {
    let packets = || {
        let versions = [4, 6].into_iter();
        let all = versions.flat_map(|version| (0..8).map(move |to| addressed(version, to)));
        all.collect()
    };
    let phase = |commands| Phase {
        commands,
        packets: packets(),
        ..Phase::default()
    };
    vec![
        phase("table_add v4 low 1 => 0x21\ntable_add v6 whole 2 => 0x2222 2\n"),
        phase(
            "table_add v4 low 2 => 0x21\n\
             table_add v4 low 3 => 0x21\n\
             table_add v4 low 4 => 0x21\n\
             table_add v4 low 5 => 0x21\n\
             table_add v6 whole 3 => 0x2222 2\n\
             table_delete v4 0\n\
             table_add v4 low 6 => 0x26\n\
             table_modify v4 low 1 => 0x77\n\
             table_set_default v4 low 0x99\n",
        ),
    ]
}

/// What `tables.c` does.
pub fn tables() -> Vec<Phase> {
    let exact = |a, low| asked(0, a, 0, 0, low);
    let net = 0x2001_0db8 << 96;
    let phase = |commands, packets| Phase {
        commands,
        packets,
        ..Phase::default()
    };
    let kinds = |kinds: &[u8]| -> Vec<Vec<u8>> {
        let all = kinds
            .iter()
            .flat_map(|kind| (0..6).map(move |low| (*kind, low)));
        all.map(|(kind, low)| asked(kind, 0, 0, 0, low)).collect()
    };
    let metered = || {
        vec![
            asked(3, 0, 0, 0, 0),
            asked(2, 7, 0, 0, 0),
            asked(3, 8, 0, 0, 0),
        ]
    };
    vec![
        phase("", vec![exact(1, 2), exact(4, 5), exact(9, 9)]),
        phase(
            "table_add exact_of give 7 8 => 0x11223344\n\
             table_add exact_of big 7 9 => 0x0102030405060708090a 1\n\
             table_set_default exact_of register 41\n",
            vec![exact(7, 8), exact(7, 8), exact(7, 9), exact(9, 9)],
        ),
        phase(
            "table_modify exact_of give 0 5\n\
             meter_set_rates rate 0 0.001:200 0.002:300\n\
             table_delete exact_of 1\n\
             table_add exact_of give 8 8 => 5\n\
             table_add exact_of big 7 9 => 0 0\n",
            [vec![exact(7, 8); 8], vec![exact(8, 8), exact(7, 9)]].concat(),
        ),
        phase(
            "table_add prefix_of prefix_is 10.0.0.0/8 3 => 1\n\
             table_add prefix_of prefix_is 10.1.0.0/16 3 => 9\n\
             table_add prefix_of prefix_is 0.0.0.0/0 4 => 3\n\
             table_add long_prefix_of prefix_is 2001:db8::/32 => 77\n\
             table_add long_prefix_of prefix_is 2001:db8::1/128 => 78\n",
            vec![
                asked(3, 0, 0x0a02_0000, 0, 0),
                asked(3, 0, 0x0a01_0203, 0, 0),
                asked(3, 0, 0x0b01_0203, 0, 0),
                asked(4, 0, 0x0b01_0203, 0, 0),
                asked(4, 0, 0, net + 5, 0),
                asked(4, 0, 0, net + 1, 0),
            ],
        ),
        phase(
            "table_add masked_of masked_is 0x0700&&&0xff00 3->9 0x0a010203 2001::/16 3 => 3 10\n\
             table_add masked_of masked_is 0x0700&&&0xff00 3->9 * 2001::/16 3 => 2 5\n",
            vec![
                asked(3, 0x0712, 0x0a01_0203, net, 5),
                asked(3, 0x0712, 0x0a01_0204, net, 3),
                asked(3, 0x0712, 0x0a01_0203, net, 10),
                asked(3, 0x0812, 0x0a01_0203, net, 5),
            ],
        ),
        phase(
            "table_delete masked_of 1\n\
             act_prof_create_member members choose 1\n\
             act_prof_create_member members choose 2\n\
             act_prof_create_member members choose 3\n\
             act_prof_create_member members choose_sum 15\n\
             act_prof_create_group members\n\
             act_prof_create_group members\n\
             act_prof_add_member_to_group members 0 0\n\
             act_prof_add_member_to_group members 1 0\n\
             act_prof_add_member_to_group members 2 0\n\
             act_prof_add_member_to_group members 3 1\n\
             act_prof_remove_member_from_group members 3 1\n\
             act_prof_add_member_to_group members 3 1\n\
             table_indirect_add_with_group chosen_of 1 => 0\n\
             table_indirect_add chosen_of 2 => 3\n",
            [
                kinds(&[0, 1, 2]),
                vec![asked(3, 0x0712, 0x0a01_0203, net, 5)],
            ]
            .concat(),
        ),
        phase(
            "act_prof_delete_group members 1\n\
             table_indirect_delete chosen_of 1\n\
             table_indirect_add_with_group chosen_of 2 => 0\n\
             act_prof_delete_member members 3\n",
            kinds(&[1, 2]),
        ),
        Phase {
            cells: vec![("Receive.pairs", 3, 0x55 << 33 | 0x1_dead_beef)],
            ..phase(
                "register_write plain 3 0xabcde\n\
                 counter_write seen 2 5 600\n\
                 meter_set_rates limit 3 0:7 655360:9\n\
                 pvs_add ours 7\n",
                metered(),
            )
        },
        phase("meter_set_rates limit 0 0.000001:0 0.000001:1\n", metered()),
        phase(
            "meter_set_rates limit 1 0.000002:1000000 0.000003:1000001\n",
            metered(),
        ),
        phase(
            "meter_set_rates limit 2 0.999999:12345 1:54321\n",
            metered(),
        ),
        phase(
            "meter_set_rates limit 3 123.456789:1500 12500:9216\n",
            metered(),
        ),
        phase(
            "meter_set_rates limit 0 0.000005:123456789 655359.999999:4294967297\n",
            metered(),
        ),
        phase(
            "meter_set_rates limit 1 33333.333333:18446744073709551615 333333.333333:18446744073709551615\n",
            metered(),
        ),
        phase(
            "act_prof_create_member members choose 9\n\
             act_prof_remove_member_from_group members 0 0\n",
            kinds(&[1]),
        ),
    ]
}
