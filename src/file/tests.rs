use std::io::Read;

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
    assert!(check_output(&folder.path().join("run.csv")).is_ok());
    for path in [inside, folder.path().into()] {
        assert_eq!(check_output(&path).unwrap_err().class, Class::Io);
        let error = PendingFile::create(&path).unwrap_err();
        assert_eq!(error.class, Class::Io);
        assert_eq!(error.origin, path.display().to_string());
        assert!(!error.to_string().contains(".part"), "{error}");
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
        let error = check("a.vcd", again).unwrap_err();
        assert_eq!(error.class, Class::Usage);
        assert_eq!(error.diagnostics[0].place, "--json");
        let message = &error.diagnostics[0].message;
        assert!(
            message.ends_with("is the file of --vcd as well"),
            "{message}"
        );
    }
    for same in ["in.csv", "./in.csv", "sub/../in.csv"] {
        let error = check(same, "a.json").unwrap_err();
        assert_eq!(error.diagnostics[0].place, "--vcd");
        let message = &error.diagnostics[0].message;
        assert!(
            message.ends_with("is what --stimulus is read from"),
            "{message}"
        );
    }
    // Whoever reads or writes these has more to say of them.
    check("no/a.vcd", "no/a.vcd").unwrap();
    let standard = Path::new("-");
    check_apart(&[], &[("--vcd", standard)]).unwrap();
    let error = check_apart(&[], &[("--vcd", standard), ("--json", standard)]).unwrap_err();
    let message = &error.diagnostics[0].message;
    assert!(
        message.ends_with("is standard output, which --vcd is written to as well"),
        "{message}"
    );
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
    written(&script, 0o777, |_| Ok(()))
        .unwrap()
        .finish()
        .unwrap();
    assert_eq!(mode(&script) & 0o700, 0o700);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    write(&link, |out| out.write_all(b"y")).unwrap();
    assert_eq!(mode(&path) & 0o7777, 0o640);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o440)).unwrap();
    for path in [&link, &path] {
        assert_eq!(check_output(path).unwrap_err().class, Class::Io);
        assert_eq!(PendingFile::create(path).unwrap_err().class, Class::Io);
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "y");
}

#[cfg(target_os = "linux")]
#[test]
fn devices_are_written_to() {
    write("/dev/null".as_ref(), |out| out.write_all(b"x")).unwrap();
    let full = write("/dev/full".as_ref(), |out| out.write_all(b"x"));
    assert_eq!(full.unwrap_err().class, Class::Io);
}

#[cfg(unix)]
#[test]
fn a_pipe_takes_one_output() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    check_output(&pipe).unwrap();
    assert!(is_special(&pipe) && !is_special(folder.path()));
    check_apart(&[], &[("--vcd", &pipe)]).unwrap();
    let error = check_apart(&[], &[("--vcd", &pipe), ("--json", &pipe)]).unwrap_err();
    let message = &error.diagnostics[0].message;
    assert!(
        message.ends_with("is where --vcd is written to as well"),
        "{message}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn names_of_descriptors_are_known() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("/dev/stderr", &link).unwrap();
    for name in ["/dev/fd/7", "/dev/stdout", "/proc/self/fd/1"] {
        assert!(standard::names_descriptor(name.as_ref()), "{name}");
    }
    assert!(standard::names_descriptor(&link));
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    std::os::unix::fs::symlink(&one, &two).unwrap();
    std::os::unix::fs::symlink(&two, &one).unwrap();
    for name in ["/dev/null", "/dev/fd", "file"].map(PathBuf::from) {
        assert!(!standard::names_descriptor(&name), "{name:?}");
    }
    assert!(!standard::names_descriptor(&one), "links in a circle");
}

#[test]
fn an_input_is_read_up_to_its_limit() {
    let read = |given: &str, bytes_max: u64| {
        let mut text = String::new();
        let mut input = input::Limited::new(given.as_bytes(), bytes_max);
        input.read_to_string(&mut text).map(|_| text)
    };
    assert_eq!(read("abc", 4).unwrap(), "abc");
    assert_eq!(read("abcd", 4).unwrap(), "abcd");
    assert_eq!(read("", 0).unwrap(), "");
    let error = read("abcde", 4).unwrap_err();
    assert!(error.to_string().starts_with("it goes on after 4 bytes"));
    assert!(read("abcde", 0).is_err());

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("input");
    fs::write(&path, "one\ntwo \u{e9}\n").unwrap();
    assert_eq!(input::read(&path, 11).unwrap().len(), 11);
    let error = input::read(&path, 10).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("it has 11 bytes, and 10 are the most")
    );
    fs::write(&path, b"one\ntwo \xe9\n").unwrap();
    let error = input::read_text(&path, 11, Class::Usage).unwrap_err();
    assert_eq!(
        (error.class, &*error.diagnostics[0].place),
        (Class::Usage, "line 2")
    );
}

#[test]
fn several_files_have_their_names_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name| folder.path().join(name);
    let mut own = Folder::new(&path("out")).unwrap();
    let files = ["a", "b"].map(|name| FolderFile::new(name, name));
    own.write(&[], &files).unwrap();
    let mut found = names(&path("out"));
    found.sort();
    assert_eq!(found, ["a", "b", "crosswave.manifest"]);
    let manifest = fs::read_to_string(path("out/crosswave.manifest")).unwrap();
    assert_eq!(
        manifest,
        "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb  a\n\
         3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d  b\n"
    );
    // One that is not the folder's keeps all from being written.
    fs::write(path("out/c"), "of someone else").unwrap();
    let files = ["b", "c"].map(|name| FolderFile::new(name, "new"));
    let error = own.write(&[], &files).unwrap_err();
    assert_eq!(error.class, Class::Usage);
    assert_eq!(error.diagnostics[0].place, "c");
    assert_eq!(fs::read_to_string(path("out/b")).unwrap(), "b");
    // An input is kept, though it is the folder's.
    let input = path("out/b");
    let error = own
        .write(&[("the trace", &input)], &files[..1])
        .unwrap_err();
    assert!(error.to_string().contains("is what the trace is read from"));
    own.write(&[], &files[..1]).unwrap();
    assert_eq!(fs::read_to_string(path("out/b")).unwrap(), "new");
    let again = Folder::new(&path("out")).unwrap();
    again.check_names(["a", "b", "d"]).unwrap();
    assert!(again.check_names(["c"]).is_err());
}
