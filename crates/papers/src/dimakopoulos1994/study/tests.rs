use super::*;
use crate::dimakopoulos1994::circuits::DOUBLING;
use crosswave_collectives::messages::Algorithm;
use crosswave_collectives::operation::Exchange;

/// Counts what is begun, and asks to stop before more than so much is.
#[derive(Debug, Default)]
struct Limited {
    begun: Vec<String>,
    most: usize,
}

impl Watch for Limited {
    fn begins(&mut self, what: &str) {
        self.begun.push(what.to_owned());
    }

    fn interrupted(&mut self) -> bool {
        self.begun.len() > self.most
    }
}

/// Something of each kind that is kept.
fn found(store: &mut Store, watch: &mut Limited) -> Result<Vec<String>, Error> {
    let mut study = Study::new(Effort::All, store, watch);
    let operation = Operation::TotalExchange(Exchange::Pipelined);
    let steps = study.steps(1..=3, TreeKind::Exponential, operation)?;
    let counted = study.measure("a count", || 7)?;
    let cost = DOUBLING.cost(Algorithm::Broadcast, 3, &mut study)?;
    Ok(vec![
        format!("{:?}", steps.expect("it is simulated")),
        format!("{:?}", counted.expect("it is simulated")),
        format!("{cost:?}"),
    ])
}

/// The steps are those of equation 3, n + 2 lg n - 2.
#[test]
fn a_study_that_was_stopped_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = |version: &str| Store::in_folder(folder.path(), version).expect("a folder");
    let all = found(&mut Store::in_memory(), &mut limited(99)).expect("nobody stops it");
    assert!(all[0].contains("2, 6, 12"), "{}", all[0]);

    let mut watch = limited(2);
    let stopped = found(&mut open("this"), &mut watch);
    assert!(stopped.is_err(), "the third is not begun");
    assert_eq!(watch.begun.len(), 3);
    let files = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(files, 2);

    // Stored results are not made again.
    let mut watch = limited(99);
    assert_eq!(
        found(&mut open("this"), &mut watch).expect("nobody stops it"),
        all
    );
    assert_eq!(
        watch.begun,
        [
            "total-exchange, EBFT of 8",
            "a count",
            "broadcast, four-port tree, doubling of 8"
        ]
    );
    let mut watch = limited(0);
    assert_eq!(
        found(&mut open("this"), &mut watch).expect("all is kept"),
        all
    );
    // Another version of the program finds nothing.
    let mut watch = limited(99);
    assert_eq!(
        found(&mut open("that"), &mut watch).expect("nobody stops it"),
        all
    );
    assert_eq!(watch.begun.len(), 5);
}

fn limited(most: usize) -> Limited {
    Limited {
        begun: Vec::new(),
        most,
    }
}

#[test]
#[should_panic(expected = "a count is measured twice")]
fn a_name_is_of_one_question() {
    let (mut store, mut watch) = (Store::in_memory(), ());
    let mut study = Study::new(Effort::All, &mut store, &mut watch);
    study.measure("a count", || 7).expect("nobody stops it");
    let _ = study.measure("a count", || 8);
}
