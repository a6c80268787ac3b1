//! A subject as a text file: what a failure leaves behind, to be run again for ever.
//!
//! ```text
//! # What differed, for the reader.
//! hardware 512 gaps 7 family ecp5 depth 64           # `core own`: not one that takes many programs
//! map counters type 2 key 4 value 8 entries 1
//! map fuzz.data type 2 key 4 value 4 entries 1 flags 0 lock none initial 01020304
//! entry counters 00000000 0100000000000000
//! insn b702000001000000                  # 0: r2 = 1
//! insn 1801000000000000 0000000000000000 map counters
//! program                                # what follows is a program that tail calls go to
//! insn b700000001000000
//! insn 9500000000000000
//! tail programs 2 0                      # entry 2 of the array holds the first of them
//! packet port 0 queue 0 time 5 random 9 00112233445566778899aabbccdd
//! packet port 0 queue 0 time 5 random 9 bad 00112233
//! ```
//!
//! Everything behind `#` is a comment. An instruction is its 8 bytes as they stand in an object file, a 64-bit load
//! its 16 bytes with what it loads: `map NAME`, or `value NAME OFFSET` for an address in its first value. Of a map, all behind
//! `entries` may be left out; `read-only` at the end is a `.rodata` map. `bad`: the MAC marks the frame.

use crate::code::{slots_of, Code, Unit, CALL, EXIT, GOTOL};
use crate::disassemble;
use crate::hardware::{Hardware, DEPTHS, USUAL_CLOCK_MHZ, USUAL_FAMILY};
use crate::packets::{egress, PORTS};
use crate::trial::Subject;
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ebpf::{Insn, MapRefKind, ObjectMap, TailCall};
use hardpath_ir::maps::Image;
use hardpath_packet::Packet;
use hardpath_pipeline::technology;
use std::fmt::Write;

/// The text of a subject; `comment` says what differs.
pub fn print(subject: &Subject, comment: &str) -> String {
    let mut text = String::new();
    for line in comment.lines() {
        let _ = writeln!(text, "# {line}");
    }
    print_hardware(&subject.hardware, &mut text);
    for map in &subject.code.maps {
        print_map(map, &mut text);
    }
    for (name, entries) in &subject.image {
        for (key, value) in entries {
            let _ = writeln!(text, "entry {name} {} {}", hex(key), hex(value));
        }
    }
    print_code(&subject.code, &mut text);
    for packet in &subject.packets {
        let _ = writeln!(
            text,
            "packet port {} queue {} time {} random {} {}{}",
            packet.port,
            packet.queue,
            packet.time_ns,
            packet.random,
            if packet.bad { "bad " } else { "" },
            hex(&packet.data)
        );
    }
    text
}

fn print_hardware(hardware: &Hardware, text: &mut String) {
    let _ = write!(text, "hardware {}", hardware.bus_bits);
    if hardware.clock_mhz != USUAL_CLOCK_MHZ {
        let _ = write!(text, " clock {}", hardware.clock_mhz);
    }
    if hardware.family != USUAL_FAMILY {
        let _ = write!(text, " family {}", hardware.family);
    }
    if let Some(depth) = hardware.depth {
        let _ = write!(text, " depth {depth}");
    }
    if hardware.own_core {
        text.push_str(" core own");
    }
    if let Some(clocks) = hardware.reset {
        let _ = write!(text, " reset {clocks}");
    }
    let seeds = [
        ("gaps", hardware.gaps),
        ("backpressure", hardware.backpressure),
        ("host", hardware.host),
    ];
    for (name, seed) in seeds {
        if let Some(seed) = seed {
            let _ = write!(text, " {name} {seed}");
        }
    }
    text.push('\n');
}

fn print_map(map: &ObjectMap, text: &mut String) {
    let _ = write!(
        text,
        "map {} type {} key {} value {} entries {} flags {} lock {}",
        map.name,
        map.map_type,
        map.key_bytes,
        map.value_bytes,
        map.max_entries,
        map.flags,
        map.lock_offset
            .map_or(String::from("none"), |at| at.to_string()),
    );
    if let Some(initial) = &map.initial {
        let _ = write!(text, " initial {}", hex(initial));
    }
    if map.read_only {
        text.push_str(" read-only");
    }
    text.push('\n');
}

fn print_code(code: &Code, text: &mut String) {
    let programs = code.object().programs;
    let all = std::iter::once(&code.units).chain(&code.others);
    for (number, (units, image)) in all.zip(&programs).enumerate() {
        if number > 0 {
            text.push_str("program\n");
        }
        print_units(code, units, &image.insns, text);
    }
    for entry in &code.tail_calls {
        let name = &code.maps[entry.map].name;
        let _ = writeln!(text, "tail {name} {} {}", entry.index, entry.program);
    }
}

fn print_units(code: &Code, units: &[Unit], insns: &[Insn], text: &mut String) {
    let slots = slots_of(units);
    for (index, unit) in units.iter().enumerate() {
        let bytes: Vec<String> = insns[slots[index]..slots[index + 1]]
            .iter()
            .map(|insn| hex(&insn.to_bytes()))
            .collect();
        let mut line = format!("insn {}", bytes.join(" "));
        let name = unit.map.and_then(|(map, _)| code.maps.get(map));
        let name = name.map(|map| map.name.as_str());
        if let (Some((_, kind)), Some(name)) = (unit.map, name) {
            let _ = match kind {
                MapRefKind::Fd => write!(line, " map {name}"),
                MapRefKind::Value { offset } => write!(line, " value {name} {offset}"),
            };
        }
        let target = unit.target.map(|target| slots[target]);
        let readable = disassemble::text(unit, target, name);
        let _ = writeln!(text, "{line:<40} # {}: {readable}", slots[index]);
    }
}

/// Reads what [`print`] wrote.
///
/// # Errors
/// `malformed-case` with the line.
pub fn parse(text: &str) -> Result<Subject, Diagnostic> {
    let mut reader = Reader::default();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        if reader.line(&words).is_none() {
            return Err(malformed(&format!("`{}` is not understood", line.trim()))
                .at(Place::default().position(number as u32 + 1, 0)));
        }
    }
    reader
        .finish()
        .ok_or_else(|| malformed("there is no `hardware` line, or a jump goes to no instruction"))
}

fn malformed(reason: &str) -> Diagnostic {
    Diagnostic::input(
        "malformed-case",
        format!("this is no case of the fuzzer: {reason}"),
    )
}

#[derive(Default)]
struct Reader {
    hardware: Option<Hardware>,
    code: Code,
    image: Image,
    packets: Vec<Packet>,
    /// Program arrays' entries by the names of the arrays.
    tails: Vec<(String, u32, usize)>,
}

impl Reader {
    fn line(&mut self, words: &[&str]) -> Option<()> {
        match words {
            [] => {}
            ["hardware", bus, options @ ..] => self.hardware = Some(hardware(bus, options)?),
            ["map", name, "type", map_type, "key", key, "value", value, "entries", entries, rest @ ..] =>
            {
                let mut map = ObjectMap {
                    name: (*name).to_string(),
                    map_type: map_type.parse().ok()?,
                    key_bytes: key.parse().ok()?,
                    value_bytes: value.parse().ok()?,
                    max_entries: entries.parse().ok()?,
                    flags: 0,
                    lock_offset: None,
                    initial: None,
                    read_only: false,
                };
                more_of_map(&mut map, rest)?;
                self.code.maps.push(map);
            }
            ["entry", name, key, value] => {
                let entries = self.image.entry((*name).to_string()).or_default();
                entries.insert(bytes(key)?, bytes(value)?);
            }
            ["program"] => self.code.others.push(Vec::new()),
            ["tail", name, index, program] => {
                let (index, program) = (index.parse().ok()?, program.parse().ok()?);
                self.tails.push(((*name).to_string(), index, program));
            }
            ["insn", first] => {
                let unit = Unit::from(insn(first)?);
                self.units().push(unit);
            }
            ["insn", first, second, load @ ..] => {
                let unit = Unit {
                    insn: insn(first)?,
                    upper: insn(second)?.imm,
                    target: None,
                    map: self.loaded_map(load)?,
                };
                self.units().push(unit);
            }
            ["packet", "port", port, "queue", queue, "time", time, "random", random, data @ ..] => {
                let random = random.parse().ok()?;
                let (bad, data) = match data {
                    ["bad", data] => (true, data),
                    [data] => (false, data),
                    _ => return None,
                };
                self.packets.push(Packet {
                    data: bytes(data)?,
                    port: port
                        .parse()
                        .ok()
                        .filter(|port| usize::from(*port) < PORTS.len())?,
                    queue: queue.parse().ok()?,
                    time_ns: time.parse().ok()?,
                    egress: egress(random),
                    random,
                    own: 0,
                    bad,
                });
            }
            _ => return None,
        }
        Some(())
    }

    fn loaded_map(&self, words: &[&str]) -> Option<Option<(usize, MapRefKind)>> {
        let (name, kind) = match words {
            [] => return Some(None),
            ["map", name] => (name, MapRefKind::Fd),
            ["value", name] => (name, MapRefKind::Value { offset: 0 }),
            ["value", name, offset] => {
                let offset = offset.parse().ok()?;
                (name, MapRefKind::Value { offset })
            }
            _ => return None,
        };
        let map = self.code.maps.iter().position(|map| map.name == *name)?;
        Some(Some((map, kind)))
    }

    /// The program that is being read.
    fn units(&mut self) -> &mut Vec<Unit> {
        match self.code.others.last_mut() {
            Some(units) => units,
            None => &mut self.code.units,
        }
    }

    /// Jumps name instructions now.
    fn finish(mut self) -> Option<Subject> {
        let all = std::iter::once(&mut self.code.units).chain(&mut self.code.others);
        for units in all {
            name_targets(units)?;
        }
        for (name, index, program) in self.tails {
            let map = self.code.maps.iter().position(|map| map.name == name)?;
            let program = Some(program).filter(|program| *program < self.code.others.len())?;
            self.code.tail_calls.push(TailCall {
                map,
                index,
                program,
            });
        }
        Some(Subject {
            code: self.code,
            image: self.image,
            packets: self.packets,
            hardware: self.hardware?,
        })
    }
}

/// Puts targets in the place of distances.
fn name_targets(units: &mut [Unit]) -> Option<()> {
    let slots = slots_of(units);
    for (index, unit) in units.iter_mut().enumerate() {
        let code = unit.insn.code;
        let is_jump = matches!(unit.insn.class(), 5 | 6) && !matches!(code, CALL | EXIT);
        if !is_jump && !unit.names_function() {
            continue;
        }
        let distance = match code {
            GOTOL | CALL => std::mem::take(&mut unit.insn.imm),
            _ if unit.loads_function() => std::mem::take(&mut unit.insn.imm),
            _ => i32::from(std::mem::take(&mut unit.insn.off)),
        };
        let slot = usize::try_from(slots[index] as i64 + 1 + i64::from(distance)).ok()?;
        let target = slots.iter().position(|start| *start == slot);
        unit.target = Some(target.filter(|target| *target + 1 < slots.len())?);
    }
    Some(())
}

/// What stands behind a map's entries: pairs of a word and what it says, and a last word alone.
fn more_of_map(map: &mut ObjectMap, words: &[&str]) -> Option<()> {
    match words {
        [] => {}
        ["read-only"] => map.read_only = true,
        [word, said, rest @ ..] => {
            match *word {
                "flags" => map.flags = said.parse().ok()?,
                "lock" if *said == "none" => {}
                "lock" => map.lock_offset = Some(said.parse().ok()?),
                "initial" => map.initial = Some(bytes(said)?),
                _ => return None,
            }
            more_of_map(map, rest)?;
        }
        _ => return None,
    }
    Some(())
}

fn hardware(bus: &str, options: &[&str]) -> Option<Hardware> {
    let mut hardware = Hardware {
        bus_bits: bus.parse().ok()?,
        clock_mhz: USUAL_CLOCK_MHZ,
        family: USUAL_FAMILY,
        depth: None,
        gaps: None,
        backpressure: None,
        reset: None,
        host: None,
        own_core: false,
    };
    for pair in options.chunks(2) {
        match pair {
            ["gaps", seed] => hardware.gaps = Some(seed.parse().ok()?),
            ["core", "own"] => hardware.own_core = true,
            ["reset", clocks] => hardware.reset = Some(clocks.parse().ok()?),
            ["clock", mhz] => hardware.clock_mhz = mhz.parse().ok()?,
            ["family", name] => hardware.family = technology::find(name)?.name,
            ["depth", bytes] => {
                let known = |bytes: &u32| DEPTHS.contains(bytes);
                hardware.depth = Some(bytes.parse().ok().filter(known)?);
            }
            ["host", seed] => hardware.host = Some(seed.parse().ok()?),
            ["backpressure", seed] => hardware.backpressure = Some(seed.parse().ok()?),
            _ => return None,
        }
    }
    Some(hardware)
}

fn insn(text: &str) -> Option<Insn> {
    Some(Insn::from_bytes(bytes(text)?.try_into().ok()?))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    let pairs = digits.chunks_exact(2);
    Some(pairs.map(|pair| (pair[0] << 4 | pair[1]) as u8).collect())
}
