//! Runs taken up again: from a checkpoint on every port of every chip is what it was, and what
//! becomes of messages too; files of checkpoints, whole and damaged.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::io::Cursor;

use crosswave_base::diagnostic::Class;
use crosswave_chips::{PinDirection, Role};
use crosswave_network::{ChipArray, Fabric};
use crosswave_probe::engine::Engine;
use crosswave_run::checkpoint::{
    Checkpoint, CheckpointTaker, CheckpointWriter, Checkpoints, Header,
};
use crosswave_run::config::Config;
use crosswave_run::host::Outcome;
use crosswave_run::observer::Observer;
use crosswave_run::simulation::Simulation;
use crosswave_run::snapshot::RunState;

use super::lives::cases;
use crate::program::{failure, read, success, workplace, write};

/// The planes of all ports that somebody drives in a cycle, as a digest, and whether random pins are
/// held.
struct Cycles<'a> {
    fabric: &'a Fabric,
    seen: Vec<(u64, u64)>,
}

/// True when a port has planes of its own: a link brings what its other end drives, and random
/// bits, clocks, resets and options are known.
fn is_driven(layout: &ChipArray, port: usize) -> bool {
    let table = &layout.chip.ports[port];
    match table.role {
        Role::Clock | Role::Reset | Role::Parameter | Role::Random { .. } => false,
        Role::Option => layout.changes(port),
        Role::Link { .. } => table.direction == PinDirection::Output,
        Role::Host | Role::State(_) => true,
    }
}

impl Observer for Cycles<'_> {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        let mut digest = DefaultHasher::new();
        digest.write(&[u8::from(clocked), u8::from(engine.random_held())]);
        for (array, layout) in self.fabric.arrays.iter().enumerate() {
            let mut words = vec![0; layout.instances.div_ceil(64)];
            for port in (0..layout.chip.ports.len()).filter(|port| is_driven(layout, *port)) {
                for bit in 0..layout.chip.ports[port].width as usize {
                    engine.plane(array, port, bit, layout.instances, &mut words);
                    // Lanes without an instance may show anything.
                    if let (Some(last), 1..) = (words.last_mut(), layout.instances % 64) {
                        *last &= (1 << (layout.instances % 64)) - 1;
                    }
                    words.iter().for_each(|word| digest.write_u64(*word));
                }
            }
        }
        self.seen.push((engine.cycle(), digest.finish()));
    }
}

/// Takes a checkpoint in some cycles.
struct Taken {
    taker: CheckpointTaker,
    every_cycles: u64,
    checkpoints: Vec<Checkpoint>,
}

impl Observer for Taken {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        self.taker.cycle(engine, clocked);
    }

    fn between_edges(&mut self, state: &RunState<'_, '_>) {
        let cycle = state.engine.cycle();
        if cycle > 0 && cycle.is_multiple_of(self.every_cycles) && self.checkpoints.len() < 3 {
            self.checkpoints.push(self.taker.take(state));
        }
    }
}

fn simulation(text: &str, engine: &str, threads: u32) -> Simulation {
    let text = format!("{text}\n[run]\ncycles_max=300\nengine='{engine}'\nthreads={threads}\n");
    let config = Config::parse(&text, "test", ".".as_ref(), &[]);
    let config = config.unwrap_or_else(|error| panic!("{text}\n{error}"));
    Simulation::new(&config).unwrap_or_else(|error| panic!("{error}"))
}

/// A run from its beginning, or from a checkpoint: its cycles and its end.
fn run(
    simulation: &Simulation,
    from: Option<&Checkpoint>,
    taken: &mut Taken,
) -> (Vec<(u64, u64)>, Outcome) {
    let replicate = simulation.replicate(0).unwrap_or_else(|e| panic!("{e}"));
    let mut cycles = Cycles {
        fabric: simulation.fabric(),
        seen: Vec::new(),
    };
    let mut observer = (&mut cycles, taken);
    let outcome = match from {
        None => simulation.run_one(&replicate, &mut observer),
        Some(from) => simulation
            .go_on(&replicate, &from.snapshot, &mut observer)
            .map(|outcome| outcome.expect("it is of this run")),
    };
    let outcome = outcome.unwrap_or_else(|error| panic!("{error}"));
    (cycles.seen, outcome)
}

fn taken(simulation: &Simulation, every_cycles: u64) -> Taken {
    Taken {
        taker: CheckpointTaker::new(simulation.fabric()),
        every_cycles,
        checkpoints: Vec::new(),
    }
}

#[test]
fn a_run_goes_on_from_its_checkpoints() {
    let mut taken_up = 0;
    for (number, text) in cases().iter().enumerate() {
        let engine = ["gate", "event"][number % 2];
        let whole = simulation(text, engine, 1);
        // Other cycles in each case: within rounds, pauses, and messages on their way.
        let mut found = taken(&whole, 29 + number as u64);
        let (cycles, outcome) = run(&whole, None, &mut found);
        let with_threads = simulation(text, engine, 3);
        for (at, checkpoint) in found.checkpoints.iter().enumerate() {
            let other = [&whole, &with_threads][at % 2];
            let mut nothing = taken(other, u64::MAX);
            let (again, ended) = run(other, Some(checkpoint), &mut nothing);
            let after = cycles.partition_point(|(cycle, _)| *cycle <= checkpoint.snapshot.cycle);
            assert_eq!(again, cycles[after..], "{text}");
            assert_eq!(ended, outcome, "{text}");
            taken_up += 1;
        }
    }
    assert!(taken_up > 45, "{taken_up}");
}

#[test]
fn a_checkpoint_of_another_run_is_refused() {
    let tree = "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\npattern='random'\nrepeat=4\n";
    let larger = tree.replace("nodes=16", "nodes=64");
    for engine in ["gate", "event"] {
        let own = simulation(tree, engine, 1);
        let mut found = taken(&own, 20);
        run(&own, None, &mut found);
        let other = simulation(&larger, engine, 1);
        let replicate = other.replicate(0).unwrap_or_else(|e| panic!("{e}"));
        let gone_on = other.go_on(&replicate, &found.checkpoints[0].snapshot, &mut ());
        assert!(gone_on.unwrap_or_else(|e| panic!("{e}")).is_err());
    }
}

const MANY: [&str; 4] = ["--set", "traffic.repeat=20", "--set", "run.engine=event"];

/// A part that is replayed is the same part of a whole run, byte by byte.
#[test]
fn a_replay_is_what_the_whole_run_shows() {
    let place = workplace();
    let folder = place.path();
    write(
        folder,
        "bidelta.toml",
        "[network]\nkind = \"bidelta\"\nnodes = 64\n\
         [traffic]\npattern = \"random\"\nwords = 3\nrepeat = 20\n",
    );
    for (file, engine) in [
        ("small.toml", "event"),
        ("small.toml", "gate"),
        ("bidelta.toml", "gate"),
    ] {
        let engine = format!("run.engine={engine}");
        let more = match file {
            "small.toml" => "traffic.repeat=20",
            _ => "traffic.repeat=15",
        };
        let set = ["--set", &engine, "--set", more];
        let kept = [
            "run",
            file,
            "--checkpoints",
            "kept.checkpoints",
            "--checkpoint-every",
            "50",
        ];
        success(
            folder,
            &[&kept[..], &set, &["--messages", "kept.csv", "-q"]].concat(),
        );
        // Checkpoints change nothing.
        success(
            folder,
            &[&["run", file, "--messages", "plain.csv", "-q"][..], &set].concat(),
        );
        assert_eq!(read(folder, "kept.csv"), read(folder, "plain.csv"));
        for (from, to) in [
            ("0", "30"),
            ("49", "120"),
            ("50", "50"),
            ("51", "99"),
            ("333", "390"),
        ] {
            let window = format!("wave.window_cycles=[{from}, {to}]");
            let whole = ["run", file, "--wave", "whole.vcd", "-q", "--set", &window];
            success(folder, &[&whole[..], &set].concat());
            let part = [
                "replay",
                file,
                "--checkpoints",
                "kept.checkpoints",
                "--wave",
                "part.vcd",
            ];
            success(
                folder,
                &[&part[..], &set, &["--from", from, "--to", to]].concat(),
            );
            assert!(
                read(folder, "whole.vcd") == read(folder, "part.vcd"),
                "{file} {from}"
            );
        }
    }
}

/// The earliest time of a message that waits for others is a part of what a run depends on.
#[test]
fn a_trace_that_was_changed_is_refused() {
    let place = workplace();
    let folder = place.path();
    write(
        folder,
        "sum.toml",
        "[network]\nkind='fat-tree'\nnodes=4\n[traffic]\ntrace='sum.csv'\n",
    );
    let trace = "t_ns,source,destination,bytes,after\n0,1,0,64,\n0,3,2,64,\n0,2,0,64,1\n";
    write(folder, "sum.csv", trace);
    let kept = [
        "run",
        "sum.toml",
        "-q",
        "--checkpoints",
        "k",
        "--checkpoint-every",
        "5",
    ];
    success(folder, &kept);
    let replay = [
        "replay",
        "sum.toml",
        "--checkpoints",
        "k",
        "--from",
        "12",
        "--to",
        "20",
    ];
    let replay = [&replay[..], &["--wave", "part.vcd"]].concat();
    success(folder, &replay);
    fs::remove_file(folder.join("part.vcd")).expect("it was recorded");
    for (row, changed) in [
        ("0,2,0,64,1", "900,2,0,64,1"),
        ("0,1,0,64,", "0,1,0,128,"),
        ("0,3,2,64,", "0,3,1,64,"),
        ("0,3,2,64,", "0,0,2,64,"),
        ("0,2,0,64,1", "0,2,0,64,0"),
    ] {
        assert!(trace.contains(row));
        write(folder, "sum.csv", &trace.replace(row, changed));
        let said = failure(folder, &replay, 3);
        assert!(said.contains("other messages"), "{changed}: {said}");
        assert!(!folder.join("part.vcd").exists());
    }
}

/// A busy run has a checkpoint in each multiple of so many cycles.
#[test]
fn checkpoints_are_so_many_cycles_apart() {
    let text = "[network]\nkind='fat-tree'\nnodes=4\n[traffic]\npattern='random'\nrepeat=30\n";
    let own = simulation(text, "event", 1);
    let replicate = own.replicate(0).unwrap_or_else(|e| panic!("{e}"));
    let header = Header::new("program", own.config(), &replicate);
    let writer = CheckpointWriter::new(Vec::new(), &header, own.fabric(), 7);
    let mut writer = writer.expect("memory is written");
    let outcome = own.run_one(&replicate, &mut writer);
    let last = outcome.unwrap_or_else(|e| panic!("{e}")).last_cycle;
    let count = writer.count();
    assert!(last > 100 && count == last / 7, "{last} {count}");
    let bytes = writer.finish().expect("memory is written");
    let file = Checkpoints::open(Cursor::new(&bytes), "kept", &header);
    let mut file = file.unwrap_or_else(|e| panic!("{e}"));
    for cycle in 1..=last {
        let found = file.before(cycle).unwrap_or_else(|e| panic!("{e}"));
        let cycles = found.map(|checkpoint| checkpoint.snapshot.cycle);
        let expected = (cycle - 1) / 7 * 7;
        assert_eq!(cycles, (expected > 0).then_some(expected), "{cycle}");
    }
}

#[test]
fn mistakes_of_replay_are_told() {
    let place = workplace();
    let folder = place.path();
    let kept = [
        "run",
        "small.toml",
        "--checkpoints",
        "kept.checkpoints",
        "--checkpoint-every",
        "50",
        "-q",
    ];
    success(folder, &[&kept[..], &MANY].concat());
    let replay = |more: &[&str], code| {
        let replay = ["replay", "small.toml", "--checkpoints", "kept.checkpoints"];
        let said = failure(folder, &[&replay[..], more].concat(), code);
        assert!(!folder.join("part.vcd").exists());
        said
    };
    let wave = ["--wave", "part.vcd", "--from", "60", "--to", "70"];
    let mut told = String::new();
    let mut tell = |more: &[&str], code| told += &format!("{}\n", replay(more, code));
    tell(&wave, 3);
    tell(&[&wave[..], &MANY, &["--set", "run.seed=9"]].concat(), 3);
    tell(
        &[&wave[..], &MANY, &["--set", "traffic.words=5"]].concat(),
        3,
    );
    tell(&[&MANY[..], &["--from", "60", "--to", "70"]].concat(), 2);
    tell(
        &[
            &MANY[..],
            &["--wave", "part.vcd", "--from", "70", "--to", "60"],
        ]
        .concat(),
        2,
    );
    tell(
        &[
            &MANY[..],
            &["--wave", "part.vcd", "--from", "90000", "--to", "90001"],
        ]
        .concat(),
        2,
    );
    tell(
        &[
            &MANY[..],
            &["--wave", "part.vcd", "--from", "60", "--to", "90000"],
        ]
        .concat(),
        2,
    );
    // Another file, an older version, and none.
    let whole = fs::read(folder.join("kept.checkpoints")).unwrap();
    for bytes in [
        b"$date today $end\n and more bytes".to_vec(),
        whole[..9].to_vec(),
        {
            let mut other = whole.clone();
            other[22] = b'9';
            other
        },
    ] {
        fs::write(folder.join("kept.checkpoints"), bytes).unwrap();
        tell(&[&wave[..], &MANY].concat(), 3);
    }
    fs::remove_file(folder.join("kept.checkpoints")).unwrap();
    tell(&[&wave[..], &MANY].concat(), 4);
    insta::assert_snapshot!(told);
}

/// With any byte another one, or without its last ones, a file is refused, or gives the same
/// checkpoint.
#[test]
fn a_damaged_file_is_refused_or_gives_the_same() {
    let text = "[network]\nkind='fat-tree'\nnodes=4\n[traffic]\npattern='random'\nrepeat=10\n";
    let own = simulation(text, "event", 1);
    let replicate = own.replicate(0).unwrap_or_else(|e| panic!("{e}"));
    let header = Header::new("program", own.config(), &replicate);
    let writer = CheckpointWriter::new(Vec::new(), &header, own.fabric(), 30);
    let mut writer = writer.expect("memory is written");
    own.run_one(&replicate, &mut writer)
        .unwrap_or_else(|e| panic!("{e}"));
    let count = writer.count();
    let whole = writer.finish().expect("memory is written");
    let read = |bytes: &[u8], of: &Header, cycle: u64| {
        let mut file = Checkpoints::open(Cursor::new(bytes), "kept", of)?;
        file.before(cycle)
    };
    let kept = |cycle| read(&whole, &header, cycle).unwrap_or_else(|e| panic!("{e}"));
    // A checkpoint whose number is another one gives way to one that is right.
    let right = [kept(50), kept(80), kept(110), None];
    let cycle = right[1].as_ref().map(|found| found.snapshot.cycle);
    assert!(
        count >= 4 && matches!(cycle, Some(60..80)),
        "{count} {cycle:?}"
    );
    let (mut refused, mut same) = (0, 0);
    let mut attempt = |bytes: &[u8]| match read(bytes, &header, 80) {
        Ok(found) => {
            assert!(right.contains(&found));
            same += 1;
        }
        Err(error) => {
            assert_eq!(error.class, Class::Input, "{error}");
            refused += 1;
        }
    };
    for at in 0..whole.len() {
        let mut other = whole.clone();
        other[at] ^= 1 << (at % 8);
        attempt(&other);
        attempt(&whole[..at]);
    }
    assert!(
        same > 100 && refused > whole.len() + 100,
        "{same} {refused}"
    );
    let longer = [&whole[..], b"x"].concat();
    assert!(read(&longer, &header, 80).is_err());
    let other = Header::new("another program", own.config(), &replicate);
    assert!(read(&whole, &other, 80).is_err());
}

/// Numbers that follow from one another.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % bound as u64) as usize
    }
}

/// A state in which bytes are others is refused, or a run goes on from it to an end: nothing
/// panics, and nothing runs for ever. The digests do not matter here: whoever writes states can write
/// digests.
#[test]
fn an_impossible_state_is_refused() {
    let mut numbers = Numbers(5);
    let (mut refused, mut gone_on) = (0, 0);
    for (number, text) in cases().iter().enumerate().step_by(2) {
        let engine = ["event", "gate"][number / 2 % 2];
        let own = simulation(text, engine, 1 + number as u32 % 3);
        let replicate = own.replicate(0).unwrap_or_else(|e| panic!("{e}"));
        let mut found = taken(&own, 23 + number as u64);
        run(&own, None, &mut found);
        let checkpoint = &found.checkpoints[number % found.checkpoints.len()];
        let own_state = own.take_up(&replicate, &checkpoint.snapshot, &mut ());
        assert!(matches!(own_state, Ok(Ok(_))), "{text}: {own_state:?}");
        for change in 0..24 {
            let mut snapshot = checkpoint.snapshot.clone();
            let length = snapshot.bytes.len();
            // The host stands behind the chips, and has fewer bytes.
            let first = if change % 2 == 0 {
                0
            } else {
                length - length.min(600)
            };
            let at = first + numbers.below(length - first);
            match numbers.below(4) {
                0 => snapshot.bytes[at] ^= 1 << numbers.below(8),
                1 => snapshot.bytes[at] = [0, 1, 0x7f, 0xff][numbers.below(4)],
                2 => snapshot.bytes.truncate(at),
                _ => {
                    let other = numbers.below(length);
                    snapshot.bytes.swap(at, other);
                }
            }
            match own.take_up(&replicate, &snapshot, &mut ()) {
                Ok(Ok(outcome)) => {
                    assert!(outcome.last_cycle <= 300, "{text}");
                    gone_on += 1;
                }
                Ok(Err(impossible)) => {
                    assert!(!impossible.to_string().is_empty());
                    refused += 1;
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
    assert!(refused > 100 && gone_on > 10, "{refused} {gone_on}");
}

/// A file of which digests are right and a state is not: `replay` says where and why. So it does
/// where a length is another one.
#[test]
fn a_file_with_an_impossible_state_is_refused() {
    let place = workplace();
    let folder = place.path();
    write(
        folder,
        "few.toml",
        "[network]\nkind='fat-tree'\nnodes=4\n[traffic]\npattern='random'\nrepeat=9\n\
         [run]\nengine='event'\n",
    );
    let kept = [
        "run",
        "few.toml",
        "-q",
        "--checkpoints",
        "k",
        "--checkpoint-every",
        "20",
    ];
    success(folder, &kept);
    let whole = fs::read(folder.join("k")).expect("it was written");
    let word = |at: usize| u64::from_le_bytes(whole[at..at + 8].try_into().expect("eight bytes"));
    let sum = |parts: &[&[u8]]| -> [u8; 32] {
        use sha2::Digest;
        let mut digest = sha2::Sha256::new();
        parts.iter().for_each(|part| digest.update(part));
        digest.finalize().into()
    };
    // The first section, by the form in crates/run/src/checkpoint.rs.
    let magic = whole
        .iter()
        .position(|byte| *byte == b'\n')
        .expect("a line")
        + 1;
    let header_end = magic + 8 + word(magic) as usize;
    let section = header_end + 32;
    let header: [u8; 32] = whole[header_end..section].try_into().expect("a digest");
    assert_eq!(header, sum(&[&whole[..header_end]]));
    let (cycle, length) = (word(section), word(section + 8) as usize);
    let body = section + 16 + 32;
    let mut unpacked = Vec::new();
    let packed = &whole[body..body + length];
    std::io::Read::read_to_end(
        &mut flate2::read::DeflateDecoder::new(packed),
        &mut unpacked,
    )
    .expect("deflated");
    let with = |cycle: u64, unpacked: &[u8]| -> Vec<u8> {
        let level = flate2::Compression::fast();
        let mut packed = Vec::new();
        let mut encoder = flate2::read::DeflateEncoder::new(unpacked, level);
        std::io::Read::read_to_end(&mut encoder, &mut packed).expect("it fits");
        let numbers = [cycle, packed.len() as u64].map(u64::to_le_bytes);
        let digest = sum(&[&header, numbers.as_flattened(), &packed]);
        [
            &whole[..section],
            numbers.as_flattened(),
            &digest,
            &packed,
            &whole[body + length..],
        ]
        .concat()
    };
    let replay = [
        "replay",
        "few.toml",
        "--checkpoints",
        "k",
        "--from",
        "25",
        "--to",
        "30",
    ];
    let replay = [&replay[..], &["--wave", "part.vcd"]].concat();
    fs::write(folder.join("k"), with(cycle, &unpacked)).expect("it is written");
    success(folder, &replay);
    fs::remove_file(folder.join("part.vcd")).expect("it was recorded");
    let mut longer = unpacked.clone();
    longer.push(0);
    let mut other = unpacked.clone();
    let last = other.len() - 2;
    // The last number before the absent lanes: how many cycles were evaluated.
    other[last] = 0x7f;
    let mut far = whole.clone();
    far[section + 8 + 7] ^= 0x20;
    let mut odd = whole.clone();
    odd[magic + 7] ^= 0x20;
    for (bytes, reason) in [
        (
            with(cycle + 1, &unpacked),
            "does not hold a state of that cycle",
        ),
        (with(cycle, &longer), "does not hold a state of that cycle"),
        (with(cycle, &other), "no run has such a state"),
        (far, "cut short"),
        (odd, "damaged"),
    ] {
        fs::write(folder.join("k"), bytes).expect("it is written");
        let said = failure(folder, &replay, 3);
        assert!(said.contains(reason), "{reason}: {said}");
        assert!(!folder.join("part.vcd").exists());
    }
}
