//! What programs do: every operation, control flow, guards, memory and maps.

use hardpath_ir::interpreter::{run, Prepared};
use hardpath_ir::maps::Maps;
use hardpath_ir::parse::parse;
use hardpath_ir::verifier::verify;
use hardpath_ir::{Answer, May, Program, Value};
use hardpath_packet::{Class, Fate, Sideband};

/// What stands behind a program's name: its phase, with an output of 32 bits, or a wide one of 64.
fn header(phase: &str) -> String {
    match phase.strip_prefix("wide ") {
        Some(phase) => format!("{phase}\nlimits shortest 0\noutput \"verdict\" 64"),
        None => format!("{phase}\noutput \"verdict\" 32"),
    }
}

/// A program in text form, verified; `body` starts behind the first line.
fn program(header: &str, body: &str) -> Program {
    let program = parse(&format!(
        "program \"test\" {}\n{body}",
        self::header(header)
    ))
    .unwrap();
    assert_eq!(verify(&program), Ok(()), "{body}");
    program
}

fn run_fresh(program: &Program, packet: &[u8]) -> Fate {
    let mut maps = Maps::new(&program.maps);
    run(program, &mut maps, packet, &Sideband::default())
}

/// What `v100` is after instructions on the constants `a` and `b` (`va` and `vb` in the text).
fn computed(width: u32, a: u64, b: u64, inst: &str) -> String {
    let inst = inst.replace("va", "v1").replace("vb", "v2");
    let program = program(
        "wide dataflow",
        &format!(
            "block0:\nv0:64 = const 0\nv1:{width} = const {a}\nv2:{width} = const {b}\n\
             v3:32 = const 0\nv4:1 = const 1\nv5:1 = const 0\n{inst}\nv9000:1 = const 1\nemit v9000 with v0\n"
        ),
    );
    let mut prepared = Prepared::new(&program);
    let mut maps = Maps::new(&program.maps);
    prepared.run(&mut maps, &[], &Sideband::default());
    let result = program.values.keys().find(|v| v.as_u32() == 100);
    prepared.value(result.unwrap()).unwrap().to_string()
}

#[test]
fn pure_operations() {
    let cases = [
        (8, 200, 100, "v100:8 = add va, vb", "0x2c:8"),
        (8, 1, 2, "v100:8 = sub va, vb", "0xff:8"),
        (8, 20, 13, "v100:8 = mul va, vb", "0x4:8"),
        (8, 200, 7, "v100:8 = udiv va, vb", "0x1c:8"),
        (8, 200, 0, "v100:8 = udiv va, vb", "0x0:8"),
        (8, 200, 7, "v100:8 = urem va, vb", "0x4:8"),
        (8, 200, 0, "v100:8 = urem va, vb", "0xc8:8"),
        (8, 0xf3, 4, "v100:8 = sdiv va, vb", "0xfd:8"),
        (8, 0x80, 0xff, "v100:8 = sdiv va, vb", "0x80:8"),
        (8, 0xf3, 0, "v100:8 = sdiv va, vb", "0x0:8"),
        (8, 0xf3, 4, "v100:8 = srem va, vb", "0xff:8"),
        (8, 0x80, 0xff, "v100:8 = srem va, vb", "0x0:8"),
        (8, 0xf3, 0, "v100:8 = srem va, vb", "0xf3:8"),
        (8, 12, 10, "v100:8 = and va, vb", "0x8:8"),
        (8, 12, 10, "v100:8 = or va, vb", "0xe:8"),
        (8, 12, 10, "v100:8 = xor va, vb", "0x6:8"),
        (8, 12, 0, "v100:8 = not va", "0xf3:8"),
        (8, 0x81, 1, "v100:8 = shl va, vb", "0x2:8"),
        (8, 0x81, 8, "v100:8 = shl va, vb", "0x0:8"),
        (8, 0x81, 1, "v100:8 = lshr va, vb", "0x40:8"),
        (8, 0x81, 1, "v100:8 = ashr va, vb", "0xc0:8"),
        (8, 0x81, 9, "v100:8 = ashr va, vb", "0xff:8"),
        (8, 5, 5, "v100:1 = eq va, vb", "0x1:1"),
        (8, 5, 5, "v100:1 = ne va, vb", "0x0:1"),
        (8, 5, 0x80, "v100:1 = ult va, vb", "0x1:1"),
        (8, 5, 5, "v100:1 = ule va, vb", "0x1:1"),
        (8, 5, 0x80, "v100:1 = slt va, vb", "0x0:1"),
        (8, 0x80, 5, "v100:1 = sle va, vb", "0x1:1"),
        (8, 5, 6, "v100:8 = select v4, va, vb", "0x5:8"),
        (8, 5, 6, "v100:8 = select v5, va, vb", "0x6:8"),
        (8, 0xb4, 0, "v100:4 = slice va, 3", "0x6:4"),
        (8, 0x12, 0x34, "v100:17 = concat va, v4, vb", "0x2534:17"),
        (8, 0x80, 0, "v100:20 = zext va", "0x80:20"),
        (8, 0x80, 0, "v100:20 = sext va", "0xfff80:20"),
        (8, 0x80, 0, "v100:80 = sext va", "0xffffffffffffffffff80:80"),
        (
            100,
            7,
            3,
            "v100:100 = sub vb, va",
            "0xffffffffffffffffffffffffc:100",
        ),
        (
            100,
            7,
            68,
            "v100:100 = shl va, vb",
            "0x700000000000000000:100",
        ),
        (
            100,
            7,
            3,
            "v9:200 = concat va, vb\nv100:130 = slice v9, 60",
            "0x70000000000:130",
        ),
        (100, 7, 3, "v100:100 = select v5, va, vb", "0x3:100"),
        (100, 7, 3, "v100:100 = select v4, va, vb", "0x7:100"),
        (100, 7, 3, "v100:1 = slt vb, va", "0x1:1"),
        (100, 7, 3, "v100:150 = zext va", "0x7:150"),
        (
            100,
            7,
            3,
            "v8:100 = not va\nv100:150 = zext v8",
            "0xffffffffffffffffffffffff8:150",
        ),
    ];
    for (width, a, b, inst, expected) in cases {
        assert_eq!(computed(width, a, b, inst), expected, "{a} {b} {inst}");
    }
}

#[test]
fn inputs() {
    let program = program(
        "dataflow",
        "block0:\nv0:16 = input length\nv1:32 = input ingress\nv2:32 = input queue\n\
         v3:64 = input time\nv4:32 = input random\nv5:32 = input egress\nv6:1 = const 1\nv7:2 = const 1\nemit v6 to v7, v2 with v1\n",
    );
    let context = Sideband {
        ingress: 4,
        queue: 5,
        egress: 8,
        time_ns: 6 << 40,
        random: 7,
        own: 0,
    };
    let mut prepared = Prepared::new(&program);
    let outcome = prepared.run(&mut Maps::new(&program.maps), &[0; 100], &context);
    let values: Vec<u64> = program
        .values
        .keys()
        .map(|v| prepared.value(v).unwrap().low_u64())
        .collect();
    assert_eq!(values[..6], [100, 4, 5, 6 << 40, 7, 8]);
    assert_eq!((outcome.outputs, outcome.copies[0].index), (vec![4], 5));
    assert_eq!(outcome.copies[0].class, Class::Port);
}

#[test]
fn a_packet_goes_where_the_program_says() {
    let body =
        "block0:\nv0:32 = input ingress\nv1:32 = const 9\nv2:2 = slice v0, 0\nv3:1 = slice v0, 2\n\
                emit v3 to v2, v1 with v0\n";
    let program = program("dataflow", body);
    for way in 0..8 {
        let context = Sideband {
            ingress: way,
            ..Sideband::default()
        };
        let outcome = run(&program, &mut Maps::new(&program.maps), &[], &context);
        assert_eq!(outcome.outputs, [u64::from(way)]);
        let ways: Vec<(Class, u32)> = outcome
            .copies
            .iter()
            .map(|copy| (copy.class, copy.index))
            .collect();
        let right: &[(Class, u32)] = match way {
            4 => &[(Class::SamePort, 9)],
            5 => &[(Class::Port, 9)],
            6 => &[(Class::HostQueue, 9)],
            _ => &[],
        };
        assert_eq!(ways, right);
    }
}

/// A header stands in front of what leaves, wherever that begins; a further packet leaves in its own way.
#[test]
fn a_front_and_a_copy() {
    let body = "block0:\nv0:64 = const 0\nv1:8 = packet.load v0\nv2:16 = zext v1\nv3:16 = input length\n\
                v4:24 = const 0xccbbaa\nv5:16 = const 2\nv6:1 = const 1\nv7:1 = slice v1, 1\nv8:32 = const 1\n\
                v9:2 = const 2\nv10:32 = const 77\nv11:16 = const 4\n\
                emit v6 with v8 from v2 end v3 zeros v3 front v4 length v5 \
                copy if v7 to v9, v10 with v10 from v2 end v11 zeros v11\n";
    let program = program("dataflow", body);
    let outcome = run_fresh(&program, &[1, 2, 3, 4, 5]);
    assert_eq!(
        (outcome.copies.len(), outcome.data()),
        (1, Some(&[0xaa, 0xbb, 2, 3, 4, 5][..]))
    );
    let outcome = run_fresh(&program, &[3, 2, 3, 4, 5]);
    assert_eq!(outcome.data(), Some(&[0xaa, 0xbb, 4, 5][..]));
    let copy = &outcome.copies[1];
    assert_eq!((copy.class, copy.index), (Class::HostQueue, 77));
    assert_eq!((&copy.outputs, &copy.data), (&vec![77], &vec![4]));
}

#[test]
fn an_output_of_64_bits() {
    let body = "block0:\nv0:64 = const 0xfedcba9876543210\nv1:32 = const 4\nv9003:1 = const 1\nemit v9003 with v0\n";
    let outcome = run_fresh(&program("wide dataflow", body), b"abc");
    assert_eq!(outcome.first_output(), 0xfedc_ba98_7654_3210);
    assert_eq!(
        (outcome.indices(), outcome.data()),
        (vec![0], Some(&b"abc"[..]))
    );
}

#[test]
fn packet_bytes() {
    let body = "limits headroom 2 tail 20\nblock0:\nv0:64 = const 3\nv1:64 = packet.load v0\nv2:64 = const 0xfffffffffffffffe\n\
                v3:32 = packet.load v2\nv4:16 = const 0xaabb\nv5:64 = const 5\npacket.store v5, v4\n\
                packet.store v2, v3\nv6:64 = packet.load v0\nv7:32 = const 0\nv9004:1 = const 1\nemit v9004 with v1\n";
    let program = program("wide dataflow", body);
    let mut prepared = Prepared::new(&program);
    let mut maps = Maps::new(&program.maps);
    let outcome = prepared.run(&mut maps, &[1, 2, 3, 4, 5, 6], &Sideband::default());
    let value = |number: usize| {
        prepared
            .value(program.values.keys().nth(number).unwrap())
            .unwrap()
    };
    assert_eq!(
        outcome.first_output(),
        0x06_0504,
        "bytes behind the length are 0"
    );
    assert_eq!(value(3).low_u64(), 0x0201_0000, "headroom before 0");
    assert_eq!(value(6).low_u64(), 0xaabb_0504, "room behind the end");
    assert_eq!(
        outcome.data().unwrap(),
        [1, 2, 3, 4, 5, 0xbb],
        "what was stored behind the length does not leave"
    );
}

/// The packet's memory has an end on both sides.
#[test]
fn bytes_outside_the_packets_memory() {
    let body = "block0:\nv0:64 = const 0xffffffffffffff24\nv1:64 = const 3516\nv2:64 = const -1\n\
                packet.store v0, v2\npacket.store v1, v2\nv3:64 = packet.load v0\n\
                v4:64 = packet.load v1\nv5:64 = and v3, v4\nv7:32 = const 0\nv9005:1 = const 1\nemit v9005 with v3\n";
    let body = body.replace("const -1", "const 0xffffffffffffffff");
    let body = format!("limits headroom 216 tail 3520\n{body}");
    let program = program("wide dataflow", &body);
    let mut prepared = Prepared::new(&program);
    let mut maps = Maps::new(&program.maps);
    let mut value = |number: usize| {
        prepared.run(&mut maps, &[7; 20], &Sideband::default());
        let value = program.values.keys().nth(number).unwrap();
        prepared.value(value).unwrap().low_u64()
    };
    assert_eq!(
        value(3),
        0xffff_ffff_0000_0000,
        "from -220: 216 bytes are there"
    );
    assert_eq!(value(4), 0x0000_0000_ffff_ffff, "from 3516: up to 3520");
}

/// Head and tail moved: `zeros` clears what came in, not what was stored.
#[test]
fn a_packet_that_was_moved() {
    let body = "block0:\nv0:64 = const 0xfffffffffffffffe\nv1:64 = const 0x0807060504030201\n\
                packet.store v0, v1\nv2:16 = const 0xffff\nv3:16 = const 10\nv4:16 = const 5\n\
                v5:1 = const 1\nv6:32 = const 2\nemit v5 with v6 from v2 end v3 zeros v4\n";
    let body = format!("limits headroom 216\n{body}");
    let outcome = run_fresh(&program("dataflow", &body), &[0x11; 8]);
    assert_eq!(outcome.data().unwrap(), [2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0]);
}

#[test]
fn a_packet_that_was_cleared() {
    let body = "block0:\nv0:64 = const 2\nv1:64 = const 0x0807060504030201\npacket.store v0, v1\n\
                packet.clear v0\nv2:64 = packet.load v0\nv3:32 = const 0\nv9006:1 = const 1\nemit v9006 with v2\n";
    let outcome = run_fresh(&program("wide control-flow", body), &[9; 6]);
    assert_eq!(outcome.first_output(), 0);
    assert_eq!(outcome.data().unwrap(), [9, 9, 0, 0, 0, 0]);
}

#[test]
fn a_wide_packet_window() {
    let body = "block0:\nv0:64 = const 1\nv1:136 = packet.load v0\nv2:64 = slice v1, 56\nv3:64 = const 0\n\
                packet.store v3, v1\nv4:32 = const 0\nv9007:1 = const 1\nemit v9007 with v2\n";
    let packet: Vec<u8> = (0..20).collect();
    let outcome = run_fresh(&program("wide dataflow", body), &packet);
    assert_eq!(outcome.first_output(), 0x0f0e_0d0c_0b0a_0908);
    assert_eq!(
        outcome.data().unwrap()[..18],
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 17]
    );
}

#[test]
fn the_stack_has_512_bytes_and_starts_as_zeros() {
    let body = "block0:\nv0:64 = const 508\nv1:64 = stack.load v0\nv2:64 = const 0x1122334455667788\n\
                stack.store v0, v2\nv3:64 = stack.load v0\nv4:64 = or v1, v3\nv5:32 = const 0\nv9008:1 = const 1\nemit v9008 with v4\n";
    let program = program("wide dataflow", body);
    let mut prepared = Prepared::new(&program);
    let mut maps = Maps::new(&program.maps);
    for _ in 0..2 {
        let outcome = prepared.run(&mut maps, &[], &Sideband::default());
        assert_eq!(outcome.first_output(), 0x5566_7788);
        let first = program.values.keys().nth(1).unwrap();
        assert!(
            prepared.value(first).unwrap().is_zero(),
            "a packet does not see the stack of another"
        );
    }
}

#[test]
fn control_flow_and_block_parameters() {
    let body = "block0:\nv0:16 = input length\nv1:16 = const 2\nv2:64 = const 10\nv3:64 = const 20\n\
                v9:32 = const 0\nv4:1 = ult v0, v1\nbranch v4, block1(v2, v3), block1(v3, v2)\n\
                block1(v5:64, v6:64):\nv7:1 = eq v0, v1\nbranch v7, block2, block3(v5)\n\
                block2:\nv8:64 = sub v5, v6\njump block3(v8)\nblock3(v10:64):\nv9009:1 = const 1\nemit v9009 with v10\n";
    let program = program("wide control-flow", body);
    let verdict = |length: usize| run_fresh(&program, &vec![0; length]).first_output();
    assert_eq!([verdict(1), verdict(2), verdict(3)], [10, 10, 20]);
}

#[test]
fn effects_without_their_guard_give_zeros() {
    let body = "map @h exact key 1 value 4 entries 4\nmap @a array key 4 value 4 entries 4\nblock0:\n\
                v0:64 = const 0\nv1:8 = packet.load v0\nv2:1 = slice v1, 0\nv3:32 = const 2\nv4:64 = const 1\n\
                v20:8 = packet.load v0 if v2\nv21:8 = stack.load v0 if v2\n\
                v22:1, v23:32 = map.lookup @a v3 if v2\nv24:32 = map.load @a v3, v3 if v2\n\
                v25:3 = map.update @h v1, v3, v33 if v2\nv26:3 = map.update @h v1, v3, v33 if v2\n\
                v27:32 = map.atomic add @a v3, v5, v3 if v2\nv28:32 = map.atomic add @a v3, v5, v3 if v2\n\
                map.store @a v3, v3, v1 if v2\nv29:3 = map.delete @h v1\npacket.store v4, v1 if v2\n\
                stack.store v0, v1 if v2\nv30:8 = stack.load v0\nv9010:1 = const 1\nemit v9010 with v0\n";
    let body = body.replace("v20:8", "v5:32 = const 0\nv33:2 = const 1\nv20:8");
    let program = program("wide dataflow", &body);
    let mut prepared = Prepared::new(&program);
    let value = |prepared: &Prepared, number: u32| {
        let value = program.values.keys().find(|v| v.as_u32() == number);
        prepared.value(value.unwrap()).unwrap().low_u64() as i64
    };
    let all = [20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30];
    // Both orders, so that results of an earlier packet do not show.
    for guard in [1, 0, 1] {
        let mut maps = Maps::new(&program.maps);
        let outcome = prepared.run(&mut maps, &[guard, 7], &Sideband::default());
        let values = all.map(|number| value(&prepared, number));
        if guard == 1 {
            assert_eq!(values, [1, 0, 1, 2, 0, 0, 3, 0, 2, 0, 1]);
            assert_eq!(outcome.data().unwrap(), [1, 1]);
            assert_eq!(maps.image()["a"][&[2, 0, 0, 0][..]], [4, 0, 1, 0]);
        } else {
            assert_eq!(values, [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
            assert_eq!(outcome.data().unwrap(), [0, 7]);
            assert_eq!(maps.image(), Maps::new(&program.maps).image());
        }
    }
}

#[test]
fn atomics() {
    let cases = [
        ("add", "v4", 0x1_0000_0002u64),
        ("and", "v4", 1),
        ("or", "v4", 0x1_0000_0001),
        ("xor", "v4", 0x1_0000_0000),
        ("xchg", "v4", 0x1_0000_0001),
        ("cmpxchg", "v4, v5", 0x1_0000_0001),
        ("cmpxchg", "v4, v4", 1),
    ];
    for (op, args, expected) in cases {
        let body = format!(
            "map @a array key 4 value 16 entries 2\nblock0:\nv1:32 = const 1\nv2:32 = const 8\n\
             v4:64 = const 0x100000001\nv5:64 = const 1\nmap.store @a v1, v2, v5\n\
             v6:64 = map.atomic {op} @a v1, v2, {args}\nv9011:1 = const 1\nemit v9011 with v6\n"
        );
        let program = program("wide dataflow", &body);
        let mut maps = Maps::new(&program.maps);
        let outcome = run(&program, &mut maps, &[], &Sideband::default());
        assert_eq!(outcome.first_output(), 1, "an atomic gives the old word");
        let value = &maps.image()["a"][&[1, 0, 0, 0][..]];
        assert_eq!(value[..8], [0; 8]);
        assert_eq!(value[8..], expected.to_le_bytes(), "{op} {args}");
    }
}

#[test]
fn bytes_outside_a_map_value() {
    let body = "map @a array key 4 value 4 entries 2\nblock0:\nv0:32 = const 0\nv1:32 = const 2\n\
                v2:32 = const 0x44332211\nmap.store @a v0, v1, v2\nv3:64 = map.load @a v0, v1\n\
                v4:32 = const 0xfffffffe\nv5:32 = map.load @a v0, v4\nv6:64 = concat v5, v2\nv7:64 = xor v3, v6\n\
                v9012:1 = const 1
                emit v9012 with v7\n";
    let program = program("wide dataflow", body);
    let mut maps = Maps::new(&program.maps);
    let outcome = run(&program, &mut maps, &[], &Sideband::default());
    let image = maps.image();
    assert_eq!(image["a"][&[0; 4][..]], [0, 0, 0x11, 0x22]);
    assert_eq!(
        image["a"][&[1, 0, 0, 0][..]],
        [0; 4],
        "the next entry is not touched"
    );
    // 0x2211 behind offset 2; the four bytes from offset -2 are two outside and two zeros.
    assert_eq!(outcome.first_output(), 0x2211 ^ 0x4433_2211);
}

#[test]
fn a_hash_map_from_a_program() {
    let body = "map @h exact key 2 value 4 entries 1\nblock0:\nv0:64 = const 0\nv1:16 = packet.load v0\n\
                v2:32 = const 0\nv3:32 = const 1\nv4:1, v5:32 = map.lookup @h v1\nbranch v4, block1, block2\n\
                block1:\nv6:32 = map.load @h v5, v2\nv7:32 = add v6, v3\nv15:2 = const 3\nv8:3 = map.update @h v1, v7, v15\n\
                v9:32 = const 0x55555555\nmap.store @h v5, v2, v9\nv14:64 = zext v6\njump block3(v14)\n\
                block2:\nv16:2 = const 3\nv17:3 = map.update @h v1, v3, v16\nv11:64 = zext v17\njump block3(v11)\n\
                block3(v12:64):\nv9013:1 = const 1\nemit v9013 with v12\n";
    let program = program("wide control-flow", body);
    let mut prepared = Prepared::new(&program);
    let mut maps = Maps::new(&program.maps);
    let mut verdict = |packet: &[u8]| {
        prepared
            .run(&mut maps, packet, &Sideband::default())
            .first_output() as i64
    };
    assert_eq!(verdict(b"ab"), 0);
    assert_eq!(verdict(b"ab"), 1);
    assert_eq!(
        verdict(b"ab"),
        2,
        "a store through the replaced element vanishes"
    );
    assert_eq!(verdict(b"cd"), i64::from(Answer::Full.code()));
    assert_eq!(maps.image()["h"][&b"ab"[..]], [3, 0, 0, 0]);
}

#[test]
fn a_device_map_from_a_program() {
    let body = "map @d slots key 4 value 4 entries 4\nblock0:\nv0:32 = input queue\n\
                v1:32 = const 0\nv2:32 = const 4\nv3:1, v4:32 = map.lookup @d v0\nv5:32 = map.load @d v4, v1 if v3\n\
                v6:32 = select v3, v2, v1\nv7:2 = const 1\nemit v3 to v7, v5 with v6\n";
    let program = program("dataflow", body);
    let mut maps = Maps::new(&program.maps);
    let map = program.maps.keys().next().unwrap();
    maps.update(map, &[2, 0, 0, 0], &[77, 0, 0, 0], May::PUT);
    let mut go = |queue| {
        let context = Sideband {
            queue,
            ..Sideband::default()
        };
        let outcome = run(&program, &mut maps, &[], &context);
        (outcome.first_output(), outcome.indices())
    };
    assert_eq!(
        [go(0), go(2), go(4)],
        [(0, vec![]), (4, vec![77]), (0, vec![])]
    );
}

#[test]
fn stages_change_nothing() {
    let text = include_str!("text/scheduled.hir");
    let scheduled = parse(text).unwrap();
    let mut maps = Maps::new(&scheduled.maps);
    let packet: Vec<u8> = (0..64).collect();
    for _ in 0..2 {
        let outcome = run(&scheduled, &mut maps, &packet, &Sideband::default());
        assert_eq!(outcome.first_output(), 0);
    }
    assert_eq!(maps.image()["flows"].len(), 1);
    let key: Vec<u8> = (0x17..0x17 + 13).collect();
    assert_eq!(maps.image()["flows"][&key], [0; 4]);
    let dead = Prepared::new(&scheduled).value(Value::from_u32(4000));
    assert_eq!(dead, None);
}
