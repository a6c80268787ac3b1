//! The `hardpath` command: reads the command line, runs one command, prints its answer. Nothing but wiring.

mod answer;
mod arguments;
mod commands;
mod contents;
mod coverage;
mod design;
mod engine;
mod files;
mod internal_error;
mod judging;
mod load;
mod messages;
mod mtu;
mod notes;
mod outputs;
mod packets;
mod progress;
mod promise;
mod render;
mod size;
mod table;

use answer::{Answer, Status};
use arguments::{Command, CommandLine};
use clap::error::ErrorKind;
use clap::Parser;
use hardpath_diagnostic::Diagnostic;
use messages::MessageFormat;
use std::process::ExitCode;

fn main() -> ExitCode {
    let command_line = match CommandLine::try_parse() {
        Ok(command_line) => command_line,
        Err(error) => return wrong_usage(&error),
    };
    let (json, format) = (command_line.command.json(), command_line.message_format);
    match internal_error::catch(|| run(command_line.command)) {
        Ok(answer) => {
            answer.print(json, format);
            answer.status.into()
        }
        Err(errors) => {
            answer::print_errors(&errors, json, format);
            Status::of_errors(&errors).into()
        }
    }
}

fn run(command: Command) -> Result<Answer, Vec<Diagnostic>> {
    match command {
        Command::Compile(arguments) => commands::compile::run(&arguments),
        Command::Sim(arguments) => commands::sim::run(&arguments),
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::Synth(arguments) => commands::synth::run(&arguments),
        Command::Ir(arguments) => commands::ir::run(&arguments),
        Command::Isa(arguments) => commands::isa::run(&arguments),
        Command::Fuzz(arguments) => commands::fuzz::run(&arguments),
        Command::Traffic(arguments) => commands::traffic::run(&arguments),
        Command::Pass(arguments) => commands::pass::run(&arguments),
        Command::Supported(arguments) => commands::supported::run(&arguments),
        Command::Explain(arguments) => commands::explain::run(&arguments),
        Command::Realworld(arguments) => commands::realworld::run(&arguments),
    }
}

/// Help and version are answers; everything else is wrong usage. The options were not read, so whether JSON is
/// wanted, as the answer or of messages, is looked up in the words of the command line.
fn wrong_usage(error: &clap::Error) -> ExitCode {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    ) {
        answer::print_text(&error.render().to_string());
        return Status::Good.into();
    }
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
