//! The interpreter over lifted programs against the kernel over the same instructions.

use crate::assembly::*;
use crate::judge::{double, try_start_program, word, Numbers, CONTEXT};
use crate::{maps, programs};
use hardpath_ebpf::{lift, Insn, Object, ProgramImage};
use hardpath_ir::maps::Image;
use hardpath_ir::verifier::verify;
use hardpath_oracle::Reference;
use hardpath_packet::Sideband;

fn agree(object: &Object, image: &Image, packets: &[(Vec<u8>, Sideband)]) {
    program_agrees(object, &object.programs[0], image, packets);
}

/// Runs packets through both and compares everything.
pub fn program_agrees(
    object: &Object,
    program: &ProgramImage,
    image: &Image,
    packets: &[(Vec<u8>, Sideband)],
) {
    let lifted = lift(object, program).unwrap();
    assert_eq!(verify(&lifted), Ok(()));
    let Some(kernel) = try_start_program(object, program, image.clone()) else {
        return;
    };
    let mut reference = Reference::new(&lifted, image, Some(kernel)).unwrap();
    let answers = reference.run_all(packets).unwrap();
    for (number, (answer, (packet, context))) in answers.iter().zip(packets).enumerate() {
        assert_eq!(
            answer.disagreement, None,
            "{}: packet {number} {packet:02x?} {context:?}",
            program.name
        );
    }
    assert!(answers.iter().any(|answer| answer.judged));
    assert_eq!(reference.maps().unwrap().disagreements, []);
}

/// Short packets of small numbers, with contexts that differ.
fn small_numbers(seed: u64) -> Vec<(Vec<u8>, Sideband)> {
    let mut numbers = Numbers(seed);
    let mut packet = || {
        let length = 14 + numbers.below(20) as usize;
        let bytes = (0..length).map(|_| (numbers.below(8) * numbers.below(2)) as u8);
        let packet = bytes.collect();
        let context = Sideband {
            ingress: 2 + numbers.below(3) as u32,
            queue: numbers.below(4) as u32,
            egress: 0,
            time_ns: numbers.below(u64::MAX),
            random: numbers.below(1 << 32) as u32,
            own: 0,
        };
        (packet, context)
    };
    (0..500).map(|_| packet()).collect()
}

#[test]
fn packets_lengths_and_what_enters_beside_them() {
    let objects = [
        programs::write_last_byte(),
        programs::length_in_packet(),
        programs::time_random_and_cpu(),
        programs::interface_and_queue(),
        programs::redirect(),
    ];
    for (seed, object) in objects.iter().enumerate() {
        agree(object, &Image::new(), &small_numbers(seed as u64));
    }
    let lengths = (0..4000).step_by(7).chain([13, 14, 3519, 3520, 3521, 9216]);
    let packets: Vec<_> = lengths.map(|length| (vec![7; length], CONTEXT)).collect();
    agree(&programs::length_in_packet(), &Image::new(), &packets);
}

#[test]
fn redirects_through_a_devmap() {
    let to = |ifindex: u32| double(u64::from(ifindex));
    let entries = [(word(1), to(20)), (word(3), to(300))];
    let image = Image::from([("ports".to_string(), entries.into())]);
    let keys = [0, 1, 2, 3, 4, 0xffff_ffff, 0x0100_0001];
    let packet = |key: u32| ([word(key), vec![0; 10]].concat(), CONTEXT);
    let packets: Vec<_> = keys.into_iter().map(packet).collect();
    for flags in [0, 1, 2, 3, 4, 64] {
        agree(&programs::redirect_through_map(flags), &image, &packets);
    }
}

#[test]
fn a_redirect_after_a_miss() {
    // redirect_map(ports, first byte, 0); redirect_map(ports, second byte, 0); return XDP_REDIRECT.
    let object = object(
        vec![object_map("ports", DEVMAP, 4, 4, 4)],
        &[
            packet_in_r6(14),
            map(1, 0),
            load(BYTE, 2, 6, 0),
            set(3, 0),
            call(REDIRECT_MAP),
            map(1, 0),
            load(BYTE, 2, 6, 1),
            set(3, 0),
            call(REDIRECT_MAP),
            set(0, 4),
            exit(),
        ],
    );
    let entries = [(word(2), word(20)), (word(3), word(30))];
    let image = Image::from([("ports".to_string(), entries.into())]);
    agree(&object, &image, &small_numbers(11));
}

#[test]
fn stack_that_nobody_wrote() {
    agree(
        &programs::read_unwritten_stack(),
        &Image::new(),
        &small_numbers(9),
    );
}

#[test]
fn helpers_on_maps() {
    let maps = [
        object_map("slots", ARRAY, 4, 8, 10),
        object_map("counters", PERCPU_ARRAY, 4, 8, 10),
        object_map("flows", HASH, 4, 8, 10),
    ];
    for (seed, map) in maps.into_iter().enumerate() {
        let calls = maps::random_calls(3, maps::numbered(15), 100 + seed as u64);
        let packets: Vec<_> = calls.iter().map(|call| (call.packet(), CONTEXT)).collect();
        agree(&maps::caller(map), &Image::new(), &packets);
    }
    agree(
        &programs::insert_or_delete(),
        &Image::new(),
        &small_numbers(7),
    );
}

#[test]
fn a_map_that_only_dead_code_names() {
    let unused = object(
        vec![object_map("unused", ARRAY, 4, 8, 1)],
        &[
            set(0, 2),
            // Over the map's two slots, always.
            jump_imm(EQUAL, 0, 2, 2),
            map(1, 0),
            exit(),
        ],
    );
    agree(&unused, &Image::new(), &small_numbers(5));
}

/// An instruction of 32 bits, or a move, with two registers or an immediate number.
fn half(code: u8, dst: u8, src: u8, imm: i32) -> Vec<Insn> {
    vec![Insn {
        code,
        dst,
        src,
        off: 0,
        imm,
    }]
}

/// Compilers compute lengths from the low halves of packet addresses: `(u32)data_end - (u32)data`.
#[test]
fn halves_of_packet_addresses() {
    let (move_half, subtract_half) = (0xbc, 0x1c);
    let (add_to_half, subtract_from_half, subtract) = (0x04, 0x14, 0x1f);
    let jump_if_half_above = |dst, src| {
        vec![Insn {
            code: 0x2e,
            dst,
            src,
            off: 1,
            imm: 0,
        }]
    };
    let object = object(
        vec![],
        &[
            packet_in_r6(34),
            load(WORD, 2, 1, 4),
            load(WORD, 3, 1, 0),
            // A half and a whole address.
            half(move_half, 4, 2, 0),
            half(subtract_half, 4, 3, 0),
            store(WORD, 6, 0, 4),
            // Two halves, one of them moved to and fro, subtracted as 64 bits.
            half(move_half, 5, 3, 0),
            half(add_to_half, 5, 0, 17),
            half(subtract_from_half, 5, 0, 3),
            half(move_half, 7, 2, 0),
            half(subtract, 7, 5, 0),
            store(DOUBLE, 6, 4, 7),
            // Two whole addresses, subtracted as 32 bits, the wrong way round.
            copy(8, 3),
            half(subtract_half, 8, 2, 0),
            store(DOUBLE, 6, 12, 8),
            // Comparisons of halves, and of whole addresses by their halves.
            half(add_to_half, 5, 0, 46),
            half(move_half, 4, 2, 0),
            jump_if_half_above(5, 4),
            store_imm(BYTE, 6, 21, 1),
            jump_if_half_above(3, 2),
            store_imm(BYTE, 6, 22, 1),
            set(0, 2),
            exit(),
        ],
    );
    let packets: Vec<_> = [14, 33, 34, 59, 60, 61, 100, 1514, 3000]
        .map(|length| (vec![0xaa; length], CONTEXT))
        .into();
    agree(&object, &Image::new(), &packets);
}
