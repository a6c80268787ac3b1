//! Bounds of loops that count: of all that are found, every one holds.

use crate::structured::{run, seed};
use hardpath_ir::interpreter::{Prepared, RunError};
use hardpath_ir::maps::Maps;
use hardpath_ir::parse::parse;
use hardpath_ir::structure::Bound;
use hardpath_ir::{verifier, Program};
use hardpath_packet::Sideband;
use hardpath_testkit::programs::structured;
use hardpath_testkit::{assert_same, assert_valid, Random};

fn bounds(program: &Program) -> Vec<Bound> {
    let blocks = program.all_blocks();
    blocks
        .filter_map(|block| program.blocks[block].bound)
        .collect()
}

/// A number of the loop: a constant, or one from the packet with a mask.
fn number(random: &mut Random, name: u32, width: u32, text: &mut String) {
    let small = random.below(9);
    let largest = (1u64 << width) - 1;
    let some = [
        0,
        1,
        small,
        small,
        largest,
        largest / 2,
        largest.wrapping_sub(small),
    ];
    let any = *random.pick(&some) & largest;
    if random.below(3) > 0 {
        text.push_str(&format!("    v{name}:{width} = const {any}\n"));
        return;
    }
    let (offset, mask) = (random.below(8), random.pick(&[1, 3, 7]));
    text.push_str(&format!(
        "    v{0}:64 = const {offset}\n    v{1}:8 = packet.load v{0}\n    v{2}:8 = const {mask}\n    v{3}:8 = and v{1}, v{2}\n",
        name + 50,
        name + 51,
        name + 52,
        name + 53
    ));
    let op = match width {
        8 => format!("    v{name}:8 = or v{0}, v{0}\n", name + 53),
        9.. => format!("    v{name}:{width} = zext v{}\n", name + 53),
        _ => format!("    v{name}:{width} = slice v{}, 0\n", name + 53),
    };
    text.push_str(&op);
}

/// A loop that compares a counter, before it steps or behind it, with a limit.
fn program(random: &mut Random) -> String {
    let width = *random.pick(&[3, 4, 8, 16, 64]);
    let width = if width == 64 { 63 } else { width };
    let mut text = String::from("program \"counts\" structured\noutput \"verdict\" 32\nblock0:\n");
    number(random, 1, width, &mut text);
    number(random, 101, width, &mut text);
    let step = match random.below(4) {
        0 => ((1u64 << width) - 1) - random.below(3),
        _ => 1 + random.below(3),
    };
    text.push_str(&format!(
        "    v3:{width} = const {step}\n    v4:32 = const 0\n    v14:32 = const 1\n"
    ));
    if random.below(3) == 0 {
        // What is known of the limit from a branch.
        let most = random.below(12) & ((1 << width) - 1);
        let relation = random.pick(&["ult v5, v101", "ule v101, v5", "ult v101, v5"]);
        let relation = match random.below(2) {
            0 => relation.replace("v101", "v15"),
            _ => relation.to_string(),
        };
        text.push_str(&format!(
            "    v15:{width} = {} v101, v3\n    v5:{width} = const {most}\n    v6:1 = {relation}\n    branch v6, block6, block1(v1, v4)\nblock6:\n    jump block1(v1, v4)\n",
            random.pick(&["add", "sub"])
        ));
    } else {
        text.push_str("    jump block1(v1, v4)\n");
    }
    text.push_str(&format!(
        "block1(v7:{width}, v8:32) loop unknown:\n    v9:32 = add v8, v14\n"
    ));
    // Steps of one size, or of several.
    let step = match random.below(3) {
        0 => {
            number(random, 201, width, &mut text);
            text.push_str(&format!("    v16:{width} = add v201, v3\n"));
            "v16"
        }
        1 => {
            number(random, 201, width, &mut text);
            text.push_str(&format!(
                "    v17:1 = ult v7, v201\n    v16:{width} = select v17, v3, v201\n"
            ));
            "v16"
        }
        _ => "v3",
    };
    let sum = random.pick(&["add", "sub"]);
    text.push_str(&format!("    v10:{width} = {sum} v7, {step}\n"));
    let counted = *random.pick(&["v7", "v10"]);
    let op = random.pick(&["ult", "ule", "slt", "sle", "ne", "eq"]);
    let args = match random.below(2) {
        0 => format!("{counted}, v101"),
        _ => format!("v101, {counted}"),
    };
    text.push_str(&format!("    v11:1 = {op} {args}\n"));
    text.push_str(match random.below(3) {
        0 => "    branch v11, block2, block3(v9)\nblock2:\n    jump block1(v10, v9)\n",
        1 => "    branch v11, block3(v9), block2\nblock2:\n    jump block1(v10, v9)\n",
        _ => "    branch v11, block1(v10, v9), block3(v8)\n",
    });
    text.push_str("block3(v12:32):\n    v9000:1 = const 1\n    emit v9000 with v12\n");
    text
}

#[test]
fn bounds_that_are_found_hold() {
    let mut found = [0; 3];
    for number in 0..6000 {
        let mut random = Random::new(seed() * 9_000_011 + number);
        let text = program(&mut random);
        let before = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        if verifier::verify(&before).is_err() {
            // Two ways out of one block into a loop's body: another entry.
            continue;
        }
        let mut after = before.clone();
        for pass in ["fold", "dce"].into_iter().take(number as usize % 3) {
            run(&mut after, pass);
        }
        run(&mut after, "count_rounds");
        assert_valid(&after, &text);
        let known = match bounds(&after)[..] {
            [Bound::Exactly(_)] => 0,
            [Bound::UpTo(_)] => 1,
            _ => 2,
        };
        found[known] += 1;
        let mut runs = [&before, &after].map(Prepared::new);
        for _ in 0..6 {
            let packet: Vec<u8> = (0..64).map(|_| random.byte()).collect();
            let [expected, result] = [0, 1].map(|which: usize| {
                let mut maps = Maps::new(&before.maps);
                runs[which].run_within(3000, &mut maps, &packet, &Sideband::default())
            });
            match (&expected, &result) {
                (_, Err(RunError::Bound { .. })) => panic!("{result:?}\n{text}\n{after}"),
                // A pass in front makes rounds longer or shorter.
                (Err(RunError::Steps { .. }), _) | (_, Err(RunError::Steps { .. })) => {}
                _ => assert_eq!(expected, result, "{text}\n{after}"),
            }
        }
    }
    assert!(found.iter().all(|count| *count > 200), "{found:?}");
}

/// Loops of random programs count to a constant, beside much else that they do.
#[test]
fn bounds_of_random_programs() {
    let (mut all, mut counted) = (0, 0);
    for number in 0..300 {
        let mut random = Random::new(seed() * 11_000_011 + number);
        let mut before = structured(&mut random);
        for block in before.all_blocks().collect::<Vec<_>>() {
            if let Some(bound) = &mut before.blocks[block].bound {
                *bound = Bound::Unknown;
            }
        }
        let mut after = before.clone();
        run(&mut after, "count_rounds");
        assert_valid(&after, &format!("program {number}\n{before}"));
        assert_same(&before, &after, &mut random, 12, "count_rounds");
        all += bounds(&before).len();
        let is_known = |bound: &&Bound| **bound != Bound::Unknown;
        counted += bounds(&after).iter().filter(is_known).count();
        if bounds(&after).contains(&Bound::Unknown) {
            continue;
        }
        let mut lowered = before.clone();
        hardpath_passes::lower_structured(&mut lowered).expect("nothing to refuse");
        assert_same(&before, &lowered, &mut random, 12, "lowered");
    }
    assert!(counted * 10 > all * 9, "{counted} of {all}");
}
