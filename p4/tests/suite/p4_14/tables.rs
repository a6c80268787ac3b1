//! Tables and controls.

use super::{has, readable, translated, whole};

#[test]
fn tables() {
    let text = translated(
        "header_type intrinsic_metadata_t { fields { mcast_grp : 4; own : 3; } }
         metadata intrinsic_metadata_t intrinsic_metadata;
         action act() { }
         action_selector sel { selection_key : calc; selection_mode : resilient; }
         field_list l { h.a; }
         field_list_calculation calc { input { l; } algorithm : crc16; output_width : 10; }
         action_profile p { actions { act; no_op; } dynamic_action_selection : sel; }
         action_profile plain { actions { act; } size : 7; }
         table t {
           reads {
             h.a : exact; h.b mask 0xff0 : ternary; m.y : range; st[2].a : lpm; h : valid; k.valid : ternary; k.a : valid;
             m : valid; intrinsic_metadata.mcast_grp : exact; intrinsic_metadata.own : exact; standard_metadata.egress_instance : exact;
           }
           action_profile : p;
           min_size : 3; max_size : 60; support_timeout : true;
         }
         table u { reads { h.a : exact; } action_profile : plain; size : 0; }
         table exact { actions { act; drop; } size : 8; const default_action : drop(); }
         control ingress { apply(t); apply(u); apply(exact); }",
    );
    has(
        &text,
        "@name(\".t\") table t {
         key = {
         hdr.h.a: exact @name(\"h.a\");
         hdr.h.b & 16w0xff0: ternary @name(\"h.b\");
         meta.m.y: range @name(\"m.y\");
         hdr.st[2].a: lpm @name(\"st[2].a\");
         hdr.h.isValid(): exact @name(\"h.$valid$\");
         hdr.k.isValid(): ternary @name(\"k.$valid$\");
         hdr.k.isValid(): exact @name(\"k.$valid$\");
         true: exact @name(\"m.$valid$\");
         standard_metadata.mcast_grp: exact @name(\"intrinsic_metadata.mcast_grp\");
         meta.intrinsic_metadata.own: exact @name(\"intrinsic_metadata.own\");
         standard_metadata.egress_rid: exact @name(\"standard_metadata.egress_instance\");
         hdr.h.a: selector @name(\"h.a\");
         }
         actions = {
         act;
         no_op;
         @defaultonly NoAction;
         }
         size = 60;
         implementation = p;
         support_timeout = true;
         default_action = NoAction();
         }",
    );
    has(&text, "@mode(\"resilient\") action_selector(HashAlgorithm.crc16, 32w60, 32w10) p;\naction_profile(32w7) plain;");
    has(
        &text,
        "implementation = plain;\ndefault_action = NoAction();",
    );
    has(&text, "@name(\".exact\") table exact_0 {\nactions = {\nact;\ndrop;\n}\nsize = 8;\nconst default_action = drop();\n}");
    has(&text, "struct intrinsic_metadata_t {\nbit<3> own;\n}");
    has(&text, "exact_0.apply();");
}

#[test]
fn controls() {
    let text = translated(
        "action a() { } action b() { }
         table t { actions { a; b; } } table u { actions { a; } } table e { actions { b; } }
         control ingress {
           apply(t) { default { } a { sub(); } b { apply(u); } }
           if (valid(k) and h.a + 1 == 300 or not valid(st[0])) { sub(); } else if (h.b & 1 == 1) { apply(u); } else { apply(t); }
           apply(u) { hit { sub(); } miss { apply(t); } }
           if (h.c < -3 && !(h.a > h.b) || true) { }
           if (h.valid == 1) { }
         }
         control sub { apply(u) { miss { apply(t); } } }
         control egress { apply(e); }",
    );
    has(
        &text,
        "switch (t.apply().action_run) {
         a: {
         if (u.apply().miss) {
         t.apply();
         }
         }
         b: {
         u.apply();
         }
         default: {
         }
         }
         if ((hdr.k.isValid() && (((bit<9>)hdr.h.a + 9w1) == 9w300)) || !hdr.st[0].isValid()) {
         if (u.apply().miss) {
         t.apply();
         }
         } else if ((hdr.h.b & 16w1) == 16w1) {
         u.apply();
         } else {
         t.apply();
         }
         if (u.apply().hit) {",
    );
    has(
        &text,
        "if (((hdr.h.c < (int<8>)8w253) && !((bit<16>)hdr.h.a > hdr.h.b)) || true) {",
    );
    has(&text, "if ((bit<1>)hdr.h.isValid() == 1w1) {");
    let egress = text.find("control egress(").unwrap();
    assert!(!text[egress..].contains("u.apply()"), "{text}");
    has(
        &text[egress..],
        "@name(\".b\") action b() {\n}\n@name(\".e\") table e {",
    );
}

/// A kind of things has a space of names of its own; the control plane sees all of them as they are.
#[test]
fn names_may_stand_for_several_things() {
    let text = readable(
        &whole(
            "header_type x { fields { x : 8; } }
             header x x;
             parser start { return x; }
             parser x { extract(x); return select(latest.x) { 0: accept; default: ingress; } }
             parser accept { return ingress; }
             counter x { type : packets; instance_count : 8; }
             action x(x) { count(x, x); }
             table x { reads { x.x : exact; } actions { x; } }
             control ingress { apply(x) { x { apply(hash); } } }
             table hash { actions { x; } }",
        )
        .unwrap(),
    );
    has(
        &text,
        "@name(\".x\") table x_0 {\nkey = {\nhdr.x.x: exact @name(\"x.x\");\n}",
    );
    assert!(
        text.contains("@name(\".x\") action x(@name(\"x\") bit<3> x_"),
        "{text}"
    );
    has(&text, "@name(\".hash\") table hash_0 {");
    assert!(
        text.contains("8w0: accept_0;") && text.contains("state accept_0 {"),
        "{text}"
    );
}
