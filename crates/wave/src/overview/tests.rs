use super::*;
use crate::read;

const FILE: &str = "$scope module top $end
    $scope module calm $end $var wire 1 c clk $end $var wire 1 r rst $end $var wire 8 k k $end
    $var wire 1 b bit $end $upscope $end
    $scope module busy $end $var wire 1 c clk $end $var wire 2 s st $end $var string 1 n st_name $end
    $var wire 8 d data $end $var wire 1 v valid $end $var wire 1 v same $end $upscope $end
    $upscope $end $enddefinitions $end
    #0 0c 1r b11 k xb bx s sX n bx d xv #5 1c #10 0c 0r 0b b0 s sIDLE n b0 d 0v #15 1c #20 0c
    #25 1c #30 0c #35 1c #40 0c b1 s sBUSY n b101 d 1v #45 1c #50 0c 1b b111 d #55 1c #60 0c
    b0 s sIDLE n 0b #65 1c #70 0c";

fn options() -> DrawOptions {
    DrawOptions {
        period: 10,
        phase: 0,
        ..DrawOptions::default()
    }
}

#[test]
fn drawings_begin_before_the_first_move() {
    let wave = read("test", FILE.as_bytes()).unwrap();
    let all = vec![true; wave.signals.len()];
    let first = FirstCycles::new(&wave, &all, &options());
    // A step of a single bit is a reset, or comes again.
    let expected = FirstCycles {
        moves: Some(4),
        steps: Some(1),
        known: Some(1),
    };
    assert_eq!(first, expected);
    assert_eq!(first.begin(), 3);
    let constant: Vec<bool> = wave.signals.iter().map(|s| s.name == "k").collect();
    assert_eq!(FirstCycles::new(&wave, &constant, &options()).begin(), 0);
    let reset: Vec<bool> = wave.signals.iter().map(|s| s.name == "rst").collect();
    assert_eq!(FirstCycles::new(&wave, &reset, &options()).begin(), 0);
    // Two of three are X before.
    let late: Vec<bool> = wave
        .signals
        .iter()
        .map(|s| s.name != "k" && s.name != "rst")
        .collect();
    let first = FirstCycles::new(&wave, &late, &options());
    assert_eq!(first.known, Some(1));
}

#[test]
fn signals_that_move_are_chosen_states_first() {
    let wave = read("test", FILE.as_bytes()).unwrap();
    let all = vec![true; wave.signals.len()];
    let chosen = |first, last, lines| {
        let window = CycleWindow { first, last };
        let chosen = choose(&wave, &all, window, lines, &options());
        let names = chosen.rows.iter().map(|row| row.label.clone());
        (names.collect::<Vec<_>>(), chosen.moving, chosen.constant)
    };
    let names = |names: &[&str]| {
        names
            .iter()
            .map(|&name| name.to_owned())
            .collect::<Vec<_>>()
    };
    let most = names(&["st", "data", "valid", "bit"]);
    assert_eq!(chosen(3, 9, 20), (most, 4, 2));
    // A heading and one line of half of four lines, and the rest for the next scope.
    assert_eq!(chosen(3, 9, 4), (names(&["st", "bit"]), 4, 2));
    assert_eq!(chosen(4, 5, 20), (names(&["data", "bit"]), 2, 4));
    assert_eq!(chosen(2, 3, 20), (vec![], 0, 6));
}
