//! The kernel as judge: what it answers for small programs whose answer is known.

use crate::assembly::*;
use crate::judge::{double, try_start, word, CONTEXT};
use crate::programs;
use hardpath_ebpf::{Insn, MTU_MAP};
use hardpath_ir::maps::Image;
use hardpath_oracle::{JudgeOptions, KernelJudge, Verdict};
use hardpath_packet::{Fate, Sideband};

fn judged(judge: &mut KernelJudge, packet: &[u8], context: &Sideband) -> Fate {
    match judge.run(packet, context).unwrap() {
        Verdict::Judged(outcome) => outcome,
        Verdict::CannotJudge(reason) => panic!("{reason}"),
    }
}

fn packet(length: usize) -> Vec<u8> {
    (0..length).map(|index| index as u8).collect()
}

/// r0 = the value under the 32-bit key `key`; falls to the end of the code with r0 ≠ 0, else drops.
fn lookup(map_index: i32, key: i32) -> Vec<Insn> {
    [
        store_imm(WORD, 10, -4, key),
        copy(2, 10),
        add(2, -4),
        map(1, map_index),
        call(MAP_LOOKUP),
        jump_imm(NOT_EQUAL, 0, 0, 2),
        set(0, 1),
        exit(),
    ]
    .concat()
}

#[test]
fn verdicts_come_back_as_the_program_gave_them_and_as_drivers_take_them() {
    for verdict in [0, 1, 2, 3, 7] {
        let object = object(vec![], &[set(0, verdict), exit()]);
        let Some(mut judge) = try_start(&object, Image::new()) else {
            return;
        };
        let outcome = judged(&mut judge, &packet(60), &CONTEXT);
        let driver = if verdict == 7 { 0 } else { verdict as u64 };
        assert_eq!(outcome.outputs, [driver, 0, verdict as u64]);
        match verdict {
            2 | 3 => {
                assert_eq!(outcome.indices(), [0]);
                assert_eq!(outcome.data(), Some(&packet(60)[..]));
            }
            _ => assert_eq!(outcome.copies, []),
        }
    }
}

#[test]
fn packet_writes_come_back() {
    let object = programs::write_last_byte();
    let Some(mut judge) = try_start(&object, Image::new()) else {
        return;
    };
    let mut expected = packet(14);
    expected[13] = 0xee;
    let outcome = judged(&mut judge, &packet(14), &CONTEXT);
    assert_eq!(
        (outcome.outputs[2], outcome.data()),
        (3, Some(&expected[..]))
    );
}

#[test]
fn lengths_from_an_ethernet_header_to_a_page_without_its_rims_are_judged() {
    let object = programs::length_in_packet();
    let Some(mut judge) = try_start(&object, Image::new()) else {
        return;
    };
    for length in [14, 15, 60, 1514, 3519, 3520] {
        let outcome = judged(&mut judge, &packet(length), &CONTEXT);
        assert_eq!(outcome.data().unwrap().len(), length);
        assert_eq!(outcome.data().unwrap()[..4], word(length as u32));
    }
    for length in [0, 1, 13, 3521, 9216] {
        let verdict = judge.run(&packet(length), &CONTEXT).unwrap();
        let Verdict::CannotJudge(reason) = verdict else {
            panic!("{length}: {verdict:?}");
        };
        let named = match length {
            0..14 => "packets shorter than an Ethernet header (14 bytes)",
            _ => "packets longer than a test run's buffer (3520 bytes)",
        };
        assert_eq!(reason, named);
    }
}

#[test]
fn arrays_count_and_are_read_back() {
    for map_type in [ARRAY, PERCPU_ARRAY] {
        let counters = object_map("a_counter_with_a_long_name", map_type, 4, 16, 3);
        let object = object(
            vec![counters],
            &[
                lookup(0, 1),
                load(DOUBLE, 1, 0, 8),
                add(1, 1),
                store(DOUBLE, 0, 8, 1),
                set(0, 2),
                exit(),
            ],
        );
        let start = [double(5), double(40)].concat();
        let name = "a_counter_with_a_long_name".to_string();
        let image = Image::from([(name.clone(), [(word(1), start)].into())]);
        let Some(mut judge) = try_start(&object, image) else {
            return;
        };
        let packets = vec![(packet(60), CONTEXT); 2];
        assert_eq!(judge.run_all(&packets).unwrap().len(), 2);
        let zeros = vec![0; 16];
        let counted = [double(5), double(42)].concat();
        let expected = [(0, zeros.clone()), (1, counted), (2, zeros)];
        let entries = expected.map(|(key, value)| (word(key), value));
        assert_eq!(
            judge.image().unwrap(),
            Image::from([(name, entries.into())])
        );
    }
}

#[test]
fn hash_entries_are_inserted_and_deleted() {
    let object = programs::insert_or_delete();
    let Some(mut judge) = try_start(&object, Image::new()) else {
        return;
    };
    let mut answer = |operation: u8, key: u8| {
        let mut bytes = packet(14);
        bytes[..2].copy_from_slice(&[operation, key]);
        let fate = judged(&mut judge, &bytes, &CONTEXT);
        let bytes = fate.data().unwrap();
        i64::from_le_bytes(*bytes.first_chunk().unwrap())
    };
    assert_eq!(answer(1, 9), 0);
    assert_eq!(answer(1, 5), 0);
    assert_eq!(answer(1, 6), i64::from(-libc::E2BIG));
    assert_eq!(answer(0, 6), i64::from(-libc::ENOENT));
    assert_eq!(answer(0, 9), 0);
    let entries = [(word(5), double(7))].into();
    let expected = Image::from([("flows".to_string(), entries)]);
    assert_eq!(judge.image().unwrap(), expected);

    judge.set("flows", &word(1), &double(3)).unwrap();
    judge.delete("flows", &word(5)).unwrap();
    judge.delete("flows", &word(5)).unwrap();
    assert_eq!(judge.lookup("flows", &word(5)).unwrap(), None);
    assert_eq!(judge.lookup("flows", &word(1)).unwrap(), Some(double(3)));
    let full =
        judge
            .set("flows", &word(2), &double(3))
            .and(judge.set("flows", &word(3), &double(3)));
    assert_eq!(full.unwrap_err().code, "kernel-rejects-entry");
    assert_eq!(
        judge.delete("other", &word(5)).unwrap_err().code,
        "unknown-map"
    );
}

#[test]
fn time_random_number_and_cpu_are_what_the_context_says() {
    let object = programs::time_random_and_cpu();
    let Some(mut judge) = try_start(&object, Image::new()) else {
        return;
    };
    for (time_ns, random) in [(CONTEXT.time_ns, CONTEXT.random), (1, 2)] {
        let context = Sideband {
            time_ns,
            random,
            ..CONTEXT
        };
        let outcome = judged(&mut judge, &packet(24), &context);
        let expected = [double(time_ns), double(u64::from(random)), double(0)].concat();
        assert_eq!(outcome.data(), Some(&expected[..]));
    }
}

#[test]
fn ingress_interface_and_queue_are_what_the_context_says() {
    let object = programs::interface_and_queue();
    let Some(mut judge) = try_start(&object, Image::new()) else {
        return;
    };
    for (ingress, queue) in [(1, 0), (2, 0), (7, 3), (7, 100), (1_000_000, 4095)] {
        let context = Sideband {
            ingress,
            queue,
            ..CONTEXT
        };
        let outcome = judged(&mut judge, &packet(14), &context);
        let expected = [word(ingress), word(queue)].concat();
        assert_eq!(outcome.data().unwrap()[..8], expected);
    }
    for (ingress, queue) in [(0, 0), (1, 1), (2, 4096), (u32::MAX, 0)] {
        let context = Sideband {
            ingress,
            queue,
            ..CONTEXT
        };
        let verdict = judge.run(&packet(14), &context).unwrap();
        assert!(matches!(verdict, Verdict::CannotJudge(_)), "{verdict:?}");
    }
}

#[test]
fn interfaces_have_the_mtus_that_the_host_says() {
    const CHECK_MTU: i32 = 163;
    let object = object(
        vec![],
        &[
            packet_in_r6(14),
            load(WORD, 2, 6, 0),
            store_imm(WORD, 10, -4, 0),
            copy(3, 10),
            add(3, -4),
            set(4, 0),
            set(5, 0),
            call(CHECK_MTU),
            store(DOUBLE, 6, 0, 0),
            load(WORD, 1, 10, -4),
            store(WORD, 6, 8, 1),
            set(0, 2),
            exit(),
        ],
    );
    let mtus = [(1, 1400), (2, 68)].map(|(ifindex, mtu)| (word(ifindex), word(mtu)));
    let image = Image::from([(String::from(MTU_MAP), mtus.into())]);
    let Some(mut judge) = try_start(&object, image) else {
        return;
    };
    let asked = |judge: &mut KernelJudge, ifindex: u32, context: &Sideband| {
        let bytes = [word(ifindex), packet(100)].concat();
        match judge.run(&bytes, context).unwrap() {
            Verdict::Judged(outcome) => Some(outcome.data().unwrap()[..12].to_vec()),
            Verdict::CannotJudge(_) => None,
        }
    };
    let from = |ingress: u32, queue: u32| Sideband {
        ingress,
        queue,
        ..CONTEXT
    };
    let answer = |result: u64, mtu: u32| Some([double(result), word(mtu)].concat());
    const ENODEV: u64 = (-19i64) as u64;
    assert_eq!(asked(&mut judge, 0, &from(1, 0)), answer(0, 1400));
    assert_eq!(asked(&mut judge, 2, &from(1, 0)), answer(1, 68));
    assert_eq!(asked(&mut judge, 3, &from(1, 0)), answer(ENODEV, 0));
    // More queues: another interface of that number, which has the same MTU.
    assert_eq!(asked(&mut judge, 0, &from(2, 100)), answer(1, 68));
    // The hardware does not know interface 3, which the kernel must have for this packet.
    assert_eq!(asked(&mut judge, 0, &from(3, 0)), None);
    judge.set(MTU_MAP, &word(3), &word(9000)).unwrap();
    assert_eq!(asked(&mut judge, 0, &from(3, 0)), answer(0, 9000));
    judge.set(MTU_MAP, &word(3), &word(80)).unwrap();
    assert_eq!(asked(&mut judge, 3, &from(1, 0)), answer(1, 80));
    let error = judge.set(MTU_MAP, &word(3), &word(7)).unwrap_err();
    assert_eq!(error.code, "kernel-rejects-entry");
}

#[test]
fn a_redirect_tells_its_interface() {
    let object = programs::redirect();
    let Some(mut judge) = try_start(&object, Image::new()) else {
        return;
    };
    let mut answer = |ifindex: u32, flags: u32| {
        let bytes = [word(ifindex), word(flags), packet(6)].concat();
        let outcome = judged(&mut judge, &bytes, &CONTEXT);
        (outcome.outputs[2], outcome.indices())
    };
    assert_eq!(answer(77, 0), (4, vec![77]));
    assert_eq!(answer(78, 1), (0, vec![]));
    assert_eq!(answer(0, 0), (4, vec![0]));
}

#[test]
fn a_redirect_through_a_devmap_tells_its_interface() {
    let object = programs::redirect_through_one_of_two_maps();
    let right = [word(300), word(0)].concat();
    let image = Image::from([
        ("left".to_string(), [(word(1), word(20))].into()),
        ("right".to_string(), [(word(1), right.clone())].into()),
    ]);
    let Some(mut judge) = try_start(&object, image.clone()) else {
        return;
    };
    assert_eq!(judge.image().unwrap(), image);
    let mut answer = |map: u32, key: u32, flags: u32, context: Sideband| {
        let bytes = [word(map), word(key), word(flags), packet(2)].concat();
        let outcome = judged(&mut judge, &bytes, &context);
        (outcome.outputs[2], outcome.indices())
    };
    assert_eq!(answer(0, 1, 0, CONTEXT), (4, vec![20]));
    assert_eq!(answer(1, 1, 2, CONTEXT), (4, vec![300]));
    assert_eq!(answer(0, 2, 2, CONTEXT), (2, vec![0]));
    assert_eq!(answer(0, 99, 1, CONTEXT), (1, vec![]));
    assert_eq!(answer(0, 1, 64, CONTEXT), (0, vec![]));
    // Interface 20 gives way to one with more queues; the devmap keeps it.
    let context = Sideband {
        ingress: 20,
        queue: 40,
        ..CONTEXT
    };
    assert_eq!(answer(0, 1, 0, context), (4, vec![20]));
    assert_eq!(answer(1, 1, 0, CONTEXT), (4, vec![300]));
    judge.delete("left", &word(1)).unwrap();
    judge.set("left", &word(2), &word(21)).unwrap();
    let expected = Image::from([
        ("left".to_string(), [(word(2), word(21))].into()),
        ("right".to_string(), [(word(1), right)].into()),
    ]);
    assert_eq!(judge.image().unwrap(), expected);
}

#[test]
fn the_last_redirect_counts_and_a_miss_leaves_the_interface_before_it() {
    // redirect(77, 0); redirect_map(ports, key, flags); return XDP_REDIRECT.
    let object = object(
        vec![object_map("ports", DEVMAP, 4, 4, 4)],
        &[
            packet_in_r6(14),
            set(1, 77),
            set(2, 0),
            call(REDIRECT),
            map(1, 0),
            load(WORD, 2, 6, 0),
            load(WORD, 3, 6, 4),
            call(REDIRECT_MAP),
            set(0, 4),
            exit(),
        ],
    );
    let image = Image::from([("ports".to_string(), [(word(1), word(20))].into())]);
    let Some(mut judge) = try_start(&object, image) else {
        return;
    };
    let mut destinations = |key: u32, flags: u32| {
        let bytes = [word(key), word(flags), packet(6)].concat();
        judged(&mut judge, &bytes, &CONTEXT).indices()
    };
    assert_eq!(destinations(1, 0), [20]);
    assert_eq!(destinations(0, 0), [77]);
    assert_eq!(destinations(1, 64), [77]);
}

#[test]
fn stack_that_was_never_written_is_zero() {
    // Fills the whole stack in one run (byte 0 of the packet is 1), reads its sum of words in the next.
    let words = (1..=64).map(|word| -8 * word);
    let filled: Vec<Insn> = words
        .clone()
        .flat_map(|offset| store_imm(DOUBLE, 10, offset, 0x5a5a))
        .collect();
    let summed: Vec<Insn> = words
        .flat_map(|offset| [load(DOUBLE, 1, 10, offset), add_register(0, 1)].concat())
        .collect();
    let object = object(
        vec![],
        &[
            packet_in_r6(14),
            load(BYTE, 1, 6, 0),
            set(0, 2),
            jump_imm(NOT_EQUAL, 1, 1, filled.len() as i16 + 1),
            filled,
            exit(),
            summed,
            exit(),
        ],
    );
    let Some(mut judge) = try_start(&object, Image::new()) else {
        return;
    };
    let mut fill = packet(14);
    fill[0] = 1;
    for _ in 0..3 {
        assert_eq!(judged(&mut judge, &fill, &CONTEXT).outputs[2], 2);
        assert_eq!(judged(&mut judge, &packet(14), &CONTEXT).outputs[2], 2);
    }
}

#[test]
fn functions_find_a_zeroed_stack_at_each_call() {
    // main: r7 = f(); return f() + r7 + 2.  f: returns the word at r10 - 40, then writes it.
    let object = object(
        vec![],
        &[
            store_imm(DOUBLE, 10, -16, 1),
            call_function(5),
            copy(7, 0),
            call_function(3),
            add_register(0, 7),
            add(0, 2),
            exit(),
            load(DOUBLE, 0, 10, -40),
            store_imm(DOUBLE, 10, -40, 0x77),
            exit(),
        ],
    );
    let Some(mut judge) = try_start(&object, Image::new()) else {
        return;
    };
    for _ in 0..2 {
        assert_eq!(judged(&mut judge, &packet(14), &CONTEXT).outputs[2], 2);
    }
}

/// The verifier must not see that the stack begins as zeros: it would leave out a callback that runs as often as they say, and
/// where there is another function fail because of that.
#[test]
fn a_callback_may_run_as_often_as_unwritten_stack_says() {
    let object = object(
        vec![],
        &[
            load(DOUBLE, 1, 10, -8),
            and(1, 3),
            function(2, 9),
            copy(3, 10),
            set(4, 0),
            call(LOOP),
            call_function(2),
            add(0, 2),
            exit(),
            set(0, 0),
            exit(),
            set(0, 0),
            exit(),
        ],
    );
    let Some(mut judge) = try_start(&object, Image::new()) else {
        return;
    };
    assert_eq!(judged(&mut judge, &packet(14), &CONTEXT).outputs[2], 2);
}

#[test]
fn data_and_frozen_data_have_their_first_contents() {
    let mut data = object_map(".data", ARRAY, 4, 16, 1);
    data.initial = Some([double(3), double(4)].concat());
    let mut constants = object_map(".rodata", ARRAY, 4, 8, 1);
    constants.initial = Some(double(38));
    constants.read_only = true;
    let object = object(
        vec![data, constants],
        &[
            map_value(1, 0, 8),
            map_value(2, 1, 0),
            load(DOUBLE, 3, 2, 0),
            atomic_add(1, 0, 3),
            set(0, 2),
            exit(),
        ],
    );
    let Some(mut judge) = try_start(&object, Image::new()) else {
        return;
    };
    judged(&mut judge, &packet(14), &CONTEXT);
    let entries = [(word(0), [double(3), double(42)].concat())].into();
    let expected = Image::from([(".data".to_string(), entries)]);
    assert_eq!(judge.image().unwrap(), expected);
    assert!(judge.set(".rodata", &word(0), &double(1)).is_err());
}

#[test]
fn a_loop_to_the_first_instruction_does_not_repeat_the_zeroing() {
    // r0 = stack; if it is 0, stack = 5 and once more.
    let object = object(
        vec![],
        &[
            load(DOUBLE, 0, 10, -8),
            jump_imm(NOT_EQUAL, 0, 0, 2),
            store_imm(DOUBLE, 10, -8, 5),
            jump_imm(0, 0, 0, -4),
            exit(),
        ],
    );
    let Some(mut judge) = try_start(&object, Image::new()) else {
        return;
    };
    assert_eq!(judged(&mut judge, &packet(14), &CONTEXT).outputs[2], 5);
}

#[test]
fn a_program_that_the_verifier_refuses_comes_with_its_reason() {
    let object = object(vec![], &[load(WORD, 2, 1, 0), load(BYTE, 0, 2, 0), exit()]);
    let options = JudgeOptions::default();
    match KernelJudge::start(&object, &object.programs[0], &options) {
        Err(error) if error.code == "kernel-unavailable" => {}
        Err(error) => {
            assert_eq!(error.code, "kernel-rejects-program");
            let help = error.help.unwrap();
            assert!(help.contains("invalid access to packet"), "{help}");
        }
        Ok(_) => panic!("a packet access without a check was taken"),
    }
}

#[test]
fn an_image_may_name_maps_of_other_programs_but_no_others() {
    let maps = vec![
        object_map("used", ARRAY, 4, 8, 1),
        object_map("other", HASH, 4, 8, 1),
    ];
    let object = object(maps, &[map(1, 0), set(0, 2), exit()]);
    let image = Image::from([("other".to_string(), [(word(1), double(1))].into())]);
    let Some(mut judge) = try_start(&object, image) else {
        return;
    };
    assert_eq!(judge.image().unwrap().keys().collect::<Vec<_>>(), ["used"]);
    let image = Image::from([("unknown".to_string(), [(word(1), double(1))].into())]);
    let options = JudgeOptions {
        image,
        ..JudgeOptions::default()
    };
    let error = KernelJudge::start(&object, &object.programs[0], &options).err();
    assert_eq!(error.unwrap().code, "unknown-map");
}
