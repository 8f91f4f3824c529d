// The data of the page, unpacked into columns, and what they say of a cycle. Their format stands in
// page.rs. A cycle that did not come is Infinity.

const data = JSON.parse(document.getElementById("data").textContent);
const ENDS = ["acknowledged", "rejected", "under way", "delivered", "lost"];
const END_LOST = 4;
/** True when messages are packets, and what is listed of a message then. */
const isPackets = data.carried !== "circuits", areWords = data.carried === "words";
const PART = isPackets ? "packet" : "attempt";
const NONE = -1;

/** Gives the numbers of a packed text one by one. */
function unpack(text) {
  const bytes = Uint8Array.from(atob(text), digit => digit.charCodeAt(0));
  let at = 0;
  const next = () => {
    let value = 0, scale = 1, byte;
    do {
      byte = bytes[at++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    return value;
  };
  next.since = from => {
    const cycles = next();
    return cycles === 0 ? Infinity : from + cycles - 1;
  };
  return next;
}

/** The first block of each row, and behind the last one their number. */
const firstBlock = [0];
for (const row of data.rows) firstBlock.push(firstBlock[firstBlock.length - 1] + row.x.length);
const blockCount = firstBlock[firstBlock.length - 1];
const rowOfBlock = new Int32Array(blockCount);
data.rows.forEach((row, at) => rowOfBlock.fill(at, firstBlock[at], firstBlock[at + 1]));
const receiverRow = data.has_receivers ? data.rows.length - 1 : 0;

function blockOf(row, place) {
  const { chips, x } = data.rows[row];
  return firstBlock[row] + Math.floor(place * x.length / chips);
}

/** The routers of the table: the rank and the block of each. */
const routers = { rank: [], place: [], block: [] };
{
  const next = unpack(data.routers);
  for (let router = 0; router < data.router_names.length; router++) {
    const rank = next(), place = next();
    routers.rank.push(rank);
    routers.place.push(place);
    routers.block.push(blockOf(rank + 1, place));
  }
}
const routerByName = new Map(data.router_names.map((name, router) => [name, router]));

/** Lines between blocks, and by which ends they are found. */
const lines = { from: [], to: [], wires: [], output: [], input: [] };
const lineFrom = new Map(), lineTo = new Map();
const key = (block, port) => block * 4096 + port;
const pairKey = (from, to) => from * 1048576 + to;
{
  const next = unpack(data.lines);
  for (let line = 0; line < data.line_count; line++) {
    const from = next(), to = next();
    lines.from.push(from);
    lines.to.push(to);
    lines.wires.push(next());
    if (data.is_single) {
      const output = next(), input = next();
      lineFrom.set(key(from, output), line);
      lineTo.set(key(to, input), line);
    } else {
      lineFrom.set(pairKey(from, to), line);
    }
  }
}

/** Classes of wires: from which row to which one, and how many. */
const classes = [];
const classOfPair = new Map();
function classOf(from, to) {
  const pair = from * 1024 + to;
  if (!classOfPair.has(pair)) {
    classOfPair.set(pair, classes.length);
    classes.push({ from, to, wires: 0 });
  }
  return classOfPair.get(pair);
}
for (let line = 0; line < data.line_count; line++) {
  const at = classOf(rowOfBlock[lines.from[line]], rowOfBlock[lines.to[line]]);
  classes[at].wires += lines.wires[line];
}

/** Messages that were acknowledged. */
const messages = [];
const messageById = new Map();
{
  const next = unpack(data.messages);
  let id = 0;
  for (let count = 0; count < data.message_count; count++) {
    id += next();
    const message = { id, source: next(), destination: next(), words: next(), attempts: next() };
    message.offered = next();
    message.sent = message.offered + next();
    message.delivered = next.since(message.sent);
    message.acknowledged = message.sent + next();
    message.latency = message.acknowledged - message.offered;
    message.parts = null;
    if (next() === 1) {
      const blocked = next(), backoff = next(), header = next();
      const reached = message.sent + blocked + backoff + header;
      const delivered = Math.min(message.delivered, message.acknowledged);
      message.parts = [message.sent - message.offered, blocked, backoff, header, delivered - reached, message.acknowledged - delivered];
    }
    messages.push(message);
    messageById.set(id, message);
  }
}
const PARTS = ["source", "blocked", "backoff", "header", "body", "answer"];
const PART_CLASSES = ["source", "blocked", "backoff", "header", "body", "ack"];
/** The cycles in which messages were acknowledged, rising. */
const acknowledgedCycles = Float64Array.from(messages, message => message.acknowledged).sort();

/** Attempts and hops, a column each. Hops of an attempt follow one another from `firstHop` on. */
const count = data.attempt_count;
const attempts = {
  message: new Uint32Array(count), number: new Uint32Array(count), source: new Uint32Array(count),
  destination: new Uint32Array(count), end: new Uint8Array(count), launched: new Float64Array(count),
  told: new Float64Array(count), reached: new Float64Array(count), delivered: new Float64Array(count),
  lost: new Float64Array(count), over: new Float64Array(count), firstHop: new Uint32Array(count + 1),
  collision: new Array(count).fill(null), line: new Int32Array(count), wireClass: new Int32Array(count),
};
const attemptsOfMessage = new Map();
const hops = { router: [], input: [], output: [], arrived: [], left: [], freed: [], attempt: [], line: [], wireClass: [] };
const collisions = [];
{
  const next = unpack(data.attempts);
  let launched = 0;
  for (let at = 0; at < count; at++) {
    launched += next();
    attempts.launched[at] = launched;
    const id = attempts.message[at] = next();
    attempts.number[at] = next();
    attempts.source[at] = next();
    attempts.destination[at] = next();
    attempts.end[at] = next();
    attempts.told[at] = next.since(launched);
    attempts.reached[at] = next.since(launched);
    attempts.firstHop[at] = hops.router.length;
    // A loss is seen in the cycle in which the router shows it.
    let over = attempts.told[at] + (attempts.end[at] === END_LOST ? 1 : 0);
    for (let left = next(); left > 0; left--) {
      hops.router.push(next());
      hops.input.push(next());
      hops.output.push(next() - 1);
      hops.arrived.push(launched + next());
      hops.left.push(next.since(launched));
      const freed = next.since(launched);
      hops.freed.push(freed);
      hops.attempt.push(at);
      over = Math.max(over, freed);
    }
    attempts.over[at] = over;
    attempts.lost[at] = next.since(launched);
    if (attempts.lost[at] !== Infinity) {
      const cycle = attempts.lost[at];
      const found = { cycle, wanted: [], rivals: [], attempt: at, router: hops.router[hops.router.length - 1] };
      for (let left = next(); left > 0; left--) found.wanted.push(next());
      for (let left = next(); left > 0; left--) {
        const rival = { message: next(), attempt: next(), input: next(), output: next(), since: cycle - next() };
        const freed = next();
        rival.freed = freed === 0 ? Infinity : cycle - freed + 1;
        found.rivals.push(rival);
      }
      attempts.collision[at] = found;
      if (cycle >= data.first_cycle && cycle <= data.last_cycle) collisions.push(found);
    }
    const message = messageById.get(id);
    const arrives = attempts.end[at] === 0 && message;
    attempts.delivered[at] = arrives ? message.delivered : Infinity;
    if (!attemptsOfMessage.has(id)) attemptsOfMessage.set(id, []);
    attemptsOfMessage.get(id).push(at);
  }
  attempts.firstHop[count] = hops.router.length;
}
collisions.sort((one, other) => one.cycle - other.cycle || one.attempt - other.attempt);
const collisionCycles = Float64Array.from(collisions, collision => collision.cycle);

/** Until when the wire of the source is taken up by an attempt. */
function sourceFreed(at) {
  const first = attempts.firstHop[at];
  if (areWords) return attempts.launched[at] + 1;
  return first < attempts.firstHop[at + 1] ? hops.freed[first] : attempts.told[at];
}

// The line and the class of every wire that an attempt held; a hop whose next one is not known has
// a class, but where several chips make a block no line.
for (let at = 0; at < count; at++) {
  const first = attempts.firstHop[at], end = attempts.firstHop[at + 1];
  const from = blockOf(0, attempts.source[at]);
  let line = NONE;
  if (first < end) {
    const block = routers.block[hops.router[first]];
    const found = data.is_single ? lineTo.get(key(block, hops.input[first])) : lineFrom.get(pairKey(from, block));
    line = found === undefined ? NONE : found;
  } else if (data.is_single) {
    // Which of several wires a head is on that has not come to a router is not recorded.
    line = data.has_receivers ? NONE : lineFrom.get(key(from, 0)) ?? NONE;
  }
  attempts.line[at] = line;
  attempts.wireClass[at] = classOf(0, 1);
  for (let hop = first; hop < end; hop++) {
    if (hops.output[hop] < 0) {
      hops.line[hop] = hops.wireClass[hop] = NONE;
      continue;
    }
    const rank = routers.rank[hops.router[hop]];
    const block = routers.block[hops.router[hop]];
    const row = data.leads[rank][hops.output[hop]];
    hops.wireClass[hop] = row === null ? NONE : classOf(rank + 1, row);
    let found;
    if (data.is_single) found = lineFrom.get(key(block, hops.output[hop]));
    else if (hop + 1 < end) found = lineFrom.get(pairKey(block, routers.block[hops.router[hop + 1]]));
    else if (row === receiverRow) found = lineFrom.get(pairKey(block, blockOf(row, attempts.destination[at])));
    hops.line[hop] = found === undefined ? NONE : found;
  }
}

/** Attempts by spans of cycles, so that a cycle looks at few. */
const SPANS = 4096;
const spanCycles = Math.max(8, Math.ceil((data.last_cycle - data.first_cycle + 1) / SPANS));
const spans = [];
for (let at = 0; at < count; at++) {
  const first = Math.max(0, Math.floor((attempts.launched[at] - data.first_cycle) / spanCycles));
  const over = Math.min(attempts.over[at], data.last_cycle);
  for (let span = first; span <= Math.floor((over - data.first_cycle) / spanCycles); span++) {
    (spans[span] ??= []).push(at);
  }
}
const NOBODY = [];
/** Attempts of which something may be seen in a cycle. */
const around = cycle => spans[Math.floor((cycle - data.first_cycle) / spanCycles)] ?? NOBODY;

/** How many of rising numbers are not above one. */
function notAbove(rising, limit) {
  let low = 0, high = rising.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rising[middle] <= limit) low = middle + 1; else high = middle;
  }
  return low;
}

const HEAD = 0, HELD = 1, ANSWER = 2, LOST = 3;
const STATES = ["head", "held", "answer", "lost"];
/** What an attempt is doing in a cycle. */
function stateOf(at, cycle) {
  if (cycle >= attempts.lost[at]) return LOST;
  if (areWords) return HEAD;
  if (cycle < attempts.reached[at]) return attempts.end[at] === 1 && attempts.told[at] <= cycle ? LOST : HEAD;
  return cycle < Math.min(attempts.delivered[at], attempts.told[at]) ? HELD : ANSWER;
}

/** What a cycle shows: the holders of every line by state, routers, nodes and totals. */
const shown = {
  cycle: NONE, lines: new Uint16Array(data.line_count * 4), touched: [], inUse: new Uint16Array(blockCount),
  blocks: [], heads: [], rejecting: [], held: 0, underWay: 0, acknowledged: 0, collisions: 0, holds: [],
};
function show(cycle, listsHolds) {
  for (const line of shown.touched) shown.lines.fill(0, 4 * line, 4 * line + 4);
  for (const block of shown.blocks) shown.inUse[block] = 0;
  for (const list of ["touched", "blocks", "heads", "rejecting", "holds"]) shown[list].length = 0;
  shown.cycle = cycle;
  shown.held = shown.underWay = 0;
  const take = (line, state) => {
    if (line === NONE) return;
    shown.touched.push(line);
    shown.lines[4 * line + state]++;
  };
  const use = block => {
    shown.blocks.push(block);
    shown.inUse[block]++;
  };
  for (const at of around(cycle)) {
    if (attempts.launched[at] > cycle || attempts.over[at] <= cycle) continue;
    const state = stateOf(at, cycle);
    if (cycle < attempts.told[at]) {
      shown.underWay++;
      use(blockOf(0, attempts.source[at]));
    }
    if (attempts.reached[at] <= cycle) use(blockOf(receiverRow, attempts.destination[at]));
    if (cycle < sourceFreed(at)) take(attempts.line[at], state);
    let last = attempts.line[at], lastBlock = NONE;
    for (let hop = attempts.firstHop[at]; hop < attempts.firstHop[at + 1]; hop++) {
      if (hops.arrived[hop] > cycle) break;
      const block = routers.block[hops.router[hop]];
      last = NONE;
      lastBlock = block;
      if (hops.left[hop] <= cycle) last = hops.line[hop];
      const isLoss = hops.output[hop] < 0 && attempts.lost[at] === cycle;
      if (hops.freed[hop] <= cycle && !isLoss) continue;
      use(block);
      if (hops.left[hop] <= cycle) {
        shown.held++;
        take(hops.line[hop], state);
        if (listsHolds) shown.holds.push(holdName(hop, at));
      } else if (attempts.lost[at] <= cycle) {
        shown.rejecting.push(at);
      }
    }
    if (state === HEAD) shown.heads.push(last, lastBlock, at);
  }
  shown.acknowledged = notAbove(acknowledgedCycles, cycle);
  shown.collisions = notAbove(collisionCycles, cycle);
  return shown;
}

/** What a hop holds, as text. */
function holdName(hop, at) {
  const router = hops.router[hop], ports = data.ports[routers.rank[router]];
  return `${data.router_names[router]}:${ports[hops.input[hop]]}:${ports[hops.output[hop]]}:${attempts.message[at]}`;
}
