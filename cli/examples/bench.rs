//! Compile time, and simulation speed of the native engine and of Verilator, for listing1 and the firewall.
//!
//! ```text
//! make bench
//! ```
//!
//! Both engines run the same packets behind the same test bench, so its cost is in both figures. Verilator builds with
//! `-O3`, its model with the C++ compiler's `-O3`, into a fresh folder. The verdicts of both engines must be the same.

use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ebpf::LoadOptions;
use hardpath_ir::Program;
use hardpath_kernel::mapfile;
use hardpath_packet::Packet;
use hardpath_pipeline::{Compiled, Options};
use hardpath_testbed::capture::Captured;
use hardpath_testbed::dut::Dut;
use hardpath_testbed::host::{self, Host};
use hardpath_testbed::native::Native;
use hardpath_testbed::run::{self, RunOptions, RunResult};
use hardpath_testbed::traffic::{generate, Distribution, TrafficOptions};
use hardpath_testbed::verilator::{Verilator, VerilatorOptions};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const PACKETS: usize = 50_000;
/// Runs of each engine, of which the fastest counts.
const RUNS: u32 = 7;

fn main() -> ExitCode {
    match bench() {
        Ok(()) => ExitCode::SUCCESS,
        Err(errors) => {
            for error in errors {
                eprintln!("{error}");
            }
            ExitCode::FAILURE
        }
    }
}

fn bench() -> Result<(), Vec<Diagnostic>> {
    println!(
        "{PACKETS} packets of 64 bytes in 1,000 flows, both directions, back to back, 512 bits"
    );
    for program in ["listing1", "firewall"] {
        bench_program(program)?;
    }
    Ok(())
}

fn bench_program(name: &str) -> Result<(), Vec<Diagnostic>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let started = Instant::now();
    let program = load(&root.join(format!("programs/prebuilt/{name}.o")))?;
    let compiled = hardpath_pipeline::compile(program.clone(), &Options::default())?;
    let compiling = started.elapsed();
    println!("\n{name}: {} stages", compiled.report.stages);
    println!("  compile, object to hardware      {}", shown(compiling));

    let maps = root.join(format!("programs/{name}.maps.json"));
    let packets = packets()?;

    let started = Instant::now();
    let mut native = Native::new(&compiled.design).map_err(one)?;
    let building_native = started.elapsed();

    let cache = tempfile::tempdir().map_err(|error| {
        vec![Diagnostic::input(
            "cannot-write",
            format!("no temporary folder: {error}"),
        )]
    })?;
    let options = VerilatorOptions {
        cxx_optimization: 3,
        cache: Some(cache.path().to_owned()),
        ..VerilatorOptions::default()
    };
    let started = Instant::now();
    let mut verilator = Verilator::new(&compiled.design, &options).map_err(one)?;
    let building_verilator = started.elapsed();

    // In turns, so that what else the machine does meets both.
    let (mut of_native, mut of_verilator) = (None, None);
    for _ in 0..RUNS {
        let run = |dut: &mut dyn Dut| drive(dut, &compiled, &program, &maps, &packets);
        keep_faster(&mut of_native, run(&mut native)?);
        keep_faster(&mut of_verilator, run(&mut verilator)?);
    }
    let native = of_native.expect("there are runs");
    let verilator = of_verilator.expect("there are runs");
    report("native", building_native, &native);
    report("Verilator -O3", building_verilator, &verilator);

    if native.result.outcomes != verilator.result.outcomes {
        return Err(vec![Diagnostic::input(
            "engines-differ",
            "native and Verilator differ",
        )
        .at(name)]);
    }
    let ratio = verilator.time.as_secs_f64() / native.time.as_secs_f64();
    println!("  native runs at {ratio:.2} times Verilator's speed");
    Ok(())
}

fn load(path: &Path) -> Result<Program, Vec<Diagnostic>> {
    let bytes = std::fs::read(path).map_err(|error| {
        let error = Diagnostic::input("cannot-read", error.to_string());
        vec![error.at(Place::of_file(path.display()))]
    })?;
    let name = path.display().to_string();
    let object = hardpath_ebpf::load(&bytes, &name, &LoadOptions::default())?;
    let image = object.choose(None).map_err(one)?;
    hardpath_ebpf::lift(&object, image)
}

fn packets() -> Result<Vec<Packet>, Vec<Diagnostic>> {
    let captured = generate(&TrafficOptions {
        packets: PACKETS,
        flows: 1000,
        distribution: Distribution::Uniform,
        both_directions: true,
        seed: 1,
        ..TrafficOptions::default()
    });
    let packet = |captured: Captured| Packet {
        data: captured.data,
        time_ns: captured.time_ns,
        ..Packet::default()
    };
    Ok(captured.map_err(one)?.into_iter().map(packet).collect())
}

/// A run and the time that it took, without reset and maps.
struct Driven {
    result: RunResult,
    time: Duration,
}

fn keep_faster(best: &mut Option<Driven>, driven: Driven) {
    if best.as_ref().is_none_or(|best| driven.time < best.time) {
        *best = Some(driven);
    }
}

fn drive(
    dut: &mut dyn Dut,
    compiled: &Compiled,
    program: &Program,
    maps: &Path,
    packets: &[Packet],
) -> Result<Driven, Vec<Diagnostic>> {
    host::reset(dut, &compiled.interface).map_err(one)?;
    let mut host = Host::new(dut, &compiled.interface).map_err(one)?;
    if compiled.interface.has_port_table {
        host.set_port(dut, 0, 1, 0).map_err(one)?;
    }
    if maps.exists() {
        let image = mapfile::read(
            maps,
            &program
                .maps
                .values()
                .map(hardpath_ebpf::tables::shape)
                .collect::<Vec<_>>(),
        )?;
        host.load_image(dut, &image).map_err(one)?;
    }
    let started = Instant::now();
    let result = run::run(dut, &compiled.interface, packets, &RunOptions::default());
    let time = started.elapsed();
    Ok(Driven {
        result: result.map_err(one)?,
        time,
    })
}

fn report(engine: &str, building: Duration, driven: &Driven) {
    let clocks = driven.result.simulated_clocks as f64;
    let seconds = driven.time.as_secs_f64();
    let with_building = seconds + building.as_secs_f64();
    println!("  {engine:14} build              {}", shown(building));
    println!(
        "  {engine:14} run                {}   {:>8.0} thousand clocks/s   {:>8.0} thousand packets/s",
        shown(driven.time),
        clocks / seconds / 1e3,
        PACKETS as f64 / seconds / 1e3,
    );
    println!(
        "  {engine:14} build and run      {}   {:>8.0} thousand clocks/s   {:>8.0} thousand packets/s",
        shown(driven.time + building),
        clocks / with_building / 1e3,
        PACKETS as f64 / with_building / 1e3,
    );
}

fn shown(time: Duration) -> String {
    format!("{:>9.3} s", time.as_secs_f64())
}

fn one(error: Diagnostic) -> Vec<Diagnostic> {
    vec![error]
}
