use super::*;
use crate::rn1_height::translated;

const FORMS: [TransitForm; 8] = [
    form(0, 0, false),
    form(0, 1, false),
    form(0, 2, false),
    form(0, 1, true),
    form(2, 1, false),
    form(3, 1, true),
    form(4, 1, true),
    form(4, 2, false),
];

const fn form(leaf_stages: u32, layers: u32, capped: bool) -> TransitForm {
    TransitForm {
        leaf_stages,
        layers,
        capped,
    }
}

/// Equations 4.14 and 4.25, and the networks that are called 48K.
#[test]
fn sizes_are_those_of_the_paper() {
    let nodes = FORMS.map(TransitForm::nodes);
    let expected = [64, 4_096, 262_144, 16_384, 768, 12_288, 49_152, 786_432];
    assert_eq!(nodes, expected);
    assert_eq!(form(2, 2, false).nodes(), 49_152);
}

/// Numbers of nodes are in the order of addresses, and all addresses differ.
#[test]
fn numbers_are_in_the_order_of_addresses() {
    for form in FORMS {
        let step = (form.nodes() as usize / 5000).max(1);
        let key = |node| {
            let Address { root, tree, leaf } = form.address(node);
            (root, tree, leaf)
        };
        let keys: Vec<_> = (0..form.nodes()).step_by(step).map(key).collect();
        assert!(keys.windows(2).all(|pair| pair[0] < pair[1]), "{form:?}");
    }
}

/// Every router reads its direction in the two highest bits of the byte that has come so far:
/// with swallows, and with the rotations that its place in the network asks for.
#[test]
fn routers_read_their_directions() {
    for form in FORMS {
        let nodes = form.nodes();
        for pair in 0..4000u64 {
            let drawn = crosswave_base::random::word(pair, 7);
            let source = (drawn >> 32) as u32 % nodes;
            // Near ones and far ones.
            let span = nodes >> (pair % 20).min(u64::from(nodes.ilog2()));
            let destination = (source + 1 + drawn as u32 % span.max(1)) % nodes;
            let route = form.route(&form.address(source), &form.address(destination));
            let hops = form.hops(source, destination);
            assert_eq!(usize::from(route.stages), hops.len());
            assert_eq!(form.routers_on_way(source, destination), hops.len() as u32);
            assert!(hops.len() as u32 <= form.stages_max());
            assert!(route.bytes.len() <= form.route_bytes() && form.route_bytes() <= 4);
            let mut byte = 0;
            for (at, hop) in hops.iter().enumerate() {
                assert_eq!(route.swallows >> at & 1 != 0, hop.swallows);
                byte += usize::from(hop.swallows);
                let turned = hop.stage.turned(form.layers, Climb::Directions);
                let read = route.bytes[byte].rotate_left(2 * turned) >> 6;
                assert_eq!(
                    read, hop.direction,
                    "{form:?} {source} {destination} {hop:?}"
                );
            }
            assert_eq!(byte + 1, route.bytes.len());
        }
    }
}

/// Every stage up finds the height that is left, and routers in front of them and behind find
/// their directions as before. Bytes that the sender takes for swallowed are in no checksum.
#[test]
fn routers_read_their_heights() {
    for form in FORMS {
        let nodes = form.nodes();
        for pair in 0..4000u64 {
            let drawn = crosswave_base::random::word(pair, 7);
            let source = (drawn >> 32) as u32 % nodes;
            let span = nodes >> (pair % 20).min(u64::from(nodes.ilog2()));
            let destination = (source + 1 + drawn as u32 % span.max(1)) % nodes;
            let [from, to] = [source, destination].map(|node| form.address(node));
            let (plain, mut route) = (form.route(&from, &to), form.route_by_height(&from, &to));
            assert_eq!(route.stages, plain.stages);
            assert_eq!(route.bytes.len(), plain.bytes.len());
            let (mut byte, mut told) = (0, 0);
            for (at, hop) in form.hops(source, destination).into_iter().enumerate() {
                byte += usize::from(hop.swallows);
                told += usize::from(route.swallows >> at & 1 != 0);
                let read = match hop.stage {
                    Stage::Up(_) | Stage::Cap => {
                        let left = route.bytes[byte] & 0x3f;
                        assert_eq!(form.height_at(source, destination, hop.stage), left);
                        route.bytes[byte] = translated(route.bytes[byte]);
                        assert_eq!((byte, told), (0, 1));
                        route.bytes[byte] >> 6
                    }
                    stage => {
                        assert_eq!(byte, told);
                        let turned = stage.turned(form.layers, Climb::Height);
                        route.bytes[byte].rotate_left(2 * turned) >> 6
                    }
                };
                assert_eq!(
                    read, hop.direction,
                    "{form:?} {source} {destination} {hop:?}"
                );
            }
        }
    }
}

/// The two lowest bits of a byte of C are no part of an address.
#[test]
fn unused_bits_do_not_matter() {
    let form = form(4, 2, false);
    let mut source = form.address(5000);
    let destination = form.address(5001);
    let route = form.route(&source, &destination);
    source.tree[1] |= 3;
    assert_eq!(form.route(&source, &destination), route);
}
