//! Packets with the host's operations in the middle of them, in the order in which all of them entered the pipeline.

use hardpath_blocks::interface::Interface;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::maps::KeyMove;
use hardpath_packet::Packet;
use hardpath_testbed::native::Native;
use hardpath_testbed::run::{run, HostEvent, RunOptions, RunResult};
use hardpath_testbed::watch::{Entered, Watched};

/// A run with the order of its packets and operations.
pub struct Mixed {
    /// Of the packets that entered and of the operations that came to the maps, with what each moved in LRU maps with journals.
    pub order: Vec<(Entered, Vec<KeyMove>)>,
    /// What became of all packets, and what the host was answered.
    pub result: RunResult,
    /// The most clocks that an operation took.
    pub longest_operation: u64,
}

/// Whether an operation comes to the maps of a design.
pub(crate) fn reaches_maps(event: &HostEvent, interface: &Interface) -> bool {
    let map = event.operation.map();
    map.is_some_and(|map| map < interface.maps.len())
}

/// Runs packets with the operations of [`RunOptions::host`], in the engine that can be watched.
///
/// # Errors
/// The design breaks a rule or hangs.
pub fn mixed(
    native: &mut Native,
    interface: &Interface,
    packets: &[Packet],
    options: &RunOptions,
) -> Result<Mixed, Diagnostic> {
    let mut watched = Watched::new(native, interface)?;
    let result = run(&mut watched, interface, packets, options)?;
    let Watched {
        order,
        longest_operation,
        mut journals,
        ..
    } = watched;
    let events = options.host.iter();
    let mut events = events.filter(|event| reaches_maps(event, interface));
    let order = order.into_iter().map(|entered| {
        let moves = match entered {
            Entered::Packet if journals.has_packet() && journals.packets().is_some() => {
                journals.take_packet()
            }
            Entered::Packet => Vec::new(),
            Entered::Host => {
                let operation = events.next().map(|event| &event.operation);
                operation.map_or(Vec::new(), |operation| journals.take_host(operation))
            }
        };
        (entered, moves)
    });
    Ok(Mixed {
        order: order.collect(),
        result,
        longest_operation,
    })
}
