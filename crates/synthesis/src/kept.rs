//! Netlists that were made before, each in a file by the hash of what it was made of.
//!
//! They are in `$XDG_CACHE_HOME/crosswave`, or `~/.cache/crosswave`; `CROSSWAVE_CACHE` names another
//! folder, and an empty one keeps nothing. What cannot be read or written is as good as not kept.

use std::env;
use std::path::PathBuf;

use crosswave_base::file;
use crosswave_base::file::input;

/// The place of a netlist.
#[derive(Debug)]
pub struct Kept(Option<PathBuf>);

/// The folder of all.
fn folder() -> Option<PathBuf> {
    let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    if let Some(own) = env::var_os("CROSSWAVE_CACHE") {
        return (!own.is_empty()).then(|| own.into());
    }
    let base = named("XDG_CACHE_HOME").map(PathBuf::from);
    let base = base.or_else(|| Some(PathBuf::from(named("HOME")?).join(".cache")))?;
    base.is_absolute().then(|| base.join("crosswave"))
}

impl Kept {
    /// The place of the netlist of a hash.
    pub fn of(hash: &str) -> Kept {
        Kept(folder().map(|folder| folder.join(format!("netlist-{hash}.json"))))
    }

    /// The place of what is known of modules that differ in parameters, by a hash.
    pub fn merged(hash: &str) -> Kept {
        Kept(folder().map(|folder| folder.join(format!("parameters-{hash}.json"))))
    }

    /// The netlist, when it is there and whole.
    pub fn read(&self) -> Option<String> {
        let path = self.0.as_ref().filter(|path| path.is_file())?;
        let text = input::read_own_text(path, input::NETLIST).ok()?;
        // Files appear whole; what another program left is none of ours.
        (text.starts_with('{') && text.trim_end().ends_with('}')).then_some(text)
    }

    /// Keeps a netlist.
    pub fn write(&self, json: &str) {
        let Some(path) = &self.0 else {
            return;
        };
        let parent = path.parent().map(std::fs::create_dir_all);
        if matches!(parent, Some(Ok(()))) {
            let _ = file::write(path, |out| out.write_all(json.as_bytes()));
        }
    }
}
