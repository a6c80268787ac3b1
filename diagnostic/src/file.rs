//! What to do about a file that cannot be read or written.

use crate::suggest;
use std::io::{Error, ErrorKind};
use std::path::Path;

/// What a user can do next; looks into the folder for a file that may have been meant.
pub fn unread(path: &Path, error: &Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => format!("{}check the name of the file", meant(path)),
        ErrorKind::PermissionDenied => String::from("make the file readable for this user"),
        ErrorKind::IsADirectory => String::from("that is a folder; give a file"),
        ErrorKind::InvalidData => String::from("give a text in UTF-8"),
        _ => String::from("give a readable file"),
    }
}

/// What a user can do next.
pub fn unwritten(error: &Error) -> String {
    match error.kind() {
        ErrorKind::IsADirectory => {
            String::from("that is a folder; give the name that the file is to have")
        }
        ErrorKind::NotFound => String::from("give a folder that is there"),
        _ => String::from("give a place that this user can write to"),
    }
}

/// `did you mean firewall.o? `, if the folder has a file of such a name.
fn meant(path: &Path) -> String {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return String::new();
    };
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    let Some(nearest) = suggest::nearest(name, names.iter().map(String::as_str)) else {
        return String::new();
    };
    format!("did you mean {}? ", path.with_file_name(nearest).display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_nearly_called_so() {
        let path = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(name);
        let missing = Error::from(ErrorKind::NotFound);
        let help = unread(&path("sugest.rs"), &missing);
        assert!(help.starts_with("did you mean "), "{help}");
        assert!(help.contains("src/suggest.rs? "), "{help}");
        assert_eq!(unread(&path("0"), &missing), "check the name of the file");
        let nowhere = unread(Path::new("no/such/folder/a.o"), &missing);
        assert_eq!(nowhere, "check the name of the file");
    }
}
