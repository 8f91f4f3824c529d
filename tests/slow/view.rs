//! The page of a run in a browser, Chromium without a window: what it shows of a cycle is what the
//! file of events says, in a dark scheme and as wide as a phone too.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::program::{read, success, workplace, write};

/// The values that a page shows of itself, by attribute of its body.
type PageValues = BTreeMap<String, String>;

/// A look at a page: the cycle, what is selected, the size of the window, and options.
type Look<'a> = (u64, &'a str, &'a str, &'a [&'a str]);

/// Opens a page at a fragment, in a window of that size.
fn open(folder: &Path, fragment: &str, size: &str, options: &[&str]) -> PageValues {
    let profile = tempfile::tempdir().expect("a temporary folder");
    let data = format!("--user-data-dir={}", profile.path().display());
    let page = format!("file://{}/page.html#{fragment}", folder.display());
    let size = format!("--window-size={size}");
    let output = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
        ])
        .args(["--no-first-run", "--disable-background-networking"])
        .args(["--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--dump-dom"])
        .args([&data, &size])
        .args(options)
        .arg(page)
        .output()
        .expect("chromium starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let console: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("CONSOLE"))
        .collect();
    assert_eq!(console, Vec::<&str>::new());
    let document = String::from_utf8(output.stdout).expect("UTF-8");
    let (_, rest) = document.split_once("<body").expect("a body");
    let (attributes, _) = rest.split_once('>').expect("its end");
    // name="value" name="value"; ports and names need no escape but that of a sign that is not here.
    let mut parts = attributes.split('"');
    let mut shown = PageValues::new();
    while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
        let name = name.trim().trim_end_matches('=');
        shown.insert(name.to_owned(), value.to_owned());
    }
    assert_eq!(shown.get("data-error"), None, "{fragment}");
    assert_eq!(
        shown["data-overflow"], "0",
        "{fragment}: nothing is wider than the window"
    );
    shown
}

/// The values for a cycle by the file of events, in the form of the page.
fn expected(events: &[Value], cycle: u64) -> PageValues {
    let number = |value: &Value| value.as_u64();
    let has = |value: &Value| number(value).is_some_and(|at| at <= cycle);
    let mut holds = Vec::new();
    let (mut under_way, mut rejecting, mut collisions, mut acknowledged) = (0, 0, 0, 0);
    for event in events {
        if event["record"] == "message" {
            acknowledged += u32::from(has(&event["acknowledged_cycle"]));
            continue;
        }
        let collided = has(&event["collision"]["cycle"]);
        collisions += u32::from(collided);
        under_way += u32::from(has(&event["launched_cycle"]) && !has(&event["end_cycle"]));
        for hop in event["hops"].as_array().expect("hops") {
            if has(&hop["freed_cycle"]) {
                continue;
            }
            if has(&hop["left_cycle"]) {
                let text = |name: &str| hop[name].as_str().expect("a name");
                let [router, input, output] = ["router", "input", "output"].map(text);
                holds.push(format!("{router}:{input}:{output}:{}", event["message"]));
            } else {
                rejecting += u32::from(collided && hop["left_cycle"].is_null());
            }
        }
    }
    holds.sort();
    let rows = [
        ("data-cycle", cycle.to_string()),
        ("data-held", holds.len().to_string()),
        ("data-holds", holds.join(" ")),
        ("data-under-way", under_way.to_string()),
        ("data-rejecting", rejecting.to_string()),
        ("data-collisions", collisions.to_string()),
        ("data-messages-acknowledged", acknowledged.to_string()),
    ];
    rows.map(|(name, value)| (name.to_owned(), value)).into()
}

/// Actions on a page, each with an attribute and the value that it shows then.
const DONE: [(&str, &str, &str); 12] = [
    ("key('ArrowRight')", "data-cycle", "31"),
    ("key('ArrowRight', true)", "data-cycle", "41"),
    ("key('ArrowLeft')", "data-cycle", "40"),
    ("click(5)", "data-selection", "node 5"),
    ("click(64)", "data-selection", "router router_0_0"),
    (
        "go('g[data-message], #selection [data-message]')",
        "data-selection",
        "message",
    ),
    ("find('node 7')", "data-selection", "node 7"),
    ("find('router_5_3')", "data-selection", "router router_5_3"),
    ("key('c')", "data-selection", "router router_"),
    ("key('Escape')", "data-selection", ""),
    ("key('Home')", "data-cycle", "0"),
    ("slide(77)", "data-cycle", "77"),
];

/// Adds a script to a page, which may press keys, click, and so on, and keeps what it puts into `log`.
fn act(folder: &Path, steps: &str) {
    let script = format!(
        "<script>{{ const log = [];\n\
         const key = (key, shiftKey) => document.body.dispatchEvent(\
         new KeyboardEvent('keydown', {{ key, shiftKey, bubbles: true }}));\n\
         const at = (block, event, more) => {{ const box = network.canvas.getBoundingClientRect();\
         const [x, y] = network.centre(block); const {{ dx = 0, ...rest }} = more ?? {{}};\
         network.canvas.dispatchEvent(new event[0](event[1], \
         {{ clientX: box.left + x + dx, clientY: box.top + y, bubbles: true, ...rest }})); }};\n\
         const click = block => at(block, [MouseEvent, 'click']);\n\
         const hover = block => at(block, [PointerEvent, 'pointermove']);\n\
         const wheel = (block, deltaY) => at(block, [WheelEvent, 'wheel'], {{ deltaY }});\n\
         const drag = (block, dx) => {{ at(block, [PointerEvent, 'pointerdown'], {{ pointerId: 1 }});\
         at(block, [PointerEvent, 'pointermove'], {{ pointerId: 1, dx }});\
         at(block, [PointerEvent, 'pointerup'], {{ pointerId: 1, dx }}); network.place(); }};\n\
         const go = what => document.querySelector(what).dispatchEvent(\
         new MouseEvent('click', {{ bubbles: true }}));\n\
         const find = text => {{ document.getElementById('what').value = text;\
         document.getElementById('find').requestSubmit(); }};\n\
         const slide = to => {{ const slider = document.getElementById('slider');\
         slider.value = to; slider.dispatchEvent(new Event('input')); }};\n\
         const rows = (...columns) => [...document.querySelectorAll('#selection table tr')]\
         .filter(row => row.querySelector('td'))\
         .map(row => columns.map(column => row.cells[column - 1].textContent).join(' '))\
         .filter(text => text.trim());\n\
         const everyRow = (...columns) => {{ const all = new Set(); go('[data-turn=first]');\
         for (;;) {{ rows(...columns).forEach(row => all.add(row)); const next = document.querySelector(\
         '#selection [data-turn=later]'); if (next.disabled) return all; next.click(); }} }};\n\
         {steps}document.body.dataset.log = log.join('|'); }}</script></body>"
    );
    let page = read(folder, "page.html").replace("</body>", &script);
    write(folder, "page.html", &page);
}

#[test]
fn keys_clicks_and_the_slider_do_what_they_say() {
    let folder = workplace();
    let folder = folder.path();
    success(folder, &["view", "small.toml", "--html", "page.html"]);
    let steps = DONE.map(|(action, attribute, _)| {
        let name = attribute.strip_prefix("data-").expect("data");
        format!("{action}; log.push(document.body.dataset['{name}']);\n")
    });
    act(folder, &steps.concat());
    let shown = open(folder, "cycle=30", "1280,900", &[]);
    let log: Vec<&str> = shown["data-log"].split('|').collect();
    assert_eq!(log.len(), DONE.len());
    for (found, (action, _, expected)) in log.into_iter().zip(DONE) {
        let is_part = action == "key('c')" || action.starts_with("go");
        match is_part {
            true => assert!(found.starts_with(expected), "{action}: {found}"),
            false => assert_eq!(found, expected, "{action}"),
        }
    }
}

#[test]
fn a_page_shows_of_a_cycle_what_the_events_say() {
    const WIDE: &str = "1280,900";
    const PHONE: &str = "360,740";
    const DARK: &str = "--blink-settings=preferredColorScheme=0";
    let folder = workplace();
    let folder = folder.path();
    let tree =
        "[network]\nkind='fat-tree'\nnodes=64\n[traffic]\npattern='random'\nrepeat=3\nwords=9\n";
    let bidelta = "[network]\nkind='bidelta'\nnodes=64\n[traffic]\npattern='random'\nrepeat=3\n\
                   words=6\n[interface]\nturns=1\nreply_words=3\n";
    let transit = "[network]\nkind='transit'\nnodes=768\nleaf='B12'\n[traffic]\npattern='random'\n\
                   words=8\n";
    let cases: [(&str, &str, &[Look]); 3] = [
        (
            tree,
            "router_5_3",
            &[
                (30, "router=router_5_3", WIDE, &[]),
                (77, "message=5", PHONE, &[DARK]),
            ],
        ),
        (
            bidelta,
            "rn1_1_3",
            &[
                (25, "router=rn1_1_3", WIDE, &[DARK]),
                (60, "node=3", PHONE, &[]),
            ],
        ),
        (
            transit,
            "",
            &[(40, "block=90", WIDE, &[]), (90, "", PHONE, &[])],
        ),
    ];
    for (text, router, looks) in cases {
        write(folder, "run.toml", text);
        success(folder, &["view", "run.toml", "--html", "page.html"]);
        success(
            folder,
            &["run", "run.toml", "--quiet", "--events", "events.jsonl"],
        );
        let events = read(folder, "events.jsonl");
        let events = events
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"));
        let events: Vec<Value> = events.collect();
        for &(cycle, selection, size, options) in looks {
            let shown = open(
                folder,
                &format!("cycle={cycle}&{selection}&holds"),
                size,
                options,
            );
            let expected = expected(&events, cycle);
            assert_ne!(
                expected["data-holds"], "",
                "cycle {cycle} has something to show"
            );
            for (name, value) in &expected {
                assert_eq!(
                    shown.get(name),
                    Some(value),
                    "{name} in cycle {cycle}: {text}"
                );
            }
            assert_eq!(shown["data-dark"], (options == [DARK]).to_string());
            if selection.starts_with("router") {
                assert_eq!(shown["data-selection"], format!("router {router}"));
            }
        }
    }
}

/// A selected message is kept, its path lies on top, all of its attempts can be reached, and the
/// drawing can be zoomed, moved and asked for names.
#[test]
fn a_message_is_looked_at_closely() {
    let folder = workplace();
    let folder = folder.path();
    write(
        folder,
        "run.toml",
        "[network]\nkind='fat-tree'\nnodes=64\n[traffic]\npattern='random'\nrepeat=4\nwords=150\n",
    );
    success(folder, &["view", "run.toml", "--html", "page.html"]);
    let outputs = ["run", "run.toml", "--quiet", "--events", "events.jsonl"];
    success(folder, &outputs);
    let events = read(folder, "events.jsonl");
    let events = events
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let events: Vec<Value> = events.collect();
    let number = |value: &Value| value.as_u64().expect("a number");
    let messages = events.iter().filter(|event| event["record"] == "message");
    let most = messages.max_by_key(|event| number(&event["attempts"]));
    let (id, all) = most.map_or((0, 0), |most| {
        (number(&most["message"]), number(&most["attempts"]))
    });
    assert!(all > 24, "the list is longer than a part of it");
    let attempts: Vec<&Value> = events
        .iter()
        .filter(|event| event["record"] == "attempt")
        .collect();
    let middle = attempts
        .iter()
        .find(|event| event["message"] == id && event["attempt"] == all / 2)
        .expect("an attempt in the middle");
    // Four cycles on, the head is on its way.
    let cycle = number(&middle["launched_cycle"]) + 4;
    let is_held = |hop: &&Value| {
        hop["left_cycle"].as_u64().is_some_and(|left| left <= cycle)
            && hop["freed_cycle"].as_u64() > Some(cycle)
    };
    let hops = middle["hops"].as_array().expect("hops");
    let held = 1 + hops.iter().filter(is_held).count();
    let lines = 1 + hops
        .iter()
        .filter(|hop| !hop["left_cycle"].is_null())
        .count();
    let mut collisions: Vec<u64> = attempts
        .iter()
        .filter_map(|event| event["collision"]["cycle"].as_u64())
        .collect();
    collisions.sort_unstable();
    let next = collisions.partition_point(|&at| at <= cycle);
    let source = number(&middle["source"]);
    let of_node = attempts
        .iter()
        .filter(|event| event["source"] == source || event["destination"] == source);
    let of_node = of_node.count();

    let body = |name: &str| format!("log.push(document.body.dataset.{name});\n");
    let first = all / 2 - 1 - 4;
    let mut steps: Vec<(String, String)> = vec![
        (body("selection"), format!("message {id}")),
        (body("path"), format!("{held} of {lines}")),
        (
            body("part"),
            format!("{} to {} of {all}", first + 1, first + 12),
        ),
        ("log.push(everyRow(1).size);\n".into(), all.to_string()),
        (
            format!("key('c');\n{}", body("selection")),
            format!("message {id}"),
        ),
        (body("cycle"), collisions[next].to_string()),
        (
            body("marked"),
            format!("{} of {}", next + 1, collisions.len()),
        ),
        // The list is around the cycle again.
        ("log.push(rows(1).length < 20);\n".into(), "true".into()),
        (
            format!("find('node {source}'); log.push(everyRow(1, 2).size);\n"),
            of_node.to_string(),
        ),
        // Nodes have no room for names before the drawing is zoomed.
        (body("labels"), "0".into()),
        (
            format!(
                "key('+'); key('+'); key('+'); key('+'); key('+'); network.place();\n{}",
                body("zoom")
            ),
            "7.59".into(),
        ),
        (
            "log.push(+document.body.dataset.labels > 4);\n".into(),
            "true".into(),
        ),
        (format!("key('-');\n{}", body("zoom")), "5.06".into()),
        (
            "{ network.place(); const [before] = network.centre(20); drag(20, -30);\
             log.push(Math.round(network.centre(20)[0] - before)); }\n"
                .into(),
            "-30".into(),
        ),
        (
            format!("key('0'); network.place();\n{}", body("zoom")),
            "1.00".into(),
        ),
        // Out of the whole there is no way, and the page scrolls.
        (format!("wheel(9, 120);\n{}", body("zoom")), "1.00".into()),
        (
            "wheel(9, -120); network.place();\
             log.push(+document.body.dataset.zoom > 1);\n"
                .into(),
            "true".into(),
        ),
        (
            format!("key('0'); network.place(); hover(64);\n{}", body("tip")),
            "router_0_0".into(),
        ),
        (format!("hover(7);\n{}", body("tip")), "node 7".into()),
    ];
    let script: String = steps.iter().map(|(action, _)| action.as_str()).collect();
    act(folder, &script);
    let expected: Vec<String> = steps.drain(..).map(|(_, expected)| expected).collect();
    for size in ["1280,920", "390,844"] {
        let fragment = format!("cycle={cycle}&message={id}");
        let shown = open(folder, &fragment, size, &[]);
        let log: Vec<&str> = shown["data-log"].split('|').collect();
        assert_eq!(log, expected, "{size}");
    }
}
