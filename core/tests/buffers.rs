//! Programs whose operations share buffers.

use hardpath_core::compile::compile;
use hardpath_core::image::Machine;
use hardpath_core::interpreter::{Core, MOST_ROWS};
use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::Maps;
use hardpath_testkit::{packet, Random};

const PACKETS: u32 = 50;

fn check(text: &str) {
    let program = hardpath_ir::parse::parse(text).expect("a program");
    for lanes in [1, 2, 4, 8] {
        let compiled = compile(&program, &Machine::with_lanes(lanes)).expect("it has room");
        let mut maps = (Maps::new(&program.maps), Maps::new(&program.maps));
        let mut judge = Prepared::new(&program);
        let mut core = Core::new(&compiled.image);
        let mut random = Random::new(7);
        for _ in 0..PACKETS {
            let (packet, sideband) = packet(&mut random);
            let expected = judge.run(&mut maps.0, &packet, &sideband);
            let ran = core.run(MOST_ROWS, &mut maps.1, &packet, &sideband);
            assert_eq!(ran.map(|ran| ran.fate), Ok(expected), "{lanes} lanes");
        }
        assert_eq!(maps.0.image(), maps.1.image(), "{lanes} lanes");
    }
}

/// The lookup is wanted early, and must not put its key's words between those of the update and the update.
#[test]
fn long_keys_of_two_maps() {
    check(
        "program \"keys\" control-flow
         output \"verdict\" 3
         map @a exact key 16 value 8 entries 16
         map @b exact key 16 value 8 entries 16
         block0:
             v0:64 = const 0x0
             v1:32 = const 0x0
             v2:64 = const 0x10
             v3:128 = packet.load v0
             v4:128 = packet.load v2
             v5:2 = const 0x3
             v6:3 = map.update @a v3, v2, v5
             v7:1, v8:32 = map.lookup @b v4
             v9:64 = map.load @b v8, v1
             packet.store v0, v9
             v10:3 = const 0x2
             v11:1 = const 0x1
             emit v11 with v10",
    );
}

/// The update puts a value where the exchange finds what it expects.
#[test]
fn an_exchange_beside_an_update() {
    check(
        "program \"values\" control-flow
         output \"verdict\" 3
         map @a array key 4 value 8 entries 4
         map @b exact key 8 value 8 entries 16
         block0:
             v0:64 = const 0x0
             v1:32 = const 0x0
             v2:64 = packet.load v0
             v3:1, v4:32 = map.lookup @a v1
             v5:64 = map.atomic cmpxchg @a v4, v1, v2, v0
             v6:2 = const 0x3
             v7:3 = map.update @b v2, v2, v6
             v8:64 = zext v7
             v9:64 = add v8, v8
             v10:64 = mul v9, v9
             packet.store v0, v10
             v11:3 = const 0x2
             v12:1 = const 0x1
             emit v12 with v11",
    );
}

/// Behind a way that is always taken nothing is left.
#[test]
fn a_broadcast_that_is_always_sent() {
    check(
        "program \"broadcast\" control-flow
         output \"verdict\" 3
         map @ports slots key 4 value 4 entries 4 broadcast
         block0:
             v0:1 = const 0x1
             v1:2 = const 0x1
             v2:32 = input ingress
             v3:3 = const 0x2
             emit v0 to v1, v2 with v3 each @ports if v0 not-back v0",
    );
}
