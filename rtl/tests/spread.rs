//! Which nets are spread over copies.

use hardpath_rtl::spread::spread;
use hardpath_rtl::{Design, Module};

/// Most loads of a net in these tests.
const MOST: u32 = 192;

/// A number that says which of three words is chosen; a condition makes it a constant. A tool puts that gate into each LUT of the
/// choice, so the condition drives all of them.
#[test]
fn a_condition_that_chooses_a_number_is_copied() {
    const BITS: u32 = 150;
    let mut m = Module::new("chooses", "Two choices among words.");
    let condition = m.input("condition", 1, "");
    let condition = m.delay("condition_reg", condition);
    for choice in 0..2 {
        let mut given = |name: &str, width: u32| {
            let name = format!("{name}_{choice}");
            let input = m.input(name.clone(), width, "");
            m.delay(format!("{name}_reg"), input)
        };
        let number = given("number", 3);
        let words = ["a", "b", "c"].map(|name| given(name, BITS));
        let third = m.constant(3, 3);
        let number = m.mux(condition, third, number);
        m.name(number, format!("chosen_{choice}"));
        let [low, high] = [0, 1].map(|bit| m.bit(number, bit));
        let word = m.mux(low, words[0], words[1]);
        let word = m.mux(high, words[2], word);
        let word = m.delay(format!("word_{choice}_reg"), word);
        m.output(format!("word_{choice}"), word, "");
    }
    let mut design = Design::new();
    design.add(m);
    spread(&mut design, MOST);
    let regs = design.modules[design.top()].regs.values();
    let copies = regs.filter(|reg| reg.name.starts_with("condition_reg"));
    // One for each number, which itself has few enough loads in each bit.
    assert_eq!(copies.count(), 2);
}

/// Whether any of many bits is set chooses a wide word. Two askers are told apart by one bit of what they ask, and the register of
/// that bit is all that is copied.
#[test]
fn of_a_wide_question_one_bit_is_copied() {
    const ENTRIES: u32 = 256;
    let mut m = Module::new("asks", "The first of two words that match.");
    let mut given = |name: &str| {
        let input = m.input(name, ENTRIES, "");
        m.delay(format!("{name}_reg"), input)
    };
    let [matching, long] = ["matching", "long"].map(&mut given);
    let both = m.and(&[matching, long]);
    let some = m.reduce_or(both);
    let none = m.not(some);
    let all = m.sext(none, ENTRIES);
    let stays = m.or(&[long, all]);
    let stays = m.and(&[matching, stays]);
    let stays = m.delay("stays", stays);
    m.output("stays", stays, "");
    let mut design = Design::new();
    design.add(m);
    spread(&mut design, MOST);
    let regs = design.modules[design.top()].regs.values();
    let copies: Vec<(&str, u32)> = regs
        .filter(|reg| reg.name.contains("copy"))
        .map(|reg| (reg.name.as_str(), reg.width))
        .collect();
    assert_eq!(copies, [("matching_reg_copy", 1), ("long_reg_copy", 1)]);
}
