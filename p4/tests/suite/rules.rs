//! What programs may not do: for each rule a program that breaks it, with where and what is told, and one beside it that keeps it.

use crate::read;
use hardpath_p4::check::check;
use hardpath_p4::design::design;

/// What is wrong with a program, and with what it makes where it has a `main`.
pub fn errors(text: &str) -> Vec<String> {
    let made = read(text, |program, sources| {
        let program = check(&program, sources)?;
        let mut top = program.top.iter();
        match top.any(|number| program.instances[*number].name == "main") {
            true => design(&program, sources).map(|_| ()),
            false => Ok(()),
        }
    });
    made.err().unwrap_or_default()
}

/// Programs, each with its error; one that is right has none.
pub type Rules<'a> = &'a [(&'a str, &'a str)];

/// Tells of all programs behind these declarations that have other errors.
pub fn holds(before: &str, rules: Rules<'_>) {
    let mut told = String::new();
    for (program, wanted) in rules {
        let found = errors(&format!("{before}\n{program}"));
        let wanted: Vec<&str> = match wanted.is_empty() {
            true => Vec::new(),
            false => vec![wanted],
        };
        if found != wanted {
            told.push_str(&format!(
                "{program}\n  found  {found:#?}\n  wanted {wanted:#?}\n"
            ));
        }
    }
    assert!(told.is_empty(), "{told}");
}

/// What stands in front of programs that read packets.
pub const PACKETS: &str = "\
error { NoError } match_kind { exact, ternary, lpm } \
extern packet_in { void extract<T>(out T h); void extract<T>(out T h, in bit<32> bits); T lookahead<T>(); } \
extern void verify(in bool good, in error why); extern bit<8> id(in bit<8> x); \
header h_t { bit<8> a; } header v_t { bit<8> a; varbit<32> v; } header w_t { varbit<8> v; varbit<32> w; } struct s_t { bit<8> a; }";

#[test]
fn parameters_take_what_can_be_passed() {
    holds(
        "extern e { e(); } control C(); control D() { apply { } } parser P(); extern g<T> { g(); }",
        &[
            (
                "action a(int x) { }",
                "2:10 no parameter of an action is an int: it has no width",
            ),
            (
                "control c(in int x) { apply { } }",
                "2:14 only the compiler has int: it is passed without a direction",
            ),
            ("control c(int x) { apply { } }", ""),
            (
                "extern void f(in string x);",
                "2:18 only the compiler has string: it is passed without a direction",
            ),
            ("extern void f(string x);", ""),
            (
                "control c(C x) { apply { } }",
                "2:11 `apply` takes no object of this kind: control C",
            ),
            ("control c(e x)(C y) { apply { } }", ""),
            (
                "control c()(P x) { apply { } }",
                "2:13 a control takes no object of this kind: parser P",
            ),
            (
                "control c()(D x) { apply { } }",
                "2:13 `D` has a body: a parameter is of a type that has none",
            ),
            (
                "extern f { f(C x); }",
                "2:14 an extern takes no object of this kind: control C",
            ),
            ("extern f { f(e x); void m(e y); }", ""),
            ("void f(e x) { }", ""),
            (
                "control c(g x) { apply { } }",
                "2:11 `g` takes 1 types, which are to be written here",
            ),
            ("control c(g<bit<8>> x) { apply { } }", ""),
            (
                "void f(@optional bit<8> x) { }",
                "2:25 no parameter of a function is `@optional`",
            ),
            (
                "control c()(@optional bit<8> x) { apply { } }",
                "2:30 no parameter of a control is `@optional`",
            ),
            ("extern void f(@optional in bit<8> x);", ""),
            (
                "extern void f(@optional in bit<8> x = 1);",
                "2:35 what is `@optional` has no default",
            ),
            (
                "extern int f();",
                "2:8 no function gives int, which is nothing that is stored",
            ),
            (
                "extern f { void f(); }",
                "2:17 `f` makes an object, and gives nothing else",
            ),
        ],
    );
}

#[test]
fn types_are_made_of_what_goes_into_them() {
    holds(
        "struct s<T> { T a; } extern e<T> { e(); void m(T x); } extern w<T> { w(T x); } control C(); type bit<8> t; typedef bit<8> u; \
         parser P();",
        &[
            ("const int<1> x = 0; const int<0> y = 0;", "2:31 a signed number has at least one bit"),
            ("const int x = 0s0;", "2:15 a signed number has at least one bit"),
            ("const bit<0> x = 0;", ""),
            ("enum t f { a = 1 }", "2:6 below an enum is a bit<W> or an int<W>, not t"),
            ("enum u f { a = 1 }", ""),
            ("type varbit<8> v;", "2:6 `type` is made of bit<W>, int<W> and bool, not of varbit<8>"),
            ("enum bit<8> b { a = 1 } type b v;", "2:30 `type` is made of bit<W>, int<W> and bool, not of b"),
            ("type t v; type bool y;", ""),
            ("typedef void v;", "2:9 no type is called anew that is void"),
            ("typedef string v;", "2:9 no type is called anew that is string"),
            ("typedef error v; typedef int y;", ""),
            ("struct r { s<P> a; }", "2:12 `s` takes types of values, not P"),
            ("const s<_> x = { 1 };", "2:7 `s` takes types of values, not _"),
            ("struct r { s<s<bit<8>>> a; }", ""),
            ("control c(e<e<bit<8>>> x) { apply { } }", "2:11 `e` is given itself"),
            ("control c(e<C> x) { apply { } }", "2:11 `e` takes types of values, not C"),
            ("extern f { f(list<bit<8>> x = ...); }", "2:31 `...` stands for nothing here"),
            ("parser p() { value_set<int>(4) v; state start { transition accept; } }", "2:24 no value set is of int"),
            ("parser p() { value_set<u>(4) v; state start { transition accept; } }", ""),
        ],
    );
}

#[test]
fn objects_are_made_where_they_may_be() {
    holds(
        "control C(); parser P(); extern e { e(); abstract void f(); } package top(C c); extern x { x(); } \
         control c() { apply { } } parser p() { state start { transition accept; } } package of(e o);",
        &[
            ("c() d;", "2:5 a control is made in a control, or for a package"),
            ("x() d;", ""),
            ("control d() { p() q; apply { } }", "2:19 a parser is made in a parser, or for a package"),
            ("control d() { c() q; apply { q.apply(); } }", ""),
            ("control d() { apply { x() q; } }", "2:23 objects are made in front of `apply` and of states"),
            ("of(e()) main;", "2:4 `f` of e is abstract: declare the object, and say what it does"),
            ("e() o = { void f() { } }; of(o) main;", ""),
            ("x() main;", "2:5 `main` is no package"),
            ("extern main { }", "2:8 `main` is no package"),
            ("void main() { }", ""),
            ("top(c()) main;", ""),
        ],
    );
    holds(
        "control N<H>(inout H h) { apply { } } control C<H>(inout H h); control M(inout bit<8> h) { apply { } }",
        &[
            ("package p<H>(C<H> c = N<H>()); p() main;", "2:32 which types `c` has is not known: write them, or what it is"),
            ("package p<H>(C<H> c = N<H>()); p<bit<8>>() main;", ""),
            ("package p<H>(C<H> c = M()); p() main;", ""),
            ("package p<H>(C<H> c); struct s { } p<s>(M()) main;", "2:41 C<s> is wanted, this is M"),
            ("package p<H>(C<H> c); struct s { } control O(inout s h) { apply { } } p<int>(O()) main;",
             "2:78 C<int> is wanted, this is O"),
        ],
    );
}

#[test]
fn calls_pass_what_packets_have() {
    holds(
        PACKETS,
        &[
            ("extern void f<T>(in T x); action a() { f(2); }", "2:42 which width this number has is not known"),
            ("extern void f<T>(in T x); action a() { f(8w2); f<bit<8>>(2); }", ""),
            ("extern void f<T>(in T x); action a() { f({ b = 8w1 }); }", "2:42 of which struct these fields are is not known"),
            ("extern void f<T>(in T x); action a() { f((s_t){ a = 1 }); }", ""),
            ("extern void f<T>(in T x); action a() { f(\"a\"); }", "2:42 nothing of type string is passed"),
            ("extern void f<T>(in T x); action a() { f<void>(1); }", "2:42 `f` takes types of values, not void"),
            ("extern void f(in s_t x); action a(inout tuple<bit<8>> t) { f(t); }", "2:62 s_t is wanted, this is tuple<bit<8>>"),
            ("extern void f(in s_t x); action a() { f({ 1 }); }", ""),
            ("action b() { } void f() { b(); }", "2:27 an action is not called in a function"),
            ("action b() { } action a() { b(); }", ""),
            ("extern void f<T>(out T x); extern void f<T>(out T y); action a(inout bit<8> z) { f(z); }",
             "2:82 more than one `f` takes these arguments: name them"),
            ("extern void f<T>(out T x); extern void f<T>(out T y); action a(inout bit<8> z) { f(y = z); }", ""),
            ("action a() { verify(true, error.NoError); }", "2:14 `verify` stands only in a parser"),
            ("parser p() { state start { verify(true, error.NoError); transition accept; } }", ""),
        ],
    );
}

#[test]
fn packets_give_headers() {
    let parser = |body: &str| {
        format!(
            "parser p(packet_in b, out h_t h, out v_t v, out s_t s, out w_t w)\n{{ state start {{ {body} transition accept; }} }}"
        )
    };
    let rules = [
        ("b.extract(h);", ""),
        ("b.extract(s);", "3:27 only headers are extracted, not s_t"),
        (
            "b.extract(v);",
            "3:27 how long v_t is must be said: `extract(…, bits)`",
        ),
        ("b.extract(v, 8);", ""),
        (
            "b.extract(h, 8);",
            "3:27 h_t has no field whose width varies",
        ),
        (
            "b.extract(w, 8);",
            "1:342 `w_t` is extracted, and has two fields whose width varies",
        ),
        ("b.extract(_);", "3:17 of which type this is is not known"),
        ("b.extract<h_t>(_);", ""),
        (
            "s.a = b.lookahead<v_t>().a;",
            "3:23 how long v_t is is not known",
        ),
        ("s.a = b.lookahead<h_t>().a;", ""),
    ];
    let rules = rules.map(|(body, wanted)| (parser(body), wanted));
    let rules: Vec<(&str, &str)> = rules
        .iter()
        .map(|(text, wanted)| (text.as_str(), *wanted))
        .collect();
    holds(PACKETS, &rules);
}

#[test]
fn parsers_choose_and_come_to_an_end() {
    holds(
        PACKETS,
        &[
            ("parser p() { state start { transition start; } }", "2:8 parser `p` never comes to `accept` or `reject`"),
            ("parser p() { state start { transition next; } state next { transition start; } }",
             "2:8 parser `p` never comes to `accept` or `reject`"),
            ("parser p(in bit<8> x) { state start { transition select(x) { 1: start; } } }", ""),
            ("parser p(in bit<8> x) { state start { transition select(x) { _: start; } } }",
             "2:8 parser `p` never comes to `accept` or `reject`"),
            ("parser p(in s_t s) { state start { transition select(s) { _: accept; } } }", "2:54 a select looks at no s_t"),
            ("parser p() { state start { transition select(1) { _: accept; } } }", "2:46 a select looks at no int"),
            ("parser p(in bit<8> x) { state start { transition select(x) { id(x): accept; } } }",
             "2:62 nothing is called for what a select compares with"),
            ("parser p(in bit<8> x) { state start { transition select(x) { x &&& 3: accept; } } }",
             "2:62 this is not known when the program is compiled"),
            ("parser p(in bit<8> x)(bit<8> y) { state start { transition select(x) { y &&& 3: accept; } } }", ""),
        ],
    );
}

#[test]
fn operators_take_what_they_can_compute() {
    holds(
        "extern e { e(); } e() one; e() other; struct s_t { bit<8> a; } type bit<8> t;",
        &[
            (
                "action a(inout bit<8> x) { x = x / -1; }",
                "2:32 nothing negative is divided",
            ),
            (
                "action a(inout bit<8> x) { x = -5 % x; }",
                "2:32 nothing negative is divided",
            ),
            ("action a(inout bit<8> x) { x = x / 1; }", ""),
            (
                "action a(inout bit<8> x) { x = (bit<8>)(1 << x); }",
                "2:40 an `int` is shifted only by what is known; `32w1` has a width",
            ),
            ("action a(inout bit<8> x) { x = 8w1 << x; x = 1 << 3; }", ""),
            (
                "bool f<T>(in T x, in T y) { return x == y; }",
                "2:36 `==` does not take T and T",
            ),
            (
                "action a(inout bool x) { x = one == other; }",
                "2:30 `==` does not take e and e",
            ),
            (
                "action a(inout bool x) { x = { a = 8w1 } == { a = 8w1 }; }",
                "2:30 of which struct these fields are is not known",
            ),
            (
                "action a(inout bool x, in s_t s) { x = s == { a = 1 }; }",
                "",
            ),
            (
                "action a(inout bit<9> x, out t y) { y = (t)x; }",
                "2:41 bit<9> is not cast to t",
            ),
            (
                "action a(inout bit<8> x, out t y) { y = (t)x; y = (t)7; x = (bit<8>)y; }",
                "",
            ),
            (
                "header h_t { bit<8> a; } action a(out h_t h, in tuple<bit<8>> x) { h = x; }",
                "2:72 h_t is wanted, this is tuple<bit<8>>",
            ),
            (
                "header h_t { bit<8> a; } action a(out h_t h) { h = { 1 }; }",
                "",
            ),
        ],
    );
}

#[test]
fn statements_stand_where_they_may() {
    holds(
        "",
        &[
            (
                "action a(in bit<8> x) { switch (x) { default: { } 1: { } } }",
                "2:51 this label stands behind `default`, which is the last one",
            ),
            (
                "action a(in bit<8> x) { switch (x) { 1: { } default: { } } }",
                "",
            ),
            (
                "control c(in bit<8> x) { apply { bit<8> x = 1; } }",
                "2:41 `x` hides a parameter of this name",
            ),
            (
                "const bit<8> x = 1; control c() { apply { bit<8> x = 1; } }",
                "",
            ),
            (
                "action a() { bit<8> i; for (i in 8w1 .. 3) { } }",
                "2:29 a loop has a variable of its own: `for (bit<8> x in …)`",
            ),
            ("action a() { for (bit<8> i in 8w1 .. 3) { } }", ""),
        ],
    );
}

#[test]
fn annotations_say_what_they_can() {
    holds(
        "match_kind { exact }",
        &[
            (
                "@a[1] @a[2] const bit<8> x = 1;",
                "2:8 `@a` stands here twice, once in brackets",
            ),
            (
                "@a(1) @a[2] const bit<8> x = 1;",
                "2:8 `@a` stands here twice, once in brackets",
            ),
            ("@a(1) @a(2) @b[1] const bit<8> x = 1;", ""),
            (
                "@a[k = 1, k = 2] const bit<8> x = 1;",
                "2:11 `k` is said twice",
            ),
            (
                "@a[k = { 1 }] const bit<8> x = 1;",
                "2:8 an annotation has texts, `int` and booleans, not tuple<int>",
            ),
            ("@a[k = 1 < 2, l = \"a\" ++ \"b\"] const bit<8> x = 1;", ""),
            ("@a[y] const bit<8> x = 1;", "2:4 `y` is not declared"),
            (
                "@name(\"a\") @hidden action a() { }",
                "2:13 one thing has one name, or none: `@name` or `@hidden`, once",
            ),
            (
                "@name(\"a\") @name(\"b\") action a() { }",
                "2:13 one thing has one name, or none: `@name` or `@hidden`, once",
            ),
            ("@hidden action a() { } @name(\"b\") action b() { }", ""),
            ("@name(4) action a() { }", "2:2 `@name` says a text"),
            ("@name(\"a\" ++ \"b\") action a() { }", ""),
            (
                "@deprecated(\"a\" | \"b\") action a() { }",
                "2:2 `@deprecated` says a text",
            ),
            (
                "struct s { @match(1 + 1) bit<8> a; }",
                "2:13 `@match` says a match kind",
            ),
            ("struct s { @match(exact) bit<8> a; }", ""),
        ],
    );
}
