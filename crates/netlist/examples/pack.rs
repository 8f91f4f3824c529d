//! Packs the netlists of chips: `pack NAME.json ...` writes `NAME.packed` beside each.
//! `hdl/synthesise.sh` calls it.

use std::path::Path;
use std::process::ExitCode;

use crosswave_base::diagnostic::{Class, Error};
use crosswave_base::file;
use crosswave_base::file::input::{NETLIST, read_text};
use crosswave_netlist::packed::pack;

fn main() -> ExitCode {
    for path in std::env::args_os().skip(1) {
        if let Err(error) = pack_file(Path::new(&path)) {
            eprintln!("{error}");
            return ExitCode::from(error.class.exit_code());
        }
    }
    ExitCode::SUCCESS
}

fn pack_file(path: &Path) -> Result<(), Error> {
    let text = read_text(path, NETLIST, Class::Input)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let bytes = pack(&text, &name, &path.display().to_string())?;
    file::write(&path.with_extension("packed"), |out| out.write_all(&bytes))
}
