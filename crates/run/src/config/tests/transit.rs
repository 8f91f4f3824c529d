use super::*;

const HYBRID: &str = "\
[network]
kind = \"transit\"
nodes = 49152
leaf = \"B192\"
[traffic]
pattern = \"random\"
";

/// Everything that may be set is read as it was written, and 49,152 nodes are one tree or
/// another one by their leaves.
#[test]
fn values() {
    assert_snapshot!(json(HYBRID, &[]), @r#"{"network":{"kind":"transit","nodes":49152,"leaf":"B192","up_stage":"standard","climb":"directions","dispersion":"full","wiring_seed":1,"link_delay_cycles":"geometry","clock_ps":10000,"permittivity_percent":100},"interface":{"turns":1,"reply_words":1,"reply_delay_cycles":0,"close":"drop"},"traffic":{"pattern":"random","messages":49152,"words":1,"repeat":1},"retry":{"strategy":"immediate"},"run":{"seed":1,"engine":"gate","replicates":1,"threads":0},"wave":{"scopes":["*"],"before_cycles":1000,"after_cycles":100,"triggers":1}}"#);
    let overrides = [
        "network.leaf=B12",
        "network.dispersion=random",
        "network.wiring_seed=7",
        "network.link_delay_cycles=[3,1]",
        "network.clock_ps=5000",
        "network.permittivity_percent=230",
    ];
    assert_snapshot!(json(HYBRID, &overrides), @r#"{"network":{"kind":"transit","nodes":49152,"leaf":"B12","up_stage":"standard","climb":"directions","dispersion":"random","wiring_seed":7,"link_delay_cycles":[3,1],"clock_ps":5000,"permittivity_percent":230},"interface":{"turns":1,"reply_words":1,"reply_delay_cycles":0,"close":"drop"},"traffic":{"pattern":"random","messages":49152,"words":1,"repeat":1},"retry":{"strategy":"immediate"},"run":{"seed":1,"engine":"gate","replicates":1,"threads":0},"wave":{"scopes":["*"],"before_cycles":1000,"after_cycles":100,"triggers":1}}"#);
}

#[test]
fn what_is_wrong() {
    let said: Vec<String> = [
        "network.nodes=100",
        "network.nodes=4096",
        "network.leaf=B13",
        "network.up_stage=narrow",
        "network.dispersion=half",
        "network.link_delay_cycles=[1,2,3]",
        "network.link_delay_cycles=40",
        "network.clock_ps=10",
        "network.permittivity_percent=50",
        "network.loop_back_cycles=1",
        "traffic.pattern=bit-reversal",
        "retry.strategy=rounds",
    ]
    .into_iter()
    .map(|set| {
        let error = parse(HYBRID, &[set]).unwrap_err();
        let first = &error.diagnostics[0];
        format!("{set}: {} ({})", first.message, first.help)
    })
    .collect();
    assert_snapshot!(said.join("\n"), @r#"
    network.nodes=100: found 100; expected one of 64, 768, 3072, 4096, 12288, 16384, 49152, 196608, 262144, 786432, 1048576 (such as nodes = 64)
    network.nodes=4096: no tree of B192 leaves has 4096 nodes; expected one of 12288, 49152, 786432 (or set network.leaf to "UT64x2")
    network.leaf=B13: found "B13"; expected one of "UT64x2", "B12", "B48", "B192" (did you mean "B12"?)
    network.up_stage=narrow: found "narrow"; expected one of "standard", "two-crossbars" (such as up_stage = "standard")
    network.dispersion=half: found "half"; expected one of "full", "none", "random" (such as dispersion = "full")
    network.link_delay_cycles=[1,2,3]: found a list of 3; expected 2 entries, one for each layer of UT64x8 and the cap (entry t is for the wires below layer t+1; the last one for the cap)
    network.link_delay_cycles=40: found 40; expected an integer from 0 to 31 (give "geometry", one delay for all wires between stacks, or a list with one entry per layer, and one for the cap where there is one)
    network.clock_ps=10: found 10; expected an integer from 500 to 1000000 (such as clock_ps = 500)
    network.permittivity_percent=50: found 50; expected an integer from 100 to 2000 (such as permittivity_percent = 100)
    network.loop_back_cycles=1: a network of kind "transit" does not take this key (remove it, or set network.kind = "bidelta")
    traffic.pattern=bit-reversal: a permutation of address bits, but 49152 nodes are no power of two (use another pattern, such as "random" or "cyclic-shift")
    retry.strategy=rounds: found "rounds"; expected one of "immediate", "random", "backoff" (such as strategy = "immediate")
    "#);
}
