//! What a design promises, in a sentence.

use hardpath_pipeline::Promise;

/// Packets a second, and the line rate.
pub fn sentence(promise: &Promise) -> String {
    let Promise {
        any_traffic_pps,
        many_flows_pps,
        line_gbps,
        worst_length,
        worst_length_gbps,
        ..
    } = *promise;
    let million = |pps: f64| format!("{:.1} million", pps / 1e6);
    let mut text = format!(
        "Promised: {} packets a second of any traffic, all of one flow included",
        million(any_traffic_pps)
    );
    if many_flows_pps > any_traffic_pps {
        text.push_str(&format!(
            ", {} where none waits for another",
            million(many_flows_pps)
        ));
    }
    text.push_str(&format!(
        "; a line of {line_gbps:.1} Gbit/s full of frames of 64 bytes"
    ));
    if worst_length_gbps < line_gbps {
        // A frame has a check sequence of 4 bytes behind the packet.
        let frame = worst_length + 4;
        text.push_str(&format!(
            ", of {worst_length_gbps:.1} Gbit/s with frames of {frame} bytes, the worst length"
        ));
    }
    text.push('.');
    text
}
