//! Header types, parsers and deparsers.

use super::{has, readable, translated, whole, HEADS, START};

#[test]
fn types_and_instances() {
    let text = translated(
        "header_type type_t { fields { in : 8; table : 16'8; w : 0x10; } }
         header type_t state; metadata type_t key; metadata m_t m2;
         control ingress { }",
    );
    has(
        &text,
        "header h_t {\nbit<8> a;\nbit<16> b;\nint<8> c;\nbit<4> s;\nbit<4> t;\n}",
    );
    has(
        &text,
        "@name(\"in\") bit<8> in_0;\n@name(\"table\") bit<8> table_0;\nbit<16> w;",
    );
    has(
        &text,
        "struct headers {\nh_t h;\nh_t k;\nh_t[3] st;\ntype_t state;\n}",
    );
    has(&text, "@name(\"type_t\") struct type_t_0 {");
    has(
        &text,
        "struct metadata {\nm_t m;\ntype_t_0 key;\nm_t m2;\n}",
    );
}

#[test]
fn parsers() {
    let text = readable(
        &whole(&format!(
            "{HEADS}
            parser_value_set vs;
            parser start {{
              set_metadata(m.y, 3); set_metadata(m.z, m.y);
              return select(current(0, 4), m.x) {{ 0x105: one; 0x300 mask 0xf00: two; default: ingress; }}
            }}
            parser one {{ extract(st[next]); return select(latest.b) {{ vs: one; 1, 2: two; }} }}
            parser two {{ extract(k); set_metadata(m.y, latest.a); set_metadata(m.n, st[last].c); return ingress; }}
            control ingress {{ }}"
        ))
        .unwrap(),
    );
    has(&text, "@name(\".vs\") value_set<bit<16>>(4) vs;");
    has(
        &text,
        "state start {
         meta.m.y = 16w3;
         meta.m.z = meta.m.y > 16w15 ? 4w15 : (bit<4>)meta.m.y;
         transition select(packet.lookahead<bit<4>>(), meta.m.x) {
         (4w0x1, 8w0x5): one;
         (4w0x3, _): two;
         default: accept;
         }
         }",
    );
    has(
        &text,
        "packet.extract(hdr.st.next);
         transition select(hdr.st.last.b) {
         vs: one;
         16w1: two;
         16w2: two;
         }",
    );
    has(
        &text,
        "meta.m.y = (bit<16>)hdr.k.a;\nmeta.m.n = (int<16>)hdr.st.last.c;",
    );
}

/// The first control is where the parser goes on to; where there are several, it says which.
#[test]
fn several_controls_can_be_the_first() {
    let one = whole(&format!(
        "{HEADS}{}control mine {{ }}",
        START.replace("ingress", "mine")
    ))
    .unwrap();
    has(
        &readable(&one),
        "state start {\npacket.extract(hdr.h);\ntransition accept;\n}",
    );
    let text = readable(
        &whole(&format!(
            "{HEADS}
            parser start {{ extract(h); return select(h.a) {{ 1: left; default: right; }} }}
            action drop_it() {{ drop(); }}
            table t {{ actions {{ drop_it; }} }}
            parser first_right {{ return left; }}
            metadata m_t first_control;
            control left {{ apply(t); }}
            control right {{ }}"
        ))
        .unwrap(),
    );
    has(&text, "8w1: first_left;\ndefault: first_right_0;");
    has(
        &text,
        "state first_right_0 {\nmeta.first_control = 8w1;\ntransition accept;\n}",
    );
    has(&text, "if (meta.first_control == 8w0) {\nt.apply();\n}");
    has(&text, "mark_to_drop(standard_metadata);");
}

#[test]
fn headers_of_a_length_that_varies() {
    let text = translated(
        "header_type v_t { fields { version : 4; words : 4; rest : *; } length : words * 4; max_length : 60; }
         header v_t v;
         header_type w_t { fields { n : 8; rest : *; } length : (n + 1) << 1; }
         header w_t w;
         parser more { extract(v); extract(w); return ingress; }
         control ingress { }",
    );
    has(&text, "bit<4> words;\nvarbit<472> rest;");
    // 255 + 1 times 2 bytes, and one of them is n.
    has(&text, "bit<8> n;\nvarbit<4088> rest;");
    has(
        &text,
        "packet.extract(hdr.v, (((bit<32>)(packet.lookahead<bit<8>>())[3:0] * 32w4) << 3) - 32w8);",
    );
}

#[test]
fn exceptions_are_errors_with_handlers() {
    let text = readable(
        &whole(&format!(
            "{HEADS}
            parser start {{ extract(h); return select(h.a) {{ 1: parse_error bad; default: ingress; }} }}
            parser_exception bad {{ set_metadata(m.x, 9); return ingress; }}
            parser_exception p4_pe_default {{ parser_drop; }}
            control ingress {{ }}"
        ))
        .unwrap(),
    );
    has(&text, "error { bad }");
    has(
        &text,
        "state raise_bad {\nverify(false, error.bad);\ntransition reject;\n}",
    );
    has(
        &text,
        "if (standard_metadata.parser_error == error.bad) {
         meta.m.x = 8w9;
         } else if (standard_metadata.parser_error != error.NoError) {
         mark_to_drop(standard_metadata);
         exit;
         } else if (standard_metadata.checksum_error == 1w1) {",
    );
    let text = readable(
        &whole(&format!(
            "{HEADS}
            parser start {{ extract(h); return select(h.a) {{ 1: parse_error NoMatch; 2: parse_error in; default: parse_error p4_pe_out_of_packet; }} }}
            parser_exception p4_pe_unhandled_select {{ return ingress; }}
            control ingress {{ }}"
        ))
        .unwrap(),
    );
    has(&text, "error { NoMatch_0, in_0 }");
    has(&text, "verify(false, error.PacketTooShort);");
    has(
        &text,
        "if (standard_metadata.parser_error == error.NoMatch) {",
    );
    // Without a word of them, all is as v1model does it.
    assert!(!translated("control ingress { }").contains("parser_error"));
}

#[test]
fn headers_leave_in_an_order_in_which_they_are_found() {
    let order = |states: &str| {
        let text = readable(&whole(&format!("{HEADS}{states}control ingress {{ }}")).unwrap());
        let lines = text
            .lines()
            .filter_map(|line| line.strip_prefix("packet.emit(hdr."));
        lines
            .map(|line| line.trim_end_matches(");").to_owned())
            .collect::<Vec<String>>()
            .join(" ")
    };
    let diamond =
        "parser start { extract(k); return select(k.a) { 0: one; 1: two; default: ingress; } }
        parser one { extract(st[next]); return select(latest.a) { 0: one; default: two; } }
        parser two { extract(h); return ingress; }";
    assert_eq!(order(diamond), "k st h");
    // A circle with a way out: the way out is behind all of it, in whatever order the cases stand.
    let circle = "parser start { extract(h); return select(h.a) { 2: out; 0: one; } }
        parser one { extract(st[next]); return select(latest.a) { 0: start; default: out; } }
        parser out { extract(k); return ingress; }";
    assert_eq!(order(circle), "h st k");
    let numbered = "parser start { extract(st[2]); extract(h); extract(st[0]); return ingress; }";
    assert_eq!(order(numbered), "st[2] h st[0] st[1]");
    let together = "parser start { extract(st[0]); extract(st[1]); extract(h); return ingress; }";
    assert_eq!(order(together), "st h");
    let said = "@pragma header_ordering st h\nparser start { extract(h); extract(st[next]); extract(k); return ingress; }";
    assert_eq!(order(said), "st h k");
    // What no way leads to is never found.
    assert_eq!(order("parser start { extract(h); return ingress; } parser no { extract(k); return ingress; }"), "h");
}

/// What stands in a macro, also in one that takes any number of arguments.
#[test]
fn macros_are_those_of_c() {
    let text = translated(
        "#define EACH(M, ...) M(__VA_ARGS__, 1) M(__VA_ARGS__, 2)
         #define SET(field, n) modify_field(field ## n, n);
         #define NONE(a, ...) a(__VA_ARGS__);
         header_type n_t { fields { x1 : 8; x2 : 8; } }
         metadata n_t n;
         action act() { EACH(SET, n.x) NONE(no_op) }
         table t { actions { act; } }
         control ingress { apply(t); }",
    );
    has(&text, "meta.n.x1 = 8w1;\nmeta.n.x2 = 8w2;\n}");
}
