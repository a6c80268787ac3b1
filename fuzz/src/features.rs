//! What a program has, so that a run can say what its programs were like.

use crate::code::{Code, Unit, CALL, GOTO, GOTOL};
use crate::encode::{self, helper};
use crate::hardware::{USUAL_CLOCK_MHZ, USUAL_FAMILY};
use crate::packets::{LONGEST, SHORTEST};
use crate::trial::Subject;
use hardpath_ebpf::tables::map_type;
use hardpath_ebpf::{MapRefKind, MTU_MAP};
use hardpath_ir::{Block, Inst, MapId, Op, Program, Terminator, Value, ValueDef};
use std::collections::{BTreeSet, HashMap};

/// The helpers that are counted.
const HELPERS: [(i32, &str); 25] = [
    (helper::TAIL_CALL, "tail call"),
    (helper::LOOP, "bpf_loop"),
    (helper::CHECK_MTU, "check_mtu"),
    (helper::PERF_EVENT_OUTPUT, "perf event"),
    (helper::RINGBUF_OUTPUT, "ring buffer"),
    (helper::RINGBUF_RESERVE, "ring buffer"),
    (helper::MAP_LOOKUP_ELEM, "map lookup"),
    (helper::MAP_UPDATE_ELEM, "map update"),
    (helper::MAP_DELETE_ELEM, "map delete"),
    (helper::KTIME_GET_NS, "time"),
    (helper::KTIME_GET_BOOT_NS, "time"),
    (helper::KTIME_GET_COARSE_NS, "time"),
    (helper::KTIME_GET_TAI_NS, "time"),
    (helper::JIFFIES64, "time"),
    (helper::GET_PRANDOM_U32, "random number"),
    (helper::REDIRECT, "redirect"),
    (helper::CSUM_DIFF, "csum_diff"),
    (helper::XDP_ADJUST_HEAD, "adjust_head"),
    (helper::REDIRECT_MAP, "redirect_map"),
    (helper::XDP_ADJUST_META, "adjust_meta"),
    (helper::XDP_ADJUST_TAIL, "adjust_tail"),
    (helper::SPIN_LOCK, "spin lock"),
    (helper::XDP_GET_BUFF_LEN, "get_buff_len"),
    (helper::XDP_LOAD_BYTES, "load_bytes"),
    (helper::XDP_STORE_BYTES, "store_bytes"),
];

/// What programs with a loop are called whose rounds depend on data.
pub const LOOP_OF_DATA: &str = "loop, rounds from data";

/// More bytes than keys and values of most programs have, and more entries than fit into LUT RAM.
const LONG_KEY: u32 = 13;
const LONG_VALUE: u32 = 32;
const LARGE_TABLE: u32 = 1024;
/// Packets of a run that is longer than most.
const LONG_RUN: usize = 200;
/// `BPF_F_LOCK`.
const LOCK_FLAG: i32 = 4;

/// The features of a subject: what its instructions show, what its IR as lifted does, its hardware and its packets.
pub fn of(subject: &Subject, lifted: &Program) -> BTreeSet<&'static str> {
    let code = &subject.code;
    let mut found: BTreeSet<&str> = lifted
        .maps
        .values()
        .map(|map| map_type(map).name())
        .collect();
    for unit in code.all_units() {
        found.extend(of_unit(code, unit));
    }
    if has_loop(code) {
        found.insert("loop");
    }
    if has_loop_of_data(code) {
        found.insert(LOOP_OF_DATA);
    }
    if locks_in_update(code) {
        found.insert("BPF_F_LOCK");
    }
    of_maps(lifted, &mut found);
    let mut varies = Varies::new(lifted);
    for block in lifted.blocks.values() {
        for inst in &block.insts {
            let data = &lifted.insts[*inst];
            let name = match data.op {
                Op::PacketLoad => "variable packet offset, read",
                Op::PacketStore => "variable packet offset, written",
                Op::StackLoad | Op::StackStore => "variable stack offset",
                Op::MapLookup(_) | Op::MapUpdate(_) | Op::MapDelete(_) => {
                    found.extend(key_from(lifted, data.args[0]));
                    continue;
                }
                _ => continue,
            };
            if varies.depends(data.args[0]) {
                found.insert(name);
            }
        }
    }
    if uses_old_pointer(lifted) {
        found.insert("old pointer");
    }
    of_run(subject, &mut found);
    found
}

fn of_maps(lifted: &Program, found: &mut BTreeSet<&'static str>) {
    for map in lifted.maps.values().filter(|map| map.name != MTU_MAP) {
        let has = [
            (map.key_bytes > LONG_KEY, "long key"),
            (map.value_bytes > LONG_VALUE, "long value"),
            (map.max_entries > LARGE_TABLE, "large table"),
        ];
        found.extend(has.iter().filter(|(has, _)| *has).map(|(_, name)| *name));
    }
}

/// What the hardware and the packets have that is not usual.
fn of_run(subject: &Subject, found: &mut BTreeSet<&'static str>) {
    let (hardware, packets) = (&subject.hardware, &subject.packets);
    let length = |wanted: fn(usize) -> bool| {
        let mut packets = packets.iter();
        packets.any(|packet| wanted(packet.data.len()))
    };
    let is_usual = hardware.family == USUAL_FAMILY;
    let has = [
        (!is_usual, hardware.family),
        (
            is_usual && hardware.clock_mhz != USUAL_CLOCK_MHZ,
            "other clock",
        ),
        (hardware.depth.is_some(), "depth"),
        (hardware.reset.is_some(), "reset in traffic"),
        (packets.len() >= LONG_RUN, "long run"),
        (packets.iter().any(|packet| packet.bad), "bad frame"),
        (length(|bytes| bytes < SHORTEST), "runt"),
        (length(|bytes| bytes > LONGEST), "giant"),
    ];
    found.extend(has.iter().filter(|(has, _)| *has).map(|(_, name)| *name));
}

/// Where a whole key stands that is not made on the stack.
fn key_from(lifted: &Program, key: Value) -> Option<&'static str> {
    let ValueDef::Result(inst, _) = lifted.values[key].def else {
        return None;
    };
    match lifted.insts[inst].op {
        Op::PacketLoad => Some("key in the packet"),
        Op::MapLoad(_) => Some("key in a value"),
        _ => None,
    }
}

/// Whether an update takes the value's lock.
fn locks_in_update(code: &Code) -> bool {
    let updates = (code.units.iter().enumerate())
        .filter(|(_, unit)| unit.insn.code == CALL && unit.insn.imm == helper::MAP_UPDATE_ELEM);
    let mut updates = updates.map(|(index, _)| &code.units[index.saturating_sub(8)..index]);
    updates.any(|before| {
        let mut flags = before.iter().map(|unit| unit.insn);
        flags.any(|insn| insn.code == 0xb7 && insn.dst == 4 && insn.imm & LOCK_FLAG != 0)
    })
}

/// Whether a value is read through a pointer that is older than a change of its map, on some path.
fn uses_old_pointer(lifted: &Program) -> bool {
    let mut places: HashMap<Inst, (Block, usize)> = HashMap::new();
    for (block, data) in lifted.blocks.iter() {
        let insts = data.insts.iter().enumerate();
        places.extend(insts.map(|(place, inst)| (*inst, (block, place))));
    }
    let changes: Vec<(MapId, Inst)> = (places.keys())
        .filter_map(|inst| match lifted.insts[*inst].op {
            Op::MapUpdate(map) | Op::MapDelete(map) => Some((map, *inst)),
            _ => None,
        })
        .filter(|(map, _)| !lifted.maps[*map].is_array())
        .collect();
    let follows = |first: Inst, then: Inst| {
        let ((from, at), (to, then)) = (places[&first], places[&then]);
        (from == to && at < then) || (from != to && reaches(lifted, from, to))
    };
    let loads = places
        .keys()
        .filter_map(|inst| match lifted.insts[*inst].op {
            Op::MapLoad(map) => Some((map, *inst, lifted.insts[*inst].args[0])),
            _ => None,
        });
    let mut loads = loads.filter_map(|(map, load, entry)| match lifted.values[entry].def {
        ValueDef::Result(lookup, _) => Some((map, load, lookup)),
        ValueDef::Param(..) => None,
    });
    loads.any(|(map, load, lookup)| {
        let mut changes = changes.iter().filter(|(other, _)| *other == map);
        changes.any(|(_, change)| follows(lookup, *change) && follows(*change, load))
    })
}

/// Whether a path leads from a block to another one.
fn reaches(lifted: &Program, from: Block, to: Block) -> bool {
    let mut seen = BTreeSet::new();
    let mut waiting = vec![from];
    while let Some(block) = waiting.pop() {
        if !seen.insert(block) {
            continue;
        }
        let next: Vec<Block> = match &lifted.blocks[block].terminator {
            Terminator::Jump(target) => vec![target.block],
            Terminator::Branch { yes, no, .. } => vec![yes.block, no.block],
            _ => Vec::new(),
        };
        if next.contains(&to) {
            return true;
        }
        waiting.extend(next);
    }
    false
}

/// Which values depend on what enters with the packet.
struct Varies<'a> {
    program: &'a Program,
    /// What comes in at each block's parameters.
    incoming: HashMap<Block, Vec<&'a [Value]>>,
    known: HashMap<Value, bool>,
}

impl<'a> Varies<'a> {
    fn new(program: &'a Program) -> Varies<'a> {
        let mut incoming: HashMap<Block, Vec<&[Value]>> = HashMap::new();
        // What else there is was left by those who wrote loops out.
        for block in program.all_blocks() {
            let targets = match &program.blocks[block].terminator {
                Terminator::Jump(target) => vec![target],
                Terminator::Branch { yes, no, .. } => vec![yes, no],
                _ => Vec::new(),
            };
            for target in targets {
                incoming.entry(target.block).or_default().push(&target.args);
            }
        }
        Varies {
            program,
            incoming,
            known: HashMap::new(),
        }
    }

    fn depends(&mut self, value: Value) -> bool {
        if let Some(known) = self.known.get(&value) {
            return *known;
        }
        // What comes back from a loop's end adds nothing.
        self.known.insert(value, false);
        let program = self.program;
        let sources: Vec<Value> = match program.values[value].def {
            ValueDef::Result(inst, _) => match &program.insts[inst] {
                data if matches!(data.op, Op::Const(_)) => Vec::new(),
                data if data.op.is_pure() && !matches!(data.op, Op::Input(_)) => data.args.clone(),
                _ => return true,
            },
            ValueDef::Param(block, number) => {
                let incoming = self.incoming.get(&block).into_iter().flatten();
                incoming.map(|args| args[number as usize]).collect()
            }
        };
        // Different constants that come together are a choice that the packet makes.
        let is_choice = matches!(program.values[value].def, ValueDef::Param(..))
            && sources.iter().any(|source| {
                program.as_const(*source)
                    != sources.first().and_then(|first| program.as_const(*first))
            });
        let depends = is_choice || sources.into_iter().any(|source| self.depends(source));
        self.known.insert(value, depends);
        depends
    }
}

fn of_unit(code: &Code, unit: &Unit) -> Option<&'static str> {
    if let Some((map, MapRefKind::Value { .. })) = unit.map {
        return Some(match code.maps[map].read_only {
            true => "constant variable",
            false => "global variable",
        });
    }
    match (unit.insn.code, unit.insn.src) {
        (CALL, 0) => {
            let helper = |(number, _): &&(i32, &str)| *number == unit.insn.imm;
            HELPERS.iter().find(helper).map(|(_, name)| *name)
        }
        (CALL, _) => Some("function call"),
        (0xc3 | 0xdb, _) => Some("atomic"),
        _ => None,
    }
}

/// A loop that the program leaves when a register has reached another one: it goes back whatever is so.
fn has_loop_of_data(code: &Code) -> bool {
    let leaves = encode::branch(encode::JGE, true, 0, encode::Operand::Register(0)).code;
    let units = code.units.iter().enumerate();
    let mut back = units.filter(|(index, unit)| {
        let goes = unit.insn.code == GOTO || unit.insn.code == GOTOL;
        goes && unit.target.is_some_and(|target| target <= *index)
    });
    back.any(|(_, unit)| {
        let head = unit.target.map(|target| &code.units[target].insn);
        head.is_some_and(|insn| insn.code == leaves)
    })
}

/// Whether a path comes back to where it was.
fn has_loop(code: &Code) -> bool {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Never,
        OnThisPath,
        Done,
    }
    let successors = |index: usize| {
        let unit = &code.units[index];
        let target = unit.target.filter(|_| !unit.names_function());
        let next = unit.falls_through().then_some(index + 1);
        let all = [target, next].into_iter().flatten();
        all.filter(|next| *next < code.units.len())
            .collect::<Vec<usize>>()
    };
    let mut seen = vec![Seen::Never; code.units.len()];
    for start in 0..code.units.len() {
        if seen[start] != Seen::Never {
            continue;
        }
        let mut path = vec![(start, successors(start))];
        seen[start] = Seen::OnThisPath;
        while let Some((index, left)) = path.last_mut() {
            match left.pop() {
                None => {
                    seen[*index] = Seen::Done;
                    path.pop();
                }
                Some(next) => match seen[next] {
                    Seen::OnThisPath => return true,
                    Seen::Done => {}
                    Seen::Never => {
                        seen[next] = Seen::OnThisPath;
                        path.push((next, successors(next)));
                    }
                },
            }
        }
    }
    false
}
