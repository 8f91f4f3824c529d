use super::*;
use crate::tests::example;
use crate::{CycleWindow, read, rows, select};

fn options() -> DrawOptions {
    DrawOptions {
        period: 10,
        ..DrawOptions::default()
    }
}

fn drawn(patterns: &[&str], options: &DrawOptions) -> String {
    let wave = read("test", &example()).unwrap();
    let kept = select("test", &wave, patterns).unwrap();
    let mut all = vec![DrawnRow::clock("clk")];
    all.extend(rows(&wave, &kept));
    draw(&wave, &all, options)
}

#[test]
fn everything() {
    insta::assert_snapshot!(drawn(&[], &options()));
}

#[test]
fn everything_in_ascii() {
    let text = drawn(
        &[],
        &DrawOptions {
            ascii: true,
            ..options()
        },
    );
    assert!(text.is_ascii());
    insta::assert_snapshot!(text);
}

#[test]
fn a_window_starts_with_the_value_before_it() {
    let window = CycleWindow { first: 5, last: 7 };
    let text = drawn(
        &["top.node0.*"],
        &DrawOptions {
            window,
            column_width: Some(4),
            ..options()
        },
    );
    insta::assert_snapshot!(text);
}

#[test]
fn long_drawings_are_broken() {
    let text = drawn(
        &["top.node0.data", "top.node1"],
        &DrawOptions {
            line_width: Some(40),
            ..options()
        },
    );
    assert!(text.lines().all(|line| line.chars().count() <= 40));
    insta::assert_snapshot!(text);
}

#[test]
fn odd_sizes_do_not_panic() {
    let wave = read("test", &example()).unwrap();
    let all = rows(&wave, &vec![true; wave.signals.len()]);
    for period in [0, 1, 7, 1000, u64::MAX] {
        for phase in [0, 3, 50, u64::MAX] {
            for (first, last) in [(0, 2), (0, u64::MAX), (u64::MAX, u64::MAX), (9, 8)] {
                for column_width in [None, Some(0), Some(3)] {
                    let options = DrawOptions {
                        window: CycleWindow { first, last },
                        period,
                        phase,
                        column_width,
                        line_width: Some(1),
                        ..DrawOptions::default()
                    };
                    assert!(!draw(&wave, &all, &options).is_empty());
                    assert!(!crate::svg::draw(&wave, &all, &options).is_empty());
                }
            }
        }
    }
}

#[test]
fn a_file_without_end_is_cut() {
    let text = "$var wire 1 ! a $end $enddefinitions $end #0 0! #18446744073709551615 1!";
    let wave = read("test", text.as_bytes()).unwrap();
    let drawn = draw(&wave, &rows(&wave, &[true]), &DrawOptions::default());
    assert!(drawn.ends_with("… 18446744073709541615 more cycles\n"));
    assert!(drawn.len() < 200_000);
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let text = "$var wire 1 ! a\u{1b}[31m $end $var string 1 \" s $end $enddefinitions $end
        #0 0! s\u{7}\u{9b}x \" #9";
    let wave = read("test", text.as_bytes()).unwrap();
    let drawn = draw(&wave, &rows(&wave, &[true, true]), &DrawOptions::default());
    assert!(drawn.chars().all(|c| c == '\n' || !c.is_control()));
}

#[test]
fn clocks_are_drawn_where_they_have_edges() {
    // A clock, its inverse and a gated one, which rise at 5 of every 10.
    let text = "$var wire 1 ! ck $end $var wire 1 \" ck_n $end $var wire 1 # gated $end
        $var wire 4 $ count $end $enddefinitions $end
        #0 0! 1\" 0# b0 $ #5 1! 0\" 1# b1 $ #10 0! 1\" 0# #15 1! 0\" 1# b10 $ #20 0! 1\" 0#
        #25 1! 0\" b11 $ #30 0! 1\" #35 1! 0\" b100 $ #40 0! 1\"";
    let wave = read("test", text.as_bytes()).unwrap();
    let options = DrawOptions {
        phase: crate::clock::phase(&wave, 10).unwrap_or(0),
        ..options()
    };
    let all = rows(&wave, &[true; 4]);
    insta::assert_snapshot!(draw(&wave, &all, &options), @r"
    cycle  0   1   2   3
    ck     ╱▔╲▁╱▔╲▁╱▔╲▁╱▔╲▁
    ck_n   ╲▁╱▔╲▁╱▔╲▁╱▔╲▁╱▔
    gated  ╱▔╲▁╱▔╲▁▁▁▁▁▁▁▁▁
    count  │1  │2  │3  │4
    ");
    assert!(!crate::svg::draw(&wave, &all, &options).is_empty());
}

#[test]
fn events_are_marks() {
    let text = "$var event 1 ! e $end $var wire 1 \" a $end $enddefinitions $end
        #0 0\" #10 1! #19 1! #25 1! 1\" #30 #39 1! #40 1! #44 #50";
    let wave = read("test", text.as_bytes()).unwrap();
    let all = rows(&wave, &[true; 2]);
    insta::assert_snapshot!(draw(&wave, &all, &options()), @r"
    cycle  0   1   2   3   4
    e      ····↑2··↑···↑···↑···
    a      ▁▁▁▁▁▁▁▁▁▁▁▁╱▔▔▔▔▔▔▔
    ");
    let ascii = DrawOptions {
        ascii: true,
        ..options()
    };
    assert!(draw(&wave, &all, &ascii).contains("e      ....^2..^...^...^...\n"));
    let svg = crate::svg::draw(&wave, &all, &options());
    assert_eq!(svg.matches("fires 2 times").count(), 1);
    assert_eq!(svg.matches("V40M").count(), 4, "an arrow for each cycle");
}
