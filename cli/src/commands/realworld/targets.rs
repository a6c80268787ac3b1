//! What there is to run: found by looking for XDP sections, so that no list has to be kept.

use super::Setting;
use crate::files;
use hardpath_diagnostic::{Diagnostic, Place};
use std::path::{Path, PathBuf};

/// An object file to be, or one that is there.
pub struct Target {
    /// The name of the source or object, without its ending.
    pub name: String,
    pub origin: Origin,
    /// The source; of ready-made objects the object.
    pub path: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// `samples/bpf/NAME_kern.c` of the kernel.
    KernelSample,
    /// `samples/bpf/NAME.bpf.c` of the kernel, linked with `xdp_sample.bpf.c`.
    LinkedSample,
    /// `tools/testing/selftests/bpf/progs` of the kernel.
    Selftest,
    /// A ready-made object of Debian's libxdp1.
    Package,
    /// Our own `programs/`.
    Own,
}

impl Origin {
    pub fn name(self) -> &'static str {
        match self {
            Origin::KernelSample | Origin::LinkedSample => "kernel sample",
            Origin::Selftest => "kernel selftest",
            Origin::Package => "libxdp1",
            Origin::Own => "hardpath",
        }
    }
}

impl Target {
    pub fn is_ready_made(&self) -> bool {
        self.origin == Origin::Package
    }
}

/// A source that is left out, and why.
pub struct Excluded {
    pub name: String,
    pub origin: Origin,
    pub reason: String,
}

/// Sources that use one of these need the kernel around them: its functions and variables (`__ksym`), or its sockets.
const KERNEL_ONLY: [(&str, &str); 6] = [
    ("__ksym", "calls functions of the kernel"),
    ("bpf_sk_lookup", "looks up sockets"),
    ("bpf_skc_lookup", "looks up sockets"),
    ("bpf_sk_release", "holds sockets"),
    ("bpf_tcp_check_syncookie", "makes SYN cookies of a socket"),
    (
        "bpf_tcp_raw_gen_syncookie",
        "makes SYN cookies with the kernel's secret",
    ),
];

/// Everything that has an XDP program, and what of it is left out.
pub fn find(setting: &Setting) -> Result<(Vec<Target>, Vec<Excluded>), Diagnostic> {
    let kernel = setting.sources.join("linux-source-6.1");
    let (mut targets, mut excluded) = (Vec::new(), Vec::new());
    let folders = [
        (kernel.join("samples/bpf"), Origin::KernelSample),
        (
            kernel.join("tools/testing/selftests/bpf/progs"),
            Origin::Selftest,
        ),
        (setting.programs.clone(), Origin::Own),
    ];
    for (folder, origin) in folders {
        for path in files_with_ending(&folder, ".c")? {
            let text = files::read_text(&path)?;
            if !has_xdp_section(&text) {
                continue;
            }
            let target = target(path, origin);
            let needed = KERNEL_ONLY.iter().find(|(word, _)| text.contains(word));
            match needed {
                None => targets.push(target),
                Some((word, what)) => excluded.push(Excluded {
                    name: target.name,
                    origin,
                    reason: format!("{what} (`{word}`)"),
                }),
            }
        }
    }
    for path in files_with_ending(&setting.sources.join("packages/objects"), ".o")? {
        targets.push(target(path, Origin::Package));
    }
    Ok((targets, excluded))
}

fn target(path: PathBuf, origin: Origin) -> Target {
    let file = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let linked = file.strip_suffix(".bpf.c");
    let endings = ["_kern.c", ".c", ".o"];
    let plain = || {
        let ending = endings.iter().find_map(|ending| file.strip_suffix(ending));
        ending.unwrap_or(&file).to_owned()
    };
    Target {
        name: linked.map_or_else(plain, str::to_owned),
        origin: match (origin, linked) {
            (Origin::KernelSample, Some(_)) => Origin::LinkedSample,
            _ => origin,
        },
        path,
    }
}

fn has_xdp_section(text: &str) -> bool {
    text.contains("SEC(\"xdp") || text.contains("SEC(\"?xdp")
}

/// In the order of their names.
fn files_with_ending(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, Diagnostic> {
    let entries = std::fs::read_dir(folder).map_err(|error| {
        Diagnostic::input("cannot-read", format!("the folder cannot be read: {error}"))
            .at(Place::of_file(folder.display()))
            .help("fetch the sources first: tools/realworld-sources build/realworld")
    })?;
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_sources() {
        let named = |path: &str, origin| {
            let target = target(PathBuf::from(path), origin);
            (target.name, target.origin)
        };
        let sample = Origin::KernelSample;
        assert_eq!(named("a/xdp1_kern.c", sample), ("xdp1".into(), sample));
        assert_eq!(
            named("a/xdp_redirect.bpf.c", sample),
            ("xdp_redirect".into(), Origin::LinkedSample)
        );
        assert_eq!(named("b/nat.c", Origin::Own), ("nat".into(), Origin::Own));
        assert_eq!(
            named("c/xsk_def_xdp_prog_5.3.o", Origin::Package).0,
            "xsk_def_xdp_prog_5.3"
        );
    }
}
