use super::*;

const BIDELTA: &str = "\
[network]
kind = \"bidelta\"
nodes = 256
[traffic]
pattern = \"random\"
";

#[test]
fn defaults_and_values() {
    assert_snapshot!(json(BIDELTA, &[]), @r#"{"network":{"kind":"bidelta","nodes":256,"link_delay_cycles":"geometry","loop_back_cycles":1},"interface":{"turns":1,"reply_words":1,"reply_delay_cycles":0,"close":"drop"},"traffic":{"pattern":"random","messages":256,"words":1,"repeat":1},"retry":{"strategy":"immediate"},"run":{"seed":1,"engine":"gate","replicates":1,"threads":0},"wave":{"scopes":["*"],"before_cycles":1000,"after_cycles":100,"triggers":1}}"#);
    let overrides = [
        "network.link_delay_cycles=[0,31,2]",
        "interface.turns=15",
        "interface.reply_words=65536",
        "interface.reply_delay_cycles=255",
        "interface.close=end",
        "retry.strategy=random",
    ];
    assert_snapshot!(json(BIDELTA, &overrides), @r#"{"network":{"kind":"bidelta","nodes":256,"link_delay_cycles":[0,31,2],"loop_back_cycles":1},"interface":{"turns":15,"reply_words":65536,"reply_delay_cycles":255,"close":"end"},"traffic":{"pattern":"random","messages":256,"words":1,"repeat":1},"retry":{"strategy":"random","backoff_limit":6},"run":{"seed":1,"engine":"gate","replicates":1,"threads":0},"wave":{"scopes":["*"],"before_cycles":1000,"after_cycles":100,"triggers":1}}"#);
}

/// The first message about one override.
fn message(text: &str, set: &str) -> String {
    let error = parse(text, &[set]).unwrap_err();
    assert_eq!(error.class, Class::Usage);
    let first = &error.diagnostics[0];
    format!("{} ({})", first.message, first.help)
}

#[test]
fn what_is_wrong() {
    let said: Vec<String> = [
        "network.nodes=128",
        "network.nodes=4",
        "network.link_delay_cycles=32",
        "network.link_delay_cycles=straight",
        "network.link_delay_cycles=[1,2]",
        "router.winner=fixed",
        "interface.turns=16",
        "interface.reply_words=0",
        "interface.close=shut",
        "retry.strategy=rounds",
    ]
    .into_iter()
    .map(|set| format!("{set}: {}", message(BIDELTA, set)))
    .collect();
    assert_snapshot!(said.join("\n"), @r#"
    network.nodes=128: found 128; expected a power of four from 16 to 1048576 (the nearest are 64 and 256)
    network.nodes=4: found 4; expected a power of four from 16 to 1048576 (such as nodes = 16)
    network.link_delay_cycles=32: found 32; expected an integer from 0 to 31 (give "geometry", one delay for all links between stages, or a list with one entry per stage but the last)
    network.link_delay_cycles=straight: found "straight"; expected an integer from 0 to 31 (give "geometry", one delay for all links between stages, or a list with one entry per stage but the last)
    network.link_delay_cycles=[1,2]: found a list of 2; expected 3 entries, one for each stage but the last (entry s is for the links from stage s to stage s+1)
    router.winner=fixed: a network of kind "bidelta" does not take this key (remove it, or set network.kind = "fat-tree" or "m-port-n-tree")
    interface.turns=16: found 16; expected an integer from 0 to 15 (such as turns = 15)
    interface.reply_words=0: found 0; expected an integer from 1 to 65536 (such as reply_words = 1)
    interface.close=shut: found "shut"; expected one of "drop", "end" (such as close = "drop")
    retry.strategy=rounds: found "rounds"; expected one of "immediate", "random", "backoff" (such as strategy = "immediate")
    "#);
    assert_snapshot!(message(&format!("{BASE}pattern = 'random'\n"), "interface.turns=1"), @r#"a network of kind "fat-tree" does not take this key (remove it, or set network.kind = "bidelta" or "butterfly" or "transit")"#);
    assert_snapshot!(message(&format!("{BASE}pattern = 'random'\n"), "network.link_delay_cycles=geometry"), @r#"found "geometry"; expected an integer from 0 to 64 (give one delay for all links, or a list with one entry per level)"#);
}
