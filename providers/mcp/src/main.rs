//! The program `lonis-mcp`: the tools of the registry, offered to a client of the Model Context Protocol.

mod arguments;
mod audit;
mod code;
mod exposure;
mod failure;
mod message;
mod offer;
mod own_tools;
mod refusal;
mod registry;
mod resources;
mod results;
mod roots;
mod runner;
mod serve;
mod server;
mod settings;
mod signals;
mod transport;

use std::process::ExitCode;

fn main() -> ExitCode {
    lonis::process::survive_file_size_signal();
    arguments::run(std::env::args_os().skip(1).collect())
}
