//! Wrong usage: what clap says of it, with what may have been meant.

use crate::answer::{self, Status};
use crate::messages::MessageFormat;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use hardpath_diagnostic::Diagnostic;
use std::process::ExitCode;

/// Help and version are answers; everything else is wrong usage. The options were not read, so whether JSON is
/// wanted, as the answer or of messages, is looked up in the words of the command line.
pub fn answer(mut error: clap::Error) -> ExitCode {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    ) {
        answer::print_text(&error.render().to_string());
        return Status::Good.into();
    }
    suggest_option(&mut error);
    let words: Vec<_> = std::env::args_os().collect();
    let json = words.iter().any(|word| word == "--json");
    let lines = words.iter().any(|word| word == "--message-format=json")
        || (words.windows(2)).any(|pair| pair[0] == "--message-format" && pair[1] == "json");
    if json || lines {
        let text = error.render().to_string();
        let (message, help) = match text.split_once("\n\n") {
            Some((message, help)) => (message, help.trim()),
            None => (text.trim(), "hardpath --help"),
        };
        let message = message.strip_prefix("error: ").unwrap_or(message);
        let error = Diagnostic::input("usage", message).help(help);
        answer::print_errors(&[error], json, MessageFormat::Json);
    } else {
        // clap's own rendering has colours on a terminal.
        let _ = error.print();
    }
    Status::Input.into()
}

/// A file that nobody expects stands alone where it belongs behind an option.
fn suggest_option(error: &mut clap::Error) {
    let word = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(word))) => word,
        _ => return,
    };
    if let Some(tip) = tip(word) {
        let tips = vec![StyledStr::from(tip)];
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
}

fn tip(word: &str) -> Option<String> {
    let (_, ending) = word.rsplit_once('.')?;
    if word.starts_with('-') {
        return None;
    }
    match ending {
        "pcap" | "pcapng" | "cap" => Some(format!("a capture stands behind --pcap: --pcap {word}")),
        "json" => Some(format!(
            "contents of maps stand behind --maps: --maps {word}"
        )),
        "o" | "hir" => Some(String::from("one program at a time")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_say_behind_which_option_they_belong() {
        assert!(tip("a/b.pcapng").is_some_and(|tip| tip.ends_with("--pcap a/b.pcapng")));
        assert!(tip("maps.json").is_some_and(|tip| tip.contains("--maps maps.json")));
        assert!(tip("b.o").is_some());
        assert_eq!((tip("word"), tip("--file=a.pcap")), (None, None));
    }
}
