//! What a P4 program says beside its packets, as the commands that run packets tell it.

use hardpath_ir::count::counted;
use hardpath_p4::interpreter::{Message, Said};
use serde_json::{json, Value};
use std::fmt::Write;

/// What was said, with the numbers of the packets, from 1.
#[derive(Clone, Default)]
pub struct Heard {
    first: Vec<(u64, Message)>,
    count: u64,
}

impl Heard {
    /// So many messages are kept to be shown.
    const KEPT: usize = 1000;

    pub fn add(&mut self, packet: u64, messages: Vec<Message>) {
        self.count += messages.len() as u64;
        let room = Heard::KEPT.saturating_sub(self.first.len());
        let messages = messages.into_iter().map(|message| (packet, message));
        self.first.extend(messages.take(room));
    }

    /// The first ones, in their order.
    pub fn json(&self) -> Value {
        let messages = self.first.iter().map(|(packet, message)| {
            let mut object = json!({
                "packet": packet,
                "kind": message.said.kind(),
                "place": message.place.to_string(),
                "text": message.said.to_string(),
            });
            if let Said::Digest { name, fields } = &message.said {
                let fields = fields.iter();
                let fields = fields.map(|(name, value)| json!({ "name": name, "value": value }));
                object["digest"] = json!(name);
                object["fields"] = fields.collect();
            }
            object
        });
        messages.collect()
    }

    /// `packet 3: nat.p4:40:9: no port is free`, a line each; nothing where nothing was said.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (packet, message) in &self.first {
            let _ = writeln!(
                text,
                "  packet {packet}: {}: {}",
                message.place, message.said
            );
        }
        let more = self.count - self.first.len() as u64;
        if more > 0 {
            let _ = writeln!(text, "  and {}", counted(more, "more message"));
        }
        match text.is_empty() {
            true => text,
            false => format!("\n  what the program says:\n{text}"),
        }
    }
}
