//! Every rule of rows, broken.

use hardpath_core::image::{Image, Machine};
use hardpath_core::isa::{Action, Operation};
use hardpath_core::text;
use hardpath_core::verifier::verify;
use hardpath_diagnostic::Diagnostic;

const HEAD: &str = "core \"rules\" lanes 4 registers 16 stack 64
output \"verdict\" 3
map @keys exact key 20 value 24 entries 16
map @short exact key 4 value 8 entries 16
map @long array key 4 value 24 entries 16
map @ports slots key 4 value 4 entries 4 broadcast
map @rules ternary key 4 value 2 entries 16 fields \"ternary 32\"
";

/// The rows of a program, behind one that writes `r0.0` and `r1.0`: row 0 of the text is row 1 of the image.
fn image(rows: &str) -> Image {
    let parse = |rows: &str| {
        let text = format!("{HEAD}{rows}");
        text::parse(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
    };
    let first = parse("row0:\nlane0: r0.0 = input length\nlane1: r1.0 = input ingress\n");
    let mut image = parse(rows);
    let lanes = image.rows.iter_mut().flat_map(|row| &mut row.lanes);
    for operation in lanes.flatten() {
        if let Action::Branch { to, .. } = &mut operation.action {
            *to += 1;
        }
    }
    image.rows.splice(0..0, first.rows);
    image
}

fn machine() -> Machine {
    Machine {
        map_operations: 2,
        inputs: 4,
        ..Machine::with_lanes(4)
    }
}

/// The rules that rows break, each with its row and lane.
fn broken(image: &Image) -> Vec<(u32, Option<u32>, Option<u8>)> {
    let errors = verify(image, &machine()).err().unwrap_or_default();
    let errors = errors.iter();
    errors
        .map(|error| (error.rule, error.row.map(|row| row - 1), error.lane))
        .collect()
}

fn breaks(rule: u32, row: u32, lane: impl Into<Option<u8>>, rows: &str) {
    let found = broken(&image(rows));
    assert_eq!(found, [(rule, Some(row), lane.into())], "{rows}");
}

fn holds(rows: &str) {
    assert_eq!(broken(&image(rows)), [], "{rows}");
}

const END: &str = "lane3: exit drop to back with 1\n";

#[test]
fn the_program() {
    let good = image(&format!("row0:\n{END}"));
    let check = |change: &dyn Fn(&mut Image)| {
        let mut bad = good.clone();
        change(&mut bad);
        let found = broken(&bad);
        assert!(found.contains(&(1, None, None)), "{found:?}");
    };
    check(&|image| image.registers = 17);
    check(&|image| image.stack = 5000);
    check(&|image| image.lanes = 2);
    check(&|image| image.rows.clear());
    let error = verify(&good, &Machine::with_lanes(8))
        .unwrap_err()
        .remove(0);
    assert_eq!(
        error.to_string(),
        "the program is for 4 lanes, and the core has 8 (rule 1 of rows)"
    );
}

#[test]
fn forms() {
    let mut image = image(&format!("row0:\nlane0: branch row1\nrow1:\n{END}"));
    let action = Action::Branch { when: None, to: 3 };
    let guard = None;
    image.rows[1].lanes[0] = Some(Operation { guard, action });
    assert_eq!(broken(&image), [(2, Some(0), Some(0))]);
    let error = verify(&image, &machine()).unwrap_err().remove(0);
    let diagnostic = Diagnostic::from(error);
    assert_eq!(diagnostic.code, "malformed-microcode");
    assert_eq!(diagnostic.place_text(), "row 1, lane 0");
}

#[test]
fn rows() {
    let compare = |into: &str, to: &str| format!("{to} = compare {into} eq r0.0, 1\n");
    let two = |one: String, other: String| {
        format!(
            "row0:\nlane0: {}row1:\nlane0: {one}lane1: {other}{END}",
            compare("", "p1, p2")
        )
    };
    breaks(3, 1, 1, &two(compare("", "p1, p2"), compare("", "p2, p3")));
    breaks(3, 1, 1, &two(compare("and", "p1"), compare("or", "p1")));
    breaks(3, 1, 1, &two(compare("and", "p1"), compare("", "p1, p2")));
    breaks(3, 1, 0, &two(compare("", "p1, p1"), compare("", "p2, p3")));
    holds(&two(compare("and", "p1"), compare("and", "p1")));
    holds(&two(compare("or", "p1"), compare("or", "p1")));
    holds(&two(compare("", "p1, p0"), compare("", "p0, p2")));
    let same = |op: &str, count: u8| {
        let lanes =
            (0..count).map(|lane| format!("lane{lane}: {}\n", op.replace('?', &lane.to_string())));
        format!("row0:\n{}{END}", lanes.collect::<String>())
    };
    for (op, most) in [
        ("r?.1 = load packet[0] 4", 2),
        ("store stack[?] 1, 0", 2),
        ("clear 9", 1),
        ("put value[?], 1", 1),
        ("r?.1 = map.load @short[r1.0[0+:32]] 4", 2),
        ("r?.1 = mul 64 r0.0, r0.0", 1),
        ("r?.1 = udiv 64 r0.0, r0.0", 1),
        ("r?.1 = checksum packet up-to 40 r0.0, r0.0", 1),
        ("send forward to back with 1", 1),
    ] {
        holds(&same(op, most));
        breaks(4, 0, None, &same(op, most + 1));
    }
    for many in ["clear 9", "r?.1 = checksum packet up-to 40 r0.0, r0.0"] {
        let many = many.replace('?', "1");
        for memory in ["packet", "stack"] {
            let row = format!("row0:\nlane0: store {memory}[0] 1, 0\nlane1: {many}\n{END}");
            breaks(5, 0, None, &row);
        }
        // A thread waits for one unit at a time.
        let loads = "r0.1 = map.load @short[r1.0[0+:32]] 4";
        breaks(
            4,
            0,
            None,
            &format!("row0:\nlane0: {loads}\nlane1: {many}\n{END}"),
        );
    }
    breaks(
        7,
        0,
        2,
        "row0:\nlane0: exit drop to back with 1\nlane2: r2.1 = move 1\n",
    );
}

#[test]
fn maps_in_a_row() {
    let two = |one: &str, other: &str| format!("row0:\nlane0: {one}\nlane1: {other}\n{END}");
    let store = "map.store @short[r1.0[0+:32]] 4, 1";
    let (apart, met) = (
        "r1.1 = map.load @short[r1.0[0+:32] + 4] 4",
        "r1.1 = map.load @short[r1.0[0+:32] + 3] 2",
    );
    holds(&two(store, apart));
    breaks(6, 0, 1, &two(store, met));
    breaks(6, 0, 1, &two("map.store @short[r1.0] 1, 1", apart));
    holds(&two(store, "p1, r1.1 = lookup @short 1"));
    breaks(
        6,
        0,
        1,
        &two("r0.1 = delete @short 1", "p1, r1.1 = lookup @short 1"),
    );
    holds(&two(
        "r0.1 = delete @short 1",
        "r1.1 = map.load @keys[r1.0[0+:32]] 4",
    ));
}

#[test]
fn control() {
    breaks(
        8,
        0,
        None,
        "row0:\nlane0: exit drop to back with 1 if eq r0.0, 1\n",
    );
    breaks(9, 1, None, &format!("row0:\n{END}row1:\n{END}"));
    holds("row0:\nlane0: branch row0\n");
    holds(&format!("row0:\nlane0: indirect r0.0\nrow1:\n{END}"));
}

#[test]
fn maps() {
    let one = |op: &str| format!("row0:\nlane0: {op}\n{END}");
    breaks(10, 0, 0, &one("map.store @ports[r1.0[0+:32]] 4, 1"));
    breaks(10, 0, 0, &one("r0.1 = delete @rules 1"));
    breaks(10, 0, 0, &one("r0.1 = update @long may 3 1, 2"));
    breaks(
        10,
        0,
        0,
        "row0:\nlane0: exit forward to back with 1 each @short\n",
    );
    breaks(11, 0, 0, &one("r0.1 = map.load @short[r1.0[0+:32] + 5] 4"));
    holds(&one("r0.1 = map.load @short[r1.0 + 5] 4"));
    breaks(12, 0, 0, &one("p1, r0.1 = lookup @short 1, 2"));
}

#[test]
fn buffers() {
    let lookup = "p1, r0.1 = lookup @keys 1, 2";
    let put = "put key[2], 3";
    let rows = |rows: &[&str]| {
        let rows = (0..).zip(rows);
        let rows = rows.map(|(number, ops)| format!("row{number}:\n{ops}\n"));
        let rows: String = rows.collect();
        format!("{rows}{END}")
    };
    let lane = |lane: u8, op: &str| format!("lane{lane}: {op}\n");
    holds(&rows(&[&lane(0, put), &lane(0, lookup)]));
    holds(&rows(&[
        &(lane(0, put) + &lane(1, &lookup.replace("r0", "r1")))
    ]));
    // Units see what stands in a buffer behind the row.
    breaks(6, 0, 1, &rows(&[&(lane(0, lookup) + &lane(1, put))]));
    let sends = lane(0, "send forward to back with 1");
    breaks(
        6,
        0,
        1,
        &rows(&[&(sends.clone() + &lane(1, "put exit[4], 1"))]),
    );
    holds(&rows(&[&(sends + &lane(1, put))]));
    // What was taken is gone, whoever took it.
    breaks(
        13,
        2,
        0,
        &rows(&[&lane(0, put), &lane(0, lookup), &lane(0, lookup)]),
    );
    let other = lane(0, "p1, r0.1 = lookup @short 1");
    breaks(13, 2, 0, &rows(&[&lane(0, put), &other, &lane(0, lookup)]));
    let compare = lane(1, "p1, p2 = compare eq r0.0, 1");
    let guarded = lane(0, &format!("(p1) {put}"));
    breaks(13, 2, 0, &rows(&[&compare, &guarded, &lane(0, lookup)]));
    let around = lane(0, "branch row2 if eq r0.0, 1");
    breaks(13, 2, 0, &rows(&[&around, &lane(0, put), &lane(0, lookup)]));
    breaks(14, 0, 0, "row0:\nlane0: exit drop to buffer with 1\n");
    breaks(14, 0, 0, "row0:\nlane0: exit drop to back\n");
    holds("row0:\nlane0: put exit[4], 1\nlane1: send drop to back\nlane2: exit drop to back\n");
}

#[test]
fn registers_and_predicates() {
    let first = |first: &str, second: &str| format!("row0:\n{first}\nrow1:\n{second}\n{END}");
    let read = "lane1: r1.2 = move r0.1";
    holds(&first("lane0: r0.1 = move 1", read));
    breaks(15, 1, 1, &first("lane0: r0.2 = move 1", read));
    breaks(
        15,
        0,
        1,
        &format!("row0:\nlane0: r0.1 = move 1\n{read}\n{END}"),
    );
    let around = "lane0: branch row1 if eq r0.0, 1\nlane2: r2.1 = move 1";
    breaks(15, 1, 1, &first(around, "lane1: r1.2 = move r2.1"));
    let select = "lane1: r1.2 = select p1, 1, 2";
    holds(&first("lane0: p1, p2 = compare both eq r0.0, 1", select));
    breaks(
        15,
        1,
        1,
        &first("lane0: p1 = compare and eq r0.0, 1", select),
    );
    breaks(
        15,
        1,
        1,
        &first("", &format!("{select}\nlane2: p1, p2 = compare eq r0.0, 1")),
    );
}
