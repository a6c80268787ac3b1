//! The `hardpath` command: reads the command line, runs one command, prints its answer. Nothing but wiring.

mod answer;
mod arguments;
mod commands;
mod contents;
mod core_file;
mod coverage;
mod design;
mod engine;
mod files;
mod internal_error;
mod loads;
mod messages;
mod mtu;
mod notes;
mod outputs;
mod packets;
mod progress;
mod promise;
mod render;
mod row_clocks;
mod size;
mod source;
mod table;
mod target;
mod usage;
mod ways;

use answer::{Answer, Status};
use arguments::{Command, CommandLine};
use clap::Parser;
use hardpath_diagnostic::Diagnostic;
use std::process::ExitCode;

fn main() -> ExitCode {
    let command_line = match CommandLine::try_parse() {
        Ok(command_line) => command_line,
        Err(error) => return usage::answer(error),
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
        Command::Advise(arguments) => commands::advise::run(&arguments),
        Command::Ir(arguments) => commands::ir::run(&arguments),
        Command::Isa(arguments) => commands::isa::run(&arguments),
        Command::Fuzz(arguments) => commands::fuzz::run(&arguments),
        Command::Traffic(arguments) => commands::traffic::run(&arguments),
        Command::Pass(arguments) => commands::pass::run(&arguments),
        Command::Supported(arguments) => commands::supported::run(&arguments),
        Command::Core(arguments) => commands::core::run(&arguments),
        Command::Load(arguments) => commands::load::run(&arguments),
        Command::Asm(arguments) => commands::asm::run(&arguments),
        Command::Disasm(arguments) => commands::disasm::run(&arguments),
        Command::Explain(arguments) => commands::explain::run(&arguments),
        Command::Stf(arguments) => commands::stf::run(&arguments),
        Command::P4info(arguments) => commands::p4info::run(&arguments),
        Command::P4check(arguments) => commands::p4check::run(&arguments),
        Command::P4fmt(arguments) => commands::p4fmt::run(&arguments),
        Command::Realworld(arguments) => commands::realworld::run(&arguments),
    }
}
