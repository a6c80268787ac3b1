//! What becomes of compares and sums with constants, exhaustively: every constant of two or three bits in every place that a rule
//! looks at, and every value that the program can tell apart. Above all `bounds`, and in `fold` low bits that do not matter.

use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::Maps;
use hardpath_ir::{parse, Program};
use hardpath_packet::Sideband;
use hardpath_testkit::assert_valid;

const ORDERS: [&[&str]; 4] = [
    &["bounds"],
    &["fold"],
    &["narrow", "dce", "bounds", "narrow", "bounds"],
    &["fold", "dce", "bounds", "dce", "narrow", "fold"],
];

/// The packet's first byte and its queue: all in which runs differ.
const BYTES: std::ops::Range<u8> = 0..64;
const QUEUES: std::ops::Range<u32> = 0..32;

/// A program in text, line by line.
struct Text {
    lines: Vec<String>,
    /// Up to eight bits wide.
    results: Vec<(usize, u32)>,
}

impl Text {
    fn new() -> Text {
        Text {
            lines: Vec::new(),
            results: Vec::new(),
        }
    }

    /// A value; gives its number.
    fn value(&mut self, width: u32, what: &str) -> usize {
        let number = self.lines.len();
        self.lines.push(format!("v{number}:{width} = {what}"));
        number
    }

    fn constant(&mut self, value: u64, width: u32) -> usize {
        self.value(width, &format!("const {value:#x}"))
    }

    fn binary(&mut self, width: u32, op: &str, a: usize, b: usize) -> usize {
        self.value(width, &format!("{op} v{a}, v{b}"))
    }

    /// Parts, the highest one first, with their widths.
    fn concat(&mut self, parts: &[(usize, u32)]) -> (usize, u32) {
        if let [part] = parts {
            return *part;
        }
        let width = parts.iter().map(|part| part.1).sum();
        let names: Vec<String> = parts.iter().map(|part| format!("v{}", part.0)).collect();
        let number = self.value(width, &format!("concat {}", names.join(", ")));
        (number, width)
    }

    /// Bits of the packet's first byte, of which six vary.
    fn packet(&mut self, lo: u32, width: u32) -> (usize, u32) {
        let offset = self.constant(0, 64);
        let byte = self.value(8, &format!("packet.load v{offset}"));
        (self.value(width, &format!("slice v{byte}, {lo}")), width)
    }

    /// The lowest bits of an input of the program.
    fn input(&mut self, width: u32) -> (usize, u32) {
        let queue = self.value(32, "input queue");
        (self.value(width, &format!("slice v{queue}, 0")), width)
    }

    /// The same, but computed. The packet's second byte is 0.
    fn computed(&mut self, width: u32) -> (usize, u32) {
        let input = self.input(width);
        let offset = self.constant(1, 64);
        let byte = self.value(8, &format!("packet.load v{offset}"));
        let zero = self.value(width, &format!("slice v{byte}, 0"));
        (self.binary(width, "xor", input.0, zero), width)
    }

    /// The program: each of its results goes to a byte of the packet.
    fn program(mut self) -> Program {
        for (place, (result, width)) in std::mem::take(&mut self.results).into_iter().enumerate() {
            let offset = self.constant(2 + place as u64, 64);
            let byte = match width {
                8 => result,
                _ => self.value(8, &format!("zext v{result}")),
            };
            self.lines.push(format!("packet.store v{offset}, v{byte}"));
        }
        let pass = self.constant(2, 32);
        let forwarded = self.constant(1, 1);
        self.lines.push(format!("emit v{forwarded} with v{pass}"));
        let body: String = self
            .lines
            .iter()
            .map(|line| format!("    {line}\n"))
            .collect();
        let text = format!("program \"small\" dataflow\noutput \"verdict\" 32\n\nblock0:\n{body}");
        parse::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }
}

/// Compares what a program does before and after each list of passes.
fn check(text: Text) {
    let before = text.program();
    assert_valid(&before, "made");
    for passes in ORDERS {
        let mut after = before.clone();
        for name in passes {
            let pass = hardpath_passes::find(name).expect("a pass");
            pass.run(&mut after).expect("nothing to refuse");
            assert_valid(&after, name);
        }
        assert_same_everywhere(&before, &after, passes);
    }
}

fn assert_same_everywhere(before: &Program, after: &Program, passes: &[&str]) {
    let mut maps = (Maps::new(&before.maps), Maps::new(&after.maps));
    let mut runs = (Prepared::new(before), Prepared::new(after));
    let mut packet = [0; 64];
    for queue in QUEUES {
        let context = Sideband {
            queue,
            ..Sideband::default()
        };
        for byte in BYTES {
            packet[0] = byte;
            let expected = runs.0.run(&mut maps.0, &packet, &context);
            let found = runs.1.run(&mut maps.1, &packet, &context);
            assert_eq!(
                expected, found,
                "{passes:?}, byte {byte:#x}, queue {queue}\nbefore:\n{before}\nafter:\n{after}"
            );
        }
    }
}

/// All of two and of several others.
fn product<A: Copy, B: Copy>(a: &[A], b: &[B]) -> Vec<(A, B)> {
    let of_one = |one: &A| b.iter().map(|other| (*one, *other)).collect::<Vec<_>>();
    a.iter().flat_map(of_one).collect()
}

/// A compare and its sides, either way round.
fn compares() -> Vec<(&'static str, bool)> {
    product(&["ult", "ule"], &[false, true])
}

fn compare(text: &mut Text, (op, is_turned): (&str, bool), a: usize, b: usize) {
    let (a, b) = if is_turned { (b, a) } else { (a, b) };
    let result = text.binary(1, op, a, b);
    text.results.push((result, 1));
}

/// A bit beside a sum: none, a wire of the packet at this place, or a constant.
#[derive(Clone, Copy)]
enum Beside {
    Nothing,
    Wire(u32),
    Constant(u64),
}

impl Text {
    fn beside(&mut self, bit: Beside) -> Option<(usize, u32)> {
        match bit {
            Beside::Nothing => None,
            Beside::Wire(lo) => Some(self.packet(lo, 1)),
            Beside::Constant(value) => Some((self.constant(value, 1), 1)),
        }
    }
}

/// What a sum is compared with.
#[derive(Clone, Copy)]
enum Other {
    Computed,
    Input,
    /// Two bits of an input, which decide how wide the difference is.
    SmallInput,
}

/// `e < x + K` with every `K`, for an `x` of two bits and one of three, and with a bit below and above the sum.
#[test]
fn sums_of_constants_in_compares() {
    let [zero, one] = [0, 1].map(Beside::Constant);
    let above = [Beside::Nothing, Beside::Wire(5), zero, one];
    let below = [Beside::Nothing, Beside::Wire(4), zero, one];
    let others = [Other::Computed, Other::Input, Other::SmallInput];
    let sums = product(&product(&[2, 3], &others), &product(&above, &below));
    for (of_compare, ((x_bits, other), (above, below))) in product(&compares(), &sums) {
        let mut text = Text::new();
        for constant in 0..8 {
            let (x, _) = text.packet(0, x_bits);
            let x = match x_bits {
                3 => x,
                _ => text.value(3, &format!("zext v{x}")),
            };
            let constant = text.constant(constant, 3);
            let sum = (text.binary(3, "add", x, constant), 3);
            let parts = [text.beside(above), Some(sum), text.beside(below)];
            let parts: Vec<(usize, u32)> = parts.into_iter().flatten().collect();
            let (whole, width) = text.concat(&parts);
            let other = match other {
                Other::Computed => text.computed(width).0,
                Other::Input => text.input(width).0,
                Other::SmallInput => {
                    let (input, _) = text.input(2);
                    text.value(width, &format!("zext v{input}"))
                }
            };
            compare(&mut text, of_compare, other, whole);
        }
        check(text);
    }
}

/// Constants at the bottom of a compare: on one side, on both, below equal bits, and all that differs.
#[test]
fn constants_below_what_is_compared() {
    for (of_compare, (one, other)) in
        product(&compares(), &product(&[0, 1, 2, 3, 4], &[0, 1, 2, 3]))
    {
        let mut text = Text::new();
        // Equal bits below and above: none, or some.
        for (is_above, is_below) in product(&[false, true], &[false, true]) {
            let mut sides = [text.packet(0, 2), text.input(2)].map(|high| vec![high]);
            for (side, constant) in sides.iter_mut().zip([one, other]) {
                side.push(match constant {
                    4 => text.packet(4, 2),
                    _ => (text.constant(constant, 2), 2),
                });
                if is_above {
                    side.insert(0, (text.constant(2, 2), 2));
                }
                if is_below {
                    side.push(text.packet(3, 1));
                }
            }
            let [one, other] = sides.map(|parts| text.concat(&parts).0);
            compare(&mut text, of_compare, one, other);
        }
        // The same high bits: only the constants can differ.
        let same = [one, other].map(|constant| {
            let high = text.packet(0, 2);
            let low = match constant {
                4 => text.packet(4, 2),
                _ => (text.constant(constant, 2), 2),
            };
            text.concat(&[high, low]).0
        });
        compare(&mut text, of_compare, same[0], same[1]);
        check(text);
    }
}

/// Sums and differences of values whose low bits are constants, with a constant above them on one side or none.
#[test]
fn constants_below_sums() {
    for (op, (one, other)) in product(&["add", "sub"], &product(&[0, 1, 2, 3], &[0, 1, 2, 3])) {
        for above in [
            None,
            Some((0, 0)),
            Some((1, 0)),
            Some((0, 1)),
            Some((0, 2)),
            Some((1, 3)),
        ] {
            let mut text = Text::new();
            let mut sides = [text.packet(0, 2), text.input(2)];
            if let Some((side, constant)) = above {
                sides[side] = (text.constant(constant, 2), 2);
            }
            let wholes = [(sides[0], one), (sides[1], other)].map(|(high, low)| {
                let low = text.constant(low, 2);
                text.concat(&[high, (low, 2)]).0
            });
            let sum = text.binary(4, op, wholes[0], wholes[1]);
            text.results.push((sum, 4));
            check(text);
        }
    }
}
