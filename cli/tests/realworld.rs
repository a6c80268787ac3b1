//! `hardpath realworld`, on some of its programs. `make realworld` runs all of them.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs some programs; `None`: their sources are not there, and the environment does not say that they must be.
fn realworld(names: &str, more: &[&str]) -> Option<(i32, Value)> {
    let sources = root().join("build/realworld/packages/objects");
    if !sources.exists() {
        assert!(
            std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none(),
            "tools/realworld-sources build/realworld"
        );
        eprintln!("not tested, there are no sources: tools/realworld-sources build/realworld");
        return None;
    }
    let output = Command::new(env!("CARGO_BIN_EXE_hardpath"))
        .args(["realworld", "--json", "--only", names])
        .args(more)
        .current_dir(root())
        .output()
        .expect("the command can be started");
    let text = String::from_utf8(output.stdout).expect("output is UTF-8");
    let object = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {text}{:?}", String::from_utf8(output.stderr)));
    Some((output.status.code().expect("it was not killed"), object))
}

#[test]
fn some_programs_do_what_the_kernel_does() {
    let names =
        "xdp1,xdp2,xdp_rxq_info,xdp_redirect_cpu,test_xdp_do_redirect,xdp_tx,xdp_router_ipv4,\
                 listing1,firewall,ipip_encap,ipip_decap,flood,xdp_redirect_map_multi";
    let place = tempfile::tempdir().unwrap();
    let list = place.path().join("list.json");
    let docs = place.path().join("docs.md");
    let paths = [&list, &docs].map(|path| path.to_str().unwrap());
    let Some((status, answer)) = realworld(names, &["--out", paths[0], "--docs", paths[1]]) else {
        return;
    };
    assert_eq!(status, 0, "{answer}");
    assert_eq!(answer["mismatch"], 0, "{answer}");
    let rows: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(&list).unwrap()).unwrap();
    assert!(rows.len() > 12, "{rows:?}");
    let page = std::fs::read_to_string(&docs).unwrap();
    assert!(page.contains("| many flows | rows | packets |"), "{page}");
    for row in &rows {
        let name = row["program"].as_str().unwrap();
        assert!(page.contains(&format!("| {name} |")), "{name}");
        for key in [
            "compiler",
            "judge",
            "slots",
            "stages",
            "hazards",
            "ppc_one_flow",
            "ppc_many_flows",
            "core",
            "reason",
        ] {
            assert!(row.get(key).is_some(), "{key} is missing: {row}");
        }
        if row["status"] == "ok" {
            assert!(row["packets"].as_u64().unwrap() > 10_000, "{row}");
            assert!(row["ppc_one_flow"].as_f64().unwrap() > 0.0, "{row}");
            let packets = |of: &Value| of["packets"].as_u64().unwrap();
            assert!(packets(&row["core"]) >= packets(row), "{row}");
        } else {
            assert!(row["reason"].is_string(), "{row}");
        }
    }
    for name in [
        "xdp1",
        "xdp2",
        "xdp_rxq_info",
        "xdp_tx",
        "listing1",
        "firewall",
    ] {
        let row = rows.iter().find(|row| row["program"] == name).unwrap();
        assert_eq!(row["status"], "ok", "{row}");
        assert_eq!(row["core"]["status"], "ok", "{row}");
        assert!(row["core"]["rows"].as_u64() > Some(0), "{row}");
    }
}

#[test]
fn wrong_names_are_told() {
    let Some((status, answer)) = realworld("xdp_router_ipv", &[]) else {
        return;
    };
    assert_eq!(status, 2);
    assert_eq!(answer["error"]["code"], "unknown-target");
    let help = answer["error"]["help"].as_str().unwrap();
    assert!(help.starts_with("did you mean xdp_router_ipv4? "), "{help}");
    assert!(help.contains("xdp_router_ipv4, ") && help.contains("xdpfilt_alw_all"));
}
