use std::fs;

use super::*;
use crate::tests::example_set;
use crosswave_base::diagnostic::Class;

fn run(file: &mut WaveFile, set: &SignalSet) -> io::Result<()> {
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

    let mut file = WaveFile::create(&path, FileFormat::Vcd, &set, Timescale::NANOSECOND).unwrap();
    run(&mut file, &set).unwrap();
    drop(file);
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");

    let mut file = WaveFile::create(&path, FileFormat::Vcd, &set, Timescale::NANOSECOND).unwrap();
    run(&mut file, &set).unwrap();
    file.finish().unwrap();
    let wave = crate::read_file(&path).unwrap();
    assert_eq!(wave.end, 2);
}

#[test]
fn a_run_that_was_not_ended_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.vcd");
    let file = WaveFile::create(
        &path,
        FileFormat::Vcd,
        &example_set(),
        Timescale::NANOSECOND,
    )
    .unwrap();
    let error = file.finish().unwrap_err();
    assert_eq!(error.class, Class::Io);
    assert!(!path.exists());
}

#[test]
fn a_compressed_file_holds_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let set = example_set();
    let written = |format: FileFormat| {
        let path = folder.path().join(format!("run.{}", format.ending()));
        let mut file = WaveFile::create(&path, format, &set, Timescale::NANOSECOND).unwrap();
        run(&mut file, &set).unwrap();
        file.finish().unwrap();
        fs::read(path).unwrap()
    };
    let packed = written(FileFormat::VcdGz);
    let mut unpacked = Vec::new();
    let mut decoder = flate2::read::GzDecoder::new(&packed[..]);
    io::Read::read_to_end(&mut decoder, &mut unpacked).unwrap();
    assert_eq!(unpacked, written(FileFormat::Vcd));
}

#[cfg(target_os = "linux")]
#[test]
fn devices_are_written_to() {
    let set = example_set();
    for format in FileFormat::ALL {
        let create =
            |path: &str| WaveFile::create(path.as_ref(), format, &set, Timescale::NANOSECOND);
        let mut file = create("/dev/null").unwrap();
        run(&mut file, &set).unwrap();
        file.finish().unwrap();

        let ended = create("/dev/full").and_then(|mut file| {
            run(&mut file, &set).map_err(|error| file.error(&error))?;
            file.finish()
        });
        assert_eq!(ended.unwrap_err().class, Class::Io);
    }
}
