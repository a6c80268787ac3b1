//! The map files and the output capture of a run.

use crate::arguments::RunArguments;
use crate::files::{self, NewFile};
use crate::mtu;
use crate::packets::RunPacket;
use crate::source::Loaded;
use hardpath_diagnostic::Diagnostic;
use hardpath_ebpf::tables;
use hardpath_ir::maps::Image;
use hardpath_ir::Program;
use hardpath_kernel::mapfile::{self, Shape};
use hardpath_kernel::xdp;
use hardpath_packet::{self as packet, Fate};
use hardpath_testbed::capture::{self, Captured};

/// What the maps hold before the first packet.
pub fn read_maps(arguments: &RunArguments, loaded: &Loaded) -> Result<Image, Vec<Diagnostic>> {
    let image = match &arguments.maps {
        Some(path) => mapfile::read(path, &shapes(&loaded.program))?,
        None => Image::new(),
    };
    let image = with_contents(image, loaded);
    completed(image, arguments, loaded)
}

/// With the entries that the program has at first; what is there already stays.
fn with_contents(mut image: Image, loaded: &Loaded) -> Image {
    for (map, entries) in &loaded.contents {
        let into = image.entry(map.clone()).or_default();
        for (key, value) in entries {
            into.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
    image
}

/// Contents of maps as a run takes them: with open locks, and the MTUs of its interfaces.
///
/// # Errors
/// Those of [`mtu::set`].
pub fn completed(
    mut image: Image,
    arguments: &RunArguments,
    loaded: &Loaded,
) -> Result<Image, Vec<Diagnostic>> {
    for (map, lock) in &loaded.locks {
        // An update does not touch the lock (copy_map_value in the kernel's include/linux/bpf.h): it stays open.
        let entries = image.get_mut(map).into_iter().flatten();
        for (_, value) in entries {
            if let Some(bytes) = value.get_mut(lock.clone()) {
                bytes.fill(0);
            }
        }
    }
    mtu::set(arguments, &loaded.program, &mut image).map_err(|error| vec![error])?;
    Ok(image)
}

/// Writes the contents of maps where the command line asks for them.
pub fn write_maps(
    arguments: &RunArguments,
    program: &Program,
    image: &Image,
) -> Result<(), Diagnostic> {
    match &arguments.maps_out {
        Some(path) => files::write(path, |path| mapfile::write(path, image, &shapes(program))),
        None => Ok(()),
    }
}

/// The program's maps as bpftool shows them.
pub fn shapes(program: &Program) -> Vec<Shape> {
    program.maps.values().map(tables::shape).collect()
}

/// The capture of the packets that come out, if the command line asks for one.
pub struct SentOn {
    capture: Option<capture::Writer<NewFile>>,
}

impl SentOn {
    pub fn create(arguments: &RunArguments) -> Result<SentOn, Diagnostic> {
        let create = |path: &std::path::PathBuf| {
            capture::Writer::new(NewFile::create(path)?, path.display().to_string())
        };
        Ok(SentOn {
            capture: arguments.out.as_ref().map(create).transpose()?,
        })
    }

    pub fn nowhere() -> SentOn {
        SentOn { capture: None }
    }

    /// Writes a packet that comes out, every copy of a broadcast, with what the program said as comment and the time of the packet
    /// that went in.
    pub fn packet(&mut self, packet: &RunPacket, fate: Option<&Fate>) -> Result<(), Diagnostic> {
        let (Some(capture), Some(fate)) = (&mut self.capture, fate) else {
            return Ok(());
        };
        for copy in &fate.copies {
            capture.packet(&Captured {
                data: copy.data.clone(),
                time_ns: packet.captured_ns,
                comment: Some(comment(copy)),
            })?;
        }
        Ok(())
    }

    /// Now it is whole.
    pub fn finish(self) -> Result<(), Diagnostic> {
        match self.capture {
            Some(capture) => capture.finish()?.put_in_place(),
            None => Ok(()),
        }
    }
}

/// What stands beside a packet that a program sent on: `XDP_PASS`, `XDP_REDIRECT to ifindex 7`.
fn comment(copy: &packet::Copy) -> String {
    let verdict = copy.outputs.first().copied().unwrap_or_default();
    let name = xdp::name(verdict);
    match verdict {
        xdp::REDIRECT => format!("{name} to {}", xdp::describe(copy.class, copy.index)),
        _ => name.into(),
    }
}
