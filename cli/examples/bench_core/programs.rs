//! The programs: ours, samples of the kernel, and the one that libxdp puts in front of sockets (xdpsock's).

use super::wrong;
use hardpath_core::compile::{self, savings::Without, Compiled};
use hardpath_core::image::Machine;
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ebpf::LoadOptions;
use hardpath_ir::Program;
use std::path::{Path, PathBuf};

/// Where objects lie.
pub struct Folders {
    /// Samples of the kernel, as `hardpath realworld` compiles them.
    pub kernel: PathBuf,
    /// Ready-made ones, of libxdp.
    pub packages: PathBuf,
    /// Ours, and the kernel's xdp1 and xdp2.
    pub ours: PathBuf,
}

impl Default for Folders {
    fn default() -> Folders {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        Folders {
            kernel: root.join("build/realworld/work/clang-14"),
            packages: root.join("build/realworld/packages/objects"),
            ours: root.join("build/programs"),
        }
    }
}

/// A program and where it comes from.
pub struct Known {
    /// As tables call it.
    pub name: &'static str,
    object: &'static str,
    /// Of an object with several.
    program: Option<&'static str>,
    /// What a loader says of a map's size.
    max_entries: Option<(&'static str, u32)>,
}

/// Those that the paper has.
pub const OF_THE_PAPER: [Known; 9] = [
    known("xdp1", "xdp1"),
    known("xdp2", "xdp2"),
    known("xdp_adjust_tail", "xdp_adjust_tail"),
    counting("xdp_router_ipv4", "xdp_router_ipv4", None),
    known("xdp_rxq_info", "xdp_rxq_info"),
    known("xdpsock", "xsk_def_xdp_prog_5.3"),
    known("xdp_tx_iptunnel", "xdp_tx_iptunnel"),
    counting(
        "xdp_redirect_map",
        "xdp_redirect_map",
        Some("xdp_redirect_map_general"),
    ),
    known("firewall", "firewall"),
];

/// Others of ours.
pub const OURS: [Known; 20] = [
    known("acl", "acl"),
    known("blocklist", "blocklist"),
    known("bloom", "bloom"),
    known("cuckoo", "cuckoo"),
    known("dns_labels", "dns_labels"),
    known("flood", "flood"),
    known("ipip_decap", "ipip_decap"),
    known("ipip_encap", "ipip_encap"),
    known("ipv6_extensions", "ipv6_extensions"),
    known("leaky_bucket", "leaky_bucket"),
    known("listing1", "listing1"),
    known("load_balancer", "load_balancer"),
    known("nat", "nat"),
    known("rate_limit", "rate_limit"),
    known("redirector", "redirector"),
    known("reflector", "reflector"),
    known("suricata_like", "suricata_like"),
    known("syn_filter", "syn_filter"),
    known("token_bucket", "token_bucket"),
    known("vxlan_encap", "vxlan_encap"),
];

const fn known(name: &'static str, object: &'static str) -> Known {
    Known {
        name,
        object,
        program: None,
        max_entries: None,
    }
}

/// One whose loader makes an entry of `rx_cnt` for each CPU.
const fn counting(
    name: &'static str,
    object: &'static str,
    program: Option<&'static str>,
) -> Known {
    Known {
        name,
        object,
        program,
        max_entries: Some(("rx_cnt", 64)),
    }
}

/// A program, and how many instructions its object has.
pub struct Subject {
    pub name: String,
    pub program: Program,
    pub slots: usize,
    /// What the command is given beside the object, for readers.
    pub options: String,
}

impl Subject {
    /// # Errors
    /// What is wrong with the object.
    pub fn rows(&self, lanes: u8, without: Without) -> Result<Compiled, Vec<Diagnostic>> {
        compile::compile_without(&self.program, &Machine::with_lanes(lanes), without)
    }
}

impl Known {
    /// # Errors
    /// There is no such object; what is wrong with it.
    pub fn load(&self, folders: &Folders) -> Result<Subject, Vec<Diagnostic>> {
        let file = format!("{}.o", self.object);
        let all = [&folders.ours, &folders.kernel, &folders.packages];
        let path = all.map(|folder| folder.join(&file));
        let Some(path) = path.iter().find(|path| path.exists()) else {
            return Err(wrong(format!(
                "{file} is missing: make bench-core makes it"
            )));
        };
        let options = LoadOptions {
            program: self.program.map(str::to_owned),
            max_entries: self
                .max_entries
                .map(|(map, entries)| (map.to_owned(), entries))
                .into_iter()
                .collect(),
            ..LoadOptions::default()
        };
        let mut subject = load(path, self.name, &options)?;
        let program = self.program.map(|program| format!("--program {program}"));
        let sizes = self.max_entries;
        let sizes = sizes.map(|(map, entries)| format!("--max-entries {map}={entries}"));
        let options: Vec<String> = program.into_iter().chain(sizes).collect();
        subject.options = options.join(" ");
        Ok(subject)
    }
}

/// # Errors
/// What is wrong with the object.
pub fn load(path: &Path, name: &str, options: &LoadOptions) -> Result<Subject, Vec<Diagnostic>> {
    let file = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| {
        let error = Diagnostic::input("cannot-read", error.to_string());
        vec![error.at(Place::of_file(&file))]
    })?;
    let object = hardpath_ebpf::load(&bytes, &file, options)?;
    let image = object
        .choose(options.program.as_deref())
        .map_err(|error| vec![error])?;
    let lifted = hardpath_ebpf::lift_structured(&object, image)?;
    Ok(Subject {
        name: name.into(),
        slots: image.insns.len(),
        program: lifted.program,
        options: String::new(),
    })
}
