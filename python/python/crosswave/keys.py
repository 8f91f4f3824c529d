# Written by python/write_keys.py. Do not edit.
"""The tables of a configuration as typed dicts: editors complete and check their keys.

    Network(kind="fat-tree", nodes=64)

is the dict `{"kind": "fat-tree", "nodes": 64}`. `crosswave keys` says more of each key.
"""

from collections.abc import Sequence
from os import PathLike
from typing import Literal, TypedDict, Union


class Network(TypedDict, total=False):
    """The network: its kind, size, links and routing."""

    kind: Literal["fat-tree", "bidelta", "butterfly", "transit", "binary-fat-tree", "m-port-n-tree", "m-port-n-tree-packets", "butterfly-fat-tree", "fat-stack", "fat-pyramid", "mesh", "torus", "ring", "custom"]
    """The kind of network."""

    nodes: int
    """The number of nodes."""

    capacities: Union[str, int, Sequence[int], Literal["doubling", "constant"]]
    """The number of links in the channel below each level; where it does not double, messages
    collide on their way up too. Or: The number of links in the channel below each level; links
    beyond twice those of the level below are left out, since they are of no use. Or: The number
    of wires between levels."""

    link_delay_cycles: Union[int, Sequence[int], Literal["geometry"]]
    """The extra cycles that a word takes on a link. Or: The extra cycles that a word takes between
    stages. Or: The extra cycles that a word takes between layers."""

    loop_back_cycles: int
    """The cycles that wires take from the last stage back to the nodes."""

    leaf: Literal["UT64x2", "B12", "B48", "B192"]
    """What the leaves of the tree are."""

    up_stage: Literal["standard", "two-crossbars"]
    """How the upward stage of a UT64x2 is built."""

    climb: Literal["directions", "height"]
    """What the first byte of a route says of its climb: a direction for each stage, or a height,
    which routers count down."""

    dispersion: Literal["full", "none", "random"]
    """How the wires that come to a stage are spread over its routers."""

    wiring_seed: int
    """The seed from which random wiring is drawn."""

    clock_ps: int
    """The length of a cycle in picoseconds; the cycles of long wires follow from it."""

    permittivity_percent: int
    """The relative permittivity of long wires, in percent."""

    ports: int
    """The number of ports m of a switch; the tree has 2(m/2)^n nodes, 2^20 at most."""

    levels: int
    """The number of levels n of switches. Or: The number of levels k; there are 4^k nodes, or 3^k
    with rings of three."""

    routing: Literal["d-mod-k", "wsr", "mlid", "omrmn", "osrm2", "osrm3", "random"]
    """The rule that gives each pair of nodes its paths."""

    paths: int
    """The number of paths of a pair of nodes, where the pair has as many."""

    choice: Literal["round-robin", "random"]
    """How the messages of a pair are spread over its paths."""

    routing_seed: int
    """The seed from which paths are drawn, by routing or by choice. Or: The seed from which the
    copies of switches on a route are drawn."""

    tables: Union[str, PathLike[str]]
    """A CSV file with the ports of every path, in place of a routing by name; `crosswave oblivious
    --write-tables` writes one."""

    failed: Sequence[str]
    """The switches and links that have failed."""

    reroute: Literal["evenly", "round-robin"]
    """Where paths over failed links move."""

    cells_per_cycle: int
    """How many sides of a processor's cell a signal passes in a cycle; a link has an extra cycle for
    each further stretch of that length."""

    ring_capacity: Literal["copies", "upward"]
    """The number of wires of a ring, and of a mesh where it is `"copies"`."""

    processors: Literal["alone", "linked", "linked"]
    """Whether processors are joined to their neighbours."""

    variant: Literal["augmented", "general"]
    """The variant of the fat stack."""

    ring: int
    """The number of nodes of a ring."""

    component: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The component file of the router. Or: The component files of the routers, whose links and
    packets are of one form."""

    size: Sequence[int]
    """The number of routers along each axis."""

    local: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The link of the node. Or: The links of nodes. A node is at each of them that is joined to no
    router."""

    axes: Sequence[tuple[str, str]]
    """The links along each axis, such as `[["west", "east"], ["north", "south"]]`."""

    link_cycles: int
    """The extra cycles of each link between two routers."""

    routers: Union[str, PathLike[str]]
    """The list of routers, as CSV: `name`, and where it is needed `component` (the name of the
    module), `x`, `y`, `z`, `id`, and a column for each pin or parameter that has values of its
    own."""

    links: Union[str, PathLike[str]]
    """The list of links, as CSV: `from`, `from_port`, `to` and `to_port`."""

    structure: Union[str, PathLike[str]]
    """A file with routers and links, in place of the two lists: GraphML if its name ends in
    `.graphml` or `.xml`, else the text that `crosswave info --structure` prints."""


class Router(TypedDict, total=False):
    """The routers."""

    winner: Literal["random", "fixed"]
    """Which one of several messages that collide in a router passes: a random one, or always the
    same. Or: Which one of several messages that collide in a switch passes."""

    release: Literal["acknowledge", "early-acknowledge", "tail"]
    """What frees the output of a router that a message holds."""

    queue_packets: Union[int, str]
    """The most packets that wait for one output of a router. Or: The most packets that wait for one
    output of a switch."""

    duplex: Literal["full", "half"]
    """Whether links carry packets both ways in every cycle, or up in even cycles and down in odd
    ones."""


class Interface(TypedDict, total=False):
    """The interfaces of nodes in networks of RN1."""

    turns: int
    """How often a connection is turned: 0 is a message without a reply, 1 a request and a reply."""

    reply_words: int
    """The number of words of a reply."""

    reply_delay_cycles: int
    """The idle cycles before a reply."""

    close: Literal["drop", "end"]
    """How a connection that was turned is closed."""


class Faults(TypedDict, total=False):
    """Parts of a network of RN1 that do not work."""

    routers: Sequence[str]
    """The routers that are switched off."""

    stacks: Sequence[str]
    """The stacks whose routers are switched off, of a Transit tree only."""

    ports: Sequence[str]
    """The ports that are switched off."""

    wires: Sequence[str]
    """The wires that are cut: both ends see rest."""

    stuck: Sequence[str]
    """The wires that are stuck at a word of nine bits, in the direction in which the port drives
    them."""

    random_routers: int
    """The number of routers that are drawn and switched off."""

    random_wires: int
    """The number of wires from outputs of routers that are drawn and cut."""

    fault_seed: int
    """The seed from which faults are drawn, the same in all replicates."""

    masked: bool
    """Whether ports that lead to something switched off are switched off too."""


class Endpoint(TypedDict, total=False):
    """What stands at the nodes of a network of your own routers."""

    stall: float
    """The share of cycles in which a sink refuses flits, drawn anew in each cycle."""

    retry_cycles: int
    """A source whose circuit was rejected waits a number of cycles up to this one, each as often,
    before it tries again."""


class Checks(TypedDict, total=False):
    """When a run of a network of your own routers is given up."""

    deadlock_cycles: int
    """The cycles after which a run is given up in which no message was begun, ended or received
    while some are under way; to these come 16 for each flit of the longest message."""

    monitors: bool
    """Routers look at the properties of their links in every cycle; a run in which one is broken
    ends with exit code 1."""


class Traffic(TypedDict, total=False):
    """The messages: recorded in a trace, or generated by a pattern."""

    pattern: Literal["random", "pair", "pairs", "hot-spot", "transpose", "bit-reversal", "cyclic-shift", "steady"]
    """The traffic that is generated; a configuration has this key or `traffic.trace`."""

    messages: int
    """The number of nodes that send."""

    words: int
    """The number of body words of a message."""

    lengths: Sequence[int]
    """The lengths of messages, one of which is drawn for each."""

    length_weights: Sequence[int]
    """How often a message has each length, relative to the others."""

    burst_messages: int
    """The number of messages in a burst, on average; it is geometric. A burst is a long transfer:
    its messages have one destination, and each is offered as many cycles after the one before as
    that has words. Bursts of a node begin independently of each other, at the rate that gives
    `traffic.load`."""

    source: int
    """The node that sends."""

    destination: int
    """The node that receives."""

    destinations: Literal["others", "all", "local", "hot-spot", "transpose", "bit-reversal", "bit-complement", "shuffle", "tornado", "neighbour", "matrix"]
    """The nodes among which a destination is drawn; the papers leave it open, and the names and the
    default are assumed. A node whose only destination is itself does not send."""

    levels: Sequence[int]
    """How often a message goes through each level, relative to the others. Levels are groups of 2,
    4, 8 … nodes in fat trees, of 4, 16, 64 … in other networks, of 3, 9, 27 … with rings of
    three; in a Transit tree the cluster, then 4, 16, 64 … leaves."""

    hot_share: float
    """The share of the messages of each node that are for the node `traffic.destination`. The rest,
    and all messages of that node itself, are for the others, uniformly."""

    matrix: Union[str, PathLike[str]]
    """The file of weights (CSV), with the columns `source,destination,weight`. A message of a source
    goes to each destination with the probability of its weight over the sum of those of the
    source."""

    pairs: Sequence[tuple[int, int]]
    """The messages, one for each pair."""

    random_messages: int
    """The number of further nodes that send to random nodes."""

    shift: int
    """How far from its source the destination is, in nodes."""

    repeat: int
    """How many messages each source sends, one after another."""

    load: float
    """The mean number of body words per cycle that each node offers which sends."""

    cycles: int
    """The last cycle in which messages are offered."""

    warmup_cycles: int
    """The cycles at the beginning that are not measured; left out, a fifth to a half of all cycles,
    as the latencies and the backlog suggest."""

    trace: Union[str, PathLike[str]]
    """The file with recorded traffic."""

    replay: Literal["timed", "in-order"]
    """When the messages of a trace are offered."""

    clock_mhz: float
    """The clock frequency in MHz, by which times of a trace become cycles."""

    time_scale: float
    """A factor of all times of a trace."""

    bytes_scale: float
    """A factor of all message lengths of a trace."""

    bytes_per_word: int
    """The number of bytes that become one body word."""

    limit: int
    """The number of messages that are taken from the beginning of a trace."""


class Retry(TypedDict, total=False):
    """When a message that lost is sent again."""

    strategy: Literal["immediate", "rounds", "backoff", "random", "none"]
    """When a message that lost is sent again: at once, after a random wait, or in rounds that all
    nodes begin together. Or: When a message that lost is sent again: at once, or after a random
    wait. Or: A packet is never sent again."""

    backoff_limit: int
    """The limit of the wait, which after collision j is uniform in 0 to 2^min(j, limit) − 1 cycles,
    with `"random"` in 0 to 2^limit − 1."""


class Chips(TypedDict, total=False):
    """Your own versions of chips, by their files."""

    fat_tree_router: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `fat_tree_router`, by their paths from the folder of the
    configuration."""

    fat_tree_tail_router: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `fat_tree_tail_router`, by their paths from the folder of the
    configuration."""

    network_interface: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `network_interface`, by their paths from the folder of the
    configuration."""

    delay_line: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `delay_line`, by their paths from the folder of the
    configuration."""

    rn1: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `rn1`, by their paths from the folder of the configuration."""

    rn1_delay_line: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `rn1_delay_line`, by their paths from the folder of the
    configuration."""

    rn1_fault_line: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `rn1_fault_line`, by their paths from the folder of the
    configuration."""

    rn1_height: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `rn1_height`, by their paths from the folder of the
    configuration."""

    rn1_interface: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `rn1_interface`, by their paths from the folder of the
    configuration."""

    route_unit: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `route_unit`, by their paths from the folder of the
    configuration."""

    bft_node: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `bft_node`, by their paths from the folder of the
    configuration."""

    packet_switch_q8: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `packet_switch_q8`, by their paths from the folder of the
    configuration."""

    packet_interface: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `packet_interface`, by their paths from the folder of the
    configuration."""

    mport_switch_4: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `mport_switch_4`, by their paths from the folder of the
    configuration."""

    mport_switch_8: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `mport_switch_8`, by their paths from the folder of the
    configuration."""

    mport_switch_16: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `mport_switch_16`, by their paths from the folder of the
    configuration."""

    mport_switch_32: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `mport_switch_32`, by their paths from the folder of the
    configuration."""

    mport_tail_switch_4: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `mport_tail_switch_4`, by their paths from the folder of the
    configuration."""

    mport_tail_switch_8: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `mport_tail_switch_8`, by their paths from the folder of the
    configuration."""

    mport_tail_switch_16: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `mport_tail_switch_16`, by their paths from the folder of the
    configuration."""

    mport_tail_switch_32: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `mport_tail_switch_32`, by their paths from the folder of the
    configuration."""

    mport_interface: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `mport_interface`, by their paths from the folder of the
    configuration."""

    mport_packet_switch_4_q8: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `mport_packet_switch_4_q8`, by their paths from the folder of
    the configuration."""

    mport_packet_switch_8_q8: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `mport_packet_switch_8_q8`, by their paths from the folder of
    the configuration."""

    mport_packet_interface: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `mport_packet_interface`, by their paths from the folder of
    the configuration."""

    stack_switch_8: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `stack_switch_8`, by their paths from the folder of the
    configuration."""

    stack_switch_10: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `stack_switch_10`, by their paths from the folder of the
    configuration."""

    stack_interface: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `stack_interface`, by their paths from the folder of the
    configuration."""

    stack_delay_line: Union[str, PathLike[str], Sequence[Union[str, PathLike[str]]]]
    """The files of your own version of `stack_delay_line`, by their paths from the folder of the
    configuration."""


class Run(TypedDict, total=False):
    """How the network is simulated."""

    seed: int
    """The seed of all random bits."""

    engine: Literal["gate", "event", "gpu"]
    """The engine that simulates; all give the same signals in every cycle."""

    replicates: int
    """The number of runs, each with random bits of its own."""

    cycles_max: int
    """The cycle at which a run that is not finished is given up. The default is the sum of three
    numbers: the cycle of the last offer, 10^7, and 16 times the cycles of all messages one after
    another."""

    threads: int
    """The most threads; with 0 the program chooses. Replicates run side by side on them, and large
    networks are cut into parts. Results do not depend on it, and threads that do not pay are left
    idle. Netlists are made ready, and compressed waveforms packed, on all processors whatever it
    is."""


class Wave(TypedDict, total=False):
    """What a waveform shows."""

    scopes: Sequence[str]
    """The signals that are recorded, by name; a pattern that matches a scope takes all signals below
    it."""

    kinds: Sequence[str]
    """Keeps only ports of these kinds."""

    levels: Sequence[int]
    """Keeps only the routers of these levels."""

    routes: Sequence[tuple[int, int]]
    """Keeps only interfaces, links and states on all routes that a message may take from one node to
    the other."""

    messages: Sequence[int]
    """Keeps only what these messages use; the run is simulated once before to find out."""

    window_cycles: tuple[int, int]
    """The cycles that are recorded; signals are X before. With a trigger, the cycles in which it is
    looked for; `--unset wave.window_cycles` searches the whole run."""

    random_pins: bool
    """Whether pins with random bits are recorded; they are a quarter of a waveform or more."""

    nets: Sequence[str]
    """The registers and wires inside the chips that are recorded, by their names in the netlist; the
    run is simulated once before."""

    lanes: bool
    """Whether messages are recorded as signals in `testbench.messages`: what each node sends, and
    which message each input of a router serves; the run is simulated once before."""

    trigger: str
    """Only cycles around the first moment in which this condition is true are recorded."""

    before_cycles: int
    """The number of cycles that are recorded before the trigger."""

    after_cycles: int
    """The number of cycles that are recorded after the trigger."""

    triggers: int
    """How many moments are recorded; with more than one, each has a file of its own, such as
    `FILE.0.vcd`."""


class Tables(TypedDict, total=False):
    """All tables of a configuration."""

    network: Network
    router: Router
    interface: Interface
    faults: Faults
    endpoint: Endpoint
    checks: Checks
    traffic: Traffic
    retry: Retry
    chips: Chips
    run: Run
    wave: Wave
