use super::*;
use crate::diagnostic::Class;

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[test]
fn a_file_has_its_name_only_when_finished() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.csv");
    fs::write(&path, "old").unwrap();

    let pending = PendingFile::create(&path).unwrap();
    pending.file().unwrap().write_all(b"new").unwrap();
    assert_eq!(names(folder.path()).len(), 2);
    drop(pending);
    assert_eq!(names(folder.path()), ["run.csv"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");

    write(&path, |out| out.write_all(b"new")).unwrap();
    assert_eq!(names(folder.path()), ["run.csv"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");

    let failed = write(&path, |_| Err(io::Error::other("no")));
    assert_eq!(failed.unwrap_err().class, Class::Io);
    assert_eq!(names(folder.path()), ["run.csv"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
}

#[test]
fn a_folder_that_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("no/run.csv");
    assert_eq!(check_folder(&inside).unwrap_err().class, Class::Io);
    assert!(check_folder(&folder.path().join("run.csv")).is_ok());
    for path in [inside, folder.path().into()] {
        let report = PendingFile::create(&path).unwrap_err();
        assert_eq!(report.class, Class::Io);
        assert_eq!(report.origin, path.display().to_string());
        assert!(!report.to_string().contains(".part"), "{report}");
    }
}

#[test]
fn outputs_are_apart_from_inputs_and_from_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("sub")).unwrap();
    fs::write(at("in.csv"), "").unwrap();
    let input = at("in.csv");
    let check = |first: &str, second: &str| {
        let (first, second) = (at(first), at(second));
        let outputs = [("--vcd", first.as_path()), ("--json", second.as_path())];
        check_apart(&[("--stimulus", &input)], &outputs)
    };
    check("a.vcd", "a.json").unwrap();
    check("a.vcd", "sub/a.vcd").unwrap();
    for again in ["a.vcd", "./a.vcd", "sub/../a.vcd"] {
        let report = check("a.vcd", again).unwrap_err();
        assert_eq!(report.class, Class::Usage);
        assert_eq!(report.diagnostics[0].place, "--json");
        let message = &report.diagnostics[0].message;
        assert!(
            message.ends_with("is the file of --vcd as well"),
            "{message}"
        );
    }
    for same in ["in.csv", "./in.csv", "sub/../in.csv"] {
        let report = check(same, "a.json").unwrap_err();
        assert_eq!(report.diagnostics[0].place, "--vcd");
        let message = &report.diagnostics[0].message;
        assert!(
            message.ends_with("is what --stimulus is read from"),
            "{message}"
        );
    }
    // Whoever reads or writes these has more to say of them.
    check("no/a.vcd", "no/a.vcd").unwrap();
    let standard = Path::new("-");
    check_apart(&[("", standard)], &[("", standard), ("", standard)]).unwrap();
}

#[cfg(unix)]
#[test]
fn links_are_the_file_they_lead_to_and_devices_take_several_outputs() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    fs::write(&file, "").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    assert!(check_apart(&[("", &file)], &[("", &link)]).is_err());
    let device = Path::new("/dev/null");
    check_apart(&[("", device)], &[("", device), ("", device)]).unwrap();
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_permissions_are_usual() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (path, link, plain, script) = (at("run"), at("link"), at("plain"), at("script"));
    fs::write(&path, "").unwrap();
    fs::write(&plain, "").unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    write(&link, |out| out.write_all(b"x")).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&path).unwrap(), "x");
    let mode = |path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&path), mode(&plain));
    write_with_mode(&script, 0o777, |_| Ok(())).unwrap();
    assert_eq!(mode(&script) & 0o700, 0o700);
}

#[cfg(target_os = "linux")]
#[test]
fn devices_are_written_to() {
    write("/dev/null".as_ref(), |out| out.write_all(b"x")).unwrap();
    let full = write("/dev/full".as_ref(), |out| out.write_all(b"x"));
    assert_eq!(full.unwrap_err().class, Class::Io);
}
