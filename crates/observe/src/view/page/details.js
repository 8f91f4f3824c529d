// What is told of the selection: a router as a waveform of its inputs, a node with its messages, the
// trace of a message. Long lists show the part around the cycle, and turn to any other part.

const details = (() => {
  const place = document.getElementById("selection");
  /** Cycles of the waveform before the chosen one, and behind it. */
  const BEFORE = 40, BEHIND = 40;
  const ROWS_MAX = 60, COLLISIONS_MAX = 40, ATTEMPTS_MAX = 30, ATTEMPTS_OF_MESSAGE_MAX = 12;
  /** Attempts of a message that are told hop by hop; of more only the one that the cycle is about. */
  const WHOLE_MAX = 3;
  const escape = text => String(text).replace(/[&<>"]/g, sign => `&#${sign.charCodeAt(0)};`);
  const port = (router, link) => link < 0 ? "" : data.ports[routers.rank[router]][link] ?? "";
  const name = router => data.router_names[router];
  const go = (cycle, text) => `<button class="go" data-cycle="${cycle}">${text ?? cycle}</button>`;
  const messageLink = id => `<button class="go" data-message="${id}">${id}</button>`;
  const nodeLink = node => node >= data.nodes ? "every node" : `<button class="go" data-node="${node}">${node}</button>`;
  const routerLink = router => `<button class="go" data-router="${router}">${escape(name(router))}</button>`;

  /** The hops of each router, by when they arrived. */
  const hopsOfRouter = [];
  for (let hop = 0; hop < hops.router.length; hop++) (hopsOfRouter[hops.router[hop]] ??= []).push(hop);
  for (const own of hopsOfRouter) own?.sort((one, other) => hops.arrived[one] - hops.arrived[other]);
  const attemptsOfNode = new Map();
  for (let at = 0; at < count; at++) {
    for (const node of new Set([attempts.source[at], attempts.destination[at]])) {
      if (!attemptsOfNode.has(node)) attemptsOfNode.set(node, []);
      attemptsOfNode.get(node).push(at);
    }
  }

  /** The part of a list that was asked for, which holds until the cycle or the selection changes. */
  let turned = null;
  /** The part of a long list that is shown: around a place in it, unless another one was asked for. With links to the others. */
  function partOf(list, all, around, most) {
    const end = Math.max(0, all - most);
    const within = first => Math.max(0, Math.min(end, first));
    const first = within(turned?.list === list ? turned.first : around - Math.floor(most / 3));
    const last = Math.min(all, first + most);
    if (all <= most) return { first, last, bar: "" };
    const link = (to, turn, text, title) => `<button class="turn" data-list="${list}" data-first="${to}" data-turn="${turn}" title="${title}"${within(to) === first ? " disabled" : ""}>${text}</button>`;
    const bar = `<div class="turns" data-part="${list}">${link(0, "first", "first", "The first ones")}${link(first - most, "earlier", "earlier", "The ones before")}<span>${first + 1} to ${last} of ${all}</span>${link(last, "later", "later", "The next ones")}${link(end, "last", "last", "The last ones")}${link(around - Math.floor(most / 3), "here", "now", "Those around the chosen cycle")}</div>`;
    return { first, last, bar };
  }
  function turn({ list, first }) {
    turned = { list, first: +first };
  }

  /** A hop as boxes: from, to and what its input does then. */
  function boxes(hop) {
    const at = hops.attempt[hop], freed = Math.min(hops.freed[hop], data.last_cycle + 1);
    if (hops.output[hop] < 0) {
      const lost = Math.min(attempts.lost[at], freed);
      return [[hops.arrived[hop], lost, HEAD], [lost, freed, LOST]];
    }
    const cuts = [hops.left[hop], attempts.reached[at], Math.min(attempts.delivered[at], attempts.told[at]), attempts.lost[at]];
    const times = [...new Set(cuts.filter(cycle => cycle > hops.arrived[hop] && cycle < freed))].sort((one, other) => one - other);
    const found = [];
    [hops.arrived[hop], ...times].forEach((from, index) => {
      const to = times[index] ?? freed, state = from < hops.left[hop] ? HEAD : stateOf(at, from);
      const last = found[found.length - 1];
      if (last && last[2] === state) last[1] = to;
      else found.push([from, to, state]);
    });
    return found;
  }

  /** Lanes of a router's inputs around a cycle. */
  function lanes(router, cycle) {
    const first = Math.max(data.first_cycle, cycle - BEFORE), last = Math.max(first + BEFORE + BEHIND, cycle);
    const wide = 376, edge = 34, tall = 22, top = 18, scale = (wide - edge) / (last - first + 1);
    const at = time => edge + (Math.max(first, Math.min(last + 1, time)) - first) * scale;
    const parts = [];
    const step = 20;
    for (let time = Math.ceil(first / step) * step; time <= last; time += step) {
      parts.push(`<line class="rule" x1="${at(time)}" x2="${at(time)}" y1="${top - 4}" y2="${top + data.inputs * tall}"/>`);
      if (at(time) < wide - 14) parts.push(`<text class="soft" x="${at(time)}" y="10" text-anchor="middle">${time}</text>`);
    }
    for (let input = 0; input < data.inputs; input++) {
      const y = top + input * tall;
      parts.push(`<text class="soft" x="0" y="${y + 15}">${escape(port(router, input))}</text><line class="rule" x1="${edge}" x2="${wide}" y1="${y + tall - 1}" y2="${y + tall - 1}"/>`);
    }
    for (const hop of hopsOfRouter[router] ?? []) {
      if (hops.arrived[hop] > last) break;
      if (hops.freed[hop] < first) continue;
      const id = attempts.message[hops.attempt[hop]], y = top + hops.input[hop] * tall + 3;
      const told = hops.output[hop] < 0 ? `${id} ×` : `${id} → ${port(router, hops.output[hop])}`;
      const from = at(hops.arrived[hop]), to = at(hops.freed[hop]);
      parts.push(`<g data-message="${id}"><title>message ${told}, cycles ${hops.arrived[hop]} to ${hops.freed[hop] === Infinity ? "…" : hops.freed[hop]}</title>`);
      for (const [begin, end, state] of boxes(hop)) {
        if (end > first) parts.push(`<rect class="${STATES[state]}" x="${at(begin)}" y="${y}" width="${Math.max(0.5, at(end) - at(begin))}" height="15"/>`);
      }
      if (to - from > 6.2 * told.length + 4) parts.push(`<text class="label" x="${from + 3}" y="${y + 11.5}">${escape(told)}</text>`);
      parts.push("</g>");
    }
    parts.push(`<line class="now" x1="${at(cycle + 0.5)}" x2="${at(cycle + 0.5)}" y1="${top - 4}" y2="${top + data.inputs * tall}"/>`);
    return `<svg class="lanes" viewBox="0 0 ${wide} ${top + data.inputs * tall + 2}" role="img" aria-label="Inputs of ${escape(name(router))} around cycle ${cycle}">${parts.join("")}</svg>`;
  }

  function ofRouter(router, cycle) {
    const own = hopsOfRouter[router] ?? [];
    const now = own.filter(hop => hops.arrived[hop] <= cycle && cycle < hops.freed[hop]);
    const lost = own.filter(hop => hops.output[hop] < 0 && attempts.lost[hops.attempt[hop]] !== Infinity);
    const rows = now.map(hop => {
      const at = hops.attempt[hop], state = hops.output[hop] < 0 && attempts.lost[at] <= cycle ? "rejects" : hops.left[hop] <= cycle ? `holds ${port(router, hops.output[hop])} since ${go(hops.left[hop])}` : "a head has come";
      return `<tr><td>${port(router, hops.input[hop])}</td><td>${messageLink(attempts.message[at])}</td><td>${state}</td></tr>`;
    });
    const times = lost.map(hop => attempts.lost[hops.attempt[hop]]).sort((one, other) => one - other);
    const { first, last, bar } = partOf("collisions", times.length, notAbove(times, cycle), COLLISIONS_MAX);
    const clashes = times.slice(first, last).map(time => time === cycle ? `<b>${go(time)}</b>` : go(time));
    return `<h3>${escape(name(router))}</h3><p>${escape(data.rows[routers.rank[router] + 1].name)}; which input holds which output, and for which message</p>${lanes(router, cycle)}
      <h4>In cycle ${cycle}</h4>${rows.length ? `<table><tr><th>input</th><th>message</th><th></th></tr>${rows.join("")}</table>` : "<p>All its inputs are free.</p>"}
      <h4>${isPackets ? "Losses" : "Collisions"} here: ${lost.length}</h4>${bar}<p>${clashes.join(", ")}</p>`;
  }

  function ofBlock(block, cycle) {
    if (network.isNodeRow(rowOfBlock[block])) {
      const row = rowOfBlock[block], { chips, x } = data.rows[row], at = block - firstBlock[row];
      const first = Math.ceil(at * chips / x.length), end = Math.ceil((at + 1) * chips / x.length);
      const part = partOf("nodes", end - first, 0, ROWS_MAX);
      const nodes = Array.from({ length: part.last - part.first }, (_, each) => nodeLink(first + part.first + each));
      return `<h3>${escape(network.nameOf(block))}</h3>${part.bar}<p>${nodes.join(" ")}</p>`;
    }
    const own = [];
    routers.block.forEach((of, router) => { if (of === block) own.push(router); });
    const busy = router => (hopsOfRouter[router] ?? []).filter(hop => hops.arrived[hop] <= cycle && cycle < hops.freed[hop]).length;
    const ranked = own.map(router => [busy(router), hopsOfRouter[router]?.length ?? 0, router]).sort((one, other) => other[0] - one[0] || other[1] - one[1] || one[2] - other[2]);
    const { first, last, bar } = partOf("routers", ranked.length, 0, ROWS_MAX);
    const rows = ranked.slice(first, last).map(([now, all, router]) => `<tr><td>${routerLink(router)}</td><td class="number">${now}</td><td class="number">${all}</td></tr>`);
    return `<h3>${escape(network.nameOf(block))}</h3><p>${own.length} of them have something to show.</p>${bar}<table><tr><th>router</th><th class="number">inputs in use</th><th class="number">attempts</th></tr>${rows.join("")}</table>`;
  }

  function status(at, cycle) {
    if (cycle < attempts.launched[at]) return `launched in ${go(attempts.launched[at])}`;
    if (cycle < attempts.told[at]) return ["head on its way", isPackets ? "flits follow" : "circuit", "delivered", "rejected"][stateOf(at, cycle)];
    return `${ENDS[attempts.end[at]]} in ${go(attempts.told[at])}`;
  }

  function ofNode(node, cycle) {
    const own = attemptsOfNode.get(node) ?? [];
    const { first, last, bar } = partOf("attempts", own.length, own.filter(at => attempts.told[at] < cycle).length, ATTEMPTS_MAX);
    const rows = own.slice(first, last).map(at => {
      const sends = attempts.source[at] === node, other = sends ? attempts.destination[at] : attempts.source[at];
      const now = attempts.launched[at] <= cycle && cycle < attempts.told[at];
      return `<tr class="${now ? "now" : attempts.launched[at] > cycle ? "later" : ""}"><td>${messageLink(attempts.message[at])}</td><td class="number">${attempts.number[at]}</td><td>${sends ? "to" : "from"} ${nodeLink(other)}</td><td>${status(at, cycle)}</td></tr>`;
    });
    return `<h3>node ${node}</h3><p>${own.length} ${PART}s from it and to it</p>${bar}<table><tr><th>message</th><th class="number">${PART}</th><th></th><th></th></tr>${rows.join("")}</table>`;
  }

  /** What happens to an attempt: cycle, where, and what. */
  function events(at) {
    const found = [[attempts.launched[at], `node ${nodeLink(attempts.source[at])}`, "launched"]];
    for (let hop = attempts.firstHop[at]; hop < attempts.firstHop[at + 1]; hop++) {
      const router = hops.router[hop];
      const cycles = hops.left[hop] - hops.arrived[hop];
      if (hops.left[hop] !== Infinity) {
        found.push([hops.left[hop], routerLink(router), `${port(router, hops.input[hop])} → ${port(router, hops.output[hop])}, ${cycles} cycle${cycles === 1 ? "" : "s"}`]);
      } else if (attempts.collision[at]) {
        const { cycle, rivals } = attempts.collision[at];
        const held = rivals.map(rival => `${port(router, rival.output)} ${rival.freed === Infinity ? "is held by" : "awaits the answer to"} message ${messageLink(rival.message)} (${PART} ${rival.attempt}, from ${port(router, rival.input)}) since ${go(rival.freed === Infinity ? rival.since : rival.freed)}`);
        found.push([cycle, routerLink(router), `${port(router, hops.input[hop])} <b>${isPackets ? "lost" : "rejected"}</b>: ${held.join("; ") || "what it wants is off"}`]);
      } else {
        found.push([hops.arrived[hop], routerLink(router), `${port(router, hops.input[hop])} the head has come`]);
      }
    }
    const last = [[attempts.reached[at], `node ${nodeLink(attempts.destination[at])}`, "the head is there"], [attempts.delivered[at], `node ${attempts.destination[at]}`, "delivered"], [attempts.told[at], `node ${attempts.source[at]}`, ENDS[attempts.end[at]]]];
    if (isPackets) last[2][1] = last[0][1];
    if (attempts.end[at] === END_LOST) last.pop();
    last.sort((one, other) => one[0] - other[0]);
    return found.concat(last.filter(([cycle]) => cycle !== Infinity));
  }

  function parts(values, total, unit) {
    const share = value => 100 * value / Math.max(1, total);
    const bar = values.map((value, part) => `<span class="${PART_CLASSES[part]}" style="width:${share(value)}%" title="${PARTS[part]}"></span>`);
    const rows = values.map((value, part) => `<span><i class="${PART_CLASSES[part]}"></i>${PARTS[part]}</span><span>${unit(value)}</span><span>${share(value).toFixed(1)} %</span><span>${MEANINGS[part]}</span>`);
    return `<div class="bar">${bar.join("")}</div><div class="parts">${rows.join("")}</div>`;
  }
  const MEANINGS = ["until the first launch", "in rejected attempts", "between attempts", "until the head is there", "until the last word is", "until the sender is told"];
  if (isPackets) MEANINGS.splice(1, 1, "waits in routers");

  function ofMessage(id, cycle) {
    const own = attemptsOfMessage.get(id) ?? [], message = messageById.get(id);
    if (!own.length) return `<h3>message ${id}</h3><p>Nothing of it is seen in these cycles.</p>`;
    const ends = `node ${nodeLink(attempts.source[own[0]])} to node ${nodeLink(attempts.destination[own[0]])}${message ? `, ${message.words} words` : ""}`;
    const told = message ? `${isPackets ? "delivered" : "acknowledged"} in ${go(message.acknowledged)}, ${message.latency} cycles after its offer in ${message.offered}` : `not ${isPackets ? "delivered" : "acknowledged"} in these cycles`;
    const rows = [];
    const sorted = [...own].sort((one, other) => attempts.number[one] - attempts.number[other]);
    const missing = attempts.number[sorted[0]] - 1;
    const current = sorted.indexOf(network.attemptAt(id, cycle));
    const { first, last, bar } = partOf("attempts", sorted.length, current, ATTEMPTS_OF_MESSAGE_MAX);
    for (let place = first; place < last; place++) {
      const at = sorted[place];
      if (sorted.length > WHOLE_MAX && place !== current) {
        rows.push(`<tr class="${attempts.launched[at] > cycle ? "later" : ""}"><td class="number">${attempts.number[at]}</td><td class="number">${go(attempts.launched[at])}</td>${summary(at)}</tr>`);
        continue;
      }
      const all = events(at);
      const latest = all.reduce((last, [time], index) => time <= cycle ? index : last, -1);
      all.forEach(([time, where, what], index) => {
        const is = cycle < attempts.over[at] && index === latest ? "now" : time > cycle ? "later" : "";
        rows.push(`<tr class="${is}"><td class="number">${index === 0 ? attempts.number[at] : ""}</td><td class="number">${go(time)}</td><td>${where}</td><td>${what}</td></tr>`);
      });
    }
    const latency = message?.parts ? `<h4>Latency: ${message.latency} cycles</h4>${parts(message.parts, message.latency, value => value)}` : "";
    const before = missing > 0 ? `<p>${missing} earlier ${PART}${missing === 1 ? " was" : "s were"} over before cycle ${data.first_cycle}.</p>` : "";
    return `<h3>message ${id}</h3><p>${ends}; ${told}</p>${latency}<h4>${isPackets ? "Packets" : "Attempts"}: ${sorted.length + missing}</h4>${before}${bar}
      <table id="trace"><tr><th class="number">${PART}</th><th class="number">cycle</th><th>where</th><th>what</th></tr>${rows.join("")}</table>`;
  }

  /** An attempt in two cells: where it ended, and how. */
  function summary(at) {
    const end = attempts.firstHop[at + 1], told = attempts.told[at] === Infinity ? "" : ` in ${go(attempts.told[at])}`;
    if (!attempts.collision[at]) return `<td>node ${nodeLink(attempts.destination[at])}</td><td>${ENDS[attempts.end[at]]}${told}</td>`;
    const { rivals } = attempts.collision[at];
    const held = rivals.map(rival => `${port(hops.router[end - 1], rival.output)} ${rival.freed === Infinity ? "held by" : "awaits the answer to"} ${messageLink(rival.message)}`);
    return `<td>${routerLink(hops.router[end - 1])}</td><td><b>rejected</b>: ${held.join("; ") || "what it wants is off"}</td>`;
  }

  const NOTHING = `<p>Select a router for its waveform, a node for its messages, or a message for its trace: in the drawing, in a list, or by name above.</p>`;
  const VIEWS = { router: ofRouter, block: ofBlock, node: ofNode, message: ofMessage };

  let drawn = "";
  function draw(selection, cycle) {
    const now = selection ? `${selection.kind} ${selection.of} ${cycle}` : "";
    if (now !== drawn) turned = null;
    drawn = now;
    const focused = document.activeElement;
    const keeps = place.contains(focused) ? [...place.querySelectorAll("button")].indexOf(focused) : -1;
    const turn = place.contains(focused) ? focused.dataset.turn : undefined;
    place.innerHTML = selection ? VIEWS[selection.kind](selection.of, cycle) : NOTHING;
    const button = turn ? place.querySelector(`[data-turn="${turn}"]:not(:disabled)`) ?? place.querySelector("[data-turn]:not(:disabled)") : keeps >= 0 ? place.querySelectorAll("button")[keeps] : null;
    button?.focus({ preventScroll: true });
    const shownPart = place.querySelector(".turns span");
    document.body.dataset.part = shownPart ? shownPart.textContent : "";
  }

  return { place, draw, turn, partOf, parts, escape, messageLink, nodeLink, go };
})();
