//! Programs that are made for one figure each, in C.

use super::programs::{self, Subject};
use super::wrong;
use hardpath_diagnostic::Diagnostic;
use hardpath_ebpf::LoadOptions;
use std::path::Path;
use std::process::Command;

/// What a program does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Made {
    Drop,
    SendBack,
    /// To an interface, without a map.
    Redirect,
    /// Looks up a key of so many bytes in a hash map.
    Access(u32),
    /// Calls `bpf_csum_diff` so often, each time with what the call before gave.
    Checksums(u32),
    /// Looks up so many keys in a hash map.
    Lookups(u32),
}

/// Bytes of keys.
pub const KEYS: [u32; 6] = [1, 2, 4, 8, 12, 16];
/// Calls of a helper.
pub const CALLS: [u32; 5] = [1, 10, 20, 30, 40];
/// The map of [`Made::Access`] and [`Made::Lookups`].
pub const MAP: &str = "entries";
/// Keys end in front of this byte of a packet: that of the source address that is another one in each flow is their last.
pub const KEY_END: usize = 30;

const HEAD: &str = "#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
struct key { __u8 bytes[KEY]; };
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 256);
    __type(key, struct key);
    __type(value, __u64);
} entries SEC(\".maps\");
SEC(\"xdp\") int made(struct xdp_md *ctx)
{
    unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
";

impl Made {
    /// The body of its function, and the bytes of its keys.
    fn body(self) -> (u32, String) {
        let reads = "    if (data + 34 > end) return XDP_DROP;\n";
        match self {
            Made::Drop => (4, "    return XDP_DROP;\n".into()),
            Made::SendBack => (4, "    return XDP_TX;\n".into()),
            Made::Redirect => (4, "    return bpf_redirect(2, 0);\n".into()),
            Made::Access(key) => {
                let body = format!(
                    "{reads}    struct key key;\n    __builtin_memcpy(&key, data + {KEY_END} - KEY, KEY);\n    \
                     return bpf_map_lookup_elem(&entries, &key) ? XDP_TX : XDP_DROP;\n"
                );
                (key, body)
            }
            Made::Checksums(calls) => {
                let body = format!(
                    "{reads}    __u32 word = *(__u32 *)(data + 26), sum = 0;\n    #pragma unroll\n    \
                     for (int i = 0; i < {calls}; i++) sum = bpf_csum_diff(0, 0, &word, 4, sum);\n    \
                     *(__u32 *)(data + 30) = sum;\n    return XDP_TX;\n"
                );
                (4, body)
            }
            Made::Lookups(calls) => {
                let body = format!(
                    "{reads}    __u64 sum = 0;\n    #pragma unroll\n    for (int i = 0; i < {calls}; i++) {{\n        \
                     struct key key = {{ .bytes = {{ data[29] ^ i }} }};\n        \
                     __u64 *value = bpf_map_lookup_elem(&entries, &key);\n        if (value) sum += *value;\n    }}\n    \
                     return sum == {calls} ? XDP_TX : XDP_DROP;\n"
                );
                (4, body)
            }
        }
    }

    fn source(self) -> String {
        let (key, body) = self.body();
        format!("#define KEY {key}\n{HEAD}{body}}}\nchar LICENSE[] SEC(\"license\") = \"GPL\";\n")
    }
}

/// All of them, compiled.
///
/// # Errors
/// There is no clang.
pub fn all() -> Result<Vec<(Made, Subject)>, Vec<Diagnostic>> {
    let plain = [Made::Drop, Made::SendBack, Made::Redirect].into_iter();
    let accesses = KEYS.into_iter().map(Made::Access);
    let calls = CALLS.into_iter();
    let calls = calls.flat_map(|calls| [Made::Checksums(calls), Made::Lookups(calls)]);
    let place = tempfile::tempdir().map_err(|error| wrong(error.to_string()))?;
    let all = plain.chain(accesses).chain(calls);
    all.map(|made| Ok((made, compile(made, place.path())?)))
        .collect()
}

fn compile(made: Made, place: &Path) -> Result<Subject, Vec<Diagnostic>> {
    let (source, object) = (place.join("made.c"), place.join("made.o"));
    let told = |what: String| wrong(format!("a program that is made here: {what}"));
    std::fs::write(&source, made.source()).map_err(|error| told(error.to_string()))?;
    let machine = std::env::consts::ARCH;
    let mut clang = Command::new(std::env::var_os("CLANG").unwrap_or("clang".into()));
    clang
        .args(["-target", "bpf", "-O2", "-g"])
        .arg(format!("-I/usr/include/{machine}-linux-gnu"))
        .arg("-c")
        .arg(&source)
        .arg("-o")
        .arg(&object);
    let output = clang.output().map_err(|error| told(error.to_string()))?;
    if !output.status.success() {
        return Err(told(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    programs::load(&object, "made", &LoadOptions::default())
}
