//! The interpreter over lifted programs against the kernel over the same instructions.

use crate::assembly::*;
use crate::judge::{double, try_start_program, word, Numbers, CONTEXT};
use crate::{maps, programs};
use hardpath_ebpf::{lift, Object, ProgramImage};
use hardpath_ir::interpreter::PacketContext;
use hardpath_ir::maps::Image;
use hardpath_ir::verifier::verify;
use hardpath_oracle::Reference;

fn agree(object: &Object, image: &Image, packets: &[(Vec<u8>, PacketContext)]) {
    program_agrees(object, &object.programs[0], image, packets);
}

/// Runs packets through both and compares everything.
pub fn program_agrees(
    object: &Object,
    program: &ProgramImage,
    image: &Image,
    packets: &[(Vec<u8>, PacketContext)],
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
    assert!(answers.iter().any(|answer| answer.judged_by_kernel));
    assert_eq!(reference.maps().unwrap().disagreements, []);
}

/// Short packets of small numbers, with contexts that differ.
fn small_numbers(seed: u64) -> Vec<(Vec<u8>, PacketContext)> {
    let mut numbers = Numbers(seed);
    let mut packet = || {
        let length = 14 + numbers.below(20) as usize;
        let bytes = (0..length).map(|_| (numbers.below(8) * numbers.below(2)) as u8);
        let packet = bytes.collect();
        let context = PacketContext {
            ingress_ifindex: 2 + numbers.below(3) as u32,
            rx_queue_index: numbers.below(4) as u32,
            time_ns: numbers.below(u64::MAX),
            random: numbers.below(1 << 32) as u32,
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
