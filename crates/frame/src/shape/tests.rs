use super::*;

#[test]
fn limits_are_said() {
    let said = |family, ring, levels| {
        FrameShape::new(family, ring, levels)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        said(Family::FatPyramid, 9, 2),
        "found subnetworks of 9 nodes in a fat pyramid, expected 4"
    );
    assert_eq!(
        said(Family::GeneralFatStack, 65, 2),
        "found subnetworks of 65 nodes in a general fat stack, expected 3 to 64"
    );
    assert_eq!(
        said(Family::AugmentedFatStack, 3, 0),
        "found 0 levels, expected at least 1"
    );
    for levels in [13, 32, u32::MAX] {
        assert!(FrameShape::new(Family::AugmentedFatStack, 3, levels).is_err());
    }
    assert_eq!(
        said(Family::ButterflyFatTree, 4, 11),
        "found 4^11 processors, expected at most 1048576"
    );
    for (family, leaf_links) in [
        (Family::ButterflyFatTree, true),
        (Family::GeneralFatStack, false),
    ] {
        let options = ShapeOptions {
            leaf_links,
            ..ShapeOptions::of(family)
        };
        let error = FrameShape::with_options(family, 4, 2, options).unwrap_err();
        assert!(error.to_string().contains("among the processors of a"));
    }
}

#[test]
fn the_largest_networks_have_as_few_nodes_as_said() {
    for family in Family::ALL {
        for ring in 3..=64 {
            let options = ShapeOptions {
                form: SwitchForm::Split,
                growth: Growth::Doubling,
                ..ShapeOptions::of(family)
            };
            let shapes = (1..=12)
                .map_while(|levels| FrameShape::with_options(family, ring, levels, options).ok());
            for shape in shapes {
                assert!(shape.nodes() <= 2 * shape.processors(), "{shape}");
            }
        }
    }
}

#[test]
fn capacities_of_section_5() {
    // 0.1, 0.2 and 0.4 Mb/s by tier.
    let tree = FrameShape::new(Family::ButterflyFatTree, 4, 3).unwrap();
    let capacities: Vec<u32> = (0..3).map(|level| tree.up_capacity(level)).collect();
    assert_eq!(capacities, [1, 2, 4]);
    assert_eq!((tree.switches(), tree.external_wires()), (21, 8));
    let general = FrameShape::new(Family::GeneralFatStack, 4, 3).unwrap();
    assert_eq!((general.nodes(), general.switches()), (84, 20));
}
