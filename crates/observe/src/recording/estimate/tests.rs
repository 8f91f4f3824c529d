use std::path::Path;

use crosswave_run::config::{Config, ConfigSource};
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;

use crate::recording::{RunWaveform, Selection, WaveTarget};

const TEXT: &str = "[network]\nkind = 'fat-tree'\nnodes = 16\n[traffic]\npattern = 'random'\n\
                    words = 4\n[run]\nengine = 'event'\n";

/// The estimate of the size of a waveform, and the size of its file, in bytes.
fn sizes(settings: &[&str], name: &str) -> (u64, u64) {
    let settings: Vec<String> = settings.iter().map(|text| (*text).into()).collect();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(name);
    let config = Config::parse(TEXT, "test", Path::new("."), &settings).expect("valid");
    let simulation = Simulation::new(&config).expect("it fits");
    let source = ConfigSource {
        text: TEXT.into(),
        origin: "test".into(),
        overrides: settings,
    };
    let target = WaveTarget::of_name(&path).expect("a format");
    let selection = Selection::new(&simulation, &config.wave, &source, &mut ());
    let waveform = RunWaveform::new(target, &simulation, selection.expect("signals"));
    let replicate = Replicate::new(&config, 0).expect("messages");
    let estimated = waveform.estimated_bytes(&replicate, &()).expect("a size");
    let recorded = waveform.record(&replicate, &mut (), &mut ());
    recorded.expect("a waveform");
    let file = std::fs::metadata(&path).expect("written");
    (estimated.expect("no trigger"), file.len())
}

#[test]
fn estimates_are_near_the_size() {
    let cases: [&[&str]; 7] = [
        &[],
        &["wave.window_cycles=[10, 30]"],
        &["wave.scopes=['**.node_3']"],
        &["network.nodes=64", "traffic.repeat=40"],
        &[
            "network.nodes=64",
            "traffic.repeat=40",
            "wave.window_cycles=[1500, 2000]",
        ],
        &["traffic.repeat=200", "traffic.words=40"],
        &[
            "network.kind=bidelta",
            "network.nodes=64",
            "traffic.repeat=40",
        ],
    ];
    for name in ["w.vcd", "w.fst", "w.vcd.gz"] {
        for settings in cases {
            let (estimated, written) = sizes(settings, name);
            let ratio = estimated as f64 / written as f64;
            assert!(
                (0.6..1.6).contains(&ratio),
                "{name}, {settings:?}: {estimated} bytes, and it has {written}"
            );
        }
    }
}
