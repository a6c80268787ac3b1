//! What other tools say of the printed text of each kind: nothing.

use crate::bench::design;
use crate::{installed, shapes};
use hardpath_rtl::{verilog, vhdl};

#[test]
fn verilator_has_no_warnings() {
    let Some(verilator) = installed::verilator() else {
        return;
    };
    for shape in shapes() {
        let config = shape.config();
        let files = verilog::print(&design(&config));
        let directory = installed::write_files(&format!("lint-{}", config.name), &files);
        let mut arguments = vec!["--lint-only", "-Wall", "--top-module", &config.name];
        arguments.extend(files.iter().map(|(name, _)| name.as_str()));
        verilator.run(&directory, &arguments);
    }
}

#[test]
fn ghdl_analyses_everything() {
    let Some(ghdl) = installed::ghdl() else {
        return;
    };
    for shape in shapes() {
        let config = shape.config();
        let files = vhdl::print(&design(&config));
        let directory = installed::write_files(&format!("ghdl-{}", config.name), &files);
        let mut arguments = vec!["-a", "--std=08", "-Wbinding", "-Wunused", "-Wlibrary"];
        let names = files.iter().map(|(name, _)| name.as_str());
        arguments.extend(names.filter(|name| name.ends_with(".vhd")));
        let said = ghdl.run(&directory, &arguments);
        assert_eq!(said, "", "GHDL has something to say of {}", config.name);
    }
}
