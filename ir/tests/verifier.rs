//! Every rule of the IR, broken once or more.

use cranelift_entity::EntityRef;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::parse::parse;
use hardpath_ir::verifier::verify;
use hardpath_ir::{Bits, Block, Inst, MapId, Op, PlaceId, Program, Value, ValueDef};

const GOOD: &str = r#"program "good" control-flow
output "verdict" 32
map @a array key 4 value 8 entries 4
map @h exact key 2 value 4 entries 16
place0 slot 3 file "good.c" line 9 source "x = y;"
block0:
    v0:32 = const 1
    v1:1 = const 1
    v2:16 = input length
    branch v1, block1(v0), block2
block1(v3:32):
    v4:32 = add v3, v0 at place0
    jump block3(v4)
block2:
    v5:1, v6:32 = map.lookup @h v2
    jump block3(v6)
block3(v7:32):
    v8:1 = const 1
    emit v8 with v7
"#;

fn good() -> Program {
    let program = parse(GOOD).unwrap();
    assert_eq!(verify(&program), Ok(()));
    program
}

/// The errors of a program, as `rule, place: message`.
fn errors(program: &Program) -> Vec<String> {
    match verify(program) {
        Ok(()) => Vec::new(),
        Err(errors) => errors
            .iter()
            .map(|error| format!("{}, {}: {}", error.rule, error.place, error.message))
            .collect(),
    }
}

/// The errors of the good program after a change.
fn broken(change: impl Fn(&mut Program)) -> Vec<String> {
    let mut program = good();
    change(&mut program);
    errors(&program)
}

/// What stands behind a program's name: its phase, with an output of 32 bits, or a wide one of 64.
fn header(phase: &str) -> String {
    match phase.strip_prefix("wide ") {
        Some(phase) => format!("{phase}\nlimits shortest 0\noutput \"verdict\" 64"),
        None => format!("{phase}\noutput \"verdict\" 32"),
    }
}

/// The errors of a text; `header` is what stands behind the program's name.
fn text_errors(header: &str, body: &str) -> Vec<String> {
    errors(&parse(&format!("program \"p\" {}\n{body}", self::header(header))).unwrap())
}

/// The errors of one instruction whose arguments are `vN`, N bits wide, and maps `@a`, `@h` and `@d`.
fn inst_errors(inst: &str) -> Vec<String> {
    let mut body = String::from(
        "map @a array key 4 value 8 entries 4\nmap @h exact key 2 value 4 entries 16\n\
         map @d slots key 4 value 4 entries 4\nblock0:\n",
    );
    for width in [1, 2, 7, 8, 16, 32, 64, 96] {
        body.push_str(&format!("v{width}:{width} = const 1\n"));
    }
    body.push_str(&format!("{inst}\nv9001:1 = const 1\nemit v9001 with v32\n"));
    let prefix = format!("block0, `{inst}`: ");
    let shown = text_errors("dataflow", &body);
    shown
        .iter()
        .map(|error| error.replace(&prefix, ""))
        .collect()
}

#[test]
fn rule_1_what_is_referred_to_exists() {
    let inst = |program: &Program| program.blocks[program.order[1]].insts[0];
    assert_eq!(
        broken(|program| program.order.push(Block::new(9))),
        ["1, order: block9 does not exist"]
    );
    assert_eq!(
        broken(|program| {
            let entry = program.order[0];
            program.blocks[entry].insts.push(Inst::new(99));
        }),
        ["1, block0: inst99 does not exist"]
    );
    assert_eq!(
        broken(|program| {
            let inst = inst(program);
            program.insts[inst].args[1] = Value::new(77);
            program.insts[inst].place = Some(PlaceId::new(5));
        }),
        [
            "1, block1, `v4:32 = add v3, v77 at place5` (place5): v77 does not exist",
            "1, block1, `v4:32 = add v3, v77 at place5` (place5): place5 does not exist"
        ]
    );
    assert_eq!(
        broken(|program| {
            let inst = inst(program);
            program.insts[inst].op = Op::MapDelete(MapId::new(4));
            program.insts[inst].place = None;
        }),
        ["1, block1, `v4:32 = map.delete @?map4 v3, v0`: map4 does not exist"]
    );
    assert_eq!(
        broken(|program| {
            program.order.remove(2);
        }),
        ["1, end of block0: block2 is not in the order"]
    );
    assert_eq!(
        broken(|program| program.blocks[Block::new(3)].params[0] = Value::new(50)),
        ["1, block3: v50 does not exist"]
    );
}

#[test]
fn rule_2_everything_has_one_place() {
    assert_eq!(
        broken(|program| program.order.clear()),
        ["2, order: there is no block"]
    );
    assert_eq!(
        broken(|program| program.order.push(Block::new(3))),
        ["2, order: block3 is named twice"]
    );
    assert_eq!(
        broken(|program| {
            let inst = program.blocks[Block::new(0)].insts[0];
            program.blocks[Block::new(3)].insts.push(inst);
        }),
        ["2, block3, `v0:32 = const 0x1`: inst0 has a place in a block already"]
    );
}

#[test]
fn rule_3_values() {
    let widths = broken(|program| program.values[Value::new(3)].width = 0);
    assert_eq!(
        widths[0],
        "3, block1: v3 has a width of 0 bits, which is not between 1 and 1048576"
    );
    assert_eq!(
        broken(|program| {
            program.values[Value::new(4)].def = ValueDef::Param(Block::new(3), 0);
            program.insts[Inst::new(3)].place = None;
        }),
        [
            "3, block1, `v4:32 = add v3, v0`: v4 says that it is defined as Param(block3, 0), \
             not Result(inst3, 0)"
        ]
    );
}

#[test]
fn rule_4_maps() {
    let entry = "block0:\nv0:32 = const 0\nv9002:1 = const 1\nemit v9002 with v0\n";
    let map = |text: &str| text_errors("dataflow", &format!("map {text}\n{entry}"));
    assert_eq!(
        map("@\"\" exact key 1 value 1 entries 1"),
        ["4, map : the map has no name"]
    );
    assert_eq!(
        map("@m exact key 0 value 0 entries 0"),
        [
            "4, map m: the key size is 0",
            "4, map m: the value size is 0",
            "4, map m: the number of entries is 0"
        ]
    );
    assert_eq!(
        map("@m exact key 1 value 65536 entries 65537"),
        ["4, map m: the values have 4295032832 bytes together, more than 4294967296"]
    );
    for kind in ["array", "slots"] {
        assert_eq!(
            map(&format!("@m {kind} key 8 value 4 entries 1")),
            ["4, map m: an index has 4 bytes, the key 8"]
        );
    }
    for bytes in [4, 261] {
        assert_eq!(
            map(&format!("@m prefix key {bytes} value 4 entries 1")),
            [format!(
                "4, map m: a key with a prefix has 5 to 260 bytes, not {bytes}"
            )]
        );
    }
    assert_eq!(
        map("@m slots key 4 value 3 entries 1"),
        ["4, map m: whether a slot is set is in the first 4 bytes of its value"]
    );
    assert_eq!(
        map("@m prefix key 8 value 4 entries 1 forgets"),
        ["4, map m: only a table of exact keys forgets"]
    );
    let fields = |text: &str| {
        map(&format!(
            "@m ternary key 4 value 4 entries 1 fields \"{text}\""
        ))
    };
    assert!(fields("exact 20, range 9").is_empty());
    assert_eq!(
        fields("exact 20, range 13"),
        ["4, map m: the fields have 33 bits, which do not make a key of 4 bytes"]
    );
    assert_eq!(
        fields("exact 32, range 0"),
        ["4, map m: a field has no bits"]
    );
    assert_eq!(
        map("@m exact key 4 value 4 entries 1 fields \"exact 32\""),
        ["4, map m: only a ternary table has fields"]
    );
    for text in ["array key 4", "exact key 4", "exact key 8"] {
        let errors = map(&format!("@m {text} value 4 entries 1 broadcast"));
        assert!(errors[0].contains("packets are broadcast through slots"));
    }
    assert!(map("@m slots key 4 value 4 entries 1 broadcast").is_empty());
    assert!(map("@m exact key 4 value 4 entries 1 host-only broadcast").is_empty());
    assert_eq!(
        map("@m array key 4 value 1 entries 2 initial \"00\""),
        ["4, map m: only an array of one entry has an initial value"]
    );
    assert_eq!(
        map("@m array key 4 value 2 entries 1 initial \"00\""),
        ["4, map m: the initial value has 1 bytes, the value 2"]
    );
    assert_eq!(
        broken(|program| program.maps[MapId::new(1)].name = String::from("a")),
        ["4, map a: two maps have this name"]
    );
}

#[test]
fn rule_5_control_flow_goes_forward() {
    assert_eq!(
        text_errors("control-flow", "block0:\nv0:32 = const 0\n"),
        ["5, end of block0: the block has no terminator"]
    );
    assert_eq!(
        text_errors(
            "control-flow",
            "block0:\njump block1\nblock1:\njump block1\n"
        ),
        ["5, end of block1: it goes to block1, which does not come later"]
    );
    assert_eq!(
        broken(|program| program.order.swap(1, 3)),
        [
            "5, end of block2: it goes to block3, which does not come later",
            "5, end of block1: it goes to block3, which does not come later"
        ]
    );
    assert_eq!(
        text_errors(
            "control-flow",
            "block0(v0:32):\nv9003:1 = const 1\nemit v9003 with v0\n"
        ),
        ["5, block0: the entry has parameters"]
    );
}

#[test]
fn rule_6_terminators() {
    let body = "block0:\nv0:32 = const 0\nv1:8 = const 0\n";
    let end = |header: &str, end: &str| {
        let end = end.replace("; ", "\n");
        text_errors(header, &format!("{body}{end}\n"))
    };
    assert_eq!(
        end(
            "control-flow",
            "branch v0, block1, block1; block1:; v9004:1 = const 1; emit v9004 with v0"
        ),
        ["6, end of block0: the condition, v0, has a width of 32, not of 1"]
    );
    assert_eq!(
        end(
            "control-flow",
            "jump block1(v0, v1); block1(v2:32):; v9005:1 = const 1; emit v9005 with v2"
        ),
        ["6, end of block0: block1 gets 2 arguments, it has 1 parameters"]
    );
    assert_eq!(
        end(
            "control-flow",
            "jump block1(v1); block1(v2:32):; v9006:1 = const 1; emit v9006 with v2"
        ),
        ["6, end of block0: the argument for v2 of block1, v1, has a width of 8, not of 32"]
    );
}

#[test]
fn rule_16_limits_and_outputs() {
    let end = "block0:\nv0:1 = const 1\n";
    let shown =
        |edges: &str, emit: &str| text_errors("dataflow", &format!("{edges}\n{end}{emit}\n"));
    let whole = "v1:32 = const 0\nemit v0 with v1";
    assert_eq!(
        shown(
            "limits shortest 65 longest 64 headroom 16385 stack 4097",
            whole
        ),
        [
            "16, order: the shortest packet has 65 bytes, the most is 64",
            "16, order: the headroom has 16385 bytes, the most is 16384",
            "16, order: the stack has 4097 bytes, the most is 4096",
        ]
    );
    let two = "v1:32 = const 0\nv2:65 = const 0\nemit v0 with v1, v2";
    assert_eq!(
        shown("output \"Some\" 65", two),
        [
            "16, order: an output cannot be called `Some`",
            "16, order: output `Some` has 65 bits, not 1 to 64",
        ]
    );
    let named = "v1:32 = const 0\nv2:1 = const 0\nemit v0 with v1, v2";
    assert_eq!(
        shown("output \"some\" 1 values \"a\", \"b\", \"c\"", named),
        ["16, order: output `some` names more values than it can have"]
    );
}

#[test]
fn rule_17_emit() {
    let body = "limits headroom 20\nmap @m exact key 4 value 4 entries 4\nblock0:\nv0:1 = const 1\nv1:8 = const 0\n\
                v2:32 = const 0\nv3:16 = const 0\nv4:9 = const 0\n";
    let shown = |emit: &str| text_errors("dataflow", &format!("{body}{emit}\n"));
    assert_eq!(
        shown("emit v0 with v1"),
        ["17, end of block0: the output, v1, has a width of 8, not of 32"]
    );
    assert_eq!(
        shown("emit v0"),
        ["17, end of block0: it gives 0 outputs, the program has 1"]
    );
    assert_eq!(
        shown("emit v1 to v1, v1 with v2"),
        [
            "17, end of block0: the condition, v1, has a width of 8, not of 1",
            "17, end of block0: the class, v1, has a width of 8, not of 2",
            "17, end of block0: the index, v1, has a width of 8, not of 32",
        ]
    );
    assert_eq!(
        shown("emit v0 with v2 from v3 end v2 zeros v3 front v4 length v3"),
        [
            "17, end of block0: the offset, v2, has a width of 32, not of 16",
            "17, end of block0: the front is not whole bytes",
        ]
    );
    assert_eq!(
        shown("emit v0 with v2 each @m if v0 not-back v0"),
        ["17, end of block0: `each` names a table that nothing is broadcast to"]
    );
    assert_eq!(
        shown("emit v0 with v2 copy if v0"),
        ["17, end of block0: it gives 0 outputs, the program has 1"]
    );
}

#[test]
fn rule_7_definitions_dominate_uses() {
    assert_eq!(
        text_errors(
            "dataflow",
            "block0:\nv1:32 = not v0\nv0:32 = const 0\nv9009:1 = const 1\nemit v9009 with v0\n"
        ),
        ["7, block0, `v1:32 = not v0`: v0 is defined later in the block"]
    );
    let not_every_path = "which not every path to here goes through";
    assert_eq!(
        broken(|program| {
            let join = Block::new(3);
            program.append(join, Op::Not, vec![Value::new(4)], &[32], None);
        }),
        [format!(
            "7, block3, `v9:32 = not v4`: v4 is defined in block1, {not_every_path}"
        )]
    );
    assert_eq!(
        broken(|program| {
            let sibling = Block::new(2);
            program.append(sibling, Op::Not, vec![Value::new(3)], &[32], None);
        }),
        [format!(
            "7, block2, `v9:32 = not v3`: v3 is defined in block1, {not_every_path}"
        )]
    );
    assert_eq!(
        broken(|program| {
            let inst = program.make_inst(Op::Not, vec![Value::new(0)], &[32], None);
            let dead = program.insts[inst].results[0];
            program.append(Block::new(3), Op::Not, vec![dead], &[32], None);
        }),
        ["7, block3, `v10:32 = not v9`: v9 is dead: no live instruction defines it"]
    );
    // A block that nothing reaches is no path.
    let unreachable =
        "block0:\nv0:32 = const 0\njump block2\nblock1:\njump block2\nblock2:\nv9010:1 = const 1\nemit v9010 with v0\n";
    assert_eq!(text_errors("control-flow", unreachable), [""; 0]);
    // A value that comes from a block through which all paths go, over two joins.
    let nested = "block0:\nv0:1 = const 0\nv9:32 = const 0\njump block1\nblock1:\nv1:32 = const 0\n\
                  branch v0, block2, block3\nblock2:\nbranch v0, block4, block5\nblock3:\njump block6\n\
                  block4:\njump block5\nblock5:\njump block6\nblock6:\nv9011:1 = const 1\nemit v9011 with v1\n";
    assert_eq!(text_errors("control-flow", nested), [""; 0]);
    let skipping = nested.replace("jump block1\n", "branch v0, block1, block6\n");
    assert_eq!(
        text_errors("control-flow", &skipping),
        [format!(
            "7, end of block6: v1 is defined in block1, {not_every_path}"
        )]
    );
}

#[test]
fn rule_8_control_flow_has_no_guards_and_stages() {
    let body = "block0:\nv0:32 = const 0\nv1:1 = const 0\nv2:64 = const 0\n\
                v3:8 = packet.load v2 if v1 stage 0\nv9012:1 = const 1\nemit v9012 with v0\n";
    let inst = "block0, `v3:8 = packet.load v2 if v1 stage 0`";
    assert_eq!(
        text_errors("control-flow", body),
        [
            format!("8, {inst}: control flow has no guards"),
            format!("8, {inst}: control flow has no stages")
        ]
    );
}

#[test]
fn rule_9_dataflow_is_one_block_of_guarded_effects() {
    assert_eq!(
        text_errors(
            "dataflow",
            "block0:\nv0:32 = const 0\nv1:64 = const 0\npacket.clear v1\nv9013:1 = const 1\nemit v9013 with v0\n"
        ),
        ["9, block0, `packet.clear v1`: the packet is cleared"]
    );
    assert_eq!(
        text_errors(
            "dataflow",
            "block0:\nv0:32 = const 0\njump block1\nblock1:\nv9014:1 = const 1\nemit v9014 with v0\n"
        ),
        [
            "9, order: there is more than one block",
            "9, end of block0: the block does not end with emit"
        ]
    );
    assert_eq!(
        inst_errors("v100:8 = not v8 if v1"),
        ["9, only an effect has a guard"]
    );
    assert_eq!(
        inst_errors("v100:8 = packet.load v64 if v8"),
        ["9, the guard, v8, has a width of 8, not of 1"]
    );
}

#[test]
fn rule_10_stages() {
    assert_eq!(
        inst_errors("v100:8 = packet.load v64 stage 2"),
        ["10, dataflow has no stages"]
    );
    let body = |last: &str| {
        format!(
            "block0:\nv0:64 = const 0 stage 2\nv1:1 = const 0 stage 3\nv2:32 = const 0 stage 0\n\
             {last}\nv9015:1 = const 1 stage 0\nemit v9015 with v2\n"
        )
    };
    let scheduled = |last: &str| text_errors("scheduled", &body(last));
    assert_eq!(scheduled("v3:64 = not v0 stage 2"), [""; 0]);
    assert_eq!(
        scheduled("v3:64 = not v0"),
        ["10, block0, `v3:64 = not v0`: the instruction has no stage"]
    );
    assert_eq!(
        scheduled("v3:64 = not v0 stage 1"),
        ["10, block0, `v3:64 = not v0 stage 1`: stage 1 uses v0, which stage 2 makes"]
    );
    assert_eq!(
        scheduled("v3:8 = packet.load v0 if v1 stage 2"),
        ["10, block0, `v3:8 = packet.load v0 if v1 stage 2`: stage 2 uses v1, which stage 3 makes"]
    );
}

#[test]
fn rule_11_numbers_of_arguments_and_results() {
    let cases = [
        ("v100:8 = add v8", "there are 1 arguments, not 2"),
        ("v100:8 = not v8, v8", "there are 2 arguments, not 1"),
        ("v100:8 = concat", "there is no argument"),
        ("v100:8 = select v1, v8", "there are 2 arguments, not 3"),
        ("v100:8, v101:8 = not v8", "there are 2 results, not 1"),
        ("v100:1 = map.lookup @h v16", "there are 1 results, not 2"),
        ("v100:8 = stack.store v64, v8", "there are 1 results, not 0"),
        (
            "v100:64 = map.atomic cmpxchg @a v32, v32, v64",
            "there are 3 arguments, not 4",
        ),
        (
            "v100:64 = map.atomic xchg @a v32, v32, v64, v64",
            "there are 4 arguments, not 3",
        ),
        ("packet.load v64", "there are 0 results, not 1"),
    ];
    for (inst, message) in cases {
        assert_eq!(inst_errors(inst), [format!("11, {message}")], "{inst}");
    }
}

#[test]
fn rule_11_widths() {
    let cases = [
        (
            "v100:8 = input random",
            "the result has a width of 8, not of 32",
        ),
        (
            "v100:16 = input time",
            "the result has a width of 16, not of 64",
        ),
        (
            "v100:8 = add v8, v7",
            "argument 2 has a width of 7, not of 8",
        ),
        (
            "v100:8 = sdiv v7, v8",
            "argument 1 has a width of 7, not of 8",
        ),
        (
            "v100:8 = xor v8, v7",
            "argument 2 has a width of 7, not of 8",
        ),
        ("v100:8 = not v7", "argument 1 has a width of 7, not of 8"),
        (
            "v100:8 = shl v7, v64",
            "argument 1 has a width of 7, not of 8",
        ),
        (
            "v100:8 = eq v8, v8",
            "the result has a width of 8, not of 1",
        ),
        (
            "v100:1 = slt v8, v7",
            "argument 2 has a width of 7, not of 8",
        ),
        (
            "v100:8 = select v7, v8, v8",
            "argument 1 has a width of 7, not of 1",
        ),
        (
            "v100:8 = select v1, v7, v8",
            "argument 2 has a width of 7, not of 8",
        ),
        (
            "v100:8 = select v1, v8, v7",
            "argument 3 has a width of 7, not of 8",
        ),
        (
            "v100:8 = slice v8, 1",
            "bits 1 to 8 are not all inside the argument, which has 8",
        ),
        (
            "v100:8 = slice v8, 4294967295",
            "bits 4294967295 to 4294967302 are not all inside the argument, which has 8",
        ),
        (
            "v100:8 = concat v1, v8",
            "the arguments have 9 bits together, the result 8",
        ),
        (
            "v100:7 = zext v8",
            "the result has 7 bits, fewer than the argument's 8",
        ),
        (
            "v100:7 = sext v8",
            "the result has 7 bits, fewer than the argument's 8",
        ),
        (
            "v100:8 = stack.load v32",
            "the offset has a width of 32, not of 64",
        ),
        (
            "v100:7 = packet.load v64",
            "the result has 7 bits, which are no whole bytes",
        ),
        (
            "stack.store v64, v7",
            "the value has 7 bits, which are no whole bytes",
        ),
        (
            "packet.store v32, v8",
            "the offset has a width of 32, not of 64",
        ),
        (
            "v100:1, v101:32 = map.lookup @h v32",
            "the key has a width of 32, the map's has 2 bytes",
        ),
        (
            "v100:8, v101:32 = map.lookup @h v16",
            "the hit has a width of 8, not of 1",
        ),
        (
            "v100:1, v101:16 = map.lookup @h v16",
            "the entry has a width of 16, not of 32",
        ),
        (
            "v100:8 = map.load @h v16, v32",
            "the entry has a width of 16, not of 32",
        ),
        (
            "v100:8 = map.load @h v32, v64",
            "the offset has a width of 64, not of 32",
        ),
        (
            "v100:7 = map.load @h v32, v32",
            "the result has 7 bits, which are no whole bytes",
        ),
        (
            "map.store @h v32, v32, v7",
            "the value has 7 bits, which are no whole bytes",
        ),
        (
            "v100:16 = map.atomic add @a v32, v32, v16",
            "an atomic has 32 or 64 bits (RFC 9669 section 5.3), not 16",
        ),
        (
            "v100:64 = map.atomic add @a v32, v32, v32",
            "the operand has a width of 32, not of 64",
        ),
        (
            "v100:3 = map.update @h v16, v16, v2",
            "the value has a width of 16, the map's has 4 bytes",
        ),
        (
            "v100:3 = map.update @h v16, v32, v32",
            "what it may do has a width of 32, not of 2",
        ),
        (
            "v100:32 = map.update @h v16, v32, v2",
            "the answer has a width of 32, not of 3",
        ),
        (
            "v100:32 = map.delete @h v16",
            "the answer has a width of 32, not of 3",
        ),
        (
            "v100:3 = map.delete @h v8",
            "the key has a width of 8, the map's has 2 bytes",
        ),
    ];
    for (inst, message) in cases {
        assert_eq!(inst_errors(inst), [format!("11, {message}")], "{inst}");
    }
    assert_eq!(
        broken(|program| program.insts[Inst::new(1)].op = Op::Const(Bits::zero(2))),
        ["11, block0, `v1:1 = const 0x0`: the constant has a width of 2, not of 1"]
    );
}

#[test]
fn rule_12_what_only_the_host_writes_is_only_read() {
    for inst in [
        "map.store @d v32, v32, v32",
        "v100:32 = map.atomic add @d v32, v32, v32",
        "v100:3 = map.update @d v32, v32, v2",
        "v100:3 = map.delete @d v32",
    ] {
        assert_eq!(inst_errors(inst), ["12, only the host writes the map d"]);
    }
    assert_eq!(inst_errors("v100:1, v101:32 = map.lookup @d v32"), [""; 0]);
}

#[test]
fn an_error_is_a_diagnostic_with_the_source_line() {
    let mut program = good();
    program.values[Value::new(4)].width = 33;
    let errors = verify(&program).unwrap_err();
    assert_eq!(errors.len(), 3, "{errors:?}");
    assert_eq!(
        Diagnostic::from(errors[1].clone()).to_string(),
        "error[invalid-ir]: argument 1 has a width of 32, not of 33 (rule 11 of the IR)\n  \
         --> block1, `v4:33 = add v3, v0 at place0` (good.c:9: x = y;)"
    );
}
