//! What programs declare: types with their widths, constants with their values, and all that is wrong with them.

use crate::read;
use hardpath_p4::ast::Binary;
use hardpath_p4::check::check;
use hardpath_p4::library;
use hardpath_p4::typed::{Parameter, Program};
use hardpath_p4::types::{ObjectKind, Type};
use hardpath_p4::value::{self, Value};
use hardpath_testkit::Random;
use num_bigint::BigInt;

fn text(text: &str) -> Result<Program, Vec<String>> {
    read(text, |program, sources| check(&program, sources))
}

const TYPES: &str = "\
const int W = 4 * 3;
typedef bit<(W + 4)> word_t;
type word_t port_t;
enum bit<8> op_t { ADD = 1, SUB = ADD + 1, LAST = 255 }
enum plain_t { A, B }
header one_t { word_t a; port_t b; op_t op; bool last; varbit<(8 * W)> rest; }
header_union any_t { one_t one; }
struct pair_t<T> { T a; T b; }
struct all_t {
    one_t[2] ones; any_t any; pair_t<bit<3>> small; pair_t<pair_t<port_t>> large; plain_t plain;
    tuple<bit<1>, error> both;
}
error { Odd, Even }
const int MOST = one_t.maxSizeInBits();
const int LEAST = one_t.minSizeInBytes();
const bit<16> STACK = all_t.minSizeInBits() > 0 ? 16w1 : 2;
";

const CONSTANTS: &str = "\
enum bit<4> e_t { X = 3, Y = 0b11_00 }
struct s_t { bit<8> a; int<8> b; bool c; }
header h_t { bit<8> a; bit<8> b; }
const bit<8> WRAPPED = 200 + 8w100;
const int<8> SIGNED = 8s127 + 1;
const bit<8> MOST = 8w200 |+| 100;
const int<8> LEAST = -8s100 |-| 8s100;
const bit<8> UNDER = 8w1 - 2;
const int BIG = (1 << 100) / 3;
const bit<12> JOINED = 4w0xA ++ 8w0x5C;
const int<8> BACK = -8s3 >> 1;
const bit<8> GONE = 8w1 << 8;
const bit<4> CUT = 16w0xABCD[11:8];
const bit<4> MEMBER = e_t.Y;
const bool SAME = e_t.X == 4w3 && !(8w1 > 2);
const s_t S = { 1, -1, true };
const s_t NAMED = { c = true, ... };
const bit<8> FIELD = S.a + 8w255;
const h_t H = {#};
const h_t[2] HS = { {1, 2}, ... };
const tuple<bit<8>, bool> T = { 300, false };
const int<8> CAST = (int<8>)8w255;
const bit<1> BIT = (bit<1>)true;
const list<tuple<bit<8>, bit<4>>> L = { {1, 2}, {3, 17} };
const int HEX = 0xFF_FF;
const string TEXT = \"a\";
";

const HEADS: &str = "\
extern pin { pin(bit<8> n); void take<T>(out T what, @optional in bit<8> bits); abstract bit<8> ask(); }
bit<8> both<T>(in T a, bit<8> b = 3) { return b; }
parser P<H>(pin p, out H h);
parser mine(pin p, out bit<8> h)(bit<4> depth) { bit<8> x; state start { transition accept; } }
package top<H>(P<H> p);
control c(inout bit<8> x) {
  const bit<8> C = 7;
  action a(in bit<8> y, bit<9> port) { x = y; }
  apply { }
}
top<bit<8>>(mine(4)) main;
";

/// A constant, as `type value`.
fn constant(declared: &Program, name: &str) -> String {
    let found = declared.constants.iter().find(|one| one.name == name);
    let found = found.unwrap_or_else(|| panic!("{name} is declared"));
    let of = declared.types.text(&found.of);
    format!("{of} {}", shown(&found.value))
}

fn shown(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => format!("{text:?}"),
        Value::Member(number) => format!("#{number}"),
        Value::Invalid => "{#}".into(),
        Value::Parts(parts) => {
            let parts: Vec<String> = parts.iter().map(shown).collect();
            format!("{{{}}}", parts.join(", "))
        }
    }
}

#[test]
fn types_have_their_widths() {
    let program = TYPES;
    let errors = text(program).expect_err("an enum without a type has no size");
    assert_eq!(errors, ["16:23 all_t has no size"]);
    let program = program.replace("all_t.min", "pair_t<port_t>.min");
    let declared = text(&program).unwrap();
    assert_eq!(
        declared.types.dump(),
        "header one_t { bit<16> a; port_t b; op_t op; bool last; varbit<96> rest; }\n\
         header_union any_t { one_t one; }\n\
         struct pair_t<T> { T a; T b; }\n\
         struct pair_t<bit<3>> { bit<3> a; bit<3> b; }\n\
         struct pair_t<port_t> { port_t a; port_t b; }\n\
         struct pair_t<pair_t<port_t>> { pair_t<port_t> a; pair_t<port_t> b; }\n\
         struct all_t { one_t[2] ones; any_t any; pair_t<bit<3>> small; pair_t<pair_t<port_t>> large; \
         plain_t plain; tuple<bit<1>, error> both; }\n"
    );
    assert_eq!(constant(&declared, "MOST"), "int 137");
    assert_eq!(constant(&declared, "LEAST"), "int 6");
    assert_eq!(constant(&declared, "STACK"), "bit<16> 1");
    assert_eq!(declared.types.errors, ["Odd", "Even"]);
}

#[test]
fn constants_have_their_values() {
    let program = CONSTANTS;
    let declared = text(program).unwrap();
    let wanted = [
        ("WRAPPED", "bit<8> 44"),
        ("SIGNED", "int<8> -128"),
        ("MOST", "bit<8> 255"),
        ("LEAST", "int<8> -128"),
        ("UNDER", "bit<8> 255"),
        ("BIG", "int 422550200076076467165567735125"),
        ("JOINED", "bit<12> 2652"),
        ("BACK", "int<8> -2"),
        ("GONE", "bit<8> 0"),
        ("CUT", "bit<4> 11"),
        ("MEMBER", "bit<4> 12"),
        ("SAME", "bool true"),
        ("S", "s_t {1, -1, true}"),
        ("NAMED", "s_t {0, 0, true}"),
        ("FIELD", "bit<8> 0"),
        ("H", "h_t {#}"),
        ("HS", "h_t[2] {{1, 2}, {#}}"),
        ("T", "tuple<bit<8>, bool> {44, false}"),
        ("CAST", "int<8> -1"),
        ("BIT", "bit<1> 1"),
        ("L", "list<tuple<bit<8>, bit<4>>> {{1, 2}, {3, 1}}"),
        ("HEX", "int 65535"),
        ("TEXT", "string \"a\""),
    ];
    for (name, value) in wanted {
        assert_eq!(constant(&declared, name), value, "{name}");
    }
    assert_eq!(declared.constants.len(), wanted.len());
}

#[test]
fn heads_say_what_is_called_with_what() {
    let program = HEADS;
    let declared = text(program).unwrap();
    let all = |parameters: &[Parameter]| {
        let parameters = parameters.iter().map(|one| {
            let sign = if one.is_optional { "?" } else { "" };
            let of = declared.types.text(&one.of);
            format!("{:?} {of} {}{sign}", one.direction, one.name)
        });
        parameters.collect::<Vec<_>>().join(", ")
    };
    let functions: Vec<String> = declared
        .functions
        .iter()
        .map(|one| {
            let gives = declared.types.text(&one.gives);
            let taken = all(&one.parameters);
            format!("{} {} ({taken}) {gives}", one.kind.word(), one.name)
        })
        .collect();
    assert_eq!(
        functions,
        [
            "constructor pin.pin (None bit<8> n) void",
            "method pin.take (Out T what, In bit<8> bits?) void",
            "method pin.ask () bit<8>",
            "function both (In T a, None bit<8> b?) bit<8>",
            "action a (In bit<8> y, None bit<9> port) void",
        ]
    );
    let objects: Vec<String> = declared
        .objects
        .iter()
        .map(|one| {
            let (taken, made) = (all(&one.parameters), all(&one.made_with));
            format!("{} {} ({taken}) ({made})", one.kind.keyword(), one.name)
        })
        .collect();
    assert_eq!(
        objects,
        [
            "extern pin () ()",
            "parser P (None pin p, Out H h) ()",
            "parser mine (None pin p, Out bit<8> h) (None bit<4> depth)",
            "package top (None P<H> p) ()",
            "control c (InOut bit<8> x) ()",
        ]
    );
    assert_eq!(constant(&declared, "C"), "bit<8> 7");
    let main = &declared.instances[declared.top[0]];
    assert_eq!(
        (main.name.as_str(), declared.types.text(&main.of)),
        ("main", "top<bit<8>>".into())
    );
}

/// The core library and the architectures that are part of hardpath; v1model with both of its interfaces.
#[test]
fn our_own_files_are_right() {
    for name in library::names() {
        let declared = text(&format!("#include <{name}>\n"));
        let declared = declared.unwrap_or_else(|errors| panic!("{name}: {errors:#?}"));
        let packages = declared
            .objects
            .iter()
            .filter(|one| one.kind == ObjectKind::Package);
        assert_eq!(packages.count() > 0, name != "core.p4", "{name}");
    }
    let declared = text("#include <core.p4>\n").unwrap();
    assert_eq!(declared.types.match_kinds, ["exact", "ternary", "lpm"]);
    assert_eq!(declared.types.errors.len(), 7);
    let register = |version: &str| {
        let declared = text(&format!("{version}#include <v1model.p4>\n")).unwrap();
        let of = |head: &str| {
            let mut functions = declared.functions.iter();
            functions
                .find(|one| one.name == head)
                .map(|one| &one.parameters[1].of)
                .cloned()
        };
        let index = of("register.read").expect("registers are read");
        (
            declared.types.text(&index),
            declared.types.match_kinds.len(),
            declared,
        )
    };
    let (index, kinds, declared) = register("");
    assert_eq!((index.as_str(), kinds), ("bit<32>", 6));
    let metadata = declared
        .types
        .records
        .iter()
        .find(|one| one.name == "standard_metadata_t");
    assert_eq!(metadata.map(|one| one.fields.len()), Some(16));
    assert_eq!(register("#define V1MODEL_VERSION 20200408\n").0, "I");
}

/// Programs of one line, with all that is told of them.
#[test]
fn what_is_wrong_is_told_once_and_where() {
    let wrong = [
        ("const bit<8> A = B;", "1:18 `B` is not declared"),
        (
            "const bit<(1 << 30)> A = 1;",
            "1:11 a width is from 0 to 65536 bits, not 1073741824",
        ),
        (
            "header h { bit<8> a; bit<9> a; }",
            "1:29 `h` has two fields `a`",
        ),
        (
            "struct s { bit<8> a; } struct s { bit<8> b; }",
            "1:31 `s` is declared twice",
        ),
        (
            "header h { error e; }",
            "1:12 a header has no field of type error",
        ),
        (
            "header_union u { bit<8> a; }",
            "1:18 a header_union has no field of type bit<8>",
        ),
        (
            "struct s { int a; }",
            "1:12 a struct has no field of type int",
        ),
        (
            "header h { bit<8> a; } const h[0] x = {};",
            "1:32 a stack has from 1 to 65536 entries, not 0",
        ),
        ("enum bit<8> e { A = 1, B }", "1:24 `B` has no value"),
        ("enum e { A, A }", "1:13 `e` has two members `A`"),
        (
            "enum bool e { A = true }",
            "1:6 below an enum is a bit<W> or an int<W>, not bool",
        ),
        ("error { A, A }", "1:12 error `A` is declared twice"),
        (
            "struct s<T> { T a; } const s x = { 1 };",
            "1:28 `s` takes 1 types, not 0",
        ),
        (
            "const bit<8> A = 8w1 + 9w1;",
            "1:18 `+` does not take bit<8> and bit<9>",
        ),
        ("const int A = 1 / 0;", "1:15 division by zero"),
        (
            "const int A = 1 << (1 << 40);",
            "1:15 a number has at most 65536 bits",
        ),
        (
            "const bit<8> A = true;",
            "1:18 bit<8> is wanted, this is bool",
        ),
        (
            "const bit<8> A = (bit<8>)7s1;",
            "1:18 int<7> is not cast to bit<8>",
        ),
        (
            "const bit<8> A = 8w1[8:0];",
            "1:18 bit<8> has no bits 8 to 0",
        ),
        (
            "struct s { bit<8> a; } const s x = { b = 1, a = 1 };",
            "1:38 `s` has no field `b`",
        ),
        (
            "struct s { bit<8> a; bit<8> b; } const s x = { a = 1 };",
            "1:46 `b` of `s` is missing",
        ),
        (
            "extern bool static_assert(bool b, string s);\nconst bool x = static_assert(1 > 2, \"no\");",
            "2:16 static_assert: no",
        ),
        (
            "void f(in bit<8> a, out bit<8> a) {}",
            "1:32 `a` is declared twice",
        ),
        (
            "extern e { } void f(in e x) {}",
            "1:24 an object goes without a direction: e",
        ),
        (
            "void f(out bit<8> a = 1) {}",
            "1:23 only what goes in has a default",
        ),
        (
            "control c() { action a(bit<8> x, in bit<8> y) { } apply { } }",
            "1:22 `y` has a direction, and stands behind a parameter without one",
        ),
        (
            "extern e { e(bit<8> x); e(bit<9> y); void f(); void f(); }",
            "1:53 `e` has this twice: `f`",
        ),
        (
            "typedef bit<8> b; b(1) x;",
            "1:19 bit<8> is no type of objects",
        ),
        (
            "typedef tuple<bit, bit> a; typedef a b; const b x = { 1 };",
            "1:53 tuple<bit<1>, bit<1>> is wanted, this is tuple<int>",
        ),
    ];
    for (program, error) in wrong {
        assert_eq!(text(program).expect_err(program), [error], "{program}");
    }
    let twice = "control c() { apply { } } control c() { apply { } }";
    assert_eq!(text(twice).unwrap_err(), ["1:35 `c` is declared twice"]);
    let overloaded = "control c()(bool a) { apply { } } control c()(bool b) { apply { } }";
    text(overloaded).unwrap();
    // Whatever uses what is wrong is not told again.
    let program = "typedef bit<X> t; header h { t a; } const t C = 1; const bit<8> D = C + 1;";
    assert_eq!(text(program).unwrap_err(), ["1:13 `X` is not declared"]);
}

/// Lines that ask for more and more of a type each.
#[test]
fn types_that_grow_come_to_an_end() {
    let mut doubled =
        String::from("struct s0 { bit<8> a; }\ntypedef bit<1> t0;\ntypedef bit<8> n0;\n");
    for i in 1..200 {
        let j = i - 1;
        doubled.push_str(&format!(
            "struct s{i} {{ s{j} a; s{j} b; }}\ntypedef tuple<t{j}, t{j}> t{i};\n"
        ));
        doubled.push_str(&format!("type n{j} n{i};\n"));
    }
    let errors = text(&doubled).unwrap_err();
    assert_eq!(errors.len(), 3, "{errors:#?}");
    assert!(errors
        .iter()
        .all(|error| error.contains("more than 65,536 parts")));
}

#[test]
fn arithmetic_is_that_of_whole_numbers() {
    let mut random = Random::new(1);
    for _ in 0..20_000 {
        let width = 1 + random.below(40) as u32;
        let is_signed = random.below(2) == 1;
        let of = match is_signed {
            true => Type::Int(width),
            false => Type::Bit(width),
        };
        // In range, by another way than the one that is tested.
        let held = |value: i128| {
            let modulus = 1i128 << width;
            let value = value.rem_euclid(modulus);
            match is_signed && value >= modulus / 2 {
                true => value - modulus,
                false => value,
            }
        };
        let mut draw = || held(i128::from(random.next() as u32) * 0x1_0003 - 5);
        let (a, b) = (draw(), draw());
        let (least, most) = match is_signed {
            true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
            false => (0, (1i128 << width) - 1),
        };
        let wanted = [
            (Binary::Add, held(a + b)),
            (Binary::Subtract, held(a - b)),
            (Binary::Multiply, held((a % (1 << 40)) * (b % (1 << 40)))),
            (Binary::AddSaturating, (a + b).clamp(least, most)),
            (Binary::SubtractSaturating, (a - b).clamp(least, most)),
            (Binary::BitAnd, a & b),
            (Binary::BitOr, a | b),
            (Binary::BitXor, a ^ b),
        ];
        for (operator, wanted) in wanted {
            let found = value::arithmetic(operator, &a.into(), &b.into(), &of);
            assert_eq!(
                found,
                Ok(BigInt::from(wanted)),
                "{a} {operator:?} {b}, {of:?}"
            );
        }
    }
}

/// The programs of these tests with words put elsewhere: right or wrong, but never a panic.
#[test]
fn no_program_panics() {
    let mut random = Random::new(7);
    let mut wrong = 0;
    for round in 0..2_000 {
        let whole = [TYPES, CONSTANTS, HEADS][round % 3];
        let mut words: Vec<&str> = whole
            .split_inclusive([' ', '\n', ';', '(', '<', ','])
            .collect();
        for _ in 0..1 + random.below(3) {
            let count = words.len() as u64;
            let (from, to) = (random.below(count) as usize, random.below(count) as usize);
            words[to] = words[from];
        }
        wrong += usize::from(text(&words.concat()).is_err());
    }
    assert!((1_000..2_000).contains(&wrong), "{wrong}");
}
