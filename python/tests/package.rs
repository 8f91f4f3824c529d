//! The tests of the Python package, which are in Python: `pytest` runs them with the module that was
//! just compiled, in an environment of its own with the packages of `requirements.txt`.
//!
//! They compare with the `crosswave` command, which has to be built before.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn succeed(command: &mut Command) {
    let status = command.status();
    let status = status.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}

/// The Python of an environment with what the tests need, which is made again when that changes.
fn environment(folder: &Path, requirements: &Path) -> PathBuf {
    let python = folder.join("bin/python");
    let (wanted, made) = (
        fs::read(requirements).unwrap(),
        folder.join("requirements.txt"),
    );
    if !fs::read(&made).is_ok_and(|made| made == wanted) {
        let _ = fs::remove_dir_all(folder);
        succeed(Command::new("python3").args(["-m", "venv"]).arg(folder));
        let mut install = Command::new(&python);
        install.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "-r",
        ]);
        succeed(install.arg(requirements));
        fs::write(made, wanted).unwrap();
    }
    python
}

#[test]
fn tests_in_python_pass() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let deps = env::current_exe().unwrap().parent().unwrap().to_owned();
    let module = ["..", "."].map(|up| deps.join(up).join("libcrosswave_python.so"));
    let times = module
        .iter()
        .filter_map(|file| Some((fs::metadata(file).ok()?.modified().ok()?, file)));
    let (_, module) = times.max().expect("cargo has built the module");
    let command = deps.join("../crosswave").canonicalize();
    let command = command.expect("the command is built: cargo build --features parquet,gpu");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let python = environment(
        &target.join("python"),
        &manifest.join("tests/requirements.txt"),
    );
    let place = tempfile::tempdir().unwrap();
    let package = place.path().join("crosswave");
    fs::create_dir(&package).unwrap();
    for file in fs::read_dir(manifest.join("python/crosswave")).unwrap() {
        let file = file.unwrap().path();
        if file
            .extension()
            .is_some_and(|ending| ending == "py" || ending == "pyi" || ending == "typed")
        {
            fs::copy(&file, package.join(file.file_name().unwrap())).unwrap();
        }
    }
    fs::copy(module, package.join("_crosswave.abi3.so")).unwrap();
    succeed(
        Command::new(python)
            .args([
                "-m",
                "pytest",
                "-q",
                "-p",
                "no:cacheprovider",
                "--doctest-modules",
            ])
            .arg(manifest.join("tests"))
            .arg(&package)
            .env("PYTHONPATH", place.path())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("CROSSWAVE", command)
            .current_dir(place.path()),
    );
}
