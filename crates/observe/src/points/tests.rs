use super::enough::Enough;
use super::*;
use crosswave_base::diagnostic::Class;
use crosswave_base::statistics::half_width_95;
use crosswave_probe::message::MessageRecord;
use crosswave_run::config::{Config, EngineKind};
use crosswave_run::simulation::Simulation;

/// A version of the program.
const VERSION: &str = "of a test";

fn spec(text: &str, wanted: PointStopRule) -> Spec {
    let text = format!("[network]\nkind='fat-tree'\n{text}");
    let config = Config::parse(&text, "a point", Path::new("."), &[]);
    Spec {
        title: "a point".into(),
        config: config.unwrap_or_else(|error| panic!("{error}")),
        shifts: Vec::new(),
        wanted,
    }
}

const ROUNDS16: &str =
    "nodes=16\n[traffic]\npattern='random'\nwords=12\n[retry]\nstrategy='rounds'";

fn sure(least: usize, most: usize, half_width_fraction: f64) -> PointStopRule {
    PointStopRule {
        least,
        most,
        step: 1,
        of: Statistic::Rounds,
        half_width_fraction,
    }
}

/// Rounds as a run of each replicate by itself on the other engine gives them.
fn alone(spec: &Spec, count: u32) -> Vec<u64> {
    let mut config = spec.config.clone();
    config.run.engine = EngineKind::Event;
    config.run.replicates = count;
    let outcomes = Simulation::new(&config)
        .unwrap()
        .run_all()
        .expect("it runs");
    outcomes.iter().map(|outcome| outcome.rounds).collect()
}

#[test]
fn samples_are_those_of_replicates_alone() {
    let spec = spec(ROUNDS16, PointStopRule::exactly(70, Statistic::Rounds));
    let samples = Points::default().get(&spec, &mut ()).expect("it runs");
    assert_eq!(samples.len(), 70);
    let expected = alone(&spec, 70);
    let tally = samples.of(Statistic::Rounds);
    assert_eq!(tally, expected.iter().copied().collect());
    assert!(samples.attempts_per_message() > 1.0);
}

#[test]
fn replicates_are_added_until_the_mean_is_sure() {
    let spec = spec(ROUNDS16, sure(20, 2000, 0.02));
    let samples = Points::default().get(&spec, &mut ()).expect("it runs");
    let tally = samples.of(Statistic::Rounds);
    assert!(half_width_95(&tally) <= 0.02 * tally.mean());
    assert!((21..1500).contains(&samples.len()), "{}", samples.len());
    let mut fewer = samples.clone();
    fewer.truncate(samples.len() - 1);
    assert_eq!(spec.wanted.target(&fewer), samples.len());
}

/// A watch that asks to stop after some time.
struct StopAfter(u32);

impl Watch for StopAfter {
    fn begins(&mut self, _: &str) {
        self.0 = self.0.saturating_sub(1);
    }

    fn interrupted(&mut self) -> bool {
        self.0 == 0
    }
}

#[test]
fn a_point_that_was_stopped_is_taken_up_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = || Store::in_folder(folder.path(), VERSION).expect("a folder");
    let spec = spec(ROUNDS16, sure(40, 400, 0.02));
    let whole = Points::default().get(&spec, &mut ()).expect("it runs");
    let mut stops = 0;
    let found = loop {
        match Points::new(store()).get(&spec, &mut StopAfter(2)) {
            Ok(samples) => break samples,
            Err(error) => {
                assert!(error.to_string().contains("interrupted"), "{error}");
                stops += 1;
            }
        }
    };
    assert!(stops > 0, "it was stopped");
    assert_eq!(found, whole);
    // Nothing is left to do, so nobody is asked whether to stop.
    let again = Points::new(store()).get(&spec, &mut StopAfter(0));
    assert_eq!(again.expect("it is kept"), whole);
    let names = std::fs::read_dir(folder.path()).expect("a folder");
    let mut ends: Vec<String> = names
        .map(|name| name.expect("a file").path())
        .map(|path| {
            path.extension()
                .expect("one")
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    ends.sort();
    assert_eq!(ends, ["json", "toml"]);
}

#[test]
fn what_a_point_depends_on_is_in_its_name() {
    let wanted = PointStopRule::exactly(1, Statistic::Cycles);
    let name = |spec: &Spec| Store::default().name(&spec.key());
    let first = spec(ROUNDS16, wanted);
    let more = spec(ROUNDS16, sure(3, 9, 0.1));
    assert_eq!(name(&first), name(&more), "replicates can be added");
    let seed = spec(&format!("{ROUNDS16}\n[run]\nseed=2"), wanted);
    let threads = spec(&format!("{ROUNDS16}\n[run]\nthreads=2"), wanted);
    assert_ne!(name(&first), name(&seed));
    assert_eq!(name(&first), name(&threads));
    let mut shifted = first.clone();
    shifted.shifts = vec![1, 2];
    assert_ne!(name(&first), name(&shifted));
}

#[test]
fn shifts_are_taken_in_turn() {
    let text = |shift: u32| {
        format!(
            "nodes=16\n[traffic]\npattern='cyclic-shift'\nshift={shift}\nwords=12\n\
             [retry]\nstrategy='rounds'"
        )
    };
    let wanted = PointStopRule::exactly(6, Statistic::Rounds);
    let mut all = spec(&text(1), wanted);
    all.shifts = vec![1, 5, 11];
    let samples = Points::default().get(&all, &mut ()).expect("it runs");
    let mut expected = Vec::new();
    for (at, shift) in [1, 5, 11].into_iter().enumerate() {
        let rounds = alone(&spec(&text(shift), wanted), 6);
        expected.extend([rounds[at], rounds[at + 3]]);
    }
    let tally = samples.of(Statistic::Rounds);
    assert_eq!(tally, expected.into_iter().collect());
}

#[test]
fn a_kept_file_that_is_no_result_is_reported() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let spec = spec(ROUNDS16, PointStopRule::exactly(1, Statistic::Rounds));
    let key = spec.key();
    let store = Store::in_folder(folder.path(), VERSION).expect("a folder");
    let path = folder.path().join(format!("{}.json", store.name(&key)));
    Points::new(store).get(&spec, &mut ()).expect("it runs");
    let whole = std::fs::read_to_string(&path).expect("it is kept");
    let damaged = whole.replace("\"result\":[[", "\"result\":[[1");
    assert_ne!(damaged, whole);
    for (text, said) in [
        ("not", "not JSON"),
        ("{}", "something else"),
        ("{\"crosswave\": \"0.0.0\"}", "something else"),
        (damaged.as_str(), "not what was written"),
    ] {
        std::fs::write(&path, text).expect("a folder");
        let mut points = Points::new(Store::in_folder(folder.path(), VERSION).expect("a folder"));
        let error = points.get(&spec, &mut ()).expect_err("no result");
        assert_eq!(error.class, Class::Input);
        let text = error.to_string();
        assert!(
            text.contains(said) && text.contains("remove the file"),
            "{text}"
        );
    }
}

#[test]
fn a_file_with_the_name_of_a_configuration_is_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let point = |count| spec(ROUNDS16, PointStopRule::exactly(count, Statistic::Rounds));
    let get = |spec: &Spec| {
        let mut points = Points::new(Store::in_folder(folder.path(), VERSION).expect("a folder"));
        points.get(spec, &mut ())
    };
    let first = point(1);
    get(&first).expect("it runs");
    let key = first.key();
    let store = Store::in_folder(folder.path(), VERSION).expect("a folder");
    let path = folder.path().join(format!("{}.toml", store.name(&key)));
    let read = || std::fs::read_to_string(&path).expect("it is there");
    assert_eq!(read(), first.run_text(1));
    let mut more = point(2);
    more.title = "the same in another place".into();
    get(&more).expect("it runs");
    assert_eq!(read(), more.run_text(2));
    let changed = read().replace("seed = 1", "seed = 5");
    std::fs::write(&path, &changed).expect("a folder");
    let error = get(&more).expect_err("it is someone's own");
    assert_eq!(error.class, Class::Input);
    assert_eq!(read(), changed);
}

#[test]
fn a_run_that_does_not_end_is_reported() {
    let text = format!("{ROUNDS16}\n[run]\ncycles_max=30");
    let spec = spec(&text, PointStopRule::exactly(1, Statistic::Rounds));
    let error = Points::default()
        .get(&spec, &mut ())
        .expect_err("too short");
    assert_eq!(error.class, Class::Check);
    assert!(error.to_string().contains("cycle 30"), "{error}");
}

/// Two of 64 nodes collide once in 26 times: 48 rounds that are alike say little.
#[test]
fn values_that_are_alike_are_not_sure() {
    let few = "nodes=64\n[traffic]\npattern='random'\nmessages=2\nwords=20\n\
               [retry]\nstrategy='rounds'";
    let spec = spec(few, sure(8, 2000, 0.02));
    let samples = Points::default().get(&spec, &mut ()).expect("it runs");
    let tally = samples.of(Statistic::Rounds);
    assert!(tally.count() >= 140, "{}", tally.count());
    assert!((tally.mean() - 1.0382).abs() < 4.0 * 0.0382_f64.sqrt() / 12.0);
    let alike = [1, 1, 1].into_iter().collect();
    assert_eq!(half_width_95(&alike), 1.0);
}

/// A number that is read is the one that was written, to the last bit.
#[test]
fn numbers_are_kept_exactly() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = || Store::in_folder(folder.path(), VERSION).expect("a folder");
    let key = serde_json::json!({ "numbers": 1 });
    let numbers: Vec<f64> = (0..2000_u64)
        .map(|index| 1.0 + crosswave_base::random::word(7, index) as f64 / 1e19)
        .collect();
    store().write(&key, &numbers).expect("a folder");
    let found: Option<Vec<f64>> = store().read(&key).expect("it is whole");
    assert_eq!(found, Some(numbers));
}

#[test]
fn a_multiple_of_a_step_is_taken() {
    let wanted = PointStopRule {
        step: 7,
        ..sure(10, 40, 1e-9)
    };
    let spec = spec(ROUNDS16, wanted);
    let samples = Points::default().get(&spec, &mut ()).expect("it runs");
    assert_eq!(samples.len(), 42);
}

#[test]
fn intervals_are_those_of_student() {
    let tally = [1, 2, 3, 4, 5].into_iter().collect();
    // t(0.975, 4) = 2.776, standard error 0.7071.
    assert!((half_width_95(&tally) - 1.9633).abs() < 1e-3);
}

/// An early acknowledgement overtakes a long body; the run is over with the body.
#[test]
fn cycles_end_with_the_later_of_acknowledgement_and_delivery() {
    let message = |sent_cycle, acknowledged_cycle, delivered_cycle| MessageRecord {
        attempts: 2,
        sent_cycle,
        acknowledged_cycle,
        delivered_cycle,
        ..MessageRecord::new(0, 1, 64)
    };
    let early = [message(2, 68, 97), message(5, 80, 60)];
    let sample = Sample::new(3, &early);
    assert_eq!(<[u64; 5]>::from(sample), [3, 95, 2, 4, 95]);
    let late = Sample::new(0, &[message(2, 38, 32)]);
    assert_eq!(<[u64; 5]>::from(late), [0, 36, 1, 2, 30]);
}

/// Replicates that are kept beyond those that are wanted change nothing.
#[test]
fn more_replicates_that_are_kept_are_not_looked_at() {
    let point = |wanted| spec(ROUNDS16, wanted);
    let fewer = point(PointStopRule::exactly(9, Statistic::Rounds));
    let more = point(PointStopRule::exactly(30, Statistic::Rounds));
    let alone = Points::default().get(&fewer, &mut ()).expect("it runs");
    let mut points = Points::default();
    let all = points.get(&more, &mut ()).expect("it runs");
    assert_ne!(
        all.of(Statistic::Rounds).mean(),
        alone.of(Statistic::Rounds).mean()
    );
    let found = points.get(&fewer, &mut ()).expect("it is kept");
    assert_eq!((found.len(), &found), (9, &alone));
    // The thirty are still there.
    let again = points.get(&more, &mut StopAfter(0));
    assert_eq!(again.expect("it is kept"), all);
}

/// One of a hundred values is 2 and all others are 1: the standard error is 0.01, and half of
/// Student's interval 0.0198; but it may be one in 33, so that 0.03 is taken. That is 1.1881 times
/// 0.025 of the mean 1.01, which takes 1.1881^2 * 100 = 141.2 values.
#[test]
fn values_that_are_almost_alike_are_not_sure() {
    let sample = |at| Sample {
        rounds: if at == 41 { 2 } else { 1 },
        cycles: 7,
        messages: 1,
        attempts: 1,
        delivery_cycles: 9,
    };
    let samples = |count| {
        let mut samples = Samples::default();
        samples.extend((0..count).map(sample));
        samples
    };
    let wanted = sure(100, 1000, 0.025);
    let tally = samples(100).of(Statistic::Rounds);
    assert!((half_width_95(&tally) - 0.019_842).abs() < 1e-6);
    assert_eq!(wanted.target(&samples(99)), 100);
    assert_eq!(wanted.target(&samples(100)), 142);
    assert_eq!(wanted.target(&samples(141)), 142);
    // 3 / 142 is less than 0.025, and what comes behind is not looked at.
    assert_eq!(wanted.target(&samples(142)), 142);
    assert_eq!(wanted.target(&samples(300)), 142);
}

/// Every statistic is its own field; attempts and messages are those of all replicates.
#[test]
fn statistics_are_fields_of_samples() {
    let mut samples = Samples::default();
    assert!(samples.is_empty() && samples.messages() == 0);
    samples.extend([[3, 50, 8, 12, 41], [5, 70, 8, 20, 66]].map(Sample::from));
    let of = |statistic| {
        let tally = samples.of(statistic);
        (tally.min(), tally.max(), tally.count())
    };
    assert_eq!(of(Statistic::Rounds), (3, 5, 2));
    assert_eq!(of(Statistic::Cycles), (50, 70, 2));
    assert_eq!(of(Statistic::DeliveryCycles), (41, 66, 2));
    assert_eq!(
        (samples.messages(), samples.attempts_per_message()),
        (8, 2.0)
    );
}

/// Each replicate is itself however many were there before, and what is noted of a point is what it was
/// run for.
#[test]
fn replicates_that_are_added_are_the_next_ones() {
    let of = |count, statistic| spec(ROUNDS16, PointStopRule::exactly(count, statistic));
    let whole = Points::default().get(&of(12, Statistic::Rounds), &mut ());
    let whole = whole.expect("it runs");
    let mut points = Points::default();
    for count in [1, 5, 12] {
        let found = points.get(&of(count, Statistic::DeliveryCycles), &mut ());
        let mut first = whole.clone();
        first.truncate(count);
        assert_eq!(found.expect("it runs"), first);
    }
    let [known] = points.known() else {
        panic!("one point: {:?}", points.known());
    };
    let mut first = whole;
    first.truncate(1);
    assert_eq!(known.of, Statistic::DeliveryCycles);
    assert_eq!(known.tally, first.of(Statistic::DeliveryCycles));
}

/// By hand: multiples of the step from the least on, and never fewer than one more. An excess of exactly
/// 1 is enough.
#[test]
fn targets_are_multiples_of_a_step() {
    let enough = |least, most, step| Enough { least, most, step };
    assert_eq!(enough(10, 100, 7).target(0, |_| 9.0), 14);
    assert_eq!(enough(10, 100, 7).target(14, |_| 1.0), 14);
    // 14 * 1.5^2 = 31.5.
    assert_eq!(enough(10, 100, 7).target(14, |_| 1.5), 35);
    assert_eq!(enough(10, 100, 7).target(35, |_| 9.0), 105);
    // 50 * 1.001^2 = 50.1, one more.
    assert_eq!(enough(50, 100, 1).target(50, |_| 1.001), 51);
    // A larger number of known replicates is looked at in the same steps.
    let asked = std::cell::RefCell::new(Vec::new());
    let excess = |count: usize| {
        asked.borrow_mut().push(count);
        (40.0 / count as f64).sqrt()
    };
    assert_eq!(enough(10, 1000, 1).target(500, excess), 40);
    assert_eq!(asked.into_inner(), [10, 40]);
}
