//! Which nets are spread over copies.

use hardpath_rtl::spread::{spread, MOST};
use hardpath_rtl::{Design, Module};

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
