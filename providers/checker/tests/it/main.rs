//! The program as its users run it.

#![expect(
    clippy::disallowed_methods,
    reason = "a test runs the program as a shell would"
)]

mod bundles;
mod calling;
mod code_examples;
mod code_page;
mod command_page;
mod crams;
mod documents;
mod fixing;
mod hostile;
mod hosts;
mod human;
mod job_blocks;
mod job_hosted;
mod job_inputs;
mod job_mcp;
mod job_oracles;
mod job_people;
mod job_playbooks;
mod job_reach;
mod job_robust;
mod job_root;
mod job_states;
mod job_unheld;
mod laws;
mod locks;
mod oracle_laws;
mod oracles;
mod output;
mod outside;
mod outside_examples;
mod program;
mod project_tools;
mod projects;
mod refusals;
mod registry;
mod relevance;
mod running;
mod searching;
mod testing;
mod token_counts;
