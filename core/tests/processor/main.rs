//! The processor as a whole: programs in the form of rows, loaded through the host port, beside their interpreter.

#[path = "../packets/bench.rs"]
mod bench;
mod host;

use bench::Bench;
use hardpath_core::hardware::processor::{processor, stream, Processor};
use hardpath_core::image::{Image, Machine};
use hardpath_core::text;
use host::Host;

fn scratch(path: &str) -> (Host, Image, Processor) {
    let image = text::parse(&std::fs::read_to_string(path).expect("a file")).expect("rows");
    let machine = Machine::with_lanes(image.lanes);
    let config = Processor::of("core", &machine, 16, &image);
    let built = processor(&config);
    (Host::new(Bench::new(&built.design)), image, config)
}

#[test]
fn debug() {
    let Ok(path) = std::env::var("HPS") else { return };
    let (mut host, image, config) = scratch(&path);
    let words = stream::words(&config, &image).expect("words");
    for _ in 0..140000 {
        host.bench.step();
    }
    host.write(0x400, 0);
    for word in &words {
        host.write(0x800, u64::from(*word));
    }
    for _ in 0..10 {
        host.bench.step();
    }
    println!("status {:x}", host.read(0x400));
    println!("ready {:x}", host.read(0xc));
    let peeks = std::env::var("PEEK").unwrap_or_default();
    let mut data = vec![0_u8; 64];
    data[12] = 8;
    data[14] = 0x45;
    data[23] = 17;
    host.bench.set_bytes("s_axis_tdata", &data);
    host.bench.set("s_axis_tkeep", u64::MAX);
    host.bench.set("s_axis_tvalid", 1);
    host.bench.set("s_axis_tlast", 1);
    host.bench.set("m_axis_tready", 1);
    let clocks: u32 = std::env::var("CLOCKS").map_or(200, |text| text.parse().unwrap_or(200));
    for clock in 0..clocks {
        host.bench.step();
        if host.bench.get("s_axis_tready") == 1 {
            host.bench.set("s_axis_tvalid", 0);
        }
        let values: Vec<String> = peeks
            .split(',')
            .filter(|path| !path.is_empty())
            .map(|path| format!("{}={:x?}", path, host.bench.peek(path)))
            .collect();
        println!("{clock}: out {} {}", host.bench.get("m_axis_tvalid"), values.join(" "));
    }
}
