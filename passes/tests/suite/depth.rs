//! A limited depth: what lies within it means what it meant, everything else is given up.

use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::Maps;
use hardpath_ir::{parse, verifier, Program};
use hardpath_packet::{Fate, Sideband};
use hardpath_passes::{limit_depth, optimize_control_flow};

/// Reads a length at byte 0, reads and writes two bytes that far behind, and follows a second length from there.
const CHAIN: &str = "program \"chain\" control-flow\noutput \"verdict\" 32

block0:
    v0:64 = const 0
    v1:8 = packet.load v0
    v2:64 = zext v1
    v3:64 = const 1
    v4:64 = shl v2, v3
    v5:16 = packet.load v4
    v6:16 = const 0x101
    v7:16 = add v5, v6
    packet.store v4, v7
    v8:64 = zext v5
    v9:64 = const 511
    v10:64 = and v8, v9
    v11:64 = add v4, v10
    v12:8 = packet.load v11
    v13:32 = const 2
    v14:32 = zext v12
    v15:32 = and v14, v13
    v16:32 = const 0
    v9000:1 = const 1
    emit v9000 with v15
";

fn program() -> Program {
    parse::parse(CHAIN).expect("a program")
}

#[test]
fn what_lies_within_is_kept_and_the_rest_given_up() {
    for depth in [64u32, 128, 256] {
        let whole = program();
        let mut limited = program();
        limit_depth(&mut limited, depth).expect("an XDP program");
        assert_eq!(verifier::verify(&limited), Ok(()), "{limited}");
        let mut optimized = limited.clone();
        optimize_control_flow(&mut optimized).expect("few places are left");
        let mut runs = [&whole, &limited, &optimized].map(Prepared::new);
        let mut maps = Maps::new(&whole.maps);
        let (mut kept, mut given_up) = (0, 0);
        for number in 0..2000u32 {
            let mut packet = vec![0; 1200];
            packet[0] = (number % 131) as u8;
            let first = usize::from(packet[0]) * 2;
            let second = (number * 7 % 300) as u16;
            packet[first..first + 2].copy_from_slice(&second.to_le_bytes());
            let first = usize::from(packet[0]) * 2;
            let second = u16::from_le_bytes([packet[first], packet[first + 1]]);
            let behind = first + usize::from(second & 511);
            let deep = first + 2 > depth as usize || behind + 1 > depth as usize;
            let context = Sideband::default();
            let [expected, found, after] =
                [0, 1, 2].map(|which: usize| runs[which].run(&mut maps, &packet, &context));
            if deep {
                given_up += 1;
                assert_eq!(found, Fate::ends(&[0, 1]));
                assert_eq!(after, found);
            } else {
                kept += 1;
                let mut expected = expected;
                expected.outputs.push(0);
                expected.copies[0].outputs.push(0);
                assert_eq!(found, expected);
                assert_eq!(after, expected);
            }
        }
        assert!(
            kept > 40 && given_up > 100,
            "{depth}: {kept} kept, {given_up} given up"
        );
    }
}

#[test]
fn without_a_depth_it_is_refused_with_the_way_out() {
    let error = optimize_control_flow(&mut program()).expect_err("too many places");
    assert_eq!(error.code, "variable-offset");
    assert!(error.to_string().contains("--depth"), "{error}");
}
