use std::fs;

use super::*;
use crate::diagnostic::Class;
use crate::wave::tests::example_set;

fn run(file: &mut VcdFile, set: &SignalSet) -> io::Result<()> {
    file.begin(0, &vec![Value::X; set.signals.len()])?;
    file.time(1)?;
    file.change(0, 1)?;
    file.end(2)
}

#[test]
fn a_file_has_its_name_only_when_finished() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.vcd");
    fs::write(&path, "old").unwrap();
    let set = example_set();

    let mut file = VcdFile::create(&path, &set, Timescale::NANOSECOND).unwrap();
    run(&mut file, &set).unwrap();
    drop(file);
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");

    let mut file = VcdFile::create(&path, &set, Timescale::NANOSECOND).unwrap();
    run(&mut file, &set).unwrap();
    file.finish().unwrap();
    let wave = crate::wave::read_file(&path).unwrap();
    assert_eq!(wave.end, 2);
}

#[test]
fn a_run_that_was_not_ended_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.vcd");
    let file = VcdFile::create(&path, &example_set(), Timescale::NANOSECOND).unwrap();
    let error = file.finish().unwrap_err();
    assert_eq!(error.class, Class::Io);
    assert!(!path.exists());
}

#[cfg(target_os = "linux")]
#[test]
fn devices_are_written_to() {
    let set = example_set();
    let mut file = VcdFile::create("/dev/null".as_ref(), &set, Timescale::NANOSECOND).unwrap();
    run(&mut file, &set).unwrap();
    file.finish().unwrap();

    let error = VcdFile::create("/dev/full".as_ref(), &set, Timescale::NANOSECOND);
    assert_eq!(error.unwrap_err().class, Class::Io);
}
