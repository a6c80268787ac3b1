//! A subject as a text file: what a failure leaves behind, to be run again for ever.
//!
//! ```text
//! # What differed, for the reader.
//! hardware 512 gaps 7
//! map counters type 2 key 4 value 8 entries 1
//! entry counters 00000000 0100000000000000
//! insn b702000001000000                  # 0: r2 = 1
//! insn 1801000000000000 0000000000000000 map counters
//! packet port 0 queue 0 time 5 random 9 00112233445566778899aabbccdd
//! ```
//!
//! Everything behind `#` is a comment. An instruction is its 8 bytes as they stand in an object file, a 64-bit load
//! its 16 bytes with what it loads: `map NAME`, or `value NAME` for the address of its first value.

use crate::code::{Code, Unit, CALL, EXIT, GOTOL};
use crate::disassemble;
use crate::hardware::{Hardware, USUAL_CLOCK_MHZ};
use crate::packets::{egress, PORTS};
use crate::trial::Subject;
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ebpf::{Insn, MapRefKind, ObjectMap};
use hardpath_ir::maps::Image;
use hardpath_packet::Packet;
use std::fmt::Write;

/// The text of a subject; `comment` says what differs.
pub fn print(subject: &Subject, comment: &str) -> String {
    let mut text = String::new();
    for line in comment.lines() {
        let _ = writeln!(text, "# {line}");
    }
    let hardware = &subject.hardware;
    let _ = write!(text, "hardware {}", hardware.bus_bits);
    if hardware.clock_mhz != USUAL_CLOCK_MHZ {
        let _ = write!(text, " clock {}", hardware.clock_mhz);
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
    for map in &subject.code.maps {
        let _ = writeln!(
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
            "packet port {} queue {} time {} random {} {}",
            packet.port,
            packet.queue,
            packet.time_ns,
            packet.random,
            hex(&packet.data)
        );
    }
    text
}

fn print_code(code: &Code, text: &mut String) {
    let slots = code.slots_of_units();
    let insns = match code.object().programs.pop() {
        Some(program) => program.insns,
        None => return,
    };
    for (index, unit) in code.units.iter().enumerate() {
        let bytes: Vec<String> = insns[slots[index]..slots[index + 1]]
            .iter()
            .map(|insn| hex(&insn.to_bytes()))
            .collect();
        let mut line = format!("insn {}", bytes.join(" "));
        let name = unit.map.and_then(|(map, _)| code.maps.get(map));
        let name = name.map(|map| map.name.as_str());
        if let (Some((_, kind)), Some(name)) = (unit.map, name) {
            let word = match kind {
                MapRefKind::Fd => "map",
                MapRefKind::Value { .. } => "value",
            };
            let _ = write!(line, " {word} {name}");
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
}

impl Reader {
    fn line(&mut self, words: &[&str]) -> Option<()> {
        match words {
            [] => {}
            ["hardware", bus, options @ ..] => self.hardware = Some(hardware(bus, options)?),
            ["map", name, "type", map_type, "key", key, "value", value, "entries", entries, rest @ ..] =>
            {
                let (flags, lock_offset) = match rest {
                    [] => (0, None),
                    ["flags", flags, "lock", "none"] => (flags.parse().ok()?, None),
                    ["flags", flags, "lock", at] => (flags.parse().ok()?, Some(at.parse().ok()?)),
                    _ => return None,
                };
                self.code.maps.push(ObjectMap {
                    name: (*name).to_string(),
                    map_type: map_type.parse().ok()?,
                    key_bytes: key.parse().ok()?,
                    value_bytes: value.parse().ok()?,
                    max_entries: entries.parse().ok()?,
                    flags,
                    lock_offset,
                    initial: None,
                    read_only: false,
                });
            }
            ["entry", name, key, value] => {
                let entries = self.image.entry((*name).to_string()).or_default();
                entries.insert(bytes(key)?, bytes(value)?);
            }
            ["insn", first] => self.code.units.push(Unit::from(insn(first)?)),
            ["insn", first, second, load @ ..] => {
                let map = self.loaded_map(load)?;
                self.code.units.push(Unit {
                    insn: insn(first)?,
                    upper: insn(second)?.imm,
                    target: None,
                    map,
                });
            }
            ["packet", "port", port, "queue", queue, "time", time, "random", random, data] => {
                let random = random.parse().ok()?;
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
                    bad: false,
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
            _ => return None,
        };
        let map = self.code.maps.iter().position(|map| map.name == *name)?;
        Some(Some((map, kind)))
    }

    /// Jumps name instructions now.
    fn finish(mut self) -> Option<Subject> {
        let slots = self.code.slots_of_units();
        for (index, unit) in self.code.units.iter_mut().enumerate() {
            let code = unit.insn.code;
            let is_call = code == CALL && unit.insn.src == 1;
            let is_jump = matches!(unit.insn.class(), 5 | 6) && !matches!(code, CALL | EXIT);
            if !is_jump && !is_call {
                continue;
            }
            let distance = match code {
                GOTOL | CALL => std::mem::take(&mut unit.insn.imm),
                _ => i32::from(std::mem::take(&mut unit.insn.off)),
            };
            let slot = usize::try_from(slots[index] as i64 + 1 + i64::from(distance)).ok()?;
            let target = slots.iter().position(|start| *start == slot);
            unit.target = Some(target.filter(|target| *target + 1 < slots.len())?);
        }
        Some(Subject {
            code: self.code,
            image: self.image,
            packets: self.packets,
            hardware: self.hardware?,
        })
    }
}

fn hardware(bus: &str, options: &[&str]) -> Option<Hardware> {
    let mut hardware = Hardware {
        bus_bits: bus.parse().ok()?,
        clock_mhz: USUAL_CLOCK_MHZ,
        gaps: None,
        backpressure: None,
        host: None,
    };
    for pair in options.chunks(2) {
        match pair {
            ["gaps", seed] => hardware.gaps = Some(seed.parse().ok()?),
            ["clock", mhz] => hardware.clock_mhz = mhz.parse().ok()?,
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
