use crosswave::chip::netlists;
use crosswave::experiment::config::Config;
use crosswave::experiment::run;
use crosswave::gate::plan::Plan;
fn main() {
    let c = Config::parse(
        "[network]\nkind='fat-tree'\nnodes=256\n[traffic]\npattern='random'\n",
        "x",
        std::path::Path::new("."),
        &[],
    )
    .unwrap();
    let f = run::fat_tree(&c).fabric();
    for a in &f.arrays {
        let p = Plan::new(a, netlists::module(a.chip.name).unwrap()).unwrap();
        println!(
            "{} ops {} runs {} slots {} regs {} pins {} rnd {} w {} words {} links {:?}",
            a.chip.name,
            p.program.operations.len(),
            p.program.runs.len(),
            p.program.slots,
            p.program.next.len(),
            p.pin_inputs.len(),
            p.random_inputs.len(),
            p.width,
            p.words,
            p.link_inputs.iter().map(|l| l.len()).collect::<Vec<_>>()
        );
    }
}
