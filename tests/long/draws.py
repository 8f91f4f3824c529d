"""Random configurations of every kind of network, for the long runs that compare engines and measure memory.

A configuration is text without `run.engine`, so that any engine can be asked for with `--engine`.
"""

import dataclasses
import json

from shared import ROOT

ROUTERS = ROOT / "examples/routers"


@dataclasses.dataclass
class Drawn:
    """A configuration, and the engines that have its chips."""

    kind: str
    text: str
    engines: tuple = ("gate", "event")


def table(name, keys):
    """A table of a configuration; keys without a value are left out."""
    rows = [f"{key} = {json.dumps(value)}" for key, value in keys.items() if value is not None]
    return f"[{name}]\n" + "\n".join(rows) + "\n" if rows else ""


def maybe(draw, share, value):
    """A value, or None, which leaves the key out."""
    return value if draw.random() < share else None


def lists_of_faults(draw, nodes):
    """Faults that any network of RN1 of so many nodes has: of a node's own wires, and random ones."""
    ends = [f"node_{draw.randrange(nodes)}.t{draw.randrange(2)}" for _ in range(draw.randrange(1, 4))]
    return {
        "ports": maybe(draw, 0.3, sorted(set(ends))),
        "random_routers": maybe(draw, 0.3, draw.randrange(2)),
        "random_wires": maybe(draw, 0.5, draw.randrange(6)),
        "fault_seed": draw.randrange(1000),
        "masked": maybe(draw, 0.5, draw.random() < 0.5),
    }


def retry(draw, strategies):
    strategy = draw.choice(strategies)
    limit = draw.randrange(1, 13) if strategy in ("backoff", "random") else None
    return table("retry", {"strategy": strategy, "backoff_limit": maybe(draw, 0.5, limit) if limit else None})


def fat_tree(draw, large):
    nodes = 2 ** draw.randrange(14, 18) if large else 2 ** draw.randrange(1, 9)
    levels = nodes.bit_length() - 1
    per_level = [draw.randrange(4) for _ in range(levels)]
    # Rounds wait for all nodes, so a large network of them takes long.
    return nodes, table("network", {
        "kind": "fat-tree",
        "nodes": nodes,
        "capacities": maybe(draw, 0.5, draw.choice(["doubling", "every-second-level", 1, 2, 4])),
        "link_delay_cycles": draw.choice([None, 0, 1, 3, draw.randrange(65), per_level]),
    }) + table("router", {
        "winner": maybe(draw, 0.5, draw.choice(["random", "fixed"])),
        "release": maybe(draw, 0.6, draw.choice(["acknowledge", "early-acknowledge", "tail"])),
    }) + retry(draw, ["immediate", "backoff"] if large else ["immediate", "rounds", "backoff"])


def rn1(draw, network, nodes, faulty):
    return nodes, table("network", network) + table("interface", {
        "turns": draw.randrange(16),
        "reply_words": maybe(draw, 0.6, draw.choice([1, 2, 7, 40])),
        "reply_delay_cycles": maybe(draw, 0.4, draw.choice([0, 1, 5, 255])),
        "close": maybe(draw, 0.6, draw.choice(["drop", "end"])),
    }) + (table("faults", lists_of_faults(draw, nodes)) if faulty else "") + retry(
        draw, ["immediate", "random", "backoff"])


def bidelta(draw, large):
    nodes = draw.choice([16384, 65536]) if large else draw.choice([16, 64, 256])
    return rn1(draw, {
        "kind": "bidelta",
        "nodes": nodes,
        "link_delay_cycles": draw.choice([None, "geometry", 0, 1, 4]),
        "loop_back_cycles": maybe(draw, 0.3, draw.randrange(32)),
    }, nodes, not large and draw.random() < 0.4)


def butterfly(draw, large):
    nodes = 256 if large else draw.choice([16, 64, 256])
    return rn1(draw, {"kind": "butterfly", "nodes": nodes}, nodes, not large and draw.random() < 0.4)


def transit(draw, large):
    nodes = draw.choice([16384, 49152]) if large else draw.choice([64, 64, 768])
    dispersion = draw.choice([None, "full", "none", "random"])
    return rn1(draw, {
        "kind": "transit",
        "nodes": nodes,
        "link_delay_cycles": draw.choice([None, "geometry", 0, 2]),
        "up_stage": maybe(draw, 0.4, draw.choice(["standard", "two-crossbars"])),
        "climb": maybe(draw, 0.6, draw.choice(["directions", "height"])),
        "dispersion": dispersion,
        "wiring_seed": draw.randrange(100) if dispersion == "random" else None,
    }, nodes, not large and draw.random() < 0.4)


def binary_fat_tree(draw, large):
    nodes = 2 ** draw.randrange(14, 18) if large else 2 ** draw.randrange(1, 9)
    queue = draw.choice([0, 8])
    duplex = maybe(draw, 0.3, "half") if queue else None
    return nodes, table("network", {"kind": "binary-fat-tree", "nodes": nodes}) + table(
        "router", {"queue_packets": queue, "duplex": duplex})


def ports_and_levels(draw, large):
    if large:
        return draw.choice([(8, 6), (16, 4), (16, 5), (32, 3)])
    return draw.choice([(4, 1), (4, 2), (4, 3), (4, 5), (8, 2), (8, 3), (16, 2)])


def mport(draw, large, kind="m-port-n-tree"):
    ports, levels = ports_and_levels(draw, large)
    packets = kind == "m-port-n-tree-packets"
    if packets and ports > 8:
        ports, levels = (8, 6) if large else (8, 2)
    # Widest shortest paths of a large tree take minutes to find.
    routings = ["d-mod-k", "random"] + ["omrmn", "mlid", "wsr"] * (not large)
    routing = draw.choice(routings)
    several = routing in ("mlid", "random", "d-mod-k")
    network = table("network", {
        "kind": kind,
        "ports": ports,
        "levels": levels,
        "routing": routing,
        "paths": maybe(draw, 0.5, draw.randrange(1, 5)) if several else None,
        "choice": maybe(draw, 0.4, draw.choice(["round-robin", "random"])),
        "routing_seed": maybe(draw, 0.4, draw.randrange(100)),
    })
    nodes = 2 * (ports // 2) ** levels
    if packets:
        return nodes, network + table("router", {"queue_packets": 8})
    return nodes, network + table("router", {
        "winner": maybe(draw, 0.5, draw.choice(["random", "fixed"])),
        "release": maybe(draw, 0.6, draw.choice(["acknowledge", "early-acknowledge", "tail"])),
    }) + retry(draw, ["immediate", "backoff"] if large else ["immediate", "rounds", "backoff"])


def mport_packets(draw, large):
    return mport(draw, large, "m-port-n-tree-packets")


def frames(draw, large, kind):
    levels = draw.randrange(6, 9) if large else draw.randrange(1, 5)
    delay = draw.choice([None, 0, 1, 5, "geometry"])
    rings = kind != "butterfly-fat-tree"
    return 4**levels, table("network", {
        "kind": kind,
        "levels": levels,
        "capacities": maybe(draw, 0.4, draw.choice(["doubling", "constant"])),
        "link_delay_cycles": delay,
        "cells_per_cycle": draw.choice([4, 64]) if delay == "geometry" else None,
        "ring_capacity": maybe(draw, 0.3, draw.choice(["copies", "upward"])) if rings else None,
        "routing_seed": maybe(draw, 0.4, draw.randrange(100)),
    })


def own_routers(draw, large):
    """Routers of examples, which have no models: only the gate engine runs them."""
    if large or draw.random() < 0.6:
        side = draw.randrange(40, 120) if large else draw.randrange(2, 9)
        component, nodes = draw.choice(["mesh_router.toml", "credit_router.toml"]), side * side
        network = {
            "kind": draw.choice(["mesh", "torus"]) if component == "credit_router.toml" else "mesh",
            "component": str(ROUTERS / component),
            "size": [side, side],
            "local": "local",
            "axes": [["west", "east"], ["north", "south"]],
            "link_cycles": maybe(draw, 0.4, draw.randrange(4)),
        }
    else:
        nodes = 64
        network = {
            "kind": "custom",
            "component": str(ROUTERS / draw.choice(["butterfly_switch.toml", "circuit_switch.toml"])),
            "routers": str(ROUTERS / "butterfly64-routers.csv"),
            "links": str(ROUTERS / "butterfly64-links.csv"),
            "local": ["left", "right"],
        }
    return nodes, table("network", network) + table("endpoint", {
        "stall": maybe(draw, 0.4, round(draw.random() / 2, 3)),
    })


KINDS = {
    "fat-tree": fat_tree,
    "bidelta": bidelta,
    "butterfly": butterfly,
    "transit": transit,
    "binary-fat-tree": binary_fat_tree,
    "m-port-n-tree": mport,
    "m-port-n-tree-packets": mport_packets,
    "butterfly-fat-tree": lambda draw, large: frames(draw, large, "butterfly-fat-tree"),
    "fat-stack": lambda draw, large: frames(draw, large, "fat-stack"),
    "fat-pyramid": lambda draw, large: frames(draw, large, "fat-pyramid"),
    "own routers": own_routers,
}


def traffic(draw, nodes, own, large):
    """Traffic of any pattern for so many nodes."""
    words = draw.choice([1, 1, 2, 4, 9, 30])
    if own:
        words = min(words, 4)
    pattern = draw.choice(["random", "random", "steady", "steady", "pair", "pairs", "hot-spot", "transpose",
                           "bit-reversal", "cyclic-shift"])
    # Four of a network's kinds have no pattern that takes a power of two or of four.
    if pattern in ("transpose", "bit-reversal") and (nodes & (nodes - 1) or nodes < 4 or nodes.bit_length() % 2 == 0):
        pattern = "random"
    if large and pattern in ("pair", "pairs", "hot-spot"):
        pattern = "random"
    if own or pattern == "steady":
        lengths = sorted({draw.randrange(1, 9) for _ in range(3)}) if draw.random() < 0.3 and not own else None
        destinations = draw.choice([None, "others", "hot-spot"])
        return table("traffic", {
            "pattern": "steady",
            "load": draw.choice([0.001, 0.01, 0.05, 0.2, 1.0]) if not large else 0.01,
            "cycles": draw.randrange(100, 1500) if not large else draw.randrange(100, 300),
            "words": None if lengths else words,
            "lengths": lengths,
            "burst_messages": maybe(draw, 0.3, draw.randrange(1, 20)),
            "destinations": destinations,
            "hot_share": 0.25 if destinations == "hot-spot" else None,
            "warmup_cycles": maybe(draw, 0.3, draw.randrange(100)),
        })
    keys = {"pattern": pattern, "words": words}
    if pattern == "pair":
        keys["source"], keys["destination"] = draw.sample(range(nodes), 2)
    elif pattern == "pairs":
        keys["pairs"] = [draw.sample(range(nodes), 2) for _ in range(draw.randrange(1, 9))]
    elif pattern == "hot-spot":
        keys["destination"] = draw.randrange(nodes)
        keys["messages"] = maybe(draw, 0.5, draw.randrange(1, nodes))
    elif pattern == "cyclic-shift":
        keys["shift"] = draw.randrange(1, nodes)
    if pattern == "random":
        keys["destinations"] = maybe(draw, 0.3, draw.choice(["others", "all"]))
        keys["messages"] = maybe(draw, 0.3, draw.randrange(1, nodes + 1))
    keys["repeat"] = maybe(draw, 0.6, draw.choice([1, 2, 5, 40]) if not large else draw.choice([1, 2, 10, 50]))
    return table("traffic", keys)


def configuration(draw, large=False, kinds=tuple(KINDS)):
    """A random configuration; the large ones take tens of megabytes and more."""
    kind = draw.choice(kinds)
    nodes, network = KINDS[kind](draw, large)
    own = kind == "own routers"
    text = network + traffic(draw, nodes, own, large) + table("run", {
        "seed": draw.randrange(2**40),
        "replicates": maybe(draw, 0.3, draw.choice([2, 3, 5])) if not large else None,
        "cycles_max": draw.choice([1500, 3000]) if not large else 300,
    })
    return Drawn(kind, text, ("gate",) if own else ("gate", "event"))
