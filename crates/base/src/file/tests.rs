use std::io::{BufRead, Read};

use super::claims::Claims;
use super::folder::MANIFEST;
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
    pending.file().write_all(b"new").unwrap();
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
    let check = |first: &str, second: &str| {
        let (first, second) = (at(first), at(second));
        let mut claims = Claims::default();
        claims.note_input(&at("in.csv"), "the stimulus")?;
        claims.claim_outputs(&[("--vcd", &first), ("--json", &second)])
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
            message.ends_with("is what the stimulus is read from"),
            "{message}"
        );
    }
    // Whoever reads or writes these has more to say of them.
    check("no/a.vcd", "no/a.vcd").unwrap();
    let standard = Path::new("-");
    let claim = |outputs: &[(&str, &Path)]| Claims::default().claim_outputs(outputs);
    claim(&[("--vcd", standard)]).unwrap();
    let error = claim(&[("--vcd", standard), ("--json", standard)]).unwrap_err();
    let message = &error.diagnostics[0].message;
    assert!(
        message.ends_with("is standard output, which --vcd is written to as well"),
        "{message}"
    );
}

#[test]
fn an_input_that_is_opened_after_outputs_were_claimed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (input, other) = (folder.path().join("in.csv"), folder.path().join("b.csv"));
    fs::write(&input, "").unwrap();
    fs::write(&other, "").unwrap();
    let mut claims = Claims::default();
    claims.claim_outputs(&[("--json", &input)]).unwrap();
    // The same output may be claimed again, by the same option.
    claims.claim_outputs(&[("--json", &input)]).unwrap();
    assert!(claims.claim_outputs(&[("--vcd", &input)]).is_err());
    claims.note_input(&other, "the wiring").unwrap();
    let error = claims.note_input(&input, "the wiring").unwrap_err();
    assert_eq!(error.class, Class::Usage);
    assert_eq!(error.diagnostics[0].place, "--json");
    let message = &error.diagnostics[0].message;
    assert!(
        message.ends_with("is what the wiring is read from"),
        "{message}"
    );
    // Outputs that are refused claim nothing.
    let outputs: [(&str, &Path); 2] = [("--vcd", &folder.path().join("c")), ("--csv", &other)];
    assert!(claims.claim_outputs(&outputs).is_err());
    claims.claim_outputs(&[("--fst", outputs[0].1)]).unwrap();
}

#[test]
fn every_reader_notes_what_it_reads() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["opened", "read", "text", "noted"] {
        fs::write(at(name), "x").unwrap();
    }
    let kind = input::STIMULUS;
    input::open(&at("opened"), kind).unwrap();
    input::read(&at("read"), kind).unwrap();
    input::read_text(&at("text"), kind, Class::Input).unwrap();
    input::check(&at("noted"), kind).unwrap();
    claim_outputs(&[("--vcd", &at("noted"))]).unwrap();
    for name in ["opened", "read", "text"] {
        assert!(claim_outputs(&[("--json", &at(name))]).is_err(), "{name}");
    }
    assert!(input::note(&at("noted"), kind).is_err());
    assert!(input::open(&at("noted"), kind).is_err());
}

#[cfg(unix)]
#[test]
fn links_are_the_file_they_lead_to_and_devices_take_several_outputs() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    fs::write(&file, "").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let mut claims = Claims::default();
    claims.note_input(&file, "").unwrap();
    assert!(claims.claim_outputs(&[("", &link)]).is_err());
    let device = Path::new("/dev/null");
    claims.note_input(device, "").unwrap();
    claims.claim_outputs(&[("", device), ("", device)]).unwrap();
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
    let claim = |outputs: &[(&str, &Path)]| Claims::default().claim_outputs(outputs);
    claim(&[("--vcd", &pipe)]).unwrap();
    let error = claim(&[("--vcd", &pipe), ("--json", &pipe)]).unwrap_err();
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
fn a_call_that_is_interrupted_is_made_again() {
    /// A reader whose first call is interrupted.
    struct Disturbed(bool);
    impl Read for Disturbed {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match std::mem::take(&mut self.0) {
                true => Err(io::ErrorKind::Interrupted.into()),
                false => b"abc".as_slice().read(buffer),
            }
        }
    }
    let mut input = io::BufReader::new(input::Limited::new(Disturbed(true), 4));
    assert_eq!(input.fill_buf().unwrap(), b"abc");
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
    let kind = |bytes_max| input::InputKind {
        bytes_max,
        ..input::TRACE
    };
    assert_eq!(input::read(&path, kind(11)).unwrap().len(), 11);
    let error = input::read(&path, kind(10)).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("it has 11 bytes, and 10 are the most")
    );
    fs::write(&path, b"one\ntwo \xe9\n").unwrap();
    let error = input::read_text(&path, kind(11), Class::Usage).unwrap_err();
    assert_eq!(
        (error.class, &*error.diagnostics[0].place),
        (Class::Usage, "line 2")
    );
}

#[test]
fn several_files_have_their_names_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name| folder.path().join(name);
    let mut own = Folder::new("--out", &path("out")).unwrap();
    let files = ["a", "b"].map(|name| FolderFile::new(name, name));
    own.write(&files).unwrap();
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
    let error = own.write(&files).unwrap_err();
    assert_eq!(error.class, Class::Usage);
    assert_eq!(error.diagnostics[0].place, "c");
    assert_eq!(fs::read_to_string(path("out/b")).unwrap(), "b");
    own.write(&files[..1]).unwrap();
    assert_eq!(fs::read_to_string(path("out/b")).unwrap(), "new");
    let again = Folder::new("--out", &path("out")).unwrap();
    again.claim_names(["b", "d"]).unwrap();
    assert!(again.claim_names(["c"]).is_err());
    // An input is kept, though it is the folder's.
    input::open(&path("out/a"), input::TRACE).unwrap();
    let files = ["a", "b"].map(|name| FolderFile::new(name, "newer"));
    let error = own.write(&files).unwrap_err();
    assert!(error.to_string().contains("is what the trace is read from"));
    assert_eq!(fs::read_to_string(path("out/b")).unwrap(), "new");
}

#[test]
fn a_folder_keeps_what_another_output_has_claimed() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    for name in ["a", MANIFEST] {
        let json = out.join(name);
        let mut own = Folder::new("--out", &out).unwrap();
        claims::claim_outputs(&[("--json", &json)]).unwrap();
        let error = own.claim_names(["a"]).unwrap_err().to_string();
        assert!(error.contains("--out: ") && error.contains("is the file of --json as well"));
        assert!(own.write(&[FolderFile::new("a", "a")]).is_err());
        assert_eq!(names(&out), [""; 0]);
    }
    let beside = folder.path().join("beside");
    claims::claim_outputs(&[("--json", &beside)]).unwrap();
    assert!(Folder::new("--out", &beside).is_err());
}

/// A file that the system does not let be read is not called one that somebody changed.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_read_is_an_error_of_reading() {
    let folder = tempfile::tempdir().unwrap();
    let mut own = Folder::new("--out", folder.path()).unwrap();
    own.write(&[FolderFile::new("a", "old")]).unwrap();
    let path = folder.path().join("a");
    fs::remove_file(&path).unwrap();
    // Reading its first byte fails with EIO.
    std::os::unix::fs::symlink("/proc/self/mem", &path).unwrap();
    let error = own.write(&[FolderFile::new("a", "new")]).unwrap_err();
    assert_eq!(error.class, Class::Io, "{error}");
    assert!(error.to_string().contains("reading"), "{error}");
}

/// Files of a folder that are one and the same before and after a write that fails.
#[test]
fn a_name_that_cannot_be_given_leaves_all_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a"), "old a").unwrap();
    // A folder that is not empty has the last name, which no file can take.
    let files = ["a", "b", "c"].map(|name| pending_text(&path(name), "new").unwrap());
    fs::create_dir_all(path("c/inside")).unwrap();
    let error = PendingFile::finish_all(files.into()).unwrap_err();
    assert_eq!(error.class, Class::Io);
    let mut found = names(folder.path());
    found.sort();
    assert_eq!(found, ["a", "c"]);
    assert_eq!(fs::read_to_string(path("a")).unwrap(), "old a");
    fs::remove_dir_all(path("c")).unwrap();
    let files = ["a", "b", "c"].map(|name| pending_text(&path(name), "new").unwrap());
    PendingFile::finish_all(files.into()).unwrap();
    let mut found = names(folder.path());
    found.sort();
    assert_eq!(found, ["a", "b", "c"]);
    assert_eq!(fs::read_to_string(path("a")).unwrap(), "new");
}

#[test]
fn a_write_that_was_killed_is_finished() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let text = |name: &str| fs::read_to_string(path(name)).unwrap();
    let mut own = Folder::new("--out", folder.path()).unwrap();
    own.write(&["a", "b", "c"].map(|name| FolderFile::new(name, "old")))
        .unwrap();
    // The folder as a write leaves it that is killed after `a` has its name, before `b` and the
    // manifest have theirs.
    let manifest = text(MANIFEST);
    let hash = |content: &str| folder::hash(content.as_bytes());
    let next = manifest.replace(&hash("old"), &hash("new"));
    fs::write(path("a"), "new").unwrap();
    fs::write(path(".crosswave-b.part"), "new").unwrap();
    fs::write(path(".crosswave-c.part"), "new").unwrap();
    fs::write(path(".crosswave-manifest.part"), &next).unwrap();
    // Someone has changed one of the files since.
    fs::write(path("c"), "of someone else").unwrap();
    let lines = [
        ("new", ".crosswave-a.part/a"),
        ("new", ".crosswave-b.part/b"),
        ("new", ".crosswave-c.part/c"),
    ];
    let lines = lines.map(|(content, names)| format!("{}  {names}\n", hash(content)));
    let list = lines.concat() + &format!("{}  .crosswave-manifest.part/{MANIFEST}\n", hash(&next));
    fs::write(path("crosswave.manifest.next"), list).unwrap();
    let again = Folder::new("--out", folder.path()).unwrap();
    assert_eq!(
        [text("a"), text("b"), text("c")],
        ["new", "new", "of someone else"]
    );
    assert_eq!(text(MANIFEST), next);
    assert!(!path("crosswave.manifest.next").exists());
    again.claim_names(["a", "b"]).unwrap();
    assert!(again.claim_names(["c"]).is_err());
}

/// A list that someone else has made names no file but temporary ones.
#[test]
fn a_list_of_someone_else_moves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("t.csv"), "kept").unwrap();
    let hash = folder::hash(b"kept");
    for name in [MANIFEST, "new"] {
        let list = format!("{hash}  t.csv/{name}\n");
        fs::write(path("crosswave.manifest.next"), list).unwrap();
        Folder::new("--out", folder.path()).unwrap();
        assert_eq!(names(folder.path()), ["t.csv"]);
    }
    assert_eq!(fs::read_to_string(path("t.csv")).unwrap(), "kept");
}

#[cfg(unix)]
#[test]
fn a_link_to_a_file_that_is_not_there_yet_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("sub")).unwrap();
    std::os::unix::fs::symlink("sub/new", path("link")).unwrap();
    std::os::unix::fs::symlink("link", path("again")).unwrap();
    let claim = |outputs: &[(&str, &Path)]| Claims::default().claim_outputs(outputs);
    let twice = claim(&[("--vcd", &path("again")), ("--json", &path("sub/new"))]);
    assert!(twice.is_err());
    write(&path("again"), |out| out.write_all(b"x")).unwrap();
    assert_eq!(fs::read_to_string(path("sub/new")).unwrap(), "x");
    assert!(fs::symlink_metadata(path("link")).unwrap().is_symlink());
    std::os::unix::fs::symlink("no/folder", path("lost")).unwrap();
    assert_eq!(check_output(&path("lost")).unwrap_err().class, Class::Io);
}

#[test]
fn an_obsolete_file_goes_with_the_next_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut own = Folder::new("--out", folder.path()).unwrap();
    own.write(&["a", "b", "c"].map(|name| FolderFile::new(name, name)))
        .unwrap();
    fs::write(path("c"), "changed").unwrap();
    ["b", "c", "d"]
        .into_iter()
        .for_each(|name| own.remove(name));
    assert!(path("b").exists());
    own.write(&[FolderFile::new("a", "new")]).unwrap();
    assert!(!path("b").exists());
    assert_eq!(fs::read_to_string(path("c")).unwrap(), "changed");
    let manifest = fs::read_to_string(path(MANIFEST)).unwrap();
    let own: Vec<&str> = manifest.lines().map(|line| &line[66..]).collect();
    assert_eq!(own, ["a", "c"]);
}
