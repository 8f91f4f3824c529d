//! Placed fat trees, drawn: stacks in hollow cubes (DeHon 1990, section 3.4, Figures 3.1 and 3.3).

use std::fmt::Write;

use crate::dehon1990::placed_wires::stacks;
use crate::paper::Drawn;
use crosswave_figures::plot::space::{Plate, SceneDrawing, ScenePoint, svg};
use crosswave_network::transit::{PlacedStack, Vector};

/// Colours of leaves and of layers of UT64x8, the lowest first.
const COLOURS: [&str; 3] = ["#0072b2", "#e69f00", "#d55e00"];
/// The leaf, of those of one layer, whose wires are drawn: on the second side, the third from the
/// left in the lowest row.
const WIRED_LEAF: usize = 16 + 14;

/// The pictures of trees of one layer and of two, and the places of the stacks.
pub fn draw() -> Drawn {
    let layers = [1, 2];
    let mut csv =
        String::from("layers,layer,x,y,z,edge_a_x,edge_a_y,edge_a_z,edge_b_x,edge_b_y,edge_b_z\n");
    for layers in layers {
        for stack in stacks(layers) {
            let [a, b] = stack.edges;
            let numbers: Vec<String> = [stack.corner, a, b]
                .concat()
                .iter()
                .map(i32::to_string)
                .collect();
            let _ = writeln!(csv, "{layers},{},{}", stack.layer, numbers.join(","));
        }
    }
    Drawn {
        svgs: layers.map(drawing).into(),
        csv,
    }
}

/// The picture of a tree of one layer of UT64x8 above B48, with the wires of one leaf, or of two
/// layers, without wires.
pub fn drawing(layers: u32) -> String {
    let placed = stacks(layers);
    let name = |layer: u32| match layer {
        0 => "B48 leaf stacks".to_owned(),
        layer => format!("UT64x8 of layer {layer}"),
    };
    let kinds = (0..=layers).map(|layer| (name(layer), COLOURS[layer as usize]));
    let plate = |stack: &PlacedStack| Plate {
        corner: place(stack.corner),
        edges: stack.edges.map(place),
        kind: stack.layer as usize,
    };
    let (tops, leaves): (Vec<&PlacedStack>, Vec<&PlacedStack>) =
        placed.iter().partition(|stack| stack.layer > 0);
    let wires = match layers {
        1 => tops
            .iter()
            .map(|top| [middle(leaves[WIRED_LEAF]), middle(top)])
            .collect(),
        _ => Vec::new(),
    };
    svg(&SceneDrawing {
        title: format!("A fat tree of {} leaf stacks in hollow cubes", leaves.len()),
        kinds: kinds.collect(),
        plates: placed.iter().map(plate).collect(),
        wires,
    })
}

fn place(vector: Vector) -> ScenePoint {
    vector.map(f64::from)
}

/// The middle of a stack.
fn middle(stack: &PlacedStack) -> ScenePoint {
    let [a, b] = stack.edges.map(place);
    let corner = place(stack.corner);
    std::array::from_fn(|axis| corner[axis] + (a[axis] + b[axis]) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stack_has_a_place() {
        let drawn = draw();
        assert_eq!(drawn.svgs.len(), 2);
        // 64 leaves and 4 stacks; 4,096, 256 and 64.
        assert_eq!(drawn.csv.lines().count() - 1, 68 + 4_096 + 256 + 64);
        assert!(drawn.svgs[0].contains("A fat tree of 64 leaf stacks"));
        assert!(drawn.svgs[1].contains("UT64x8 of layer 2"));
    }
}
