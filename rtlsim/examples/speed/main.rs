//! How fast the simulator is: `cargo run --release -p hardpath-rtlsim --example speed [STAGES [DIRECTORY]]`.
//! With a directory, the design's SystemVerilog is written there, to be compared with another simulator.

mod design;

use hardpath_rtlsim::{SimError, Simulator};
use std::time::Instant;

const CLOCKS: u64 = 1_000_000;

fn main() -> Result<(), SimError> {
    let stages = match std::env::args().nth(1).map(|stages| stages.parse()) {
        Some(Ok(stages)) => vec![stages],
        _ => vec![3, 10, 30],
    };
    if let Some(directory) = std::env::args().nth(2) {
        let files = hardpath_rtl::verilog::print(&design::pipeline(stages[0]));
        for (name, text) in files.expect("it has no foreign modules") {
            let path = std::path::Path::new(&directory).join(name);
            std::fs::write(&path, text).expect("the directory can be written");
        }
    }
    for stages in stages {
        measure(stages)?;
    }
    Ok(())
}

fn measure(stages: usize) -> Result<(), SimError> {
    let design = design::pipeline(stages);
    let bits: u32 = design
        .modules
        .values()
        .flat_map(|m| m.regs.values())
        .map(|reg| reg.width)
        .sum();
    let start = Instant::now();
    let mut simulator = Simulator::new(&design)?;
    let compiled = start.elapsed();

    let port = |name: &str| simulator.input(name).expect("an input of the pipeline");
    let (data, keep, valid) = (port("s_tdata"), port("s_tkeep"), port("s_tvalid"));
    let (ready, reset) = (port("m_tready"), port("rst"));
    let packets = simulator
        .output("packets")
        .expect("an output of the pipeline");
    let checksum = simulator
        .output("checksum")
        .expect("an output of the pipeline");
    let mut random = 1u64;
    let mut digest = 0u64;
    let start = Instant::now();
    for clock in 0..CLOCKS {
        let mut beat = [0; 8];
        for limb in &mut beat {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            *limb = random;
        }
        simulator.set_u64(reset, u64::from(clock < 2));
        simulator.set(data, &beat);
        simulator.set_u64(keep, u64::MAX);
        simulator.set_u64(valid, 1);
        simulator.set_u64(ready, u64::from(clock % 4 != 0));
        simulator.step()?;
        digest = digest.rotate_left(5) ^ simulator.get_u64(checksum);
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{stages} stages, {bits} register bits: compiled in {:.1} ms, {:.0} clocks/s, packets {}, digest {digest:016x}",
        compiled.as_secs_f64() * 1e3,
        CLOCKS as f64 / seconds,
        simulator.get_u64(packets),
    );
    Ok(())
}
