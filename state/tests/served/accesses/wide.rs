//! The bench with values of any length, and entries.

use super::ask::{Ask, Reply};
use crate::bench::{said, Bench};
use hardpath_blocks::interface::command::{DELETE, DUMP, LOOKUP, UPDATE};
use hardpath_ir::Answer as Said;
use hardpath_state::served::through_entry;

impl Bench {
    pub fn wide_request(&mut self, ask: &Ask) {
        self.set("request_command", ask.command.into());
        self.set("request_may", ask.may.bits().into());
        self.set("request_key", ask.key);
        if self.has_whole_values() {
            self.set_bytes("request_value", &ask.value);
        }
        self.set("request_entry", ask.handle.entry.into());
        self.set("request_offset", ask.offset.into());
        self.set("request_bytes", ask.bytes.into());
        if self.has("request_word") {
            self.set("request_word", ask.word);
            self.set("request_expected", ask.expected);
        }
    }

    pub fn wide_operation(&mut self, ask: &Ask) {
        self.set("host_command", ask.command.into());
        self.set("host_may", ask.may.bits().into());
        self.set("host_slot", ask.slot);
        self.set("host_key", ask.key);
        self.host_value(&ask.value);
    }

    /// What the response says to something that was asked.
    pub fn wide_response(&mut self, ask: &Ask, value_bytes: u32) -> Reply {
        let said = said(self.get("response_answer"));
        let finds = ask.command == LOOKUP && said == Said::Done;
        let reads = ![UPDATE, DELETE].contains(&ask.command);
        // A write says what was there, too.
        assert!(ask.command < through_entry::READ || said == Said::Done);
        Reply {
            said,
            value: (finds && self.has_whole_values())
                .then(|| self.get_bytes("response_value", value_bytes)),
            word: reads.then(|| self.get("response_word")),
        }
    }

    /// What the host is told, and the key.
    pub fn wide_host_reply(&mut self, ask: &Ask, value_bytes: u32) -> (Reply, u64) {
        let said = said(self.get("host_answer"));
        let finds = [LOOKUP, DUMP].contains(&ask.command) && said == Said::Done;
        let reply = Reply {
            said,
            value: finds.then(|| self.host_found(value_bytes)),
            word: None,
        };
        (reply, self.get("host_key_out"))
    }

    /// Plays an operation of the host to its end.
    pub fn wide_operate(&mut self, ask: &Ask, value_bytes: u32) -> (Reply, u64) {
        self.wide_operation(ask);
        self.set("host_start", 1);
        self.step();
        self.set("host_start", 0);
        for _ in 0..10_000 {
            self.step();
            if self.get("host_done") == 1 {
                return self.wide_host_reply(ask, value_bytes);
            }
        }
        panic!("the host waits for ever: {ask:?}");
    }

    /// Puts in a request, and gives what is answered, with the entry.
    pub fn wide_ask(&mut self, ask: &Ask, value_bytes: u32) -> (Reply, u32) {
        self.wide_request(ask);
        self.set("request_valid", 1);
        self.set("response_ready", 1);
        assert!(self.steps_until_ready(10_000), "{ask:?} is never taken");
        self.set("request_valid", 0);
        for _ in 0..10_000 {
            self.step();
            if self.get("response_valid") == 1 {
                let reply = self.wide_response(ask, value_bytes);
                return (reply, self.get("response_entry") as u32);
            }
        }
        panic!("{ask:?} is never answered");
    }
}
