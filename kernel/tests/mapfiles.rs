//! Map files: bpftool's form in, the same form out, every error with its place.

use hardpath_kernel::mapfile::{self, Shape};
use hardpath_kernel::MapType;

fn decl(
    name: &str,
    map_type: MapType,
    key_bytes: u32,
    value_bytes: u32,
    max_entries: u32,
) -> Shape {
    Shape {
        name: name.into(),
        map_type,
        key_bytes,
        value_bytes,
        max_entries,
    }
}

fn maps() -> [Shape; 4] {
    [
        decl("array", MapType::Array, 4, 2, 3),
        decl("per_cpu_counters_of_all", MapType::PerCpuArray, 4, 1, 2),
        decl("flows", MapType::Hash, 3, 1, 2),
        decl("ports", MapType::DevMap, 4, 4, 3),
    ]
}

/// As `bpftool -j map dump` (7.4) prints these maps.
const DUMPS: &str = r#"{
  "array": [{"key":["0x00","0x00","0x00","0x00"],"value":["0x00","0xff"]},
            {"key":["0x02","0x00","0x00","0x00"],"value":["0x01","0x02"],"formatted":{"key":2,"value":513}}],
  "per_cpu_counters_of_all": [{"key":["0x01","0x00","0x00","0x00"],
            "values":[{"cpu":1,"value":["0x09"]},{"cpu":0,"value":["0x07"]}]}],
  "flows": [{"key":[1,"2","0xff"],"value":[255]}],
  "ports": [{"key":["0x00","0x00","0x00","0x00"],"value":{"error":"No such file or directory"}},
            {"key":["0x01","0x00","0x00","0x00"],"value":["0x07","0x00","0x00","0x00"]}]
}"#;

#[test]
fn dumps_of_bpftool_are_read() {
    let image = mapfile::parse(DUMPS, "maps.json", &maps()).unwrap();
    assert_eq!(image.len(), 4);
    assert_eq!(image["array"][&vec![0, 0, 0, 0]], [0, 255]);
    assert_eq!(image["array"][&vec![2, 0, 0, 0]], [1, 2]);
    assert_eq!(image["per_cpu_counters_of_all"][&vec![1, 0, 0, 0]], [7]);
    assert_eq!(image["flows"][&vec![1, 2, 255]], [255]);
    assert_eq!(image["ports"].len(), 1);
    assert_eq!(image["ports"][&vec![1, 0, 0, 0]], [7, 0, 0, 0]);
}

#[test]
fn what_is_written_is_read() {
    let image = mapfile::parse(DUMPS, "maps.json", &maps()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("maps.json");
    mapfile::write(&path, &image, &maps()).unwrap();
    assert_eq!(mapfile::read(&path, &maps()).unwrap(), image);
    let text = std::fs::read_to_string(&path).unwrap();
    let first = r#"{"key":["0x00","0x00","0x00","0x00"],"value":["0x00","0xff"]}"#;
    assert!(text.contains(first), "{text}");
    assert!(
        text.contains(r#""values":[{"cpu":0,"value":["0x07"]}]"#),
        "{text}"
    );
    assert_eq!(
        text.matches("No such file or directory").count(),
        2,
        "{text}"
    );
    assert_eq!(
        mapfile::to_text(&Default::default(), &maps()).trim(),
        "{\n}"
    );
}

#[test]
fn all_errors_are_told_with_their_places() {
    let text = r#"{
      "nothing": [],
      "array": [{"key":["0x03","0x00","0x00","0x00"],"value":["0x00","0x00"]},
                {"key":["0x00","0x00","0x00"],"value":["0x00","0x100"]},
                {"key":["0x00","0x00","0x00","0x00"],"values":[]}],
      "flows": [{"key":[1,2,3],"value":[-1]}, {"key":[1,2,3]}, 5,
                {"key":[1,2,3],"value":[1]}, {"key":[1,2,3],"value":[2]},
                {"key":[1,2,4],"value":[1]}, {"key":[1,2,5],"value":[1], "extra": 1}],
      "per_cpu_counters_of_all": [{"key":[0,0,0,0],"values":[{"cpu":1,"value":[0]}]}],
      "ports": {}
    }"#;
    let errors = mapfile::parse(text, "m", &maps()).unwrap_err();
    let places: Vec<String> = errors.iter().map(|error| error.place_text()).collect();
    let mut told: Vec<(&str, &str)> = errors
        .iter()
        .zip(&places)
        .map(|(error, place)| (error.code, place.as_str()))
        .collect();
    told.sort_unstable();
    let mut expected = [
        ("unknown-map", "m: $.nothing"),
        ("map-size", "m: $.array[0].key"),
        ("map-size", "m: $.array[1].key"),
        ("map-file-form", "m: $.array[1].value[1]"),
        ("map-file-form", "m: $.array[2].values"),
        ("map-file-form", "m: $.flows[0].value[0]"),
        ("map-file-form", "m: $.flows[1].value"),
        ("map-file-form", "m: $.flows[2]"),
        ("map-key-twice", "m: $.flows[4]"),
        ("map-file-form", "m: $.flows[6]"),
        ("map-size", "m: $.flows"),
        ("map-file-form", "m: $.per_cpu_counters_of_all[0].values"),
        ("map-file-form", "m: $.ports"),
    ];
    expected.sort_unstable();
    assert_eq!(told, expected);
    for text in ["", "[]", "{", "5"] {
        let errors = mapfile::parse(text, "m", &maps()).unwrap_err();
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].code, "map-file-form");
    }
}
