//! A small assembler for test programs: each function gives one instruction (or the two slots of `lddw`).

use hardpath_ebpf::{
    Globals, Insn, MapRef, MapRefKind, Object, ObjectFunction, ObjectMap, ProgramImage,
};
use hardpath_ir::Place;

/// Sizes of loads and stores, as in the opcode.
pub const BYTE: u8 = 0x10;
pub const WORD: u8 = 0x00;
pub const DOUBLE: u8 = 0x18;

/// Conditions of jumps, as in the opcode.
pub const EQUAL: u8 = 0x10;
pub const NOT_EQUAL: u8 = 0x50;
pub const AT_MOST: u8 = 0xb0;
pub const ABOVE: u8 = 0x20;

/// `enum bpf_func_id`.
pub const MAP_LOOKUP: i32 = 1;
pub const MAP_UPDATE: i32 = 2;
pub const MAP_DELETE: i32 = 3;
pub const KTIME_GET_NS: i32 = 5;
pub const GET_PRANDOM_U32: i32 = 7;
pub const GET_SMP_PROCESSOR_ID: i32 = 8;
pub const REDIRECT: i32 = 23;
pub const REDIRECT_MAP: i32 = 51;
pub const LOOP: i32 = 181;

/// `enum bpf_map_type`.
pub const HASH: u32 = 1;
pub const ARRAY: u32 = 2;
pub const PERCPU_ARRAY: u32 = 6;
pub const PERCPU_HASH: u32 = 5;
pub const LRU_HASH: u32 = 9;
pub const LRU_PERCPU_HASH: u32 = 10;
pub const LPM_TRIE: u32 = 11;
pub const DEVMAP: u32 = 14;
pub const CPUMAP: u32 = 16;
pub const XSKMAP: u32 = 17;
pub const DEVMAP_HASH: u32 = 25;

/// `BPF_F_NO_PREALLOC`, which a trie needs.
pub const NO_PREALLOC: u32 = 1;

fn insn(code: u8, dst: u8, src: u8, off: i16, imm: i32) -> Vec<Insn> {
    vec![Insn {
        code,
        dst,
        src,
        off,
        imm,
    }]
}

pub fn set(dst: u8, imm: i32) -> Vec<Insn> {
    insn(0xb7, dst, 0, 0, imm)
}

pub fn copy(dst: u8, src: u8) -> Vec<Insn> {
    insn(0xbf, dst, src, 0, 0)
}

pub fn add(dst: u8, imm: i32) -> Vec<Insn> {
    insn(0x07, dst, 0, 0, imm)
}

pub fn and(dst: u8, imm: i32) -> Vec<Insn> {
    insn(0x57, dst, 0, 0, imm)
}

pub fn multiply(dst: u8, imm: i32) -> Vec<Insn> {
    insn(0x27, dst, 0, 0, imm)
}

pub fn add_register(dst: u8, src: u8) -> Vec<Insn> {
    insn(0x0f, dst, src, 0, 0)
}

pub fn subtract_register(dst: u8, src: u8) -> Vec<Insn> {
    insn(0x1f, dst, src, 0, 0)
}

/// In 32 bits.
pub fn subtract_half(dst: u8, src: u8) -> Vec<Insn> {
    insn(0x1c, dst, src, 0, 0)
}

pub fn load(size: u8, dst: u8, src: u8, off: i16) -> Vec<Insn> {
    insn(0x61 | size, dst, src, off, 0)
}

pub fn store(size: u8, dst: u8, off: i16, src: u8) -> Vec<Insn> {
    insn(0x63 | size, dst, src, off, 0)
}

pub fn store_imm(size: u8, dst: u8, off: i16, imm: i32) -> Vec<Insn> {
    insn(0x62 | size, dst, 0, off, imm)
}

/// `lock *(u64 *)(dst + off) += src`.
pub fn atomic_add(dst: u8, off: i16, src: u8) -> Vec<Insn> {
    insn(0xdb, dst, src, off, 0)
}

/// `src = lock *(u64 *)(dst + off) |= src`, what was there before.
pub fn atomic_fetch_or(dst: u8, off: i16, src: u8) -> Vec<Insn> {
    insn(0xdb, dst, src, off, 0x41)
}

pub fn jump(off: i16) -> Vec<Insn> {
    insn(0x05, 0, 0, off, 0)
}

pub fn jump_imm(condition: u8, dst: u8, imm: i32, off: i16) -> Vec<Insn> {
    insn(0x05 | condition, dst, 0, off, imm)
}

pub fn jump_register(condition: u8, dst: u8, src: u8, off: i16) -> Vec<Insn> {
    insn(0x0d | condition, dst, src, off, 0)
}

pub fn call(helper: i32) -> Vec<Insn> {
    insn(0x85, 0, 0, 0, helper)
}

pub fn call_function(distance: i32) -> Vec<Insn> {
    insn(0x85, 0, 1, 0, distance)
}

pub fn exit() -> Vec<Insn> {
    insn(0x95, 0, 0, 0, 0)
}

/// The address of a function, `distance` slots behind the first one.
pub fn function(dst: u8, distance: i32) -> Vec<Insn> {
    [insn(0x18, dst, 4, 0, distance), insn(0, 0, 0, 0, 0)].concat()
}

/// The map with that index in the object.
pub fn map(dst: u8, index: i32) -> Vec<Insn> {
    [insn(0x18, dst, 1, 0, index), insn(0, 0, 0, 0, 0)].concat()
}

/// The address of a byte of the map's first value.
pub fn map_value(dst: u8, index: i32, offset: i32) -> Vec<Insn> {
    [insn(0x18, dst, 2, 0, index), insn(0, 0, 0, 0, offset)].concat()
}

/// r6 = the packet, of which `bytes` bytes may be touched; a shorter packet is dropped. Leaves r1 as it is.
pub fn packet_in_r6(bytes: i32) -> Vec<Insn> {
    [
        load(WORD, 6, 1, 0),
        load(WORD, 3, 1, 4),
        copy(2, 6),
        add(2, bytes),
        jump_register(AT_MOST, 2, 3, 2),
        set(0, 1),
        exit(),
    ]
    .concat()
}

pub fn object_map(
    name: &str,
    map_type: u32,
    key_bytes: u32,
    value_bytes: u32,
    max_entries: u32,
) -> ObjectMap {
    ObjectMap {
        name: name.into(),
        map_type,
        key_bytes,
        value_bytes,
        max_entries,
        flags: 0,
        lock_offset: None,
        initial: None,
        read_only: false,
    }
}

/// An object with one program.
pub fn object(maps: Vec<ObjectMap>, parts: &[Vec<Insn>]) -> Object {
    let mut insns = parts.concat();
    let mut map_refs = Vec::new();
    let mut functions = vec![0];
    for slot in 0..insns.len() {
        let Insn { code, src, imm, .. } = insns[slot];
        if code == 0x18 && (src == 1 || src == 2) {
            insns[slot].imm = 0;
            map_refs.push(MapRef {
                slot: slot as u32,
                map: imm as usize,
                kind: match src {
                    1 => MapRefKind::Fd,
                    _ => MapRefKind::Value {
                        offset: insns[slot + 1].imm as u32,
                    },
                },
            });
        }
        if code == 0x85 && src == 1 || code == 0x18 && src == 4 {
            functions.push((slot as i32 + 1 + imm) as u32);
        }
    }
    functions.sort_unstable();
    functions.dedup();
    let places = (0..insns.len() as u32).map(|slot| Place {
        slot,
        ..Place::default()
    });
    let program = ProgramImage {
        name: "test".into(),
        section: "xdp".into(),
        frags: false,
        places: places.collect(),
        insns,
        map_refs,
        functions: functions
            .into_iter()
            .map(|slot| ObjectFunction {
                name: format!("function{slot}"),
                slot,
            })
            .collect(),
        problems: Vec::new(),
    };
    Object {
        file: "test.o".into(),
        license: "GPL".into(),
        maps,
        programs: vec![program],
        tail_calls: Vec::new(),
        drops_events: false,
        as_xdp: false,
        globals: Globals::default(),
        set: Vec::new(),
    }
}
