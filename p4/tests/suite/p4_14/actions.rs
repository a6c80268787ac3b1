//! Actions, and what they use.

use super::{action, has, translated};

#[test]
fn values_are_widened_and_cut() {
    action("modify_field(h.b, h.a);", "hdr.h.b = (bit<16>)hdr.h.a;");
    action("modify_field(h.a, h.b);", "hdr.h.a = (bit<8>)hdr.h.b;");
    action(
        "modify_field(h.b, h.c);",
        "hdr.h.b = (bit<16>)(int<16>)hdr.h.c;",
    );
    action(
        "modify_field(m.n, h.a);",
        "meta.m.n = (int<16>)(bit<16>)hdr.h.a;",
    );
    action(
        "modify_field(h.s, h.b);",
        "hdr.h.s = hdr.h.b > 16w15 ? 4w15 : (bit<4>)hdr.h.b;",
    );
    action(
        "modify_field(h.s, m.n);",
        "hdr.h.s = meta.m.n < 16s0 ? 4w0 : (meta.m.n > 16s15 ? 4w15 : (bit<4>)(int<4>)meta.m.n);",
    );
    action(
        "modify_field(h.s, 100); modify_field(h.t, 100);",
        "hdr.h.s = 4w15;\nhdr.h.t = 4w4;",
    );
    action(
        "modify_field(h.a, -1); modify_field(h.c, -1);",
        "hdr.h.a = 8w255;\nhdr.h.c = (int<8>)8w255;",
    );
    action("modify_field(h.a, 16'0x1ff);", "hdr.h.a = 8w0xff;");
    action(
        "modify_field(h.b, h.a + h.t * 3);",
        "hdr.h.b = (bit<16>)hdr.h.a + ((bit<16>)hdr.h.t * 16w3);",
    );
    action(
        "modify_field(h.t, h.b >> 12);",
        "hdr.h.t = (bit<4>)(hdr.h.b >> 12);",
    );
    action("modify_field(h.b, ~h.a);", "hdr.h.b = (bit<16>)~hdr.h.a;");
    action(
        "modify_field(h.b, ~h.a & h.b);",
        "hdr.h.b = ~(bit<16>)hdr.h.a & hdr.h.b;",
    );
    action(
        "modify_field(h.b, h.b / 4 + h.b % 8);",
        "hdr.h.b = (hdr.h.b >> 2) + (hdr.h.b & 16w0x7);",
    );
    action("modify_field(h.a, 2 + 3 << 1);", "hdr.h.a = 8w10;");
    action("h.a = 5; m.x = h.a;", "hdr.h.a = 8w5;\nmeta.m.x = hdr.h.a;");
}

#[test]
fn primitive_actions_on_fields() {
    action(
        "modify_field(h.a, h.t, 0xf0);",
        "hdr.h.a = (hdr.h.a & 8w0xf) | ((bit<8>)hdr.h.t & 8w0xf0);",
    );
    action(
        "modify_field(h.a, h.t, h.t);",
        "hdr.h.a = (hdr.h.a & ~(bit<8>)hdr.h.t) | ((bit<8>)hdr.h.t & (bit<8>)hdr.h.t);",
    );
    action(
        "add(h.b, h.a, 300);",
        "hdr.h.b = (bit<16>)hdr.h.a + 16w300;",
    );
    action("add_to_field(h.a, -1);", "hdr.h.a = hdr.h.a + 8w255;");
    action("add_to_field(h.s, -1);", "hdr.h.s = hdr.h.s |-| 4w1;");
    action("subtract(h.s, h.s, h.t);", "hdr.h.s = hdr.h.s |-| hdr.h.t;");
    action(
        "subtract_from_field(h.b, h.a);",
        "hdr.h.b = hdr.h.b - (bit<16>)hdr.h.a;",
    );
    action(
        "bit_and(h.t, h.b, 0xf);",
        "hdr.h.t = (bit<4>)(hdr.h.b & 16w0xf);",
    );
    action(
        "bit_or(h.b, h.a, h.b); bit_xor(h.a, h.a, h.a);",
        "hdr.h.b = (bit<16>)hdr.h.a | hdr.h.b;\nhdr.h.a = hdr.h.a ^ hdr.h.a;",
    );
    action(
        "bit_nor(h.a, h.a, 1); bit_not(h.a, h.t);",
        "hdr.h.a = ~(hdr.h.a | 8w1);\nhdr.h.a = ~(bit<8>)hdr.h.t;",
    );
    action(
        "bit_andca(h.a, h.t, h.a); bit_orcb(h.a, h.a, 1);",
        "hdr.h.a = ~(bit<8>)hdr.h.t & hdr.h.a;\nhdr.h.a = hdr.h.a | ~8w1;",
    );
    action(
        "shift_left(h.b, h.a, 4); shift_right(h.a, h.b, h.t);",
        "hdr.h.b = (bit<16>)hdr.h.a << 4;\nhdr.h.a = (bit<8>)(hdr.h.b >> hdr.h.t);",
    );
    action(
        "min(h.a, h.b, 7);",
        "hdr.h.a = (bit<8>)(hdr.h.b <= 16w7 ? hdr.h.b : 16w7);",
    );
    action(
        "modify_field_conditionally(h.a, m.f, 3);",
        "hdr.h.a = meta.m.f != 1w0 ? 8w3 : hdr.h.a;",
    );
    action(
        "modify_field_with_shift(h.a, h.b, 8, 0xf);",
        "hdr.h.a = (hdr.h.a & 8w0xf0) | ((bit<8>)(hdr.h.b >> 8) & 8w0xf);",
    );
    action(
        "modify_field_rng_uniform(h.a, 1, h.b); no_op();",
        "random(hdr.h.a, 8w1, (bit<8>)hdr.h.b);",
    );
}

#[test]
fn primitive_actions_on_headers() {
    let zeros = |text: &str| {
        let fields = [
            ("a", "8w0"),
            ("b", "16w0"),
            ("c", "8s0"),
            ("s", "4w0"),
            ("t", "4w0"),
        ];
        let lines = fields.map(|(name, zero)| format!("{text}.{name} = {zero};"));
        format!("{text}.setValid();\n{}", lines.join("\n"))
    };
    action(
        "add_header(k);",
        &format!("if (!hdr.k.isValid()) {{\n{}\n}}", zeros("hdr.k")),
    );
    action(
        "copy_header(k, st[1]); remove_header(h);",
        "hdr.k = hdr.st[1];\nhdr.h.setInvalid();",
    );
    action(
        "pop(st, 2); pop(st);",
        "hdr.st.pop_front(2);\nhdr.st.pop_front(1);",
    );
    let pushed = format!(
        "hdr.st.push_front(2);\n{}\n{}",
        zeros("hdr.st[0]"),
        zeros("hdr.st[1]")
    );
    action("push(st, 2);", &pushed);
    // More than there are: all of them.
    action("pop(st, 9);", "hdr.st.pop_front(3);");
}

#[test]
fn packets_that_go_round_keep_fields() {
    let text = translated(
        "field_list one { m.x; m2.y; standard_metadata; }
         field_list two { one; m.f; }
         metadata m_t m2 { y : 5; f : 1; }
         action act() { clone_i2e(7, one); resubmit(two); clone_ingress_pkt_to_egress(9); }
         action back() { recirculate(one); clone_e2e(1, two); truncate(50); drop(); exit(); }
         table t { actions { act; } } table e { actions { back; } }
         control ingress { apply(t); } control egress { apply(e); }",
    );
    has(&text, "struct m_t {\n@field_list(1, 2)\nbit<8> x;\nbit<16> y;\nbit<4> z;\nint<16> n;\n@field_list(2)\nbit<1> f;\n}");
    has(
        &text,
        "@name(\"m_t\") struct m_t_0 {\nbit<8> x;\n@field_list(1, 2)\nbit<16> y;",
    );
    has(
        &text,
        "clone_preserving_field_list(CloneType.I2E, 32w7, 8w1);
         resubmit_preserving_field_list(8w2);
         clone(CloneType.I2E, 32w9);",
    );
    has(&text, "recirculate_preserving_field_list(8w1);\nclone_preserving_field_list(CloneType.E2E, 32w1, 8w2);\ntruncate(32w50);\nmark_to_drop(standard_metadata);\nexit;");
    // What a packet brings along is not begun anew.
    has(
        &text,
        "if (standard_metadata.instance_type == 32w0) {\nmeta.m2.y = 16w5;\n}\nmeta.m2.f = 1w1;",
    );
}

#[test]
fn counters_meters_and_registers() {
    let text = translated(
        "counter c { type : bytes; instance_count : 100; }
         counter d { type : packets; direct : t; }
         meter n { type : packets; instance_count : 1; }
         meter e { type : bytes; direct : t; result : m.n; }
         register r { width : 9; instance_count : 1024; attributes : signed; }
         action act(i) { count(c, i); count(c, m.y); execute_meter(n, 0, m.x); register_read(m.y, r, i); register_write(r, 5, m.x); }
         table t { actions { act; } }
         table u { actions { act; } }
         control ingress { apply(t); apply(u); }",
    );
    has(&text, "counter<bit<7>>(32w100, CounterType.bytes) c;\nmeter<bit<1>>(32w1, MeterType.packets) n;\nregister<int<9>, bit<10>>(32w1024) r;");
    // It numbers registers, and of counters the last bits do.
    let body = "c.count((bit<7>)i);
        c.count((bit<7>)meta.m.y);
        n.execute_meter(1w0, meta.m.x);
        {
        int<9> outcome;
        r.read(outcome, i);
        meta.m.y = (bit<16>)(int<16>)outcome;
        }
        r.write(10w5, (int<9>)(bit<9>)meta.m.x);
        }";
    has(
        &text,
        &format!("@name(\".act\") action act(bit<10> i) {{\n{body}"),
    );
    has(&text, "@name(\".d\") direct_counter(CounterType.packets) d;\n@name(\".e\") direct_meter<bit<16>>(MeterType.bytes) e;");
    let asked = "{\nbit<16> outcome;\ne.read(outcome);\nmeta.m.n = (int<16>)outcome;\n}";
    has(
        &text,
        &format!("@name(\".act\") action act_t(bit<10> i) {{\n{asked}\n{body}"),
    );
    has(
        &text,
        "actions = {\nact_t;\n@defaultonly NoAction;\n}\ncounters = d;\nmeters = e;",
    );
    has(
        &text,
        "@name(\".u\") table u {\nactions = {\nact;\n@defaultonly NoAction;\n}",
    );
}

#[test]
fn actions_call_actions() {
    // A field that is given is the field itself, and what is given to it is of the caller.
    let text = translated(
        "action set(field, value) { modify_field(field, value); add_to_field(field, value); }
         action both(header_, value) { set(header_.a, value); set(m.y, header_.a); remove_header(header_); }
         action act(v) { both(k, v); set(st[1].b, 4); }
         table t { actions { act; } default_action : act(3); }
         control ingress { apply(t); }",
    );
    has(
        &text,
        "@name(\".act\") action act(bit<8> v) {
         hdr.k.a = v;
         hdr.k.a = hdr.k.a + v;
         meta.m.y = (bit<16>)hdr.k.a;
         meta.m.y = meta.m.y + (bit<16>)hdr.k.a;
         hdr.k.setInvalid();
         hdr.st[1].b = 16w4;
         hdr.st[1].b = hdr.st[1].b + 16w4;
         }",
    );
    has(&text, "default_action = act(8w3);");
}

/// A parameter is as wide as the widest thing that it goes into.
#[test]
fn parameters_get_types_and_keep_their_names() {
    let text = translated(
        "action act(meta, unused, wide, n) { modify_field(h.a, meta); modify_field(h.a, wide); modify_field(h.b, wide); modify_field(h.c, n); }
         table t { actions { act; } }
         control ingress { apply(t); }",
    );
    has(&text, "@name(\".act\") action act(@name(\"meta\") bit<8> meta_0, bit<8> unused, bit<16> wide, int<8> n) {");
    has(
        &text,
        "hdr.h.a = meta_0;\nhdr.h.a = (bit<8>)wide;\nhdr.h.b = wide;",
    );
}

#[test]
fn lists_go_into_digests_hashes_and_checksums() {
    let text = translated(
        "field_list inner { h.a; 16'5; }
         field_list l { inner; k; payload; }
         field_list all { inner; k.b; m.x; }
         field_list own { h.s; m.x; }
         field_list_calculation sum { input { l; } algorithm : csum16; output_width : 16; }
         field_list_calculation crc { input { all; inner; } algorithm : programmable_crc; output_width : 32; }
         field_list_calculation short { input { own; } algorithm : crc16; output_width : 16; }
         field_list_calculation none { input { head; } algorithm : crc16; output_width : 16; }
         field_list head { k.a; }
         calculated_field h.b { update sum if (valid(k)); update short; verify crc if (h.a == 3); }
         action act(base, size) {
           generate_digest(3, all);
           modify_field_with_hash_based_offset(m.y, base, short, size);
           modify_field_with_hash_based_offset(h.c, 4, none, 8);
         }
         table t { actions { act; } }
         control ingress { apply(t); }",
    );
    has(
        &text,
        "struct all {\nbit<8> a;\nbit<16> constant;\nbit<16> b;\nbit<8> x;\n}",
    );
    // A field of a header that is not valid is left out.
    has(
        &text,
        "@name(\".act\") action act(bit<16> base, bit<32> size) {
         digest<all>(32w3, { hdr.h.a, 16w5, hdr.k.b, meta.m.x });
         if (hdr.h.isValid()) {
         hash(meta.m.y, HashAlgorithm.crc16, base, { hdr.h.s, meta.m.x }, size);
         } else {
         hash(meta.m.y, HashAlgorithm.crc16, base, { meta.m.x }, size);
         }
         if (hdr.k.isValid()) {
         {
         bit<8> outcome;
         hash(outcome, HashAlgorithm.crc16, 8w4, { hdr.k.a }, 32w8);
         hdr.h.c = (int<8>)outcome;
         }
         } else {
         hdr.h.c = (int<8>)8w4;
         }
         }",
    );
    // The first one whose condition holds counts.
    has(
        &text,
        "update_checksum_with_payload(hdr.h.isValid() && hdr.k.isValid(), { hdr.h.a, 16w5, hdr.k.a, hdr.k.b, hdr.k.c, hdr.k.s, hdr.k.t }, hdr.h.b, HashAlgorithm.csum16);
         update_checksum(hdr.h.isValid() && !hdr.k.isValid(), { hdr.h.s, meta.m.x }, hdr.h.b, HashAlgorithm.crc16);",
    );
    has(
        &text,
        "verify_checksum(hdr.h.isValid() && (hdr.h.a == 8w3) && hdr.k.isValid(), { hdr.h.a, 16w5, hdr.k.b, meta.m.x }, hdr.h.b, HashAlgorithm.crc32_custom);
         verify_checksum(hdr.h.isValid() && (hdr.h.a == 8w3) && !hdr.k.isValid(), { hdr.h.a, 16w5, meta.m.x }, hdr.h.b, HashAlgorithm.crc32_custom);",
    );
}
