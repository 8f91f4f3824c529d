use super::*;
use std::io::Cursor;

const FORMAT: StateFormat = StateFormat {
    name: "states of a test ",
    version: 3,
    origin: "make one",
    again: "make it again",
};

/// The states that the file has, each with its cycle. They are not in the order of cycles.
const STATES: [(u64, &str); 3] = [(40, "forty"), (7, "seven"), (90, "")];

/// A file of these states.
fn file(header: &str) -> Vec<u8> {
    let mut writer = StateWriter::new(Vec::new(), &FORMAT, &header).expect("memory");
    for (count, (cycle, state)) in (0..).zip(STATES) {
        assert_eq!(writer.count(), count);
        writer.write(cycle, &state).expect("memory");
    }
    writer.finish().expect("memory")
}

type States = StateFile<Cursor<Vec<u8>>>;

fn open(bytes: &[u8]) -> Result<States, String> {
    let file = StateFile::open::<String>(Cursor::new(bytes.to_vec()), "f", FORMAT, |_| None);
    file.map_err(text)
}

fn text(error: Error) -> String {
    assert_eq!((error.class, &*error.origin), (Class::Input, "f"));
    let [mistake] = &error.diagnostics[..] else {
        panic!("one mistake: {error:?}");
    };
    format!("{}: {}; {}", mistake.place, mistake.message, mistake.help)
}

fn before(states: &mut States, cycle: u64) -> Result<Option<(u64, String)>, String> {
    states.before(cycle).map_err(text)
}

#[test]
fn the_latest_state_before_a_cycle_is_found() {
    let mut states = open(&file("header")).expect("right");
    for (cycle, expected) in [
        (0, None),
        (7, None),
        (8, Some((7, "seven"))),
        (40, Some((7, "seven"))),
        (41, Some((40, "forty"))),
        (90, Some((40, "forty"))),
        (u64::MAX, Some((90, ""))),
        (9, Some((7, "seven"))),
    ] {
        let expected = expected.map(|(cycle, state): (u64, &str)| (cycle, state.to_owned()));
        assert_eq!(before(&mut states, cycle), Ok(expected), "{cycle}");
    }
}

#[test]
fn headers_are_seen_before_anything_else() {
    let bytes = file("header");
    let mut seen = String::new();
    let refused = StateFile::open(Cursor::new(&bytes), "f", FORMAT, |header: &String| {
        seen.clone_from(header);
        Some(("another run".to_owned(), "take the same"))
    });
    assert_eq!(
        text(refused.expect_err("a difference")),
        "header: another run; take the same"
    );
    assert_eq!(seen, "header");
}

#[test]
fn other_files_are_told() {
    let mut other = file("header");
    let version = FORMAT.name.len();
    assert_eq!(other[version], b'3');
    other[version] = b'4';
    let message = "header: it is of another version of checkpoints; make one";
    assert_eq!(open(&other).expect_err("another version"), message);
    let message = "header: it is no file of checkpoints; make one";
    assert_eq!(open(b"").expect_err("empty"), message);
    other[0] ^= 1;
    assert_eq!(open(&other).expect_err("another name"), message);
}

/// Every bit of a file: it is found when the file is opened or its state used, or it lies in a state that is not used.
#[test]
fn every_bit_that_is_another_one_is_found() {
    let right = file("header");
    let mut found_in_states = 0;
    for bit in 0..right.len() * 8 {
        let mut bytes = right.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let Ok(mut states) = open(&bytes) else {
            continue;
        };
        for cycle in [8, 41, 91, u64::MAX] {
            match before(&mut states, cycle) {
                Ok(Some((of, state))) => {
                    assert!(of < cycle, "bit {bit}: cycle {of} before {cycle}");
                    assert!(STATES.contains(&(of, &*state)), "bit {bit}: {of} {state}");
                }
                // The first state may have got a later cycle.
                Ok(None) => assert_eq!(cycle, 8, "bit {bit}"),
                Err(error) => {
                    assert!(error.starts_with("the checkpoint of cycle "), "{error}");
                    let end = "it is damaged: its digest is another one; make it again";
                    assert!(error.ends_with(end), "{error}");
                    found_in_states += 1;
                }
            }
        }
    }
    // Digests and bodies of all three, at least.
    assert!(found_in_states > 3 * 32 * 8, "{found_in_states}");
}

#[test]
fn files_that_are_cut_short_or_go_on_are_told() {
    let right = file("header");
    let magic = FORMAT.magic().len();
    for length in magic..right.len() {
        let message = "its end: it is cut short; make it again";
        assert_eq!(
            open(&right[..length]).expect_err("cut"),
            message,
            "{length}"
        );
    }
    let mut longer = right;
    longer.push(0);
    let message = "header: it is damaged: its digest is another one; make it again";
    assert_eq!(open(&longer).expect_err("longer"), message);
}

/// An end that counts more states than there are, with a right digest.
#[test]
fn the_number_of_states_is_part_of_the_end() {
    let mut writer = StateWriter::new(Vec::new(), &FORMAT, &"header").expect("memory");
    writer.write(1, &"one").expect("memory");
    writer.sections = 2;
    let bytes = writer.finish().expect("memory");
    let message = "header: it is damaged: its digest is another one; make it again";
    assert_eq!(open(&bytes).expect_err("one state of two"), message);
}

#[test]
fn a_state_of_another_kind_is_told() {
    let mut states = open(&file("header")).expect("right");
    // The text begins with its length, which is a number as well; what follows is too much.
    let found = states.before::<u8>(8).map_err(text);
    let message =
        "the checkpoint of cycle 7: it does not hold a state of that cycle; make it again";
    assert_eq!(found, Err(message.to_owned()));
    let impossible = text(FORMAT.impossible(7, "f", "two of one"));
    let message = "the checkpoint of cycle 7: no run has such a state: two of one; make it again";
    assert_eq!(impossible, message);
}

/// The longest header, and one that is longer: it is refused before memory is taken for it.
#[test]
fn headers_have_a_limit() {
    let limit = usize::try_from(HEADER_BYTES_MAX).expect("four MiB");
    // A text of this length has four bytes before it.
    let longest = "h".repeat(limit - 4);
    assert!(open(&file(&longest)).is_ok());
    let mut bytes = FORMAT.magic();
    bytes.extend((HEADER_BYTES_MAX + 1).to_le_bytes());
    let message = "header: it is damaged: its digest is another one; make it again";
    assert_eq!(open(&bytes).expect_err("too long"), message);
}

/// SHA-256 of `abc`, as FIPS 180-2 has it (appendix B.1).
#[test]
fn digests_are_those_of_sha_256() {
    let sum = digest(b"abc");
    assert_eq!(sum[..8], [0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea]);
    assert_eq!(sum[24..], [0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad]);
}

/// Reading that fails is no damage.
#[test]
fn errors_of_the_system_are_told() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    let error = number(&mut Broken).expect_err("broken");
    let error = FORMAT.read_error("f", &error);
    assert_eq!(error.class, Class::Io);
    assert!(format!("{error}").contains("the disk is gone"), "{error}");
}
