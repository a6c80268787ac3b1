//! Reading and writing files. What is written is complete or not there: it is made beside its place and renamed.

use hardpath_diagnostic::{file, Diagnostic, Place};
use rustix::fs::{linkat, AtFlags, OFlags, CWD};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

pub fn read(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    fs::read(path).map_err(|error| cannot_read(path, &error))
}

/// Whether it is a file that can be opened.
pub fn check_readable(path: &Path) -> Result<(), Diagnostic> {
    let opened = File::open(path).and_then(|file| match file.metadata()?.is_dir() {
        true => Err(io::ErrorKind::IsADirectory.into()),
        false => Ok(()),
    });
    opened.map_err(|error| cannot_read(path, &error))
}

/// Whether a file can have that name, as far as no folder has it.
pub fn check_no_folder(path: &Path) -> Result<(), Diagnostic> {
    match path.is_dir() {
        true => Err(cannot_write(path, &io::ErrorKind::IsADirectory.into())),
        false => Ok(()),
    }
}

pub fn read_text(path: &Path) -> Result<String, Diagnostic> {
    text_of(read(path)?, path)
}

/// Bytes as text; `path` is for messages.
pub fn text_of(bytes: Vec<u8>, path: &Path) -> Result<String, Diagnostic> {
    String::from_utf8(bytes).map_err(|_| {
        Diagnostic::input("not-text", "the file is not UTF-8 text")
            .at(Place::of_file(path.display()))
    })
}

fn cannot_read(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::input("cannot-read", format!("the file cannot be read: {error}"))
        .at(Place::of_file(path.display()))
        .help(file::unread(path, error))
}

fn cannot_write(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::input(
        "cannot-write",
        format!("the output cannot be written: {error}"),
    )
    .at(Place::of_file(path.display()))
    .help(file::unwritten(error))
}

/// Lets `write_to` write a file; an older one is replaced. A device or pipe is written to as it is.
pub fn write(
    path: &Path,
    write_to: impl Fn(&Path) -> Result<(), Diagnostic>,
) -> Result<(), Diagnostic> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return write_to(path);
    }
    let beside = beside(path, "new").map_err(|error| cannot_write(path, &error))?;
    let renamed = || fs::rename(&beside, path).map_err(|error| cannot_write(path, &error));
    let written = write_to(&beside).and_then(|()| renamed());
    written.map_err(|error| {
        // The half-written file is no use to anybody; that it cannot be removed either changes nothing.
        let _ = fs::remove_file(&beside);
        error.at(Place::of_file(path.display()))
    })
}

/// A file that is written piece by piece, for as long as a run takes, and gets its name when it is whole: until then it
/// has none, so that nothing stays behind whatever ends the run. A device or pipe is written to as it is.
pub struct NewFile {
    to: BufWriter<File>,
    path: PathBuf,
    stage: Stage,
}

enum Stage {
    /// It is where it belongs.
    InPlace,
    Unnamed,
    /// Where a file system has no files without a name.
    Beside(PathBuf),
}

impl NewFile {
    pub fn create(path: &Path) -> Result<NewFile, Diagnostic> {
        let (file, stage) = open_new(path).map_err(|error| cannot_write(path, &error))?;
        Ok(NewFile {
            to: BufWriter::new(file),
            path: path.into(),
            stage,
        })
    }

    /// It is whole: an older one is replaced.
    pub fn put_in_place(mut self) -> Result<(), Diagnostic> {
        let put = self.to.flush().and_then(|()| {
            let beside = match &self.stage {
                Stage::InPlace => return Ok(()),
                Stage::Beside(beside) => beside.clone(),
                Stage::Unnamed => {
                    let beside = beside(&self.path, "new")?;
                    // Nobody else has this process's name for it, unless from a process that is no more.
                    let _ = fs::remove_file(&beside);
                    let unnamed = format!("/proc/self/fd/{}", self.to.get_ref().as_raw_fd());
                    linkat(CWD, unnamed, CWD, &beside, AtFlags::SYMLINK_FOLLOW)?;
                    self.stage = Stage::Beside(beside.clone());
                    beside
                }
            };
            fs::rename(beside, &self.path)?;
            self.stage = Stage::InPlace;
            Ok(())
        });
        put.map_err(|error| cannot_write(&self.path, &error))
    }
}

fn open_new(path: &Path) -> io::Result<(File, Stage)> {
    let mut options = OpenOptions::new();
    options.write(true);
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Ok((options.open(path)?, Stage::InPlace));
    }
    let beside = beside(path, "new")?;
    // A file without a name gets one through its entry in /proc.
    let can_be_named = Path::new("/proc/self/fd").exists();
    let unnamed = beside.parent().filter(|_| can_be_named).and_then(|folder| {
        let mut options = options.clone();
        options.custom_flags(OFlags::TMPFILE.bits() as i32);
        options.open(folder).ok()
    });
    match unnamed {
        Some(file) => Ok((file, Stage::Unnamed)),
        None => Ok((File::create(&beside)?, Stage::Beside(beside))),
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.to.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Stage::Beside(beside) = &self.stage {
            // The half-written file is no use to anybody; that it cannot be removed either changes nothing.
            let _ = fs::remove_file(beside);
        }
    }
}

/// Writes a text file whole.
pub fn write_text(path: &Path, text: &str) -> Result<(), Diagnostic> {
    write_bytes(path, text.as_bytes())
}

/// Writes a file whole.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    write(path, |path| {
        fs::write(path, bytes).map_err(|error| cannot_write(path, &error))
    })
}

/// Makes a folder and those that it lies in, where they are missing.
pub fn create_folder(path: &Path) -> Result<(), Diagnostic> {
    fs::create_dir_all(path).map_err(|error| cannot_write(path, &error))
}

/// Writes a folder of files. An older folder is replaced only when `marker` says that it is one of ours.
pub fn write_folder(
    folder: &Path,
    files: &[(String, Vec<u8>)],
    marker: &str,
) -> Result<(), Diagnostic> {
    refuse_foreign(folder, marker)?;
    let failed = |error: io::Error| cannot_write(folder, &error);
    let new = beside(folder, "new").map_err(failed)?;
    let written = write_files(&new, files).and_then(|()| put_in_place(&new, folder));
    written.map_err(|error| {
        let _ = fs::remove_dir_all(&new);
        failed(error)
    })
}

fn refuse_foreign(folder: &Path, marker: &str) -> Result<(), Diagnostic> {
    let Ok(metadata) = fs::metadata(folder) else {
        return Ok(());
    };
    if !metadata.is_dir() {
        return Err(Diagnostic::input(
            "not-a-folder",
            "the output is to be a folder, and there is a file",
        )
        .at(Place::of_file(folder.display()))
        .help("give another name with -o"));
    }
    let is_empty = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
    if is_empty || folder.join(marker).exists() {
        return Ok(());
    }
    let error = |message: &str| Diagnostic::input("folder-in-use", message);
    let error = match holds_design(folder) {
        true => error("the output folder holds the design of another program")
            .help("give another folder with -o, or remove this one"),
        false => error("the output folder holds something that is no design")
            .help("give an empty or new folder with -o"),
    };
    Err(error.at(Place::of_file(folder.display())))
}

/// Whether a folder has the file list of some design.
fn holds_design(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths = entries.map(|entry| entry.path());
    paths.any(|path| path.extension().is_some_and(|ending| ending == "f"))
}

fn write_files(folder: &Path, files: &[(String, Vec<u8>)]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for (name, bytes) in files {
        let path = folder.join(name);
        if let Some(inside) = path.parent() {
            fs::create_dir_all(inside)?;
        }
        fs::write(path, bytes)?;
    }
    Ok(())
}

/// A folder cannot be renamed over another one that is not empty, so the older one steps aside first.
fn put_in_place(new: &Path, folder: &Path) -> io::Result<()> {
    if !folder.exists() {
        return fs::rename(new, folder);
    }
    let old = beside(folder, "old")?;
    fs::rename(folder, &old)?;
    if let Err(error) = fs::rename(new, folder) {
        fs::rename(&old, folder)?;
        return Err(error);
    }
    fs::remove_dir_all(&old)
}

/// A hidden name in the same folder, so that a rename stays on one file system.
fn beside(path: &Path, what: &str) -> io::Result<PathBuf> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path has no last part"))?;
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(parent)?;
    let process = std::process::id();
    Ok(parent.join(format!(".{}.{what}-{process}", name.to_string_lossy())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_replaced_only_when_they_are_ours() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("design");
        let first = [
            (String::from("mark"), b"1".to_vec()),
            (String::from("a"), Vec::new()),
        ];
        write_folder(&folder, &first, "mark").unwrap();
        write_folder(&folder, &first[..1], "mark").unwrap();
        assert!(!folder.join("a").exists());
        fs::remove_file(folder.join("mark")).unwrap();
        fs::write(folder.join("mine"), b"").unwrap();
        assert_eq!(
            write_folder(&folder, &first, "mark").unwrap_err().code,
            "folder-in-use"
        );
        assert!(folder.join("mine").exists());
        assert_eq!(
            fs::read_dir(place.path()).unwrap().count(),
            1,
            "nothing is left beside it"
        );
    }

    #[test]
    fn files_are_written_whole() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("new/folder/file");
        let text = |text: &'static str| {
            move |path: &Path| {
                fs::write(path, text).unwrap();
                Ok(())
            }
        };
        write(&file, text("abc")).unwrap();
        write(&file, text("d")).unwrap();
        let fails = |path: &Path| {
            fs::write(path, "half").unwrap();
            Err(Diagnostic::input("full", "no room"))
        };
        assert_eq!(write(&file, fails).unwrap_err().code, "full");
        assert_eq!(read(&file).unwrap(), b"d");
        assert_eq!(
            fs::read_dir(file.parent().unwrap()).unwrap().count(),
            1,
            "nothing is left"
        );
    }
}
