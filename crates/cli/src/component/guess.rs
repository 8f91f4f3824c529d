//! `crosswave component guess`: a component file proposed from the ports of a module.

use std::path::{Path, PathBuf};

use clap::Args;

use super::super::output::{self, Format, Output};
use super::super::own_chips::from_folder;
use super::super::{say, usage};
use crosswave_base::diagnostic::Error;
use crosswave_base::file;
use crosswave_component::guess::{self, Frontend, ReadOptions};

#[derive(Debug, Args)]
pub(super) struct GuessArgs {
    /// Verilog files of the module, or one netlist (JSON, as Yosys writes it)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The module
    #[arg(long, value_name = "MODULE")]
    top: String,
    /// Reader of Yosys for the files
    #[arg(long, value_name = "READER", value_parser = ["verilog", "slang"], default_value = "verilog")]
    frontend: String,
    /// Macro for the files; may be given again
    #[arg(long, value_name = "NAME=VALUE", value_parser = word)]
    defines: Vec<(String, String)>,
    /// Parameter of the module; may be given again
    #[arg(long, value_name = "NAME=VALUE", value_parser = word)]
    parameters: Vec<(String, String)>,
    /// New file for the proposal; standard output when left out
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// A name and a value, as a reader of Verilog takes them.
fn word(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    match ReadOptions::takes(name, value) {
        true => Ok((name.to_owned(), value.to_owned())),
        false => Err("expected NAME=VALUE, such as WIDTH=32 or MASK=8'hff".to_owned()),
    }
}

pub(super) fn guess(args: &GuessArgs) -> Result<(), Error> {
    let path = args.output.as_deref();
    let output = Output::new("--output", Format::Toml, path);
    let to_stdout = output::check(output.as_slice())? || path.is_none();
    // A proposal is corrected by hand: another one does not take its place.
    if let Some(path) = path.filter(|path| path.exists() && !file::is_special(path)) {
        let found = format!("{} exists already", path.display());
        let help = "choose another name, or remove the file";
        return Err(usage("--output", found, help));
    }
    let options = ReadOptions {
        frontend: match &*args.frontend {
            "slang" => Frontend::Slang,
            _ => Frontend::Verilog,
        },
        defines: args.defines.clone(),
        parameters: args.parameters.clone(),
    };
    let found = guess::read(&args.files, &args.top, &options)?;
    // A component file names files by their paths from its folder.
    let folder = path.and_then(Path::parent).unwrap_or(Path::new(""));
    let folder = if to_stdout { Path::new("") } else { folder };
    let files = args.files.iter().map(|file| from_folder(folder, file));
    let files: Vec<String> = files.map(|file| file.display().to_string()).collect();
    let text = guess::propose(&found, &files, &options);
    match path {
        None => output::print(&text),
        Some(path) => {
            file::write(path, |out| out.write_all(text.as_bytes()))?;
            if !to_stdout {
                say(&format!(
                    "wrote {0}: read it, and then: crosswave component check {0}",
                    path.display()
                ));
            }
            Ok(())
        }
    }
}
