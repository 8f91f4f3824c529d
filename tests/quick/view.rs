//! The page of a run: it is the same on both engines, fetches nothing, and what is packed in it,
//! unpacked here by other code, is what the files of events and of messages say.

use std::collections::{BTreeMap, BTreeSet};
use std::path;

use crosswave_network::path::Path;
use crosswave_network::topology::ROUTERS;
use crosswave_observe::view::PageLayout;
use crosswave_observe::view::layout::Line;
use crosswave_run::config::Config;
use crosswave_run::simulation::Simulation;
use serde_json::{Value, json};

use crate::program::{crosswave, failure, files, read, success, workplace, write};

/// Configurations of every kind of network, in which messages collide.
const CASES: [(&str, &str); 5] = [
    (
        "tree",
        "[network]\nkind='fat-tree'\nnodes=64\n[traffic]\npattern='random'\nrepeat=3\nwords=9\n",
    ),
    (
        "tail",
        "[network]\nkind='fat-tree'\nnodes=32\nlink_delay_cycles=[0,2,0,1,5]\n\
         [router]\nrelease='tail'\n[traffic]\npattern='random'\nrepeat=3\nwords=2\n",
    ),
    (
        "bidelta",
        "[network]\nkind='bidelta'\nnodes=64\n[traffic]\npattern='random'\nrepeat=3\nwords=6\n\
         [interface]\nturns=1\nreply_words=3\n[faults]\nrouters=['rn1_1_3']\n",
    ),
    (
        "butterfly",
        "[network]\nkind='butterfly'\nnodes=64\n[traffic]\npattern='random'\nrepeat=3\nwords=6\n",
    ),
    (
        "transit",
        "[network]\nkind='transit'\nnodes=64\n[traffic]\npattern='random'\nrepeat=3\nwords=8\n\
         [retry]\nstrategy='backoff'\n",
    ),
];

/// The data of a page.
fn data(page: &str) -> Value {
    let begin = "<script type=\"application/json\" id=\"data\">";
    let (_, rest) = page.split_once(begin).expect("the page has data");
    let (text, _) = rest.split_once("</script>").expect("the data end");
    serde_json::from_str(text).expect("JSON")
}

/// Numbers of a packed text, one after the other.
struct Unpacked {
    numbers: std::vec::IntoIter<u64>,
}

impl Unpacked {
    fn of(text: &Value) -> Unpacked {
        let value = |digit: u8| match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        let text = text.as_str().expect("packed text").trim_end_matches('=');
        let (mut bits, mut held) = (0u32, 0);
        let (mut number, mut shift) = (0u64, 0);
        let mut numbers = Vec::new();
        for digit in text.bytes() {
            bits = (bits << 6 | u32::from(value(digit))) & 0xffff;
            held += 6;
            if held < 8 {
                continue;
            }
            held -= 8;
            let byte = bits >> held & 0xff;
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                numbers.push(number);
                (number, shift) = (0, 0);
            }
        }
        assert_eq!(shift, 0, "the last number ends");
        Unpacked {
            numbers: numbers.into_iter(),
        }
    }

    fn next(&mut self) -> u64 {
        self.numbers.next().expect("another number")
    }

    /// A cycle, or null when it did not come.
    fn since(&mut self, from: u64) -> Value {
        match self.next() {
            0 => Value::Null,
            cycles => json!(from + cycles - 1),
        }
    }
}

/// The attempts of a page as the lines of the file of events have them.
fn attempts(data: &Value) -> Vec<Value> {
    let mut packed = Unpacked::of(&data["attempts"]);
    // Routers of all ranks are of one kind here.
    let ranks = data["ports"].as_array().expect("a list for each rank");
    assert!(ranks.iter().all(|ports| *ports == ranks[0]));
    let port = |link: u64| ranks[0][link as usize].clone();
    let mut launched = 0;
    let count = data["attempt_count"].as_u64().expect("a number");
    let mut found = Vec::new();
    for _ in 0..count {
        launched += packed.next();
        let [message, attempt, source, destination] = std::array::from_fn(|_| packed.next());
        let ends = ["acknowledged", "rejected", "under way", "delivered", "lost"];
        let end = ends[packed.next() as usize];
        let (end_cycle, reached_cycle) = (packed.since(launched), packed.since(launched));
        let mut hops = Vec::new();
        for _ in 0..packed.next() {
            let router = data["router_names"][packed.next() as usize].clone();
            let input = port(packed.next());
            let output = match packed.next() {
                0 => Value::Null,
                link => port(link - 1),
            };
            hops.push(json!({
                "router": router, "input": input, "output": output,
                "arrived_cycle": launched + packed.next(),
                "left_cycle": packed.since(launched),
                "freed_cycle": packed.since(launched),
            }));
        }
        let collision = packed.since(launched);
        let collision = collision.as_u64().map(|cycle| {
            let wanted = packed.next();
            let wanted: Vec<Value> = (0..wanted).map(|_| port(packed.next())).collect();
            let count = packed.next();
            let rivals = (0..count).map(|_| {
                let [message, attempt, input, output, since] =
                    std::array::from_fn(|_| packed.next());
                let freed = match packed.next() {
                    0 => Value::Null,
                    cycles => json!(cycle + 1 - cycles),
                };
                json!({
                    "message": message, "attempt": attempt, "input": port(input),
                    "output": port(output), "since_cycle": cycle - since, "freed_cycle": freed,
                })
            });
            let rivals: Vec<Value> = rivals.collect();
            let at = hops.last().expect("a router rejects");
            json!({
                "router": at["router"], "input": at["input"], "wanted": wanted, "cycle": cycle,
                "rivals": rivals,
            })
        });
        found.push(json!({
            "record": "attempt", "replicate": 0, "message": message, "attempt": attempt,
            "source": source, "destination": destination, "launched_cycle": launched,
            "hops": hops, "reached_cycle": reached_cycle, "end": end, "end_cycle": end_cycle,
            "collision": collision,
        }));
    }
    assert_eq!(packed.numbers.len(), 0, "nothing is left");
    found
}

/// The messages of a page as the lines of the file of events have them.
fn messages(data: &Value) -> Vec<Value> {
    let mut packed = Unpacked::of(&data["messages"]);
    let mut id = 0;
    let count = data["message_count"].as_u64().expect("a number");
    let messages = (0..count).map(|_| {
        id += packed.next();
        let [source, destination, words, attempts, offered, waits] =
            std::array::from_fn(|_| packed.next());
        let sent = offered + waits;
        let delivered = packed.since(sent);
        let acknowledged = sent + packed.next();
        let breakdown = (packed.next() == 1).then(|| {
            let [blocked, backoff, header] = std::array::from_fn(|_| packed.next());
            let reached = sent + blocked + backoff + header;
            let there = delivered.as_u64().unwrap_or(acknowledged).min(acknowledged);
            json!({
                "source": waits, "blocked": blocked, "backoff": backoff, "header": header,
                "body": there - reached, "answer": acknowledged - there,
            })
        });
        json!({
            "record": "message", "replicate": 0, "message": id, "source": source,
            "destination": destination, "words": words, "attempts": attempts,
            "offered_cycle": offered, "sent_cycle": sent, "delivered_cycle": delivered,
            "acknowledged_cycle": acknowledged, "latency_cycles": acknowledged - offered,
            "breakdown_cycles": breakdown,
        })
    });
    let messages = messages.collect();
    assert_eq!(packed.numbers.len(), 0, "nothing is left");
    messages
}

/// Lines of a record in the file of events, in the order of the page.
fn events(folder: &path::Path, record: &str) -> Vec<Value> {
    let text = read(folder, "events.jsonl");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let mut lines: Vec<Value> = lines
        .filter(|line: &Value| line["record"] == record)
        .collect();
    let key = |line: &Value| {
        let launched = line["launched_cycle"].as_u64();
        (launched, line["message"].as_u64(), line["attempt"].as_u64())
    };
    lines.sort_by_key(key);
    lines
}

#[test]
fn a_page_has_what_the_events_say_and_is_the_same_on_every_engine() {
    let folder = workplace();
    let folder = folder.path();
    let faults = "stuck=['node_9.t0=0x155', 'rn1_1_3.i3=0x0ff']\nwires=['rn1_0_1.o2']";
    let stuck = CASES[2].1.replace("routers=['rn1_1_3']", faults);
    for (name, text) in CASES.into_iter().chain([("stuck", &*stuck)]) {
        write(
            folder,
            "run.toml",
            &format!("{text}[run]\nengine='event'\n"),
        );
        let engines = [("gate", 3), ("event", 1), ("event", 2)];
        let pages = engines.map(|(engine, threads)| {
            let engine = format!("run.engine={engine}");
            let threads = format!("run.threads={threads}");
            let set = ["view", "run.toml", "--set", &engine, "--set", &threads];
            success(folder, &[&set[..], &["--html", "-"]].concat())
        });
        assert!(pages.iter().all(|page| *page == pages[0]), "{name}");
        success(folder, &["view", "run.toml", "--html", "page.html"]);
        assert_eq!(read(folder, "page.html"), pages[0], "{name}");

        let outputs = ["--events", "events.jsonl", "--messages", "messages.csv"];
        let run = [&["run", "run.toml", "--quiet"][..], &outputs].concat();
        success(folder, &run);
        let data = data(&pages[0]);
        let found = attempts(&data);
        let expected = events(folder, "attempt");
        assert!(
            expected.iter().any(|line| line["end"] == "rejected"),
            "{name}"
        );
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "{name}");
        }
        assert_eq!(found.len(), expected.len(), "{name}");
        let groups = success(
            folder,
            &["view", "run.toml", "--html", "-", "--chips-max", "0"],
        );
        assert_eq!(
            attempts(&self::data(&groups)),
            expected,
            "{name}, drawn by groups"
        );
        let found = messages(&data);
        assert_eq!(found, events(folder, "message"), "{name}");
        let table = read(folder, "messages.csv");
        let mut rows = csv::Reader::from_reader(table.as_bytes());
        let columns = rows.headers().expect("columns").clone();
        let at = |name: &str| columns.iter().position(|column| column == name);
        let column = at("acknowledged_cycle").expect("the column is there");
        let rows = rows.records().map(|row| row.expect("a row"));
        let cycles: Vec<u64> = rows.filter_map(|row| row[column].parse().ok()).collect();
        let of_page = found
            .iter()
            .filter_map(|m| m["acknowledged_cycle"].as_u64());
        assert_eq!(of_page.collect::<Vec<_>>(), cycles, "{name}");
    }
}

/// Configurations of the kinds of networks of packets, in which packets wait or are lost.
const PACKET_CASES: [(&str, &str, &str); 4] = [
    (
        "binary tree",
        "words",
        "[network]\nkind='binary-fat-tree'\nnodes=16\n[traffic]\ntrace='all.csv'\n",
    ),
    (
        "queues",
        "words",
        "[network]\nkind='m-port-n-tree-packets'\nports=4\nlevels=2\n[router]\nqueue_packets=1\n\
         [traffic]\npattern='random'\nrepeat=3\nwords=4\n",
    ),
    (
        "stack",
        "flits",
        "[network]\nkind='fat-stack'\nlevels=2\n[traffic]\npattern='random'\nrepeat=2\nwords=4\n",
    ),
    (
        "pyramid",
        "flits",
        "[network]\nkind='fat-pyramid'\nlevels=3\nlink_delay_cycles='geometry'\n\
         [traffic]\npattern='random'\nwords=6\n",
    ),
];

/// The line of a packet as a page has it: the number of the packet in place of that of the attempt,
/// and the number of nodes in place of every node.
fn as_in_page(mut line: Value, nodes: u64) -> Value {
    let rename = |of: &mut Value| {
        let fields = of.as_object_mut().expect("an object");
        if let Some(number) = fields.remove("packet") {
            fields["attempt"] = number;
        }
        fields.remove("waited_cycles");
    };
    if line["destination"].is_null() {
        line["destination"] = json!(nodes);
    }
    rename(&mut line);
    let lists = ["/hops", "/collision/rivals"];
    for list in lists {
        let list = line.pointer_mut(list).and_then(Value::as_array_mut);
        list.into_iter().flatten().for_each(rename);
    }
    line
}

#[test]
fn pages_of_packets_have_what_the_events_say() {
    let folder = workplace();
    let folder = folder.path();
    let trace = "t_ns,source,destination,bytes\n0,1,*,1\n0,3,*,2\n0,6,*,1\n1,9,2,3\n";
    write(folder, "all.csv", trace);
    for (name, carried, text) in PACKET_CASES {
        write(
            folder,
            "run.toml",
            &format!("{text}[run]\nengine='event'\n"),
        );
        let page = success(folder, &["view", "run.toml", "--html", "-"]);
        if carried == "flits" || name == "binary tree" {
            let gate = [
                "view",
                "run.toml",
                "--html",
                "-",
                "--set",
                "run.engine=gate",
            ];
            assert_eq!(success(folder, &gate), page, "{name}");
        }
        let data = data(&page);
        assert_eq!(data["carried"], carried, "{name}");
        let nodes = data["nodes"].as_u64().expect("a number");
        let _ = crosswave(
            folder,
            &["run", "run.toml", "-q", "--events", "events.jsonl"],
        );
        let in_page = |record: &str| -> Vec<Value> {
            let lines = events(folder, record).into_iter();
            lines.map(|line| as_in_page(line, nodes)).collect()
        };
        let expected = in_page("attempt");
        let found = attempts(&data);
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "{name}");
        }
        assert_eq!(found.len(), expected.len(), "{name}");
        assert!(found.len() > 10, "{name}");
        let lost = found.iter().any(|line| line["end"] == "lost");
        assert_eq!(lost, carried == "words", "{name}");
        let mut expected = events(folder, "message");
        expected.sort_by_key(|line| line["message"].as_u64());
        let expected = expected.into_iter().map(|mut line| {
            if line["destination"].is_null() {
                line["destination"] = json!(nodes);
            }
            line
        });
        assert_eq!(messages(&data), expected.collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn a_page_fetches_nothing_and_names_no_file() {
    let folder = workplace();
    let page = success(folder.path(), &["view", "small.toml", "--html", "-"]);
    for word in [
        "http://",
        "https://",
        "src=",
        "url(",
        "@import",
        "import(",
        "fetch(",
        "XMLHttpRequest",
        "WebSocket",
        "<link",
        "small.toml",
        "Date",
    ] {
        assert!(!page.contains(word), "{word}");
    }
    let place = folder.path().display().to_string();
    assert!(!page.contains(&place), "its folder is not in it");
}

#[test]
fn every_router_stands_in_one_place_and_every_step_of_a_path_has_a_line() {
    let cluster = "[network]\nkind='transit'\nnodes=768\nleaf='B12'\n[traffic]\npattern='random'\n";
    let stacks = "[network]\nkind='bidelta'\nnodes=4096\n[traffic]\npattern='random'\n";
    let lean = "[network]\nkind='fat-tree'\nnodes=64\ncapacities=[1,1,2,2,4,4]\n\
                [traffic]\npattern='random'\n";
    let more = [("clusters", cluster), ("stacks", stacks), ("lean", lean)];
    let folder = workplace();
    write(
        folder.path(),
        "all.csv",
        "t_ns,source,destination,bytes\n0,1,2,1\n",
    );
    let packets =
        PACKET_CASES.map(|(name, _, text)| (name, format!("{text}[run]\nengine='event'\n")));
    let packets = packets.iter().map(|(name, text)| (*name, &**text));
    for (name, text) in CASES.into_iter().chain(more).chain(packets) {
        let config = Config::parse(text, name, folder.path(), &[]);
        let config = config.unwrap_or_else(|error| panic!("{error}"));
        let simulation = Simulation::new(&config).unwrap_or_else(|error| panic!("{error}"));
        let (network, fabric) = (simulation.network(), simulation.fabric());
        let ranks = network.drawing().ranks();
        let routers = fabric.arrays[ROUTERS].instances;
        let places: BTreeSet<(usize, u32)> = (0..routers)
            .map(|router| network.drawing().standing(router as u32))
            .collect();
        assert_eq!(places.len(), routers, "{name}: places of routers");
        let expected = ranks.iter().enumerate();
        let expected = expected.flat_map(|(rank, of)| (0..of.routers).map(move |at| (rank, at)));
        assert!(places.into_iter().eq(expected), "{name}: no place is empty");
        for rank in &ranks {
            assert_eq!(rank.routers % rank.groups, 0, "{name}: {rank:?}");
        }

        let single = PageLayout::new(network, fabric, usize::MAX);
        assert!(single.is_single, "{name}");
        // Every wire that leads away from a rank's port leads to the row that the layout says.
        let mut first_block = vec![0];
        for row in &single.rows {
            first_block.push(first_block[first_block.len() - 1] + row.chips);
        }
        let row = |block: u32| first_block.iter().rposition(|&first| first <= block);
        let mut rows_of_ports: BTreeMap<(Option<usize>, u8), BTreeSet<Option<usize>>> =
            BTreeMap::new();
        for (&Line { from, to, ports }, &wires) in &single.lines {
            let (output, _) = ports.expect("ports of single chips");
            assert_eq!(wires, 1, "{name}");
            rows_of_ports
                .entry((row(from), output))
                .or_default()
                .insert(row(to));
        }
        for ((from, output), to) in rows_of_ports {
            assert_eq!(to.len(), 1, "{name}: row {from:?}, port {output}");
            let rank = from.filter(|&row| row > 0).map(|row| row - 1);
            if let Some(rank) = rank {
                let led = single.leads[rank][usize::from(output)];
                assert_eq!(to.into_iter().next(), Some(led), "{name}");
            }
        }
        let routers = (0..routers).map(|router| {
            let (rank, place) = network.drawing().standing(router as u32);
            let block = first_block[rank + 1] + place;
            (fabric.instance_name(ROUTERS, router), block)
        });
        let routers: BTreeMap<String, u32> = routers.collect();
        let last = single.rows.len() - 1;
        let receivers = if single.has_receivers {
            first_block[last]
        } else {
            0
        };
        let nodes = network.nodes();
        for (source, destination) in [(0, 1), (0, nodes - 1), (nodes / 2 - 1, 5), (nodes - 3, 7)] {
            for draw in [0, 0b1010, u64::MAX] {
                let path = Path::of(network, fabric, source, destination, draw);
                let steps = path.steps();
                let ends = steps.len() - 1;
                let block = |at: usize| match at {
                    0 => source,
                    at if at == ends => receivers + destination,
                    at => routers[steps[at].chip],
                };
                for at in 1..=ends {
                    let mut lines = single.lines.keys();
                    let found =
                        lines.any(|line| (line.from, line.to) == (block(at - 1), block(at)));
                    assert!(found, "{name}: {path}, step {at}");
                }
            }
        }
        let grouped = PageLayout::new(network, fabric, 0);
        let wires = |layout: &PageLayout| layout.lines.values().sum::<u32>();
        assert_eq!(wires(&single), wires(&grouped), "{name}: no wire is lost");
        assert!(wires(&single) > nodes, "{name}: something is drawn");
        let counts = grouped.rows.iter().map(|row| row.x.len());
        assert!(
            counts.clone().all(|blocks| (1..=64).contains(&blocks)),
            "{name}"
        );
        // Each chip is of the block that is drawn where it is: the nearest one of its row.
        let mut blocks = Vec::new();
        let mut first = 0;
        for (of_chips, of_blocks) in single.rows.iter().zip(&grouped.rows) {
            let nearest = |x: &u32| {
                let all = (first..).zip(&of_blocks.x);
                let nearest = all.min_by_key(|(_, block)| x.abs_diff(**block));
                nearest.expect("a row has blocks").0
            };
            blocks.extend(of_chips.x.iter().map(nearest));
            first += of_blocks.x.len() as u32;
        }
        let mut joined: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for (line, wires) in &single.lines {
            let [from, to] = [line.from, line.to].map(|chip| blocks[chip as usize]);
            *joined.entry((from, to)).or_default() += wires;
        }
        let drawn = grouped.lines.iter();
        let drawn = drawn.map(|(line, wires)| ((line.from, line.to), *wires));
        assert!(
            drawn.eq(joined),
            "{name}: wires lead to the blocks of their chips"
        );
    }
}

#[test]
fn a_window_and_a_limit_cut_the_run() {
    let folder = workplace();
    let folder = folder.path();
    let (_, text) = CASES[0];
    write(folder, "run.toml", text);
    success(
        folder,
        &["run", "run.toml", "--quiet", "--events", "events.jsonl"],
    );
    let cut = ["view", "run.toml", "--html", "-", "--window", "50..120"];
    let found = data(&success(folder, &cut));
    assert_eq!(
        (&found["first_cycle"], &found["last_cycle"]),
        (&json!(50), &json!(120))
    );
    let keys = |lines: &[Value]| -> Vec<String> {
        let key = |line: &Value| format!("{} {}", line["message"], line["attempt"]);
        lines.iter().map(key).collect()
    };
    let mut expected = events(folder, "attempt");
    expected.retain(|line| {
        let hops = line["hops"].as_array().expect("hops").iter();
        let freed = hops.map(|hop| hop["freed_cycle"].as_u64());
        let over = freed.chain([line["end_cycle"].as_u64()]);
        let over = over.map(|cycle| cycle.unwrap_or(u64::MAX)).max();
        line["launched_cycle"].as_u64() <= Some(120) && over >= Some(50)
    });
    assert_eq!(keys(&attempts(&found)), keys(&expected));
    let all = events(folder, "message");
    let acknowledged = |line: &Value| line["acknowledged_cycle"].as_u64().expect("a cycle");
    let inside = all
        .iter()
        .filter(|line| (50..=120).contains(&acknowledged(line)));
    assert_eq!(messages(&found).len(), inside.count());

    let limited = ["view", "run.toml", "--html", "-", "--hops-max", "500"];
    let output = crosswave(folder, &limited);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let page = String::from_utf8(output.stdout).expect("UTF-8");
    let last = data(&page)["last_cycle"].to_string();
    assert!(output.status.success(), "{said}");
    assert!(said.contains(&format!("ends with cycle {last}")), "{said}");
    assert!(said.contains("--window"), "{said}");
    let window = format!("..{last}");
    let same = success(
        folder,
        &["view", "run.toml", "--html", "-", "--window", &window],
    );
    assert_eq!(page.replace("\"cut\":\"full\"", "\"cut\":\"window\""), same);
}

#[test]
fn two_thousand_cycles_of_sixty_four_busy_nodes_are_less_than_two_megabytes() {
    let folder = workplace();
    let text = "[network]\nkind='fat-tree'\nnodes=64\n[traffic]\npattern='steady'\nload=0.4\n\
                words=8\ncycles=1900\n";
    write(folder.path(), "busy.toml", text);
    let window = ["--window", "0..2000", "--html", "busy.html"];
    success(
        folder.path(),
        &[&["view", "busy.toml"][..], &window].concat(),
    );
    let page = read(folder.path(), "busy.html");
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    assert_eq!(data(&page)["last_cycle"], 2000);
}

#[test]
fn wrong_options_are_told_and_leave_no_file() {
    let folder = workplace();
    let folder = folder.path();
    let cases: [(&[&str], i32, &str); 7] = [
        (
            &["--html", "p.html", "--window", "9..3"],
            2,
            "ends before it begins",
        ),
        (
            &["--html", "p.html", "--window", "nine"],
            2,
            "is not a window",
        ),
        (
            &["--html", "p.html", "--window", "900000.."],
            2,
            "begins at cycle 900000",
        ),
        (
            &["--html", "p.html", "--replicate", "7"],
            2,
            "expected 0 to 0",
        ),
        (&["--html", "p.csv"], 2, "HTML is the only format"),
        (&["--html", "small.toml"], 2, "configuration"),
        (&["--html", "none/p.html"], 4, "none"),
    ];
    let before = files(folder);
    for (options, code, expected) in cases {
        let said = failure(folder, &[&["view", "small.toml"], options].concat(), code);
        assert!(said.contains(expected), "{options:?}: {said}");
        assert!(code == 4 || said.contains("help"), "{options:?}: {said}");
        assert_eq!(files(folder), before, "{options:?}");
    }
    let said = failure(folder, &["view", "small.toml"], 2);
    assert!(said.contains("--html"), "{said}");
}
