//! Small programs, each for one thing that the compiler does.

use crate::{is_refused, is_refused_without};
use hardpath_core::compile::compile_without;
use hardpath_core::compile::savings::{Saving, Without};
use hardpath_core::image::{Image, Machine};
use hardpath_core::interpreter::{Core, MOST_ROWS};
use hardpath_core::isa::Action;
use hardpath_ir::maps::Maps;
use hardpath_ir::Program;
use hardpath_testkit::{packet, Random};

fn program(text: &str) -> Program {
    hardpath_ir::parse::parse(text).expect("a program")
}

/// On any number of lanes packets see what the program says.
fn is_right(text: &str) {
    let program = program(text);
    for lanes in [1, 2, 4, 8] {
        for seed in 1..9 {
            let what = format!("{lanes} lanes");
            let mut random = Random::new(seed);
            assert!(!is_refused(&program, lanes, &mut random, &what));
        }
    }
}

fn rows(text: &str, lanes: u8, without: Without) -> Image {
    let machine = Machine::with_lanes(lanes);
    let compiled = compile_without(&program(text), &machine, without);
    compiled.expect("a program for a core").image
}

/// Rows that a number of random packets take.
fn taken(image: &Image, program: &Program) -> u64 {
    let mut random = Random::new(7);
    let mut maps = Maps::new(&program.maps);
    let mut core = Core::new(image);
    let each = (0..64).map(|_| {
        let (packet, sideband) = packet(&mut random);
        let ran = core.run(MOST_ROWS, &mut maps, &packet, &sideband);
        ran.expect("it comes to its end").rows
    });
    each.sum()
}

/// An operation puts the words that it is given into its buffer, too: one whose other words wait there must come first.
#[test]
fn keys_wait_in_their_buffer() {
    let text = "program \"keys\" control-flow\noutput \"verdict\" 3\n\n\
        map @m exact key 12 value 56 entries 64\nmap @n exact key 13 value 8 entries 8\n\n\
        block0:\n    v0:64 = const 19\n    v1:32 = packet.load v0\n    v2:64 = const 17\n    packet.store v2, v1\n    \
        v3:64 = const 15\n    v4:96 = packet.load v3\n    v5:448 = const 0\n    v6:2 = const 3\n    \
        v7:3 = map.update @m v4, v5, v6\n    v8:104 = const 0\n    v9:1, v10:32 = map.lookup @n v8\n    \
        v11:3 = const 0\n    emit v9 with v11\n";
    let program = hardpath_ir::parse::parse(text).expect("a program");
    for lanes in [1, 2, 4, 8] {
        let what = format!("{lanes} lanes");
        assert!(!is_refused(&program, lanes, &mut Random::new(1), &what));
    }
}

/// A packet's first byte says how many of those behind go into a hash.
const HASH: &str = "program \"hash\" structured\noutput \"verdict\" 3\n\n\
    block0:\n    v0:64 = const 0\n    v1:8 = packet.load v0\n    v2:64 = zext v1\n    \
    v3:64 = const 1\n    v4:64 = const 0x100000001b3\n    v5:64 = const 4\n    jump block1(v0, v3)\n\n\
    block1(v6:64, v7:64) loop unknown:\n    v8:1 = ult v6, v2\n    branch v8, block2, block3\n\n\
    block2:\n    v9:5 = slice v6, 0\n    v10:64 = zext v9\n    v11:8 = packet.load v10\n    v12:64 = zext v11\n    \
    v13:64 = xor v7, v12\n    v14:64 = mul v13, v4\n    v15:64 = add v6, v3\n    jump block1(v15, v14)\n\n\
    block3:\n    v16:3 = slice v7, 9\n    v17:1 = slice v7, 12\n    packet.store v5, v7\n    emit v17 with v16\n";

/// Of a round that is a load, an exclusive or and a product, one behind the other, the load belongs to the next one.
#[test]
fn rounds_overlap() {
    is_right(HASH);
    let program = program(HASH);
    let together = taken(&rows(HASH, 4, Without::NOTHING), &program);
    let apart = taken(&rows(HASH, 4, Without::from(Saving::Rounds)), &program);
    assert!(together * 5 < apart * 4, "{together} rows, {apart} without");
}

/// The same where the loop asks at its end, as compilers like it: what it does when it is left is no part of it, although it writes where
/// the next round would have read.
#[test]
fn rounds_overlap_in_front_of_the_way_out() {
    let text = "program \"hash\" structured\noutput \"verdict\" 3\n\n\
        block0:\n    v0:64 = const 0\n    v1:8 = packet.load v0\n    v2:64 = zext v1\n    \
        v3:64 = const 1\n    v4:64 = const 0x100000001b3\n    v5:64 = const 4\n    jump block1(v0, v3)\n\n\
        block1(v6:64, v7:64) loop unknown:\n    v9:5 = slice v6, 0\n    v10:64 = zext v9\n    \
        v11:8 = packet.load v10\n    v12:64 = zext v11\n    v13:64 = xor v7, v12\n    v14:64 = mul v13, v4\n    \
        v15:64 = add v6, v3\n    v8:1 = ult v15, v2\n    branch v8, block1(v15, v14), block3\n\n\
        block3:\n    v16:3 = slice v14, 9\n    v17:1 = slice v14, 12\n    packet.store v5, v14\n    emit v17 with v16\n";
    is_right(text);
    let program = program(text);
    let together = taken(&rows(text, 4, Without::NOTHING), &program);
    let apart = taken(&rows(text, 4, Without::from(Saving::Rounds)), &program);
    assert!(together * 5 < apart * 4, "{together} rows, {apart} without");
}

/// What a loop leaves behind is what the last round made, not the next one.
#[test]
fn what_a_loop_leaves_is_of_its_last_round() {
    let text = "program \"last\" structured\noutput \"verdict\" 3\n\n\
        block0:\n    v0:64 = const 0\n    v1:8 = packet.load v0\n    \
        v2:4 = slice v1, 0\n    v3:64 = zext v2\n    v4:64 = const 1\n    v5:64 = const 4\n    jump block1(v0)\n\n\
        block1(v6:64) loop unknown:\n    v7:16 = packet.load v6\n    v8:64 = add v6, v4\n    v9:1 = ult v8, v3\n    \
        branch v9, block2, block3\n\n\
        block2:\n    v10:8 = slice v7, 8\n    packet.store v5, v10\n    jump block1(v8)\n\n\
        block3:\n    v11:3 = slice v7, 2\n    v12:1 = slice v7, 9\n    packet.store v5, v7\n    emit v12 with v11\n";
    is_right(text);
}

/// A loop of so many rounds that it stays one and nothing in front of it is copied: it adds `v90` as often as `v91` says.
const ADDS: &str = "    v92:64 = const 0\n    v93:64 = const 1\n    jump block91(v92, v92)\n\n\
    block91(v94:64, v95:64) loop unknown:\n    v96:64 = add v94, v90\n    v97:64 = add v95, v93\n    \
    v98:1 = ult v97, v91\n    branch v98, block91(v96, v97), block92\n\n\
    block92:\n    v99:64 = const 16\n    packet.store v99, v96\n    v100:3 = const 2\n    v101:1 = const 1\n    emit v101 with v100\n";

/// What only operations under a guard make has nothing in it where the guard does not hold.
#[test]
fn what_stands_under_a_guard_is_read_under_it() {
    let text = "program \"guard\" structured\noutput \"verdict\" 3\n\n\
        map @m array key 4 value 8 entries 4\n\n\
        block0:\n    v0:64 = const 0\n    v1:8 = packet.load v0\n    v91:64 = zext v1\n    \
        v2:2 = slice v1, 0\n    v3:32 = zext v2\n    v4:64 = const 3\n    v5:1, v6:32 = map.lookup @m v3\n    v7:32 = const 0\n    \
        branch v5, block1, block2(v0)\n\n\
        block1:\n    v8:64 = map.atomic xor @m v6, v7, v4\n    v9:64 = xor v8, v4\n    jump block2(v9)\n\n\
        block2(v90:64):\n";
    is_right(&format!("{text}{ADDS}"));
}

/// A move that cuts bits off is an operation: its source and its target can be one register, and it must stay.
#[test]
fn moves_that_cut_stay() {
    let text = "program \"cut\" structured\noutput \"verdict\" 3\n\n\
        block0:\n    v0:64 = const 0\n    v1:32 = packet.load v0\n    v2:64 = zext v1\n    v11:32 = const 0x80000000\n    v3:64 = const 20\n    \
        v4:8 = packet.load v3\n    v5:1 = slice v4, 3\n    v91:64 = zext v4\n    \
        v7:64 = const 1\n    v6:1 = ult v1, v11\n    v12:1 = and v5, v6\n    branch v12, block1, block2(v2)\n\n\
        block1:\n    v8:8 = const 0\n    v9:64 = const 9\n    packet.store v9, v8\n    v10:64 = and v2, v7\n    \
        jump block2(v10)\n\n\
        block2(v90:64):\n";
    is_right(&format!("{text}{ADDS}"));
}

/// `x + 54` comes as a sum of the bits above the lowest one beside that bit, and is an offset of the load again.
#[test]
fn sums_of_high_bits_are_offsets() {
    let text = "program \"sum\" control-flow\noutput \"verdict\" 3\n\n\
        block0:\n    v0:64 = const 0\n    v1:8 = packet.load v0\n    v2:2 = slice v1, 1\n    v3:63 = zext v2\n    \
        v4:63 = const 9\n    v5:63 = add v3, v4\n    v6:1 = slice v1, 0\n    v7:64 = concat v5, v6\n    \
        v8:8 = packet.load v7\n    v9:3 = slice v8, 0\n    v10:1 = slice v8, 3\n    emit v10 with v9\n";
    is_right(text);
    let with = rows(text, 4, Without::NOTHING).rows.len();
    let without = rows(text, 4, Without::from(Saving::Fields)).rows.len();
    assert!(with + 2 <= without, "{with} rows, {without} without");
}

/// A bit in the middle of a field takes one operation to change, and what all must hold is asked side by side.
#[test]
fn a_bit_of_a_byte_takes_few_rows() {
    let text = "program \"lower\" control-flow\noutput \"verdict\" 3\n\n\
        block0:\n    v0:64 = const 0\n    v1:8 = packet.load v0\n    v2:8 = const 0x41\n    v3:8 = const 0x5b\n    \
        v4:1 = ule v2, v1\n    v5:1 = ult v1, v3\n    v6:64 = const 1\n    v7:8 = packet.load v6\n    v8:1 = slice v7, 0\n    \
        v9:1 = slice v1, 5\n    v10:1 = and v4, v5\n    v11:1 = and v10, v8\n    v12:1 = or v11, v9\n    \
        v13:2 = slice v1, 6\n    v14:5 = slice v1, 0\n    v15:8 = concat v13, v12, v14\n    \
        packet.store v0, v15\n    v16:3 = const 2\n    emit v8 with v16\n";
    is_right(text);
    let count = rows(text, 4, Without::NOTHING).rows.len();
    assert!(count <= 7, "{count} rows");
}

/// A way that brings a constant goes on where that leads, around the block that asks for it.
#[test]
fn constants_lead_on() {
    let text = "program \"flag\" structured\noutput \"verdict\" 3\n\n\
        block0:\n    v0:64 = const 0\n    v1:8 = packet.load v0\n    v2:64 = zext v1\n    v3:64 = const 1\n    v4:64 = const 31\n    \
        jump block1(v0)\n\n\
        block1(v5:64) loop unknown:\n    v6:5 = slice v5, 0\n    v7:64 = zext v6\n    v8:8 = packet.load v7\n    \
        v9:1 = ult v5, v2\n    branch v9, block2, block3(v3)\n\n\
        block2:\n    v10:1 = slice v8, 7\n    branch v10, block3(v3), block4\n\n\
        block4:\n    packet.store v4, v8\n    jump block3(v0)\n\n\
        block3(v11:64):\n    v12:1 = ne v11, v0\n    v13:64 = add v5, v3\n    branch v12, block5, block1(v13)\n\n\
        block5:\n    v14:3 = slice v8, 0\n    emit v9 with v14\n";
    is_right(text);
    let program = program(text);
    let with = taken(&rows(text, 4, Without::NOTHING), &program);
    let without = taken(&rows(text, 4, Without::from(Saving::Paths)), &program);
    assert!(with < without, "{with} rows, {without} without");
    assert!(!is_refused_without(
        Without::from(Saving::Paths),
        &program,
        4,
        &mut Random::new(3),
        "without paths"
    ));
}

/// Values of a hundred bytes: an index, what the update may do, and where bytes are read stand in the packet; so do the first bytes of what
/// is written.
const LONG: &str = "program \"long\" control-flow\noutput \"verdict\" 3\n\n\
    map @t array key 4 value 100 entries 3\n\n\
    block0:\n    v0:64 = const 0\n    v1:8 = packet.load v0\n    v2:2 = slice v1, 0\n    v3:32 = zext v2\n    \
    v4:2 = slice v1, 2\n    v5:64 = const 4\n    v6:128 = packet.load v5\n    v7:800 = zext v6\n    \
    v8:3 = map.update @t v3, v7, v4\n    v9:1, v10:32 = map.lookup @t v3\n    v11:4 = slice v1, 4\n    v12:32 = zext v11\n    \
    v13:64 = map.load @t v10, v12\n    packet.store v5, v13\n    emit v9 with v8\n";

/// Nothing updates a long value as a whole, and what an update says is what it would say.
#[test]
fn long_values_are_written_in_parts() {
    is_right(LONG);
    let image = rows(LONG, 4, Without::NOTHING);
    let operations = image.rows.iter().flat_map(|row| row.operations());
    let actions: Vec<Action> = operations.map(|(_, operation)| operation.action).collect();
    let updates = |action: &Action| matches!(action, Action::Update { .. });
    let stores = |action: &&Action| matches!(action, Action::MapStore { .. });
    assert!(!actions.iter().any(updates));
    assert_eq!(actions.iter().filter(stores).count(), 13);
}

/// A core goes through a packet when it is asked to; it has not while the packet came in.
#[test]
fn the_sum_of_a_packet_is_of_pipelines() {
    let text = "program \"sum\" control-flow\noutput \"low\" 32\n\n\
        block0:\n    v0:32 = input sum\n    v1:1 = const 1\n    emit v1 with v0\n";
    let made = compile_without(&program(text), &Machine::with_lanes(4), Without::NOTHING);
    let errors = made.err().expect("a core has no such input");
    assert_eq!(errors[0].code, "core-input", "{errors:?}");
}
