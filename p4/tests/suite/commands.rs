//! Commands in both of their forms: what they mean, and what is wrong with others.

use hardpath_diagnostic::Diagnostic;
use hardpath_p4::commands::{
    named, Argument, Cell, Check, Command, CommandKind, Comparison, Entry, Form, Key, MirrorTo,
    Number, Pattern, Priority,
};
use hardpath_p4::{entries, stf};
use hardpath_testkit::Random;
use num_bigint::BigInt;
use std::collections::BTreeMap;

type Reader = fn(&str, &str) -> Result<Vec<Command>, Vec<Diagnostic>>;

fn one(read: Reader, text: &str) -> CommandKind {
    let mut commands = read("a", text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    assert_eq!(commands.len(), 1, "{text}");
    commands.remove(0).kind
}

fn stf_line(text: &str) -> CommandKind {
    one(stf::read, text)
}

fn entries_line(text: &str) -> CommandKind {
    one(entries::read, text)
}

/// What is wrong, as `line:column message`.
fn errors(read: Reader, text: &str) -> Vec<String> {
    let errors = read("a", text).expect_err(text);
    let lines = errors.iter().map(|error| {
        assert_eq!(error.code, "p4-commands");
        assert!(
            error.help.as_ref().is_some_and(|help| !help.is_empty()),
            "{error}"
        );
        let place = error.place.as_ref().expect("they have one");
        format!("{}:{} {}", place.line, place.column, error.message)
    });
    lines.collect()
}

fn stf_error(text: &str) -> String {
    let errors = errors(stf::read, text);
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors.into_iter().next().unwrap()
}

fn entries_error(text: &str) -> String {
    let errors = errors(entries::read, text);
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors.into_iter().next().unwrap()
}

fn number(text: &str) -> Number {
    Number::or_address(text).unwrap()
}

fn entry(kind: CommandKind) -> Entry {
    match kind {
        CommandKind::AddEntry(entry) => entry,
        other => panic!("{other:?}"),
    }
}

#[test]
fn packets() {
    let text = "# first\n\npacket 3 0a 0B0c  # to port 3\n  Expect 511 0a*b c* $\nexpect 2 ab\nexpect 0\nexpect 1 $\nWAIT\n\
                no_packet\nremove all\n";
    let commands = stf::read("a.stf", text).unwrap();
    let places: Vec<_> = commands
        .iter()
        .map(|command| command.place.to_string())
        .collect();
    assert_eq!(places[..3], ["a.stf:3:1", "a.stf:4:3", "a.stf:5:1"]);
    let kinds: Vec<_> = commands.into_iter().map(|command| command.kind).collect();
    let bytes = vec![0x0a, 0x0b, 0x0c];
    assert_eq!(kinds[0], CommandKind::Packet { port: 3, bytes });
    let CommandKind::Expect {
        port: 511,
        packet: Some(exact),
    } = &kinds[1]
    else {
        panic!("{:?}", kinds[1]);
    };
    assert_eq!(exact.bytes, [0x0a, 0x0b, 0xc0]);
    assert_eq!(exact.mask, [0xff, 0x0f, 0xf0]);
    assert!(exact.takes(&[0x0a, 0xfb, 0xcf]));
    assert!(!exact.takes(&[0x0a, 0xfb, 0xbf]));
    assert!(!exact.takes(&[0x0a, 0xfb]));
    assert!(!exact.takes(&[0x0a, 0xfb, 0xcf, 0]));
    let CommandKind::Expect {
        packet: Some(prefix),
        ..
    } = &kinds[2]
    else {
        panic!("{:?}", kinds[2]);
    };
    assert!(prefix.takes(&[0xab]) && prefix.takes(&[0xab, 1]) && !prefix.takes(&[]));
    assert_eq!(
        kinds[3],
        CommandKind::Expect {
            port: 0,
            packet: None
        }
    );
    let CommandKind::Expect {
        packet: Some(empty),
        ..
    } = &kinds[4]
    else {
        panic!("{:?}", kinds[4]);
    };
    assert!(empty.takes(&[]) && !empty.takes(&[0]));
    assert_eq!(
        kinds[5..],
        [
            CommandKind::Wait { nanoseconds: 0 },
            CommandKind::NoPacket,
            CommandKind::RemoveAll
        ]
    );
}

#[test]
fn a_prefix_of_an_odd_number_of_digits() {
    let CommandKind::Expect {
        packet: Some(packet),
        ..
    } = stf_line("expect 1 ab c")
    else {
        panic!("a packet is expected");
    };
    assert!(packet.takes(&[0xab, 0xcd]) && !packet.takes(&[0xab, 0xdd]) && !packet.takes(&[0xab]));
    assert_eq!(
        stf_error("expect 1 ab c$"),
        "1:10 a byte has two digits, and the packet has 3"
    );
}

#[test]
fn entries_of_tests() {
    let line = "ADD in.acl 10 x$3.f:0x0a**  \"a b.$valid$\" : 0b1 c:10.0.1.0/24 d:1->0x5 e:3&&&0x7 f:* set( port : 2,x:-1 ) = $A # c";
    let entry = entry(stf_line(line));
    assert_eq!(entry.table, "in.acl");
    assert_eq!(entry.priority, Priority::LargerWins(BigInt::from(10)));
    assert_eq!(entry.label.as_deref(), Some("A"));
    let keys = &entry.keys;
    let names: Vec<_> = keys.iter().map(|key| key.plain_name().unwrap()).collect();
    assert_eq!(names, ["x[3].f", "a b.$valid$", "c", "d", "e", "f"]);
    assert_eq!(keys[1].validity_of(), Some("a b"));
    assert_eq!(keys[0].validity_of(), None);
    assert_eq!((keys[0].column, keys[1].column), (15, 29));
    let patterns: Vec<_> = keys.iter().map(|key| key.pattern.clone()).collect();
    let wanted = [
        Pattern::Value(number("0x0a**")),
        Pattern::Value(number("0b1")),
        Pattern::Prefix(number("10.0.1.0"), 24),
        Pattern::Range(number("1"), number("0x5")),
        Pattern::Masked(number("3"), number("0x7")),
        Pattern::Any,
    ];
    assert_eq!(patterns, wanted);
    assert_eq!(entry.action.action, "set");
    let (arguments, priority) = entry.arguments(true);
    assert_eq!(priority, Some((&BigInt::from(10), false)));
    let pairs = arguments.iter().map(|argument: &Argument| {
        let name = argument.name.clone().unwrap();
        (name, argument.value.value.clone())
    });
    let pairs: BTreeMap<_, _> = pairs.collect();
    assert_eq!(pairs["port"], BigInt::from(2));
    assert_eq!(pairs["x"], BigInt::from(-1));
}

#[test]
fn short_forms_of_entries() {
    let keyless = entry(stf_line("add t run"));
    assert!(keyless.keys.is_empty() && keyless.action.arguments.is_empty());
    assert_eq!(keyless.priority, Priority::None);
    let number_for_name = entry(stf_line("add t 5:1 run()"));
    assert_eq!(number_for_name.priority, Priority::None);
    assert_eq!(number_for_name.keys[0].name.as_deref(), Some("5"));
    let CommandKind::SetDefault { table, action } = stf_line("setdefault a.t b.run(3, 4)") else {
        panic!("a default");
    };
    assert_eq!((table.as_str(), action.action.as_str()), ("a.t", "b.run"));
    assert!(action
        .arguments
        .iter()
        .all(|argument| argument.name.is_none()));
    assert_eq!(action.arguments[1].column, 25);
}

#[test]
fn validity_of_headers() {
    let validity = |name: &str| {
        let key = Key {
            name: Some(name.into()),
            pattern: Pattern::Any,
            column: 1,
        };
        key.validity_of().map(str::to_owned)
    };
    for name in ["h.x.valid", "h.x.$valid$", "h.x.$valid", "h.x.isValid()"] {
        assert_eq!(validity(name).as_deref(), Some("h.x"), "{name}");
    }
    assert_eq!(validity("valid").as_deref(), Some(""));
    assert_eq!(validity("$valid$").as_deref(), Some(""));
    assert_eq!(validity("h.invalid"), None);
    assert_eq!(validity("h"), None);
}

#[test]
fn counters_of_tests() {
    let check = |text: &str| match stf_line(text) {
        CommandKind::CheckCounter {
            counter,
            cell,
            check,
        } => (counter, cell, check),
        other => panic!("{other:?}"),
    };
    let index = |text| Cell::Index(number(text));
    assert_eq!(
        check("check_counter in.c(0x10)"),
        ("in.c".into(), index("0x10"), None)
    );
    let (_, cell, what) = check("check_counter c ( $A ) Bytes>=64");
    assert_eq!(cell, Cell::Label("A".into()));
    let wanted = Check {
        bytes: true,
        comparison: Comparison::GreaterOrEqual,
        number: number("64"),
    };
    assert_eq!(what, Some(wanted));
    for (sign, holds) in [
        ("==", [false, true, false]),
        ("!=", [true, false, true]),
        ("<", [true, false, false]),
        ("<=", [true, true, false]),
        (">", [false, false, true]),
        (">=", [false, true, true]),
    ] {
        let (_, _, what) = check(&format!("check_counter c(3) packets {sign} 2"));
        let what = what.unwrap();
        assert!(!what.bytes);
        assert_eq!(
            [1, 2, 3].map(|left| what.comparison.holds(left, 2)),
            holds,
            "{sign}"
        );
    }
}

#[test]
fn entries_of_the_command_line() {
    let line =
        "table_add in.acl set 10.0.0.1 aa:bb:cc:00:11:FF fe80::1 0x0a/8 1&&&0x3 80->443 => 7 2";
    let entry = entry(entries_line(line));
    assert_eq!(
        (entry.table.as_str(), entry.action.action.as_str()),
        ("in.acl", "set")
    );
    assert!(entry.keys.iter().all(|key| key.name.is_none()));
    let value = |at: usize| match &entry.keys[at].pattern {
        Pattern::Value(number) => (number.value.clone(), number.form),
        other => panic!("{other:?}"),
    };
    assert_eq!(value(0), (BigInt::from(0x0a000001), Form::Ipv4));
    assert_eq!(value(1), (BigInt::from(0xaabb_cc00_11ff_u64), Form::Mac));
    let host = (BigInt::from(0xfe80) << 112) + 1;
    assert_eq!(value(2), (host, Form::Ipv6));
    assert_eq!(entry.keys[3].pattern, Pattern::Prefix(number("0x0a"), 8));
    assert_eq!(
        entry.keys[4].pattern,
        Pattern::Masked(number("1"), number("0x3"))
    );
    assert_eq!(
        entry.keys[5].pattern,
        Pattern::Range(number("80"), number("443"))
    );
    // Whether the last number is a priority only the table can say.
    let (arguments, priority) = entry.arguments(true);
    assert_eq!(arguments.len(), 1);
    assert_eq!(priority, Some((&BigInt::from(2), true)));
    let (arguments, priority) = entry.arguments(false);
    assert_eq!((arguments.len(), priority), (2, None));
}

#[test]
fn both_forms_mean_the_same() {
    let same = [
        ("setdefault t a(7)", "table_set_default t a 7"),
        ("setdefault t a(7)", "table_set_default t a => 7"),
    ];
    for (test, line) in same {
        let strip = |kind| match kind {
            CommandKind::SetDefault { table, mut action } => {
                action
                    .arguments
                    .iter_mut()
                    .for_each(|argument| argument.column = 0);
                CommandKind::SetDefault { table, action }
            }
            other => other,
        };
        assert_eq!(strip(stf_line(test)), strip(entries_line(line)), "{line}");
    }
    for line in [
        "table_add t a 1 => 2",
        "register_write r 5 0x64",
        "mc_node_create 257 8 9",
        "Mirroring_Add 5 4",
        "pvs_add s 0x0800",
    ] {
        assert_eq!(stf_line(line), entries_line(line));
    }
}

#[test]
fn other_commands_of_the_command_line() {
    let (t, index) = (String::from("t"), number("5"));
    let wanted = [
        (
            "table_delete t 0",
            CommandKind::DeleteEntry {
                table: t.clone(),
                entry: 0,
            },
        ),
        (
            "table_clear t",
            CommandKind::ClearTable { table: t.clone() },
        ),
        (
            "table_reset_default t",
            CommandKind::ResetDefault { table: t.clone() },
        ),
        (
            "register_read t",
            CommandKind::ReadRegister {
                register: t.clone(),
                index: None,
            },
        ),
        (
            "register_read t 5",
            CommandKind::ReadRegister {
                register: t.clone(),
                index: Some(index.clone()),
            },
        ),
        (
            "register_write t 5 -3",
            CommandKind::WriteRegister {
                register: t.clone(),
                index: index.clone(),
                value: number("-3"),
            },
        ),
        (
            "register_reset t",
            CommandKind::ResetRegister {
                register: t.clone(),
            },
        ),
        (
            "counter_read t 5",
            CommandKind::ReadCounter {
                counter: t.clone(),
                index: index.clone(),
            },
        ),
        (
            "counter_write t 5 1 64",
            CommandKind::WriteCounter {
                counter: t.clone(),
                index: index.clone(),
                packets: number("1"),
                bytes: number("64"),
            },
        ),
        (
            "counter_reset t",
            CommandKind::ResetCounter { counter: t.clone() },
        ),
        (
            "meter_get_rates t 5",
            CommandKind::ReadRates {
                meter: t.clone(),
                index: index.clone(),
            },
        ),
        (
            "mirroring_add_mc 8 3",
            CommandKind::AddMirror {
                session: 8,
                to: MirrorTo::Group(3),
            },
        ),
        (
            "mirroring_add 8 3",
            CommandKind::AddMirror {
                session: 8,
                to: MirrorTo::Port(3),
            },
        ),
        (
            "mirroring_delete 8",
            CommandKind::DeleteMirror { session: 8 },
        ),
        ("mirroring_get 8", CommandKind::ReadMirror { session: 8 }),
        ("mc_mgrp_create 1", CommandKind::CreateGroup { group: 1 }),
        ("mc_mgrp_destroy 1", CommandKind::DestroyGroup { group: 1 }),
        (
            "mc_node_create 4 1 2 | 3",
            CommandKind::CreateNode {
                rid: 4,
                ports: vec![1, 2],
                lags: vec![3],
            },
        ),
        (
            "mc_node_update 0",
            CommandKind::UpdateNode {
                node: 0,
                ports: vec![],
                lags: vec![],
            },
        ),
        (
            "mc_node_associate 1 0",
            CommandKind::AssociateNode { group: 1, node: 0 },
        ),
        (
            "mc_node_dissociate 1 0",
            CommandKind::DissociateNode { group: 1, node: 0 },
        ),
        ("mc_node_destroy 0", CommandKind::DestroyNode { node: 0 }),
        ("pvs_clear t", CommandKind::ClearSet { set: t.clone() }),
        (
            "pvs_remove t 5",
            CommandKind::RemoveFromSet {
                set: t.clone(),
                value: Pattern::Value(index.clone()),
            },
        ),
    ];
    for (line, kind) in wanted {
        assert_eq!(entries_line(line), kind, "{line}");
    }
    let CommandKind::ModifyEntry {
        table,
        entry,
        action,
    } = entries_line("table_modify t a 3 => 1 2")
    else {
        panic!("a change");
    };
    assert_eq!((table.as_str(), entry, action.arguments.len()), ("t", 3, 2));
    let rates = |line: &str| match entries_line(line) {
        CommandKind::SetRates { index, rates, .. } => {
            (index, rates.len(), rates[0].rate.clone(), rates[0].burst)
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(
        rates("meter_set_rates m 5 0.1:2 3:4"),
        (Some(index), 2, "0.1".into(), 2)
    );
    assert_eq!(
        rates("meter_array_set_rates m 0.1:2"),
        (None, 1, "0.1".into(), 2)
    );
}

#[test]
fn digits_say_prefixes_and_masks() {
    let length = |text: &str| number(text).prefix_length(32);
    assert_eq!(length("0xa000002"), Some(28));
    assert_eq!(length("0x0a000002"), Some(32));
    assert_eq!(length("0x0a01****"), Some(16));
    assert_eq!(length("0x********"), Some(0));
    assert_eq!(length("0b1010"), Some(4));
    assert_eq!(length("0b10*"), Some(2));
    assert_eq!(length("0o777"), Some(9));
    assert_eq!(length("10"), Some(32));
    assert_eq!(length("10.0.0.1"), Some(32));
    assert_eq!(length("0x0*00"), None);
    assert_eq!(length("0x000000000"), None);
    assert_eq!(number("00:00:00:00:00:01").prefix_length(48), Some(48));
    let mask = |text: &str| number(text).mask(16);
    assert_eq!(mask("0x1*f*"), BigInt::from(0xf0f0));
    assert_eq!(mask("0x1"), BigInt::from(0xf));
    assert_eq!(mask("0b1*1"), BigInt::from(0b101));
    assert_eq!(mask("1"), BigInt::from(0xffff));
    assert_eq!(mask("0x12345"), BigInt::from(0xffff));
}

#[test]
fn names_by_their_ends() {
    let names = ["in.a", "in.b", "eg.b", "b.c", "eg.xb"];
    assert_eq!(named("a", names), Ok("in.a"));
    assert_eq!(named("in.b", names), Ok("in.b"));
    assert_eq!(named("b", names), Err(2));
    assert_eq!(named("d", names), Err(0));
    // The same name is meant before a longer one.
    assert_eq!(named("b", ["b", "in.b"]), Ok("b"));
}

#[test]
fn all_errors_at_once() {
    let text = "packet 1 0\nwait\nexpect x 00\nfoo 1\n";
    let wanted = [
        "1:10 a byte has two digits, and the packet has 1",
        "3:8 a port is expected, and there is `x`",
        "4:1 `foo` is no command",
    ];
    assert_eq!(errors(stf::read, text), wanted);
    let help = |text| stf::read("a", text).unwrap_err().remove(0).help.unwrap();
    assert!(
        help("pakcet 1 00").starts_with("did you mean packet? "),
        "{}",
        help("pakcet 1 00")
    );
    assert!(
        help("add t").contains("add TABLE [PRIORITY]"),
        "{}",
        help("add t")
    );
    let many = "foo\n".repeat(1000);
    assert_eq!(errors(stf::read, &many).len(), 100);
}

#[test]
fn wrong_tests() {
    for (text, wanted) in [
        ("packet", "1:7 the port is missing"),
        ("packet 1", "1:9 a packet has at least one byte"),
        ("packet -1 00", "1:8 a port is expected, and there is `-1`"),
        ("packet +1 00", "1:8 a port is expected, and there is `+1`"),
        (
            "packet 99999999999 00",
            "1:8 a port is expected, and there is `99999999999`",
        ),
        ("packet 1 0g", "1:11 a packet has no `g`"),
        ("packet 1 0*", "1:11 a packet has no `*`"),
        ("packet 1 00$", "1:12 a packet has no `$`"),
        ("expect 1 00 $ 00", "1:15 nothing can follow `$`"),
        ("expect 1 00 é", "1:13 a packet has no `é`"),
        (
            "wait 3",
            "1:6 a time is a number with its unit (5ms), not `3`",
        ),
        (
            "wait 3ms 4",
            "1:10 the end of the line is expected, and there is `4`",
        ),
        (
            "no_idle t",
            "1:9 the end of the line is expected, and there is `t`",
        ),
        ("expect_idle t", "1:14 `(` is expected, and the line ends"),
        (
            "set_timeout t($a)",
            "1:18 a time is expected, and the line ends",
        ),
        ("remove", "1:7 `all` is expected, and the line ends"),
        ("remove t", "1:8 `all` is expected, and there is `t`"),
        ("add", "1:4 a table is expected, and the line ends"),
        ("add t", "1:6 an action is expected, and the line ends"),
        ("add t k:1", "1:10 an action is expected, and the line ends"),
        (
            "add t k: a()",
            "1:10 a number is expected (10, 0x0a, 0b1010), and there is `a`",
        ),
        (
            "add t k:\"1\" a()",
            "1:9 a value is expected, and there is `\"1\"`",
        ),
        (
            "add t k:1 a(",
            "1:13 a number is expected, and the line ends",
        ),
        ("add t k:1 a(x:1", "1:16 `)` is expected, and the line ends"),
        (
            "add t k:1 a(x:1,)",
            "1:17 a number is expected, and there is `)`",
        ),
        (
            "add t k:1 a(x:1, 2)",
            "1:18 some of the arguments have a name, and this one differs from them",
        ),
        (
            "add t k:1 a(x:0x1*)",
            "1:15 `*` cannot stand in `0x1*` here",
        ),
        (
            "add t k:1 a() =",
            "1:16 a label is expected, and the line ends",
        ),
        (
            "add t k:1 a() b()",
            "1:15 the end of the line is expected, and there is `b`",
        ),
        (
            "add t 1 2 a()",
            "1:11 the end of the line is expected, and there is `a`",
        ),
        (
            "add t k:5->1 a()",
            "1:9 the range `5->1` ends before it begins",
        ),
        ("add t k:0x1*/4 a()", "1:9 `*` cannot stand in `0x1*` here"),
        (
            "add t k:1/x a()",
            "1:9 a prefix's length is a number up to 16384, not `x`",
        ),
        (
            "add t k:1/-1 a()",
            "1:9 a prefix's length is a number up to 16384, not `-1`",
        ),
        ("add \"t k:1 a()", "1:5 a name between quotes does not end"),
        (
            "add \"\" a()",
            "1:5 a table is expected, and there is `\"\"`",
        ),
        (
            "setdefault t",
            "1:13 an action is expected, and the line ends",
        ),
        ("check_counter c", "1:16 `(` is expected, and the line ends"),
        (
            "check_counter c()",
            "1:17 a number is expected, and there is `)`",
        ),
        (
            "check_counter c(1) packets",
            "1:27 a comparison is expected, and the line ends",
        ),
        (
            "check_counter c(1) foo == 1",
            "1:20 `packets` or `bytes` is expected, and there is `foo`",
        ),
        (
            "check_counter c(1) packets = 1",
            "1:28 a comparison is expected, and there is `=`",
        ),
        ("register_write r 1", "1:19 the value is missing"),
        ("\tpacket 1 0g", "1:12 a packet has no `g`"),
    ] {
        assert_eq!(stf_error(text), wanted, "{text}");
    }
}

#[test]
fn wrong_entries() {
    let most = u32::MAX;
    for (text, wanted) in [
        ("packet 1 00", "1:1 `packet` is no command".to_owned()),
        ("table_add", "1:10 the table is missing".into()),
        ("table_add t", "1:12 the action is missing".into()),
        (
            "table_add t => 1",
            "1:13 the action is expected, and there is `=>`".into(),
        ),
        ("table_add t a 1", "1:16 a key or `=>` is missing".into()),
        (
            "table_add t a 0x => 1",
            "1:15 a number is expected (10, 0x0a, 0b1010), and there is `0x`".into(),
        ),
        (
            "table_add t a 1.2.3 =>",
            "1:15 a number is expected (10, 0x0a, 0b1010), and there is `1.2.3`".into(),
        ),
        (
            "table_add t a aa:bb:cc:dd:ee:f =>",
            "1:15 a number is expected (10, 0x0a, 0b1010), and there is `aa:bb:cc:dd:ee:f`".into(),
        ),
        (
            "table_add t a 1&&&0x* =>",
            "1:15 `*` cannot stand in `0x*` here".into(),
        ),
        (
            "table_add t a 1 => => 1",
            "1:20 a number is expected (10, 0x0a, 0b1010), and there is `=>`".into(),
        ),
        (
            "table_add t a 1 => 0x1*",
            "1:20 an argument has no `*`".into(),
        ),
        (
            "table_delete t -1",
            format!("1:16 the entry is a number up to {most}, not `-1`"),
        ),
        (
            "table_delete t 4294967296",
            format!("1:16 the entry is a number up to {most}, not `4294967296`"),
        ),
        ("table_clear t u", "1:15 `u` is one word too much".into()),
        ("meter_set_rates m 1", "1:20 a rate is missing".into()),
        (
            "meter_set_rates m 1 inf:1",
            "1:21 a rate and a burst are expected (0.00002:5), and there is `inf:1`".into(),
        ),
        (
            "meter_set_rates m 1 1:x",
            "1:21 a rate and a burst are expected (0.00002:5), and there is `1:x`".into(),
        ),
        (
            "mc_node_create 1 | x",
            format!("1:20 a group of ports is a number up to {most}, not `x`"),
        ),
        ("pvs_add s", "1:10 the value is missing".into()),
    ] {
        assert_eq!(entries_error(text), wanted, "{text}");
    }
}

#[test]
fn a_number_without_end_is_told_shortly() {
    let digits = "1".repeat(100_000);
    for text in [
        format!("add t k:{digits} a()"),
        format!("add t k:0x{digits} a()"),
    ] {
        let error = stf_error(&text);
        assert!(
            error.len() < 150 && error.contains("of at most 4096 digits"),
            "{error}"
        );
    }
}

/// Lines that are right, changed at random: whatever comes of them, it has a place, and nothing panics.
#[test]
fn lines_that_were_changed() {
    let lines = [
        "packet 3 0a 0B0c  # to port 3",
        "expect 511 0a*b c* $",
        "add acl 10 x$3.f:0x0a** \"a.$valid$\":0b1 c:10.0.1.0/24 d:1->0x5 e:3&&&0x7 set(port:2,x:-1) = A",
        "check_counter in.c($A) packets >= 0x10",
        "table_add in.acl set 10.0.0.1 aa:bb:cc:00:11:FF fe80::1 0x0a/8 1&&&0x3 80->443 => 7 2",
        "meter_set_rates m 5 0.1:2 3:4",
        "mc_node_create 4 1 2 | 3",
        "setdefault t a(7)",
    ];
    let alphabet: Vec<char> = "09afx*$:.,()[]\"'#=<>!&-/| \t\néß_\u{0}\u{feff}"
        .chars()
        .collect();
    let mut random = Random::new(7);
    let (mut right, mut wrong) = (0, 0);
    for _ in 0..20_000 {
        let line = lines[random.below(lines.len() as u64) as usize];
        let mut characters: Vec<char> = line.chars().collect();
        for _ in 0..=random.below(3) {
            let at = random.below(characters.len() as u64) as usize;
            let new = alphabet[random.below(alphabet.len() as u64) as usize];
            match random.below(4) {
                0 => characters.insert(at, new),
                1 => characters.truncate(at + 1),
                2 => characters.swap(0, at),
                _ => characters[at] = new,
            }
        }
        let text: String = characters.into_iter().collect();
        for read in [stf::read, entries::read] {
            match read("a", &text) {
                Ok(_) => right += 1,
                Err(errors) => {
                    wrong += 1;
                    for error in errors {
                        let place = error.place.as_ref().expect("they have one");
                        let line = text
                            .lines()
                            .nth(place.line as usize - 1)
                            .expect("it is there");
                        let last = line.chars().count() as u32 + 1;
                        assert!((1..=last).contains(&place.column), "{text:?}: {error}");
                    }
                }
            }
        }
    }
    assert!(right > 1000 && wrong > 1000, "{right} right, {wrong} wrong");
}
