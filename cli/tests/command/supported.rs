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
