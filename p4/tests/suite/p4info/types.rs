//! Types that have names, and what is told of the control plane by headers and digests.

use super::{expected, of};

/// One of each type.
pub const TYPES: &str = r#"
@p4runtime_translation("site/port", string) type bit<9> port_t;
@p4runtime_translation("site/link", bit<32>) @kept type port_t link_t;
type bit<12> plain_t;
enum bit<12> op_t { ADD = 1, SUB = 0xabc }
enum way_t { LEFT, RIGHT }
@controller_header("packet_in") @mine
header in_t { @id(3) link_t from; op_t op; @hidden bit<3> pad; plain_t rest; }
struct deep_t { int<4> n; way_t way; error e; }
struct told_t { deep_t deep; port_t port; bool b; }
struct key_t { @match(ternary) @id(9) bit<5> x; bit<6> y; }
"#;

#[test]
fn types_are_described_once() {
    let locals = "
        register<plain_t>(2) r;
        action a(port_t p, op_t o, way_t w) { digest<told_t>(1, { { 1, w, error.NoError }, p, true }); }
        table t { key = { s.ingress_port: exact; } actions = { a; } }";
    let found = of(TYPES, locals, "t.apply(); digest(1, { m.a });");
    let action = expected(
        r#"    alias: "a"
  }
  params {
    id: 1
    name: "p"
    type_name {
      name: "port_t"
    }
  }
  params {
    id: 2
    name: "o"
    bitwidth: 12
  }
  params {
    id: 3
    name: "w"
    type_name {
      name: "way_t"
    }
  }
}
"#,
    );
    assert!(found.contains(&action), "{found}");
    let wanted = expected(
        r#"controller_packet_metadata {
  preamble {
    id: <header in_t>
    name: "packet_in"
    alias: "packet_in"
    annotations: "@controller_header(\"packet_in\")"
    annotations: "@mine"
  }
  metadata {
    id: 3
    name: "from"
    bitwidth: 32
    type_name {
      name: "link_t"
    }
  }
  metadata {
    id: 2
    name: "op"
    bitwidth: 12
  }
  metadata {
    id: 5
    name: "rest"
    bitwidth: 12
    type_name {
      name: "plain_t"
    }
  }
}
registers {
  preamble {
    id: <register I.r>
    name: "I.r"
    alias: "r"
  }
  type_spec {
    new_type {
      name: "plain_t"
    }
  }
  size: 2
}
digests {
  preamble {
    id: <digest told_t>
    name: "told_t"
    alias: "told_t"
  }
  type_spec {
    struct {
      name: "told_t"
    }
  }
}
digests {
  preamble {
    id: <digest digest_0>
    name: "digest_0"
    alias: "digest_0"
  }
  type_spec {
    tuple {
      members {
        bitstring {
          bit {
            bitwidth: 8
          }
        }
      }
    }
  }
}
type_info {
  structs {
    key: "deep_t"
    value {
      members {
        name: "n"
        type_spec {
          bitstring {
            int {
              bitwidth: 4
            }
          }
        }
      }
      members {
        name: "way"
        type_spec {
          enum {
            name: "way_t"
          }
        }
      }
      members {
        name: "e"
        type_spec {
          error {
          }
        }
      }
    }
  }
  structs {
    key: "told_t"
    value {
      members {
        name: "deep"
        type_spec {
          struct {
            name: "deep_t"
          }
        }
      }
      members {
        name: "port"
        type_spec {
          new_type {
            name: "port_t"
          }
        }
      }
      members {
        name: "b"
        type_spec {
          bool {
          }
        }
      }
    }
  }
  enums {
    key: "way_t"
    value {
      members {
        name: "LEFT"
      }
      members {
        name: "RIGHT"
      }
    }
  }
"#,
    );
    let at = found.find("controller_packet_metadata").unwrap();
    assert!(found[at..].starts_with(&wanted), "{}", &found[at..]);
    let rest = r#"  serializable_enums {
    key: "op_t"
    value {
      underlying_type {
        bitwidth: 12
      }
      members {
        name: "ADD"
        value: "\000\001"
      }
      members {
        name: "SUB"
        value: "\n\274"
      }
    }
  }
  new_types {
    key: "link_t"
    value {
      translated_type {
        uri: "site/link"
        sdn_bitwidth: 32
      }
      annotations: "@kept"
    }
  }
  new_types {
    key: "plain_t"
    value {
      original_type {
        bitstring {
          bit {
            bitwidth: 12
          }
        }
      }
    }
  }
  new_types {
    key: "port_t"
    value {
      translated_type {
        uri: "site/port"
        sdn_string {
        }
      }
    }
  }
}
"#;
    assert!(found.ends_with(rest), "{found}");
    assert!(
        found.contains("  error {\n    members: \"NoError\"\n    members: \"PacketTooShort\"\n")
    );
}
