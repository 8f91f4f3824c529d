//! `crosswave keys`: the keys of a configuration, searched; and the page of them.

use clap::Args;
use serde::Serialize;

use super::wrap::{terminal_width, wrapped};
use crate::output::{self, JsonArgs};
use crate::usage;
use crosswave_base::diagnostic::Error;
use crosswave_base::suggest::nearest;
use crosswave_network::registry::KINDS;
use crosswave_run::config::keys::{KeyEntry, KeyForm, table};

#[derive(Debug, Args)]
pub(crate) struct KeysArgs {
    /// Part of a key's name, such as load or wave.; where no key has it, a word of its meaning
    pattern: Option<String>,
    /// Show only the keys that this kind of network takes
    #[arg(long, value_name = "KIND", value_parser = kind_names())]
    kind: Option<String>,
    #[command(flatten)]
    json: JsonArgs,
}

/// The names of the kinds of networks, as values of an argument.
pub(super) fn kind_names() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(KINDS.iter().map(|kind| kind.name))
}

/// A form of a key, in JSON.
#[derive(Debug, Serialize)]
struct FormRow<'a> {
    key: String,
    kinds: &'a [&'static str],
    r#type: &'a str,
    default: &'a str,
    values: &'a str,
    only_for: &'a str,
    meaning: &'a str,
}

/// Prints the keys that are looked for.
pub(crate) fn keys(args: &KeysArgs) -> Result<(), Error> {
    let output = args.json.output();
    let takes_standard = output::check(output.as_slice())?;
    let mut entries = table().to_vec();
    if let (Some(kind), Some(pattern)) = (&args.kind, &args.pattern) {
        let named = entries.iter().find(|entry| entry.name() == *pattern);
        if let Some(entry) = named.filter(|entry| entry.form(kind).is_none()) {
            let kinds: Vec<&str> = entry
                .forms
                .iter()
                .flat_map(|form| form.kinds.clone())
                .collect();
            let found = format!("found {pattern}, which {kind} does not take");
            let help = format!("these kinds take it: {}", kinds.join(", "));
            return Err(usage("--kind", found, &help));
        }
    }
    if let Some(kind) = &args.kind {
        for entry in &mut entries {
            let forms = std::mem::take(&mut entry.forms);
            let takes = |form: &KeyForm| form.kinds.is_empty() || form.kinds.contains(&&**kind);
            entry.forms = forms.into_iter().filter(takes).collect();
        }
        entries.retain(|entry| !entry.forms.is_empty());
    }
    let found = match &args.pattern {
        Some(pattern) => search(entries, pattern)?,
        None => entries,
    };
    let rows = found.iter().flat_map(|entry| {
        entry.forms.iter().map(|form| FormRow {
            key: entry.name(),
            kinds: &form.kinds,
            r#type: form.value,
            default: &form.default,
            values: &form.legal,
            only_for: form.only,
            meaning: form.meaning,
        })
    });
    args.json.write(&rows.collect::<Vec<_>>())?;
    if takes_standard {
        return Ok(());
    }
    let text: Vec<String> = found
        .iter()
        .map(|entry| text(entry, terminal_width()))
        .collect();
    output::print(&text.join("\n"))
}

/// The keys whose name has the pattern; without one, those whose text has it.
fn search(entries: Vec<KeyEntry>, pattern: &str) -> Result<Vec<KeyEntry>, Error> {
    let pattern = pattern.to_lowercase();
    if let Some(entry) = entries.iter().find(|entry| entry.name() == pattern) {
        return Ok(vec![entry.clone()]);
    }
    let names: Vec<String> = entries.iter().map(KeyEntry::name).collect();
    let (by_name, others): (Vec<_>, Vec<_>) = entries
        .into_iter()
        .partition(|entry| entry.name().contains(&pattern));
    if !by_name.is_empty() {
        return Ok(by_name);
    }
    let says = |form: &KeyForm| {
        let text = format!("{} {}", form.meaning, form.legal);
        text.to_lowercase().contains(&pattern)
    };
    let by_text: Vec<KeyEntry> = others
        .into_iter()
        .filter(|entry| entry.forms.iter().any(says))
        .collect();
    if !by_text.is_empty() {
        return Ok(by_text);
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    // A key is often asked for without its table.
    let own_name =
        |name: &'_ &str| -> String { name.rsplit('.').next().unwrap_or(name).to_owned() };
    let own_names: Vec<String> = names.iter().map(own_name).collect();
    let own_names: Vec<&str> = own_names.iter().map(String::as_str).collect();
    let near = nearest(&pattern, &names).or_else(|| {
        let near = nearest(&pattern, &own_names)?;
        let at = own_names.iter().position(|name| *name == near)?;
        Some(names[at])
    });
    let help = match near {
        Some(name) => format!("did you mean {name}? `crosswave keys` lists all keys"),
        None => "`crosswave keys` lists all keys".to_owned(),
    };
    let found = format!("found {pattern:?}, which is in no key and in no meaning of one");
    Err(usage("PATTERN", found, &help))
}

/// An entry as it is printed.
fn text(entry: &KeyEntry, width: usize) -> String {
    let mut text = format!("{}\n", entry.name());
    for form in &entry.forms {
        if !form.kinds.is_empty() {
            text += &wrapped(&format!("in {}", form.kinds.join(", ")), "  ", width);
        }
        text += &wrapped(&plain(form.meaning), "    ", width);
        let mut line = |name: &str, value: &str| {
            let value = format!("{name}: {}", plain(value));
            text += &wrapped(&value, "    ", width);
        };
        line("type", form.value);
        line("values", &form.legal);
        line("default", &form.default);
        if !form.only.is_empty() {
            line("only where", form.only);
        }
    }
    text
}

/// A text without the marks of code.
pub(super) fn plain(text: &str) -> String {
    text.replace('`', "")
}

/// The page of keys.
pub(super) fn page() -> String {
    let mut page = String::from(
        "# Keys of a configuration\n\n\
         A configuration is a TOML file of tables and keys. `--set TABLE.KEY=VALUE` sets a key on the \
         command line; the last value counts. A key that is not known, or that the network does not \
         take, is an error, and all errors are reported at once. `crosswave keys` prints this page, \
         `crosswave keys load` a part of it, and `crosswave init KIND` a configuration with the keys \
         of one kind of network.\n",
    );
    let mut last = "";
    for entry in table() {
        let (of, name) = entry.key;
        if of != last {
            page += &format!("\n## [{of}]\n\n{}\n", table_meaning(of));
            last = of;
        }
        page += &format!("\n### {of}.{name}\n\n");
        for form in &entry.forms {
            if !form.kinds.is_empty() && form.kinds.len() < KINDS.len() {
                let kinds = form.kinds.iter().map(|kind| format!("`{kind}`"));
                page += &format!("In {}:\n\n", kinds.collect::<Vec<_>>().join(", "));
            }
            page += &format!("{}\n\n", form.meaning);
            page += &format!("- Type: {}\n", form.value);
            page += &format!("- Values: {}\n", form.legal);
            page += &format!("- Default: {}\n", form.default);
            if !form.only.is_empty() {
                page += &format!("- Only where: {}\n", form.only);
            }
            page.push('\n');
        }
        page.pop();
    }
    page
}

/// The meaning of a table.
fn table_meaning(table: &str) -> &'static str {
    match table {
        "network" => "The network: its kind, size, links and routing.",
        "router" => "The routers.",
        "interface" => "The interfaces of nodes in networks of RN1.",
        "checks" => "When a run of a network of your own routers is given up.",
        "endpoint" => "What stands at the nodes of a network of your own routers.",
        "faults" => {
            "Parts of a network of RN1 that do not work, in all cycles or, with a range such as \
             `@100..200`, in some."
        }
        "traffic" => "The messages: recorded in a trace, or generated by a pattern.",
        "retry" => "When a message that lost is sent again.",
        "chips" => "Your own versions of chips, by their files.",
        "run" => "How the network is simulated.",
        "wave" => "What a waveform shows.",
        _ => unreachable!("a table of the configuration"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_on_the_page_with_a_meaning_that_is_a_sentence() {
        let page = page();
        for entry in table() {
            assert!(
                page.contains(&format!("\n### {}\n", entry.name())),
                "{}",
                entry.name()
            );
            for form in &entry.forms {
                let is_sentence = form.meaning.ends_with('.') && !form.meaning.contains("  ");
                assert!(is_sentence, "{}: {}", entry.name(), form.meaning);
                assert!(!form.legal.is_empty() && !form.default.is_empty());
            }
        }
    }

    #[test]
    fn a_key_is_found_by_its_name_then_by_its_text() {
        let found = |pattern: &str| -> Vec<String> {
            let found = search(table().to_vec(), pattern).expect("there is one");
            found.iter().map(KeyEntry::name).collect()
        };
        assert_eq!(found("traffic.load"), ["traffic.load"]);
        assert_eq!(found("warmup"), ["traffic.warmup_cycles"]);
        assert_eq!(found("permittivity of"), ["network.permittivity_percent"]);
        assert!(found("network.").len() > 10);
        let error = search(table().to_vec(), "trafic.lod")
            .expect_err("there is none")
            .to_string();
        assert!(error.contains("traffic.load"), "{error}");
    }
}
