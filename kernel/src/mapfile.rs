//! Map files: a JSON object, full ELF map name → what `bpftool -j map dump` prints for such a map.
//!
//! ```json
//! { "flows":  [{"key":["0x01","0x00"],"value":["0x05"]}],
//!   "counts": [{"key":["0x00","0x00","0x00","0x00"],"values":[{"cpu":0,"value":["0x07"]},{"cpu":1,"value":["0x00"]}]}],
//!   "ports":  [{"key":["0x00","0x00","0x00","0x00"],"value":{"error":"No such file or directory"}}] }
//! ```
//!
//! Of a per-CPU map CPU 0 counts; an entry with an error is absent; `formatted` (printed where there is BTF) is
//! ignored. A byte may also be a plain number. The kernel prints no entry of a socket map (each has an error); in a map
//! file its value is any number above 0 that stands for a socket.

use crate::{Entries, Image, MapType};
use hardpath_diagnostic::count::counted;
use hardpath_diagnostic::{file, suggest, Diagnostic, Place};
use serde_json::{json, Map, Value};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// A map as bpftool shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The full ELF name.
    pub name: String,
    /// Its type.
    pub map_type: MapType,
    /// Bytes of a key.
    pub key_bytes: u32,
    /// Bytes of a value.
    pub value_bytes: u32,
    /// Entries at most.
    pub max_entries: u32,
}

/// Reads a map file and checks names, sizes, array indices and numbers of entries against the program's maps. All
/// errors at once, each with its place in the file (`$.flows[3].key`).
pub fn read<'a>(
    path: &Path,
    maps: impl IntoIterator<Item = &'a Shape>,
) -> Result<Image, Vec<Diagnostic>> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|error_of_file| {
        let message = format!("cannot read the map file: {error_of_file}");
        let error = Diagnostic::input("map-file-unreadable", message).at(Place::of_file(&name));
        vec![error.help(file::unread(path, &error_of_file))]
    })?;
    parse(&text, &name, maps)
}

/// Reads a map file from memory; `name` is for messages.
pub fn parse<'a>(
    text: &str,
    name: &str,
    maps: impl IntoIterator<Item = &'a Shape>,
) -> Result<Image, Vec<Diagnostic>> {
    let mut reader = Reader {
        name,
        errors: Vec::new(),
    };
    let maps: Vec<&Shape> = maps.into_iter().collect();
    let image = match serde_json::from_str(text) {
        Ok(Value::Object(object)) => reader.image(&object, &maps),
        Ok(_) => {
            reader.error("map-file-form", "$", "the file is no JSON object");
            Image::new()
        }
        Err(error) => {
            reader.error(
                "map-file-form",
                "$",
                format!("the file is no JSON: {error}"),
            );
            Image::new()
        }
    };
    match reader.errors.is_empty() {
        true => Ok(image),
        false => Err(reader.errors),
    }
}

/// Writes a map file, one entry a line; maps that are not in `maps` are left out.
pub fn write<'a>(
    path: &Path,
    image: &Image,
    maps: impl IntoIterator<Item = &'a Shape>,
) -> Result<(), Diagnostic> {
    fs::write(path, to_text(image, maps)).map_err(|error| {
        Diagnostic::input(
            "map-file-unwritable",
            format!("cannot write the map file: {error}"),
        )
        .at(Place::of_file(path.display()))
        .help(file::unwritten(&error))
    })
}

/// The text of a map file. Unset slots of device, CPU and socket maps are written as bpftool writes those of a devmap.
pub fn to_text<'a>(image: &Image, maps: impl IntoIterator<Item = &'a Shape>) -> String {
    let mut text = String::from("{");
    let mut separator = "\n";
    for decl in maps {
        let Some(entries) = image.get(&decl.name) else {
            continue;
        };
        let lines: Vec<String> = match decl.map_type.has_slots() {
            true => slot_lines(decl, entries),
            false => entries
                .iter()
                .map(|(key, value)| entry_line(decl, key, value))
                .collect(),
        };
        let map = json!(decl.name);
        let _ = match lines.is_empty() {
            true => write!(text, "{separator}{map}: []"),
            false => write!(text, "{separator}{map}: [\n{}\n]", lines.join(",\n")),
        };
        separator = ",\n";
    }
    text.push_str("\n}\n");
    text
}

fn entry_line(decl: &Shape, key: &[u8], value: &[u8]) -> String {
    let (key, value) = (hex_array(key), hex_array(value));
    match decl.map_type.is_per_cpu() {
        true => json!({"key": key, "values": [{"cpu": 0, "value": value}]}),
        false => json!({"key": key, "value": value}),
    }
    .to_string()
}

fn slot_lines(decl: &Shape, entries: &Entries) -> Vec<String> {
    let line = |index: u32| {
        let key = index.to_le_bytes();
        match entries.get(key.as_slice()) {
            Some(value) => entry_line(decl, &key, value),
            None => {
                let error = json!({"error": "No such file or directory"});
                json!({"key": hex_array(&key), "value": error}).to_string()
            }
        }
    };
    (0..decl.max_entries).map(line).collect()
}

fn hex_array(bytes: &[u8]) -> Vec<String> {
    bytes.iter().map(|byte| format!("{byte:#04x}")).collect()
}

struct Reader<'a> {
    name: &'a str,
    errors: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn error(&mut self, code: &'static str, path: &str, message: impl Into<String>) {
        let place = Place::of_file(self.name).unit(path);
        let error = Diagnostic::input(code, message).at(place).help(
            "the file maps each full map name to what `bpftool -j map dump` prints for the map",
        );
        self.errors.push(error);
    }

    fn image(&mut self, object: &Map<String, Value>, maps: &[&Shape]) -> Image {
        let mut image = Image::new();
        for (name, value) in object {
            let path = match name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                true => format!("$.{name}"),
                false => format!("$[{}]", json!(name)),
            };
            let Some(decl) = maps.iter().find(|decl| decl.name == *name) else {
                let names: Vec<&str> = maps.iter().map(|decl| decl.name.as_str()).collect();
                let known = suggest::known(name, names, "it has", "it has none");
                let message = format!("the program has no map {name} that can be filled: {known}");
                self.error("unknown-map", &path, message);
                continue;
            };
            match value {
                Value::Array(list) => {
                    let entries = self.entries(list, decl, &path);
                    image.insert(name.clone(), entries);
                }
                _ => self.error("map-file-form", &path, "a map is a list of entries"),
            }
        }
        image
    }

    fn entries(&mut self, list: &[Value], decl: &Shape, path: &str) -> Entries {
        let mut entries = Entries::new();
        for (index, entry) in list.iter().enumerate() {
            let path = format!("{path}[{index}]");
            let Value::Object(entry) = entry else {
                self.error(
                    "map-file-form",
                    &path,
                    "an entry is an object with key and value",
                );
                continue;
            };
            if entry.contains_key("error") {
                continue;
            }
            let known = ["key", "value", "values", "formatted"];
            for field in entry
                .keys()
                .filter(|field| !known.contains(&field.as_str()))
            {
                self.error(
                    "map-file-form",
                    &path,
                    format!("an entry has no field `{field}`"),
                );
            }
            let key = self.field(entry, "key", decl.key_bytes, &path);
            let value = self.value(entry, decl, &path);
            if let Some(Some(value)) = &value {
                self.check_value(value, decl, &path);
            }
            let (Some(key), Some(value)) = (key, value) else {
                continue;
            };
            if decl.map_type.is_indexed() && !self.index_in_range(&key, decl, &path) {
                continue;
            }
            if let Some(value) = value {
                if entries.insert(key, value).is_some() {
                    self.error("map-key-twice", &path, "the key stands in this map before");
                }
            }
        }
        let (count, most) = (entries.len(), decl.max_entries);
        if count > most as usize {
            let message = format!("{} for a map of at most {most}", counted(count, "entry"));
            self.error("map-size", path, message);
        }
        entries
    }

    /// What the kernel refuses in a value of such a map, and what hardpath does not honour.
    fn check_value(&mut self, value: &[u8], decl: &Shape, path: &str) {
        if let Some(problem) = decl.map_type.value_problem(value) {
            let message = format!("the value {problem}");
            self.error("map-value", &format!("{path}.value"), message);
        }
    }

    /// Arrays, device, CPU and socket maps have 32-bit indices below `max_entries` as keys.
    fn index_in_range(&mut self, key: &[u8], decl: &Shape, path: &str) -> bool {
        let Ok(index) = <[u8; 4]>::try_from(key).map(u32::from_le_bytes) else {
            return true;
        };
        let most = decl.max_entries;
        if index >= most {
            let message = format!("index {index} of a map with {}", counted(most, "entry"));
            self.error("map-size", &format!("{path}.key"), message);
        }
        index < most
    }

    /// The value of an entry; `Some(None)`: the entry is absent; `None`: wrong.
    fn value(
        &mut self,
        entry: &Map<String, Value>,
        decl: &Shape,
        path: &str,
    ) -> Option<Option<Vec<u8>>> {
        let is_error =
            |value: Option<&Value>| value.is_some_and(|value| value.get("error").is_some());
        if is_error(entry.get("value")) {
            return Some(None);
        }
        let Some(values) = entry.get("values") else {
            return self.field(entry, "value", decl.value_bytes, path).map(Some);
        };
        let path = format!("{path}.values");
        if !decl.map_type.is_per_cpu() {
            self.error("map-file-form", &path, "only a per-CPU map has `values`");
            return None;
        }
        let first = values.as_array().and_then(|list| {
            list.iter()
                .enumerate()
                .find(|(_, value)| value.get("cpu") == Some(&json!(0)))
        });
        match first {
            Some((_, value)) if is_error(value.get("value")) => Some(None),
            Some((index, Value::Object(value))) => {
                let path = format!("{path}[{index}]");
                self.field(value, "value", decl.value_bytes, &path)
                    .map(Some)
            }
            _ => {
                self.error("map-file-form", &path, "there is no value for CPU 0");
                None
            }
        }
    }

    fn field(
        &mut self,
        object: &Map<String, Value>,
        field: &str,
        bytes: u32,
        path: &str,
    ) -> Option<Vec<u8>> {
        let path = format!("{path}.{field}");
        let Some(list) = object.get(field).and_then(Value::as_array) else {
            let message = format!(
                "`{field}` must be a list of {}, such as \"0x1f\"",
                counted(bytes, "byte")
            );
            self.error("map-file-form", &path, message);
            return None;
        };
        if list.len() != bytes as usize {
            let message = format!(
                "`{field}` has {}, the map's has {bytes}",
                counted(list.len(), "byte")
            );
            self.error("map-size", &path, message);
            return None;
        }
        let parsed: Vec<Option<u8>> = list.iter().map(byte).collect();
        for (index, _) in parsed.iter().enumerate().filter(|(_, byte)| byte.is_none()) {
            let message = format!("{} is no byte", list[index]);
            self.error("map-file-form", &format!("{path}[{index}]"), message);
        }
        parsed.into_iter().collect()
    }
}

/// `"0x1f"`, `"31"` or 31.
fn byte(value: &Value) -> Option<u8> {
    match value {
        Value::Number(number) => u8::try_from(number.as_u64()?).ok(),
        Value::String(text) => match text.strip_prefix("0x") {
            Some(digits) => u8::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        },
        _ => None,
    }
}
