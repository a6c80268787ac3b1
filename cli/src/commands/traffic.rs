//! `hardpath traffic`: a capture of generated packets.

use crate::answer::Answer;
use crate::arguments::TrafficArguments;
use crate::files;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::count::counted;
use hardpath_testbed::capture;
use hardpath_testbed::traffic::{generate, Distribution, TrafficOptions};
use serde_json::json;

pub fn run(arguments: &TrafficArguments) -> Result<Answer, Vec<Diagnostic>> {
    write(arguments).map_err(|error| vec![error])
}

fn write(arguments: &TrafficArguments) -> Result<Answer, Diagnostic> {
    let packets = generate(&TrafficOptions {
        packets: arguments.packets as usize,
        flows: arguments.flows,
        distribution: Distribution::parse(&arguments.distribution, arguments.zipf)?,
        size: arguments.size.parse()?,
        protocol: arguments.proto.parse()?,
        both_directions: arguments.both_directions,
        service: arguments.service,
        nat: arguments.nat,
        tunnel: arguments.tunnel.as_deref().map(str::parse).transpose()?,
        hostile: arguments.hostile,
        seed: arguments.seed,
    })?;
    files::write(&arguments.output, |path| capture::write(path, &packets))?;
    let bytes: usize = packets.iter().map(|packet| packet.data.len()).sum();
    let name = arguments.output.display().to_string();
    let text = format!(
        "{}, {}, in {name}\n",
        counted(packets.len(), "packet"),
        counted(bytes, "byte")
    );
    Ok(Answer::good(
        json!({ "packets": packets.len(), "bytes": bytes, "file": name }),
        text,
    ))
}
