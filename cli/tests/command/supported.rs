//! The table of what is supported, in the docs and from the command.

use crate::common::{hardpath, root};

#[test]
fn the_page_in_the_docs_is_current() {
    let run = hardpath(&["supported", "--markdown"]);
    assert_eq!(run.status, 0);
    let page = root().join("docs/supported.md");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&page, &run.stdout).unwrap();
    }
    let kept = std::fs::read_to_string(&page).unwrap();
    assert!(
        kept == run.stdout,
        "docs/supported.md is not what `hardpath supported --markdown` prints; UPDATE_EXPECT=1 renews it"
    );
}

#[test]
fn the_page_of_p4_is_current() {
    let run = hardpath(&["supported", "--p4", "--markdown"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let page = root().join("docs/supported-p4.md");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&page, &run.stdout).unwrap();
    }
    let kept = std::fs::read_to_string(&page).unwrap();
    assert!(
        kept == run.stdout,
        "docs/supported-p4.md is not what `hardpath supported --p4 --markdown` prints; UPDATE_EXPECT=1 renews it"
    );
}

#[test]
fn scripts_get_what_is_supported_of_p4() {
    let object = hardpath(&["supported", "--p4", "--json"]).json();
    let architectures = object["architectures"].as_array().unwrap();
    let v1model = architectures.iter().find(|one| one["file"] == "v1model.p4");
    let externs = v1model.unwrap()["externs"].as_array().unwrap();
    let of = |name: &str| {
        let mut all = externs.iter();
        let found = all.find(|one| one["what"].as_str().unwrap().starts_with(name));
        found.unwrap_or_else(|| panic!("{name}: {externs:#?}"))
    };
    let read = of("register.read(");
    assert!(read["interpreter"].is_null() && read["pipeline"].is_null() && read["core"].is_null());
    assert!(of("clone(")["pipeline"].is_string());
    assert!(of("meter.execute_meter(")["pipeline"].is_null());
    // A pipeline has added it up when a packet enters, a core goes through it.
    assert!(of("update_checksum_with_payload(")["core"].is_null());
    assert!(of("update_checksum_with_payload(")["pipeline"].is_null());
}

#[test]
fn scripts_get_the_same() {
    let object = hardpath(&["supported", "--json"]).json();
    let helpers = object["helpers"].as_array().unwrap();
    assert!(helpers
        .iter()
        .any(|helper| helper["name"] == "bpf_map_lookup_elem" && helper["number"] == 1));
    let maps = object["maps"].as_array().unwrap();
    let devmap = maps.iter().find(|map| map["type"] == "devmap").unwrap();
    assert!(!devmap["operations"].to_string().contains("update"));
    assert!(object["instructions"]["add"].as_array().unwrap().len() == 4);
    let limits = object["limits"].as_array().unwrap();
    assert!(limits
        .iter()
        .any(|limit| limit["what"] == "bytes of stack" && limit["most"] == 512));
}
