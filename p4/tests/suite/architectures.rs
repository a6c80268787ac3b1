//! Files of our own that programs include: what their architectures have, and programs for them.

use crate::read;
use hardpath_p4::ast::Direction;
use hardpath_p4::check::check;
use hardpath_p4::lower::{lower, Deparse};
use hardpath_p4::typed::{Function, Parameter, Program};
use std::path::Path;

fn of(text: &str) -> Program {
    let declared = read(text, |program, sources| check(&program, sources));
    declared.unwrap_or_else(|errors| panic!("{errors:#?}"))
}

fn included(name: &str) -> Program {
    of(&format!("#include <{name}>\n"))
}

/// What something takes that is called or made; `None`: there is no such thing.
fn head<'a>(declared: &'a Program, name: &str) -> Option<&'a [Parameter]> {
    let objects = declared
        .objects
        .iter()
        .map(|one| (&one.name, &one.parameters[..]));
    let functions = declared
        .functions
        .iter()
        .map(|one| (&one.name, &one.parameters[..]));
    let mut all = objects.chain(functions);
    all.find(|(own, _)| *own == name)
        .map(|(_, parameters)| parameters)
}

/// Names and types of what something takes.
fn parameters(declared: &Program, name: &str) -> Vec<String> {
    let head = head(declared, name).unwrap_or_else(|| panic!("{name} is declared"));
    let one = |parameter: &Parameter| {
        let direction = match parameter.direction {
            Direction::None => "",
            Direction::In => "in ",
            Direction::Out => "out ",
            Direction::InOut => "inout ",
        };
        format!(
            "{direction}{} {}",
            declared.types.text(&parameter.of),
            parameter.name
        )
    };
    head.iter().map(one).collect()
}

fn main_of(source: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources");
    let declared = of(&std::fs::read_to_string(path.join(source)).unwrap());
    let top = declared.top.last().expect("there is a main");
    let (name, of) = (&declared.instances[*top].name, &declared.instances[*top].of);
    assert_eq!(name, "main");
    declared.types.text(of)
}

/// A program for each architecture that nobody else has programs for.
#[test]
fn programs_fit_our_architectures() {
    assert_eq!(
        main_of("nic_limiter.p4"),
        "HardpathNic<headers_t, metadata_t>"
    );
    assert_eq!(
        main_of("xsa_filter.p4"),
        "XilinxPipeline<headers_t, metadata_t>"
    );
}

/// The four variants of PNA: two with a control in front and a direction, two without; each with externs of its own.
#[test]
fn variants_of_pna_differ() {
    let [plain, dpdk, bmv2, tc] =
        ["pna.p4", "dpdk/pna.p4", "bmv2/pna.p4", "tc/pna.p4"].map(included);
    for (declared, has_pre_control) in [(&plain, true), (&dpdk, true), (&bmv2, false), (&tc, false)]
    {
        let parts = parameters(declared, "PNA_NIC").len();
        assert_eq!(parts, if has_pre_control { 4 } else { 3 });
        let has = |name: &str| head(declared, name).is_some();
        assert_eq!(has("PreControlT"), has_pre_control);
        assert_eq!(has("recirculate"), has_pre_control);
        assert_eq!(has("is_net_port"), !has_pre_control);
        assert_eq!(has("add_entry_if"), !has_pre_control);
        assert_eq!(has("pna_PassNumber_int_to_header"), has_pre_control);
        for name in [
            "pna_PortId_header_to_int",
            "drop_packet",
            "Register.write",
            "SelectByDirection",
        ] {
            assert!(has(name), "{name}");
        }
    }
    let only =
        |name: &str| [&plain, &dpdk, &bmv2, &tc].map(|declared| head(declared, name).is_some());
    assert_eq!(only("Meter.dpdk_execute"), [false, true, false, false]);
    assert_eq!(
        only("ipsec_accelerator.enable"),
        [false, true, false, false]
    );
    assert_eq!(only("skb_get_mark"), [false, false, false, true]);
    let counted = |declared: &Program| {
        let heads = declared.functions.iter();
        let heads = heads.filter(|head| head.name == "Counter.count");
        let takes = |head: &Function| {
            let optional = head.parameters.iter().filter(|one| one.is_optional);
            (head.parameters.len(), optional.count())
        };
        heads.map(takes).collect::<Vec<_>>()
    };
    assert_eq!(counted(&plain), [(2, 1)]);
    assert_eq!(counted(&dpdk), [(1, 0), (2, 0)]);
    assert_eq!(counted(&bmv2), [(1, 0)]);
    let deparser = |declared: &Program| parameters(declared, "MainDeparserT")[1].clone();
    assert_eq!(
        [deparser(&dpdk), deparser(&bmv2)],
        ["in MH main_hdr", "inout MH main_hdr"]
    );
}

/// Verdicts have the kernel's numbers, and what a packet brings has the widths of what stands beside it in a design.
#[test]
fn the_nic_is_that_of_designs() {
    let mut text = "#include <hardpath_nic.p4>\n".to_owned();
    for (number, verdict) in ["ABORTED", "DROP", "PASS", "TX", "REDIRECT"]
        .iter()
        .enumerate()
    {
        text += &format!("const bool V{number} = (bit<3>)NicVerdict_t.{verdict} == {number};\n");
    }
    text += "const int BITS = nic_parser_input_metadata_t.minSizeInBits();\n";
    let declared = of(&text);
    let values = declared
        .constants
        .iter()
        .map(|constant| format!("{:?}", constant.value));
    let values: Vec<String> = values.collect();
    assert_eq!(values[..5], vec!["Bool(true)"; 5]);
    // Two interfaces, queue, length, random number: 32 each; the time.
    assert!(values[5].contains("224"), "{}", values[5]);
    assert_eq!(
        parameters(&declared, "NicControl"),
        [
            "inout H headers",
            "inout M user_meta",
            "in nic_input_metadata_t istd",
            "inout nic_output_metadata_t ostd"
        ]
    );
}

/// What AMD's guide says of its externs.
#[test]
fn xsa_has_the_known_externs() {
    let declared = included("xsa.p4");
    assert_eq!(
        parameters(&declared, "UserExtern.apply"),
        ["in I data_in", "out O result"]
    );
    assert_eq!(
        parameters(&declared, "Checksum.apply"),
        ["in T data", "out W result"]
    );
    assert_eq!(
        parameters(&declared, "InternetChecksum.get"),
        ["out W result"]
    );
    assert_eq!(parameters(&declared, "Counter.count"), ["in S index"]);
    assert_eq!(
        parameters(&declared, "Deparser"),
        [
            " packet_out b",
            "in H hdr",
            "inout M meta",
            "inout standard_metadata_t standard_metadata"
        ]
        .map(str::trim_start)
    );
    let errors = &declared.types.errors;
    assert!(errors.iter().any(|name| name == "HeaderDepthLimitExceeded"));
}

/// A description of one's own may give a control the packet: there it is not read, since a control cannot reject it.
#[test]
fn controls_read_no_packets() {
    let folder = tempfile::tempdir().unwrap();
    let [program, described] =
        ["program.p4", "architecture.p4"].map(|name| folder.path().join(name));
    let text = "#include <core.p4>
header h_t { bit<8> a; }
control Reads(packet_in packet, inout bit<32> port);
package Own(Reads reads);
control R(packet_in packet, inout bit<32> port) {
    h_t h;
    apply { port = packet.length(); packet.extract(h); }
}
Own(R()) main;
";
    std::fs::write(&program, text).unwrap();
    let text = "@hardpath_package(\"Own\")
control own(packet_in packet, packet_out leaving, in hardpath_packet_t arrival)(Reads reads) {
    bit<32> port;
    apply { reads.apply(packet, port); hardpath_send(port); }
}
";
    std::fs::write(&described, text).unwrap();
    let options = hardpath_p4::preprocess::Options::default();
    let (program, sources) = hardpath_p4::load(&program, Some(&described), &options).unwrap();
    let design = hardpath_p4::design::design(&program, &sources).unwrap();
    for deparse in [Deparse::Front, Deparse::Memory] {
        let errors = lower(&program, &sources, &design, deparse).unwrap_err();
        assert_eq!(errors.len(), 1, "{errors:#?}");
        assert!(
            errors[0].message.contains("only parsers read packets"),
            "{errors:#?}"
        );
    }
    let machine = hardpath_p4::interpreter::Machine::new(&program, &sources, &design);
    let error = machine.unwrap().packet(0, &[1, 2], 0).unwrap_err();
    assert!(
        error.message.contains("only parsers read packets"),
        "{error:#?}"
    );
}
