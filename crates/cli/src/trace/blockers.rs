//! The messages that blocked attempts, as a table.

use crosswave_observe::life::NO_OUTPUT;
use crosswave_observe::life::blocked::BlockedBy;
use crosswave_observe::life::events::RouterNames;

/// Rows of the table, unless all are asked for.
const ROWS_MAX: usize = 8;

/// The blocker in words.
pub(super) fn name(blocked: &BlockedBy) -> String {
    match (blocked.at, blocked.message) {
        (_, Some(message)) => format!("message {message}"),
        (Some(at), None) if at.output == NO_OUTPUT => "a router".to_owned(),
        (Some(_), None) => "an output that is off".to_owned(),
        (None, None) => "its receiver".to_owned(),
    }
}

/// The output of a blocker: the names of the router and of its port.
pub(super) fn place(blocked: &BlockedBy, names: &mut RouterNames<'_>) -> [String; 2] {
    let Some(at) = blocked.at else {
        return Default::default();
    };
    let port = names
        .port(at.router, at.output)
        .unwrap_or_default()
        .to_owned();
    [names.router(at.router).to_owned(), port]
}

/// The blockers of a message, most cycles first, or nothing where it was never blocked.
pub(super) fn table(blocked_by: &[BlockedBy], all: bool, names: &mut RouterNames<'_>) -> String {
    if blocked_by.is_empty() {
        return String::new();
    }
    // A row that stands for a single blocker says less than that one.
    let shown = match all || blocked_by.len() <= ROWS_MAX + 1 {
        true => blocked_by.len(),
        false => ROWS_MAX,
    };
    let header = ["blocked by", "router", "output", "attempts", "cycles lost"];
    let (listed, others) = blocked_by.split_at(shown);
    let listed = listed.iter().map(|blocked| {
        let [router, output] = place(blocked, names);
        let (attempts, cycles) = (blocked.attempts.to_string(), blocked.cycles.to_string());
        [name(blocked), router, output, attempts, cycles]
    });
    let mut rows: Vec<[String; 5]> = listed.collect();
    if !others.is_empty() {
        let attempts: u64 = others.iter().map(|each| u64::from(each.attempts)).sum();
        let cycles: u64 = others.iter().map(|each| each.cycles).sum();
        rows.push([
            format!("{} others", others.len()),
            String::new(),
            String::new(),
            attempts.to_string(),
            cycles.to_string(),
        ]);
    }
    format!("{}\n", super::filled_table(header, &[3, 4], &rows))
}
