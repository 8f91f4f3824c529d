//! `crosswave headers`: what the tables of the chips say, in the folder with their Verilog.

use std::path::PathBuf;

use clap::Args;

use super::export::ExportedFiles;
use super::output::{self, JsonArgs};
use crosswave_base::diagnostic::Error;
use crosswave_base::file::{self, Folder, FolderFile, PendingFile, claim_outputs, input};
use crosswave_chips::{CHIPS, fusesoc, verilog};

#[derive(Debug, Args)]
pub(super) struct HeadersArgs {
    /// Folder with the Verilog of the chips. The port lists in NAME.v, the folder include and the
    /// FuseSoC cores NAME.core are written. Headers and cores there that crosswave did not write
    /// are not replaced
    folder: PathBuf,
    #[command(flatten)]
    json: JsonArgs,
}

pub(super) fn headers(args: &HeadersArgs) -> Result<(), Error> {
    output::check(args.json.output().as_slice())?;
    let mut names = Vec::new();
    // All sources are looked at before the first file is written.
    let mut sources = Vec::new();
    for chip in CHIPS {
        let name = format!("{}.v", chip.name);
        let path = args.folder.join(&name);
        claim_outputs(&[("the folder", &path)])?;
        let source = input::read_own_text(&path, input::VERILOG)?;
        let listed = verilog::with_ports(chip, &source, &path.display().to_string())?;
        if listed != source {
            sources.push((path, listed));
        }
        names.push(name);
    }
    let folder_files = |files: Vec<(String, String)>| -> Vec<FolderFile> {
        let files = files.into_iter();
        files
            .map(|(name, text)| FolderFile::new(name, text))
            .collect()
    };
    let mut cores = Folder::new("the folder", &args.folder)?;
    let mut include = Folder::new("the folder", &args.folder.join("include"))?;
    let parts = [
        ("", &mut cores, folder_files(fusesoc::cores())),
        ("include/", &mut include, folder_files(verilog::headers())),
    ];
    for (place, folder, files) in parts {
        folder.remove_others(&files);
        folder.write(&files)?;
        names.extend(files.iter().map(|file| format!("{place}{}", file.name)));
    }
    let sources = sources
        .iter()
        .map(|(path, text)| file::pending_text(path, text));
    PendingFile::finish_all(sources.collect::<Result<_, Error>>()?)?;
    let names = names.iter().map(String::as_str);
    args.json.write(&ExportedFiles::new(&args.folder, names))
}
