//! The formatter: what it makes of sources, and what it must never do to them.

use hardpath_p4::ast::Program;
use hardpath_p4::format::format;
use hardpath_p4::lexer::{tokens, Token, TokenKind};
use hardpath_p4::preprocess::{self, Options};
use hardpath_p4::source::Sources;
use hardpath_testkit::Random;
use std::path::{Path, PathBuf};

/// All characters that are no blanks: those of tokens, comments and directives. Backslashes at line ends are blanks.
fn characters(text: &str) -> String {
    let is_blank = |character: &char| character.is_whitespace() || *character == '\u{feff}';
    let text = text.trim_end().trim_end_matches('\\');
    let text = text.replace("\\\r\n", "").replace("\\\n", "");
    text.chars()
        .filter(|character| !is_blank(character))
        .collect()
}

/// The tokens, and which of them begin a directive.
fn pieces(text: &str) -> Vec<(TokenKind, bool)> {
    // A text that ends with a backslash gets a line end behind it.
    let tokens = tokens(0, text.trim_end().trim_end_matches('\\')).into_iter();
    let piece = |token: Token| {
        let directs = token.begins_line && token.is_sign("#");
        (token.kind, directs)
    };
    tokens.map(piece).collect()
}

/// The tree of a program, without where things stand.
fn tree(path: &Path, text: &str, options: &Options) -> Option<Program> {
    let mut sources = Sources::default();
    let number = sources.add(path.display().to_string(), text);
    let tokens = preprocess::run(&mut sources, number, options).ok()?;
    hardpath_p4::parser::program(&sources, &tokens).ok()
}

/// A tree as text, in which nothing tells of places.
fn without_places(program: &Program) -> String {
    let text = format!("{program:?}");
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find("Span {") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = &rest[rest.find('}').unwrap() + 1..];
    }
    out.push_str(rest);
    for flag in ["begins_line", "adjoins"] {
        for value in ["true", "false"] {
            out = out.replace(&format!("{flag}: {value}"), "");
        }
    }
    out
}

/// Formats a source, and holds all against it that must be so.
fn checked(path: &Path, text: &str, options: &Options) -> Result<String, String> {
    let name = path.display().to_string();
    let formatted = format(&name, text).map_err(|errors| errors[0].to_string())?;
    if characters(text) != characters(&formatted) {
        return Err(format!("{name}: other characters"));
    }
    let (before, after) = (pieces(text), pieces(&formatted));
    if before != after {
        let at = before.iter().zip(&after).position(|(a, b)| a != b);
        let at = at.unwrap_or(before.len().min(after.len()));
        return Err(format!(
            "{name}: other tokens: {:?} {:?}",
            before.get(at),
            after.get(at)
        ));
    }
    let again = format(&name, &formatted).map_err(|errors| errors[0].to_string())?;
    if again != formatted {
        let mut lines = formatted.lines().zip(again.lines());
        let other = lines.find(|(a, b)| a != b);
        return Err(format!("{name}: another text the second time: {other:?}"));
    }
    if let Some(program) = tree(path, text, options) {
        let other =
            tree(path, &formatted, options).ok_or(format!("{name}: no program any more"))?;
        if without_places(&program) != without_places(&other) {
            return Err(format!("{name}: another program"));
        }
    }
    let blanks = formatted.lines().find(|line| line.ends_with([' ', '\t']));
    let is_long = |token: &Token| {
        let span = token.span.start as usize..token.span.end as usize;
        formatted[span].contains('\n')
    };
    // What stands in a string stays.
    let blanks = blanks.filter(|_| !tokens(0, &formatted).iter().any(is_long));
    if let Some(line) = blanks {
        return Err(format!("{name}: blanks at the end of {line:?}"));
    }
    if !formatted.is_empty() && (!formatted.ends_with('\n') || formatted.ends_with("\n\n")) {
        return Err(format!("{name}: not one line end at its end"));
    }
    Ok(formatted)
}

fn sources_in(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap();
    let paths = files.map(|file| file.unwrap().path());
    let inside = paths.flat_map(|path| match path.is_dir() {
        true => sources_in(&path),
        false => vec![path],
    });
    inside.collect()
}

/// All sources that are here: of tests, and the files that programs include.
fn own() -> Vec<(PathBuf, String)> {
    let folders = ["tests/sources", "include"];
    let folders = folders.map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let mut paths: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| sources_in(folder))
        .collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "p4"));
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

/// One that uses everything, and the text that is right for it.
#[test]
fn everything_has_its_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources");
    let [ugly, right] = ["ugly.p4", "ugly.formatted.p4"]
        .map(|name| std::fs::read_to_string(folder.join(name)).unwrap());
    let formatted = format("ugly.p4", &ugly).unwrap();
    for (number, (is, should_be)) in formatted.lines().zip(right.lines()).enumerate() {
        assert_eq!(is, should_be, "line {}", number + 1);
    }
    assert_eq!(formatted, right);
    for formatted in ["ugly.formatted.p4", "nic_limiter.p4", "xsa_filter.p4"] {
        let text = std::fs::read_to_string(folder.join(formatted)).unwrap();
        assert_eq!(format(formatted, &text).unwrap(), text);
    }
}

/// Tokens, comments, directives and the program stay what they are; a second time changes nothing.
#[test]
fn nothing_but_blanks_changes() {
    let all = own();
    assert!(all.len() > 8);
    let mut others = Vec::new();
    for (path, text) in &all {
        if tree(path, text, &Options::default()).is_none() {
            others.push(path.file_name().unwrap().to_owned());
        }
        checked(path, text, &Options::default()).unwrap();
    }
    // Of all others the trees were compared.
    assert_eq!(others, ["ugly.formatted.p4", "ugly.p4"]);
}

/// The same of sources with pieces left out, put in and doubled: each is formatted as it should be, or refused with its place.
#[test]
fn broken_sources_stay_what_they_are() {
    let all = own();
    let mut random = Random::new(7);
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
        "\n#if A\n",
        "\n#else\n",
        "\n#endif\n",
        " // b\n",
        "/* c */",
        "/* d\n  e */",
        "@a ",
        "@b(1)",
        "\n@pragma c\n",
        "...",
        "&&&",
        "?",
        "-",
        "+",
        "if (a)",
        "else ",
        "{#}",
        "\n",
        "\n\n",
        "bit<",
        "[",
        "]",
        ">>",
        "for",
        "return ",
        "\"f\"",
    ];
    let (mut formatted, mut refused) = (0, 0);
    let runs: u64 = 1000;
    for _ in 0..runs {
        let (path, text) = random.pick(&all).clone();
        let mut text: Vec<char> = text.chars().collect();
        // A part of it, so that brackets have a chance to fit.
        let begin = random.below(text.len() as u64) as usize;
        let mut lines: Vec<char> = text.split_off(begin);
        lines.truncate(600);
        for _ in 0..random.below(6) {
            let at = random.below(lines.len() as u64 + 1) as usize;
            let end = (at + random.below(5) as usize).min(lines.len());
            let piece = random.pick(&pieces).chars();
            lines.splice(at..end, piece);
        }
        let text: String = lines.into_iter().collect();
        // A string ends with its directive for who formats, and goes on for who reads.
        let mut directives = text.lines().filter(|line| line.contains('#'));
        if directives.any(|line| line.matches('"').count() % 2 > 0) {
            continue;
        }
        match format("broken.p4", &text) {
            Ok(_) => {
                formatted += 1;
                if let Err(error) = checked(&path, &text, &Options::default()) {
                    panic!("{error}\n{text}");
                }
            }
            Err(errors) => {
                refused += 1;
                assert!(errors.iter().all(|error| error.place.is_some()));
            }
        }
    }
    assert!(
        formatted > runs / 20 && refused > runs / 20,
        "{formatted} {refused}"
    );
}

/// Statements in a control, one a line, as they are formatted.
fn statements(text: &str) -> String {
    let whole = format!("control c() {{ apply {{\n{text}\n}} }}");
    let formatted = checked(Path::new("text.p4"), &whole, &Options::default()).unwrap();
    let lines = formatted.lines().skip(2);
    let inside = lines.map(|line| line.strip_prefix("        ").unwrap_or(line));
    let inside: Vec<&str> = inside.collect();
    inside[..inside.len() - 2].join("\n")
}

/// What one sign means is told by where it stands, and where that does not tell, by the blanks around it.
#[test]
fn signs_have_the_blanks_of_what_they_mean() {
    for (text, formatted) in [
        ("a=b<c;", "a = b < c;"),
        ("a=b<c&&d>e;", "a = b < c && d > e;"),
        ("f<bit<8>,T<U>>(a<b);", "f<bit<8>, T<U>>(a < b);"),
        ("f(a < b, c > d);", "f(a < b, c > d);"),
        ("f(a<b,c>d);", "f(a<b, c> d);"),
        ("tuple < bit < 8 > , bool > t = { 1 , true } ;", "tuple<bit<8>, bool> t = { 1, true };"),
        ("bit<(A>B?A:B)>x;", "bit<(A > B ? A : B)> x;"),
        ("a=b>>1; a>>=2;", "a = b >> 1;\na >>= 2;"),
        ("a=b-1; a=-1; a=b*-1; a=(b)-1; a=(T) -1; a=(bit<8>)-1; a=f(x)-1; a=b[1]-c[- 1];",
         "a = b - 1;\na = -1;\na = b * -1;\na = (b) - 1;\na = (T) -1;\na = (bit<8>)-1;\na = f(x) - 1;\na = b[1] - c[-1];"),
        ("a=+ +b; a=b++ +c;", "a = + +b;\na = b ++ +c;"),
        ("a=!b&&! (c);", "a = !b && !(c);"),
        ("a=(T) b; a=(T) {1}; a=(T) (b); a=(T) (U) b-(c) - d;", "a = (T)b;\na = (T){ 1 };\na = (T)(b);\na = (T)(U)b - (c) - d;"),
        ("a=b[7 : 0]; a=b[c +:8]; a=b?c:d;", "a = b[7:0];\na = b[c +: 8];\na = b ? c : d;"),
        ("return(a); return .b; x=. b;", "return (a);\nreturn .b;\nx = .b;"),
        ("exit ;;", "exit;\n;"),
    ] {
        assert_eq!(statements(text), formatted);
    }
}

/// Branches of an `#if` may open what stands behind it; an `else` belongs to the right `if`; macros may stand where statements do.
#[test]
fn directives_stand_where_they_like() {
    let text = "#ifdef A
control a(in H h){
#else
control b(in H h,in M m){
#endif
MACRO(x)
MACRO
apply{
if(a)
#if B
{b=1;
#else
{c=1;
#endif
}
else d=1;
x=1+
#if C
2
#endif
;
}}
";
    let formatted = checked(Path::new("text.p4"), text, &Options::default()).unwrap();
    let right = "#ifdef A
control a(in H h) {
#else
control b(in H h, in M m) {
#endif
    MACRO(x)
    MACRO
    apply {
        if (a)
#if B
        {
            b = 1;
#else
        {
            c = 1;
#endif
        } else
            d = 1;
        x = 1 +
#if C
            2
#endif
            ;
    }
}
";
    assert_eq!(formatted, right);
}

/// What cannot be read is told with its place, and not formatted.
#[test]
fn what_does_not_fit_is_refused() {
    for (text, place, message) in [
        (
            "control c() {\n  apply {\n}\n",
            "1:13",
            "this `{` is not closed",
        ),
        ("control c() {}\n}", "2:1", "`}` closes nothing"),
        (
            "control c( \n}",
            "2:1",
            "`}` does not close the `(` of line 1",
        ),
        (
            "const bit<8> a = b[1);",
            "1:21",
            "`)` does not close the `[` of line 1",
        ),
        (
            "/* for ever",
            "1:1",
            "this is no part of P4: a comment that does not end",
        ),
        (
            "const string a = \"b;\n",
            "1:18",
            "this is no part of P4: a string that does not end",
        ),
        (
            "a\n  = 'b';",
            "2:5",
            "this is no part of P4: the character '\\''",
        ),
        (
            "a = b # c;",
            "1:7",
            "this is no part of P4: the character '#'",
        ),
    ] {
        let errors = format("text.p4", text).expect_err("it is wrong");
        let found = errors.iter().find(|error| error.message == message);
        let found = found.unwrap_or_else(|| panic!("{text}: {:?}", errors[0].message));
        assert_eq!(found.code, "p4-syntax");
        let at = found.place.as_ref().unwrap();
        assert_eq!(format!("{}:{}", at.line, at.column), place, "{text}");
    }
    let deep = "x = ".to_owned() + &"(".repeat(100_000);
    let errors = format("text.p4", &deep).expect_err("it is wrong");
    assert_eq!(errors[0].message, "this is nested more than 200 deep");
    let chain = "if (a) b = 1; else ".repeat(10_000);
    let chain = format!("control c() {{ apply {{ {chain} b = 2; }} }}");
    assert_eq!(
        format("text.p4", &chain).unwrap().lines().count(),
        20_000 + 6
    );
    for empty in ["", "\n \n"] {
        assert_eq!(format("text.p4", empty).unwrap(), "");
    }
}
