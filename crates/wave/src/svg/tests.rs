use super::*;
use crate::tests::example;
use crate::{CycleWindow, read, rows};

fn drawn(window: CycleWindow) -> String {
    let wave = read("test", &example()).unwrap();
    let mut all = vec![DrawnRow::clock("clk")];
    all.extend(rows(&wave, &vec![true; wave.signals.len()]));
    let options = DrawOptions {
        window,
        period: 10,
        title: "Two nodes & a switch".into(),
        ..DrawOptions::default()
    };
    draw(&wave, &all, &options)
}

#[test]
fn the_picture() {
    let svg = drawn(CycleWindow::ALL);
    insta::assert_snapshot!(svg);
    for text in [
        ">clk<",
        ">top.node0.port<",
        ">SEND<",
        ">3A<",
        "nodes &amp; a",
    ] {
        assert!(svg.contains(text), "{text}");
    }
}

#[test]
fn elements_are_closed() {
    let svg = drawn(CycleWindow { first: 5, last: 8 });
    let opened = svg.matches('<').count() - svg.matches("</").count();
    let closed = svg.matches("/>").count() + svg.matches("</").count();
    assert_eq!(opened, closed);
    for text in ["<svg ", "</svg>", ">clk<", ">top.node0.port<"] {
        assert!(svg.contains(text), "{text}");
    }
}

#[test]
fn foreign_names_are_escaped() {
    let text = "$scope module <b>&\" $end $var string 1 ! s $end $upscope $end
        $enddefinitions $end #0 s<script> ! #9";
    let wave = read("test", text.as_bytes()).unwrap();
    let svg = draw(&wave, &rows(&wave, &[true]), &DrawOptions::default());
    assert!(svg.contains("&lt;script&gt;") && !svg.contains("<script"));
    assert!(svg.contains("&lt;b&gt;&amp;&quot;"));
}
