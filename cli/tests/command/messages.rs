//! Messages for scripts, a JSON object a line, and names that may have been meant.

use crate::common::{compile, hardpath, object, path, root};
use crate::packets::write_made;
use serde_json::Value;
use std::fs;
use std::process::Command;
use tempfile::TempDir;

/// All lines of standard error of a command that is asked for JSON messages.
fn messages(arguments: &[&str], status: i32) -> Vec<Value> {
    let run = hardpath(&[arguments, &["--message-format", "json"]].concat());
    assert_eq!(run.status, status, "{}{}", run.stdout, run.stderr);
    let lines = run.stderr.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// A validator by others reads the schema.
const VALIDATE: &str = "
import json, sys
from jsonschema import Draft202012Validator as Validator
schema = json.load(open(sys.argv[1]))
Validator.check_schema(schema)
bad = 0
for line in open(sys.argv[2]):
    for error in Validator(schema).iter_errors(json.loads(line)):
        bad += 1
        print(error.json_path, error.message, line)
sys.exit(bad != 0)
";

fn breaches(messages: &[Value]) -> Option<String> {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("messages.jsonl");
    let lines: Vec<String> = messages.iter().map(|one| format!("{one}\n")).collect();
    fs::write(&file, lines.concat()).unwrap();
    let schema = root().join("docs/messages.schema.json");
    let output = Command::new("python3")
        .args(["-c", VALIDATE, path(&schema), path(&file)])
        .output()
        .expect("python3 can be started");
    let said = [output.stdout, output.stderr].concat();
    (!output.status.success()).then(|| String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn messages_for_scripts_keep_to_their_schema() {
    let folder = TempDir::new().unwrap();
    let text = folder.path().join("bad.hir");
    fs::write(
        &text,
        "program \"bad\" control-flow\n\nblock0:\n    v0:64 = cnst 1\n",
    )
    .unwrap();
    let (firewall, listing1) = (object("firewall"), object("listing1"));
    let empty = folder.path().join("empty.pcap");
    write_made(&empty, 0, |_| Vec::new());
    let Some((_place, refused)) = compile("refused") else {
        return;
    };
    let refused = ["compile", path(&refused), "--program", "unsupported_helper"];
    let runs = [
        messages(&["compile", "no/such.o"], 2),
        messages(&["compile", &firewall, "--program", "firewal"], 2),
        messages(&["compile", &firewall, "--no-such-option"], 2),
        messages(&["pass", "dce", path(&text)], 2),
        messages(&refused, 3),
        messages(&["sim", &listing1, "--pcap", path(&empty)], 0),
    ];
    for run in &runs {
        assert!(!run.is_empty());
    }
    let all: Vec<Value> = runs.concat();
    let kinds = |kind: &str| all.iter().filter(|one| one["kind"] == kind).count();
    assert!(kinds("input") >= 4 && kinds("refused") >= 1 && kinds("note") + kinds("warning") >= 1);
    let lines = all.iter().map(|one| &one["location"]["source"]["line"]);
    assert!(lines.into_iter().any(Value::is_u64), "a line of C");
    assert!(
        all.iter().any(|one| one["location"]["column"].is_u64()),
        "a column of text"
    );
    assert_eq!(breaches(&all), None);
    // The check can fail.
    let mut other = all[0].clone();
    other["severity"] = "fatal".into();
    assert!(breaches(&[other]).is_some());
}

#[test]
fn a_message_for_scripts_is_the_one_for_people() {
    let arguments = ["compile", "no/such.o"];
    let line = &messages(&arguments, 2)[0];
    let text = hardpath(&arguments).stderr;
    let rendered = line["rendered"].as_str().unwrap();
    assert!(text.starts_with(rendered), "{text}\n{rendered}");
    assert_eq!(line["location"]["file"], "no/such.o");
    // The answer takes its messages in.
    let run = hardpath(&["compile", "no/such.o", "--json", "--message-format", "json"]);
    assert_eq!(run.stderr, "");
    assert_eq!(run.error(2, "cannot-read")["location"], line["location"]);
}

#[test]
fn a_name_that_is_nearly_right_is_suggested() {
    let firewall = object("firewall");
    let folder = TempDir::new().unwrap();
    let maps = folder.path().join("maps.json");
    fs::write(&maps, r#"{"flow": []}"#).unwrap();
    let capture = folder.path().join("none.pcap");
    write_made(&capture, 3, |_| vec![0; 60]);
    let cases: [(&[&str], &str); 6] = [
        (&["compile", &firewall, "--program", "firewal"], "firewall"),
        (&["compile", &firewall, "--max-entries", "flow=8"], "flows"),
        (&["explain", "lookup-after-updat"], "lookup-after-update"),
        (&["ir", &firewall, "--after", "dataflw"], "dataflow"),
        (&["pass", "dcee", "x.hir"], "dce"),
        (
            &[
                "sim",
                &firewall,
                "--pcap",
                path(&capture),
                "--maps",
                path(&maps),
            ],
            "flows",
        ),
    ];
    for (arguments, meant) in cases {
        let run = hardpath(arguments);
        let hint = format!("did you mean {meant}?");
        assert_eq!(run.status, 2, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(&hint), "{arguments:?}: {}", run.stderr);
    }
}
