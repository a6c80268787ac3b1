//! The host's side of a core, by hand: AXI4-Lite, one word at a time.

use crate::bench::Bench;

pub struct Host {
    pub bench: Bench,
}

impl Host {
    pub fn new(bench: Bench) -> Host {
        Host { bench }
    }

    fn until(&mut self, port: &str) {
        for _ in 0..1000 {
            self.bench.step();
            if self.bench.get(port) == 1 {
                return;
            }
        }
        panic!("{port} never comes");
    }

    pub fn write(&mut self, address: u64, data: u64) {
        let bench = &mut self.bench;
        bench.set("s_axil_awaddr", address);
        bench.set("s_axil_awvalid", 1);
        bench.set("s_axil_wdata", data);
        bench.set("s_axil_wstrb", 15);
        bench.set("s_axil_wvalid", 1);
        bench.set("s_axil_bready", 1);
        self.until("s_axil_awready");
        self.bench.set("s_axil_awvalid", 0);
        self.bench.set("s_axil_wvalid", 0);
        self.until("s_axil_bvalid");
    }

    pub fn read(&mut self, address: u64) -> u64 {
        self.bench.set("s_axil_araddr", address);
        self.bench.set("s_axil_arvalid", 1);
        self.bench.set("s_axil_rready", 1);
        self.until("s_axil_arready");
        self.bench.set("s_axil_arvalid", 0);
        self.until("s_axil_rvalid");
        self.bench.get("s_axil_rdata")
    }
}
