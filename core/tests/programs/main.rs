//! Programs of the IR as rows, beside the interpreter of the IR.

mod random;
mod small;

use hardpath_core::compile::compile_without;
use hardpath_core::compile::savings::Without;
use hardpath_core::image::{Image, Machine};
use hardpath_core::interpreter::{Core, MOST_ROWS};
use hardpath_core::text;
use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::Maps;
use hardpath_ir::Program;
use hardpath_testkit::{packet, Random};

const PACKETS: u32 = 20;

/// Compiles a program and compares the fates of packets and the maps behind them. Gives whether it was refused.
fn is_refused(program: &Program, lanes: u8, random: &mut Random, what: &str) -> bool {
    is_refused_without(Without::NOTHING, program, lanes, random, what)
}

fn is_refused_without(
    without: Without,
    program: &Program,
    lanes: u8,
    random: &mut Random,
    what: &str,
) -> bool {
    let compiled = match compile_without(program, &Machine::with_lanes(lanes), without) {
        Ok(compiled) => compiled,
        Err(errors) => {
            let wide = errors.iter().all(|error| error.code == "wide-arithmetic");
            assert!(wide, "{what}: {errors:?}\n{program}");
            return true;
        }
    };
    let bytes = compiled
        .image
        .to_bytes()
        .unwrap_or_else(|error| panic!("{what}: {error:?}"));
    assert_eq!(
        Image::from_bytes(&bytes).as_ref(),
        Ok(&compiled.image),
        "{what}"
    );
    let mut maps = (Maps::new(&program.maps), Maps::new(&program.maps));
    let mut judge = Prepared::new(program);
    let mut core = Core::new(&compiled.image);
    for number in 0..PACKETS {
        let (packet, sideband) = packet(random);
        let expected = judge.run(&mut maps.0, &packet, &sideband);
        let ran = core.run(MOST_ROWS, &mut maps.1, &packet, &sideband);
        let found = ran.map(|ran| ran.fate);
        assert_eq!(
            Ok(expected),
            found,
            "{what}, packet {number} {packet:02x?} {sideband:?}\n{program}\n{}",
            text::print(&compiled.image, None)
        );
    }
    assert_eq!(maps.0.image(), maps.1.image(), "{what}\n{program}");
    false
}
