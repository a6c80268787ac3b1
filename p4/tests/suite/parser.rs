//! Programs that are right, and such that are wrong in all ways.

use crate::read;
use hardpath_p4::ast::{
    Binary, DeclarationKind, ExpressionKind, Program, PropertyValue, StatementKind, TypeKind,
};
use hardpath_p4::preprocess::{self, Options};
use hardpath_p4::source::Sources;
use hardpath_p4::{parse, parser};
use hardpath_testkit::Random;
use std::path::{Path, PathBuf};

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources")
}

fn text(text: &str) -> Result<Program, Vec<String>> {
    read(text, |program, _| Ok(program))
}

fn errors(program: &str) -> Vec<String> {
    text(program).expect_err("it is wrong")
}

#[test]
fn all_that_the_grammar_has() {
    let (program, sources) = parse(&sources().join("router.p4"), &Options::default()).unwrap();
    let named = |wanted: &str| {
        let mut all = program.declarations.iter();
        let found = all.find(|declaration| match &declaration.kind {
            DeclarationKind::Variable(variable) => variable.name.text == wanted,
            DeclarationKind::Control(head, Some(_)) => head.name.text == wanted,
            DeclarationKind::Parser(head, Some(_)) => head.name.text == wanted,
            DeclarationKind::NewType(_, name) => name.text == wanted,
            _ => false,
        });
        found.unwrap_or_else(|| panic!("{wanted} is declared"))
    };
    // From the file that is included, and from macros.
    assert_eq!(program.declarations.len(), 24);
    let DeclarationKind::NewType(of, _) = &named("next_hop_t").kind else {
        panic!();
    };
    let TypeKind::Bit(Some(width)) = &of.kind else {
        panic!("{of:?}");
    };
    assert_eq!(width.kind, ExpressionKind::Number("32".into()));
    assert_eq!(sources.place(width.span).line, 13);
    let DeclarationKind::Variable(shifted) = &named("SHIFTED").kind else {
        panic!();
    };
    // To the left: (a >> 2) << 1.
    let value = shifted.value.as_ref().unwrap();
    let ExpressionKind::Binary(Binary::ShiftLeft, left, _) = &value.kind else {
        panic!("{value:?}");
    };
    assert!(matches!(
        left.kind,
        ExpressionKind::Binary(Binary::ShiftRight, ..)
    ));
    let DeclarationKind::Control(_, Some(pipe)) = &named("pipe").kind else {
        panic!();
    };
    let DeclarationKind::Table(_, properties) = &pipe.locals[3].kind else {
        panic!();
    };
    let counts = properties.iter().map(|property| match &property.value {
        PropertyValue::Key(elements) => elements.len(),
        PropertyValue::Actions(actions) => actions.len(),
        PropertyValue::Entries(entries) => entries.len(),
        PropertyValue::Value(_) => 1,
    });
    assert_eq!(counts.collect::<Vec<usize>>(), [2, 3, 1, 1, 2]);
    assert_eq!(pipe.apply.statements.len(), 10);
    let DeclarationKind::Parser(_, Some(parse)) = &named("parse").kind else {
        panic!();
    };
    let names = parse.states.iter().map(|state| state.name.text.as_str());
    assert_eq!(names.collect::<Vec<&str>>(), ["start", "vlan", "more"]);
}

/// What only those can tell apart who know which names are types.
#[test]
fn types_make_the_difference() {
    let body = "typedef bit<8> T; const bit<8> V = 1;
control c(inout bit<8> x) {
    apply {
        x = (T) -x;
        x = (V) -x;
        f<T>(x);
        x = x < V ? V : x;
        T y = x;
        { bit<8> T = 2; T = (T) - 1; }
        x = (V < x) == (x > V) ? 8w1 : 2;
    }
}";
    let program = text(body).unwrap();
    let Some(DeclarationKind::Control(_, Some(control))) =
        program.declarations.last().map(|last| &last.kind)
    else {
        panic!();
    };
    let kinds: Vec<&StatementKind> = control.apply.statements.iter().map(|s| &s.kind).collect();
    let assigned = |kind: &StatementKind| match kind {
        StatementKind::Assign(_, _, value) => value.kind.clone(),
        other => panic!("{other:?}"),
    };
    assert!(matches!(assigned(kinds[0]), ExpressionKind::Cast(..)));
    assert!(matches!(
        assigned(kinds[1]),
        ExpressionKind::Binary(Binary::Subtract, ..)
    ));
    let StatementKind::Call(call) = kinds[2] else {
        panic!("{:?}", kinds[2]);
    };
    assert!(matches!(&call.kind, ExpressionKind::Call(_, types, _) if types.len() == 1));
    assert!(matches!(assigned(kinds[3]), ExpressionKind::Choice(..)));
    assert!(matches!(kinds[4], StatementKind::Declaration(_)));
    let StatementKind::Block(block) = kinds[5] else {
        panic!();
    };
    // There T is a variable.
    let last = assigned(&block.statements[1].kind);
    assert!(matches!(last, ExpressionKind::Binary(Binary::Subtract, ..)));
}

#[test]
fn all_errors_are_told_at_once() {
    let program = "header h { bit<8> a }
control c(inout bit<8> x) {
    action a( { }
    table t { key = { x exact; } size = ; }
    apply {
        x = ;
        if (x { }
        x + 1;
        x = 3;
    }
}
struct s { bit<8> if; }
bit<8> 5;
const bit<8> n;
";
    let found = errors(program);
    let lines: Vec<u32> = found
        .iter()
        .map(|error| error.split(':').next().unwrap().parse().unwrap())
        .collect();
    for line in [1, 3, 4, 6, 7, 8, 12, 13, 14] {
        assert!(lines.contains(&line), "line {line}: {found:#?}");
    }
    assert!(!lines.contains(&9), "{found:#?}");
    assert!(
        found[0].contains("`;` is expected, and there is `}`"),
        "{found:#?}"
    );
    let reserved = found.iter().find(|error| error.starts_with("12:"));
    assert!(reserved.unwrap().contains("`if` is a word of P4"));
}

#[test]
fn what_cannot_be_read_is_one_error() {
    let one = |program: &str, part: &str| {
        let found = errors(program);
        assert_eq!(found.len(), 1, "{part}: {found:#?}");
        assert!(found[0].contains(part), "{part}: {found:#?}");
    };
    one(
        "/* never ends\nconst bit x = 1;",
        "a comment that does not end",
    );
    one("@a(\"never ends) const bit<1> x = 1;", "is expected");
    one("const bit<8> x = 1 $ 2;", "the character '$'");
    one(&format!("const bit<8> x = {}1;", "(".repeat(1000)), "deep");
    one(&format!("const bit<8> x = {}1;", "-".repeat(5000)), "deep");
    one(
        &format!("control c() {{ apply {}", "{".repeat(1000)),
        "deep",
    );
    one(
        &format!("typedef {}bit<8> t;", "tuple<".repeat(1000)),
        "deep",
    );
    one(
        &format!("const bit<8> x = {};", vec!["a ? 1"; 900].join(" : ")),
        "deep",
    );
    let calls = format!("const bit<8> x = {}1;", "f<bit<(".repeat(150));
    assert!(errors(&calls).len() < 3);
    one("#if 1\nconst bit<8> x = 1;", "no #endif");
    one("#else\n", "#else without an #if");
    one("#if 1 +\n#endif\n", "a value is missing");
    one("#if 1 / 0\n#endif\n", "a division by zero");
    one("#include nothing\n", "#include takes");
    one("#include <nowhere.p4>\n", "there is no file nowhere.p4");
    one(
        "#define F(a, b) a\nconst bit<8> x = F(1);",
        "macro F takes 2 arguments",
    );
    one("#nonsense\n", "#nonsense is no directive");
    one("#error told\n", "#error told");
    let doubling: String = (1..40)
        .map(|n| format!("#define A{n} A{m} A{m}\n", m = n - 1))
        .collect();
    one(&format!("{doubling}A39"), "becomes too much");
}

#[test]
fn a_file_that_includes_itself_is_one_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("circle.p4");
    std::fs::write(&path, "#include \"circle.p4\"\n").unwrap();
    let found = parse(&path, &Options::default()).unwrap_err();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].message.contains("included in itself"), "{found:?}");
}

#[test]
fn defines_and_folders_are_options() {
    let options = Options {
        folders: vec![sources()],
        defines: vec![("WIDTH".into(), "7".into())],
    };
    let mut sources = Sources::default();
    let program = "#include <shapes.p4>\n#if WIDTH == 7\nconst bit<WIDTH> x = 1;\n#endif\n";
    let number = sources.add("program.p4", program);
    let tokens = preprocess::run(&mut sources, number, &options).unwrap();
    let program = parser::program(&sources, &tokens).unwrap();
    assert_eq!(program.declarations.len(), 7);
}

/// Nothing that a source can be makes it panic or hang.
#[test]
fn broken_sources_are_told_and_nothing_more() {
    let files = ["router.p4", "shapes.p4"].map(|name| sources().join(name));
    let texts = files.map(|path| std::fs::read_to_string(path).unwrap());
    let mut random = Random::new(1);
    let mut below = |limit: usize| random.below(limit as u64) as usize;
    let pieces = [
        "{",
        "}",
        "(",
        ")",
        "<",
        ">",
        ";",
        ":",
        ",",
        "=",
        "#if",
        "#else\n",
        "\n#endif\n",
        "\"",
        "/*",
        "*/",
        "@",
        "...",
        "&&&",
        "8w",
        "bit<",
        "table",
        "state",
        "0x",
        "é",
        "\\\n",
        "##",
    ];
    let mut wrong = 0;
    for round in 0..3000 {
        let mut broken: Vec<char> = texts[round % 2].chars().collect();
        for _ in 0..1 + below(4) {
            let at = below(broken.len());
            let end = (at + below(20)).min(broken.len());
            match below(3) {
                0 => drop(broken.drain(at..end)),
                1 => drop(broken.splice(at..at, pieces[below(pieces.len())].chars())),
                _ => {
                    let part = broken[at..end].to_vec();
                    let to = below(broken.len());
                    drop(broken.splice(to..to, part));
                }
            }
        }
        let broken: String = broken.into_iter().collect();
        wrong += usize::from(text(&broken).is_err());
    }
    assert!(wrong > 2000, "{wrong}");
}

/// What is made deeper without brackets: a tree that nobody could walk without end.
#[test]
fn long_chains_are_refused() {
    let chains = [
        ("const int A = 1", " + 1", ";"),
        ("const bit<8> A = 8w1", " ++ 8w1", ";"),
        ("const int A = a", ".b", ";"),
        ("const int A = a", "[1]", ";"),
        ("const bit<8>", "[1]", " A = {};"),
        ("const int A = ", "-", "1;"),
        ("control c() { apply { a", ".b", "(); } }"),
    ];
    for (begin, middle, end) in chains {
        let errors = text(&format!("{begin}{}{end}", middle.repeat(200_000))).expect_err(begin);
        assert_eq!(errors.len(), 1, "{begin}: {errors:?}");
        assert!(errors[0].contains("deep"), "{errors:?}");
        text(&format!("{begin}{}{end}", middle.repeat(150))).expect(begin);
    }
    // Side by side they are not deep.
    let sum = format!("1{}, ", " + 1".repeat(40));
    text(&format!("const list<int> A = {{ {} }};", sum.repeat(50))).unwrap();
}
