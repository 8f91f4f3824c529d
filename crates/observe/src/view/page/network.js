// The drawing of the network in a cycle. What does not change is drawn once and copied; a cycle adds
// the lines that are held, by state, and what its chips do.

const network = (() => {
  const canvas = document.getElementById("network");
  const context = canvas.getContext("2d");
  const base = document.createElement("canvas");
  const baseContext = base.getContext("2d");
  const tip = document.getElementById("tip");
  /** For how many cycles behind a collision its cycle is written beside it. */
  const LABEL_CYCLES = 12;
  const LABELS_MAX = 24;
  /** The height of a block of several chips. */
  const BLOCK_HEIGHT = 14;
  const DASHES = { [HEAD]: [5, 3], [LOST]: [2, 2.5] };
  const WIDTHS = [2.2, 2.4, 1.8, 2.4];
  let width = 0, height = 0, ratio = 1, left = 0, size = 4, colours = {};
  const x = new Float64Array(blockCount), y = new Float64Array(blockCount);
  const chips = new Uint32Array(blockCount);
  data.rows.forEach((row, at) => {
    for (let place = 0; place < row.x.length; place++) {
      const first = Math.ceil(place * row.chips / row.x.length), end = Math.ceil((place + 1) * row.chips / row.x.length);
      chips[firstBlock[at] + place] = end - first;
    }
  });
  const isNodeRow = row => row === 0 || (data.has_receivers && row === receiverRow);
  const wiresOfPair = new Map();
  for (let line = 0; line < data.line_count; line++) {
    const pair = pairKey(lines.from[line], lines.to[line]);
    if (!wiresOfPair.has(pair)) wiresOfPair.set(pair, []);
    wiresOfPair.get(pair).push(line);
  }
  /** The control point of a line that is bent past other rows; straight ones have none. */
  const bends = new Float64Array(data.line_count), shifts = new Float64Array(data.line_count);

  function place() {
    const box = canvas.parentElement.clientWidth;
    ratio = Math.min(2, window.devicePixelRatio || 1);
    width = box;
    const rows = data.rows.length;
    height = Math.round(Math.max(230, Math.min(rows * 92, width * 0.62, 640)));
    canvas.style.height = `${height}px`;
    for (const each of [canvas, base]) {
      each.width = Math.round(width * ratio);
      each.height = Math.round(height * ratio);
    }
    left = width > 620 ? 78 : 54;
    const inside = width - left - 12, top = 22, bottom = 20;
    const most = Math.max(...data.rows.map(row => row.x.length));
    size = data.is_single ? Math.max(2.5, Math.min(11, inside / most * 0.62)) : Math.max(3, Math.min(16, inside / most * 0.78));
    data.rows.forEach((row, at) => {
      row.x.forEach((part, place) => {
        x[firstBlock[at] + place] = left + part / 10000 * inside;
        y[firstBlock[at] + place] = height - bottom - at * (height - top - bottom) / Math.max(1, rows - 1);
      });
    });
    for (let line = 0; line < data.line_count; line++) {
      const from = lines.from[line], to = lines.to[line];
      const over = Math.abs(rowOfBlock[from] - rowOfBlock[to]);
      bends[line] = over > 1 ? (0.03 + 0.012 * over) * width * (x[from] + x[to] > width + left ? -1 : 1) : 0;
      // The two directions of a wire lie side by side, and so do wires between the same chips.
const apart = data.is_single ? 2.6 : 4;
      const beside = wiresOfPair.get(pairKey(from, to));
      const own = (beside.indexOf(line) - (beside.length - 1) / 2) * apart;
      const direction = rowOfBlock[from] < rowOfBlock[to] ? -0.5 : 0.5;
      shifts[line] = own + (data.has_receivers ? 0 : direction * apart * beside.length);
    }
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ink", "soft", "rule", "wire", "chip", "chip-edge", "accent", "panel", "ground", ...STATES]) {
      colours[name] = style.getPropertyValue(`--${name}`).trim();
    }
    drawBase();
  }

  function trace(on, line) {
    const from = lines.from[line], to = lines.to[line], shift = shifts[line];
    on.moveTo(x[from] + shift, y[from]);
    if (bends[line] === 0) on.lineTo(x[to] + shift, y[to]);
    else on.quadraticCurveTo((x[from] + x[to]) / 2 + bends[line], (y[from] + y[to]) / 2, x[to] + shift, y[to]);
  }

  function chip(on, block) {
    if (isNodeRow(rowOfBlock[block]) && data.is_single) {
      on.moveTo(x[block] + size / 2, y[block]);
      on.arc(x[block], y[block], size / 2, 0, 2 * Math.PI);
    } else {
      const tall = data.is_single ? size : BLOCK_HEIGHT;
      on.rect(x[block] - size / 2, y[block] - tall / 2, size, tall);
    }
  }

  function drawBase() {
    const on = baseContext;
    on.setTransform(ratio, 0, 0, ratio, 0, 0);
    on.fillStyle = colours.panel;
    on.fillRect(0, 0, width, height);
    on.strokeStyle = colours.wire;
    on.lineWidth = data.is_single && data.line_count < 900 ? 1 : 0.6;
    on.beginPath();
    for (let line = 0; line < data.line_count; line++) trace(on, line);
    on.stroke();
    on.beginPath();
    for (let block = 0; block < blockCount; block++) chip(on, block);
    on.fillStyle = colours.chip;
    on.strokeStyle = colours["chip-edge"];
    on.lineWidth = 1;
    on.fill();
    on.stroke();
    on.fillStyle = colours.soft;
    on.font = `${width > 620 ? 12 : 10}px system-ui, sans-serif`;
    on.textBaseline = "middle";
    data.rows.forEach((row, at) => on.fillText(row.name, width > 620 ? 8 : 3, y[firstBlock[at]]));
  }

  /** Strokes the lines of a state. */
  function strokeState(state) {
    const on = context;
    on.strokeStyle = colours[STATES[state]];
    on.setLineDash(DASHES[state] ?? []);
    on.lineWidth = WIDTHS[state];
    on.beginPath();
    for (const line of shown.touched) if (shown.lines[4 * line + state] > 0) trace(on, line);
    on.stroke();
    on.setLineDash([]);
  }

  /** Where several wires make a line: how wide it is drawn from which part of them on that is held. */
  const SHARES = [[0, 1, 0.55], [0.1, 1.8, 0.75], [0.35, 3, 0.95]];
  /** Strokes lines of several wires in the colour of the state that most of them are in. */
  function strokeShares() {
    const on = context;
    const groups = Array.from({ length: 4 * SHARES.length }, () => []);
    for (const line of new Set(shown.touched)) {
      let state = 0, held = 0;
      for (let each = 0; each < 4; each++) {
        const wires = shown.lines[4 * line + each];
        held += wires;
        if (wires > shown.lines[4 * line + state]) state = each;
      }
      const share = SHARES.findLastIndex(([least]) => held / lines.wires[line] > least);
      groups[SHARES.length * state + Math.max(0, share)].push(line);
    }
    groups.forEach((group, at) => {
      if (group.length === 0) return;
      const state = Math.floor(at / SHARES.length), [, wide, alpha] = SHARES[at % SHARES.length];
      on.strokeStyle = colours[STATES[state]];
      on.setLineDash(DASHES[state] ?? []);
      on.lineWidth = wide;
      on.globalAlpha = alpha;
      on.beginPath();
      for (const line of group) trace(on, line);
      on.stroke();
    });
    on.globalAlpha = 1;
    on.setLineDash([]);
  }

  function strokeAttempt(at, cycle) {
    const on = context;
    on.beginPath();
    if (attempts.line[at] !== NONE && attempts.launched[at] <= cycle) trace(on, attempts.line[at]);
    for (let hop = attempts.firstHop[at]; hop < attempts.firstHop[at + 1]; hop++) {
      if (hops.line[hop] !== NONE && hops.left[hop] <= cycle && cycle < hops.freed[hop]) trace(on, hops.line[hop]);
    }
    on.lineWidth = 7;
    on.globalAlpha = 0.28;
    on.strokeStyle = colours.ink;
    on.stroke();
    on.globalAlpha = 1;
  }

  function cross(at, reach) {
    context.moveTo(x[at] - reach, y[at] - reach);
    context.lineTo(x[at] + reach, y[at] + reach);
    context.moveTo(x[at] - reach, y[at] + reach);
    context.lineTo(x[at] + reach, y[at] - reach);
  }

  function draw(selection) {
    const on = context, cycle = shown.cycle;
    on.setTransform(1, 0, 0, 1, 0, 0);
    on.drawImage(base, 0, 0);
    on.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (selection?.kind === "message") {
      for (const at of attemptsOfMessage.get(selection.of) ?? []) {
        if (attempts.launched[at] <= cycle && cycle < attempts.over[at]) strokeAttempt(at, cycle);
      }
    }
    if (data.is_single) {
      for (const state of [ANSWER, HELD, HEAD, LOST]) strokeState(state);
      on.fillStyle = colours.ink;
      on.beginPath();
      for (const block of shown.blocks) chip(on, block);
      on.globalAlpha = 0.62;
      on.fill();
      on.globalAlpha = 1;
      drawHeads();
    } else {
      strokeShares();
      drawShares();
    }
    drawCollisions(cycle);
    if (selection) drawSelected(selection);
  }

  /** Fills blocks of several chips as far as they are in use, and what of them rejects. */
  function drawShares() {
    const on = context;
    on.fillStyle = colours.chip;
    on.beginPath();
    for (const block of shown.blocks) chip(on, block);
    on.fill();
    on.strokeStyle = colours["chip-edge"];
    on.lineWidth = 1;
    on.stroke();
    const part = (block, used) => {
      const most = chips[block] * (isNodeRow(rowOfBlock[block]) ? 1 : data.inputs);
      return Math.max(1.5, BLOCK_HEIGHT * Math.min(1, used / most));
    };
    const fill = (blocks, used, colour) => {
      on.fillStyle = colour;
      on.beginPath();
      for (const block of blocks) {
        const tall = part(block, used(block));
        on.rect(x[block] - size / 2, y[block] + BLOCK_HEIGHT / 2 - tall, size, tall);
      }
      on.fill();
    };
    fill(shown.blocks, block => shown.inUse[block], colours.soft);
    const rejecting = new Map();
    for (const at of shown.rejecting) {
      const block = routers.block[attempts.collision[at].router];
      rejecting.set(block, (rejecting.get(block) ?? 0) + 1);
    }
    fill(rejecting.keys(), block => rejecting.get(block), colours.lost);
  }

  /** Heads, on the wires that they are on, or in the router where they have come. */
  function drawHeads() {
    const on = context;
    on.fillStyle = colours.head;
    on.strokeStyle = colours.ground;
    on.lineWidth = 1;
    on.beginPath();
    for (let at = 0; at < shown.heads.length; at += 2) {
      const line = shown.heads[at], block = shown.heads[at + 1];
      if (line === NONE && block === NONE) continue;
      const from = line === NONE ? block : lines.from[line], to = line === NONE ? block : lines.to[line];
      const head = line === NONE ? 0.5 : 0.6;
      const hx = x[from] + (x[to] - x[from]) * head + (line === NONE ? 0 : bends[line] / 2);
      const hy = y[from] + (y[to] - y[from]) * head;
      on.moveTo(hx + 3.2, hy);
      on.arc(hx, hy, 3.2, 0, 2 * Math.PI);
    }
    on.fill();
    on.stroke();
  }

  /** Crosses where something is rejected; where several chips make a block, for a while only. */
  function drawCollisions(cycle) {
    const on = context;
    const seen = shown.rejecting.filter(at => data.is_single || attempts.lost[at] > cycle - 2);
    const blocks = new Set(seen.map(at => routers.block[attempts.collision[at].router]));
    const reach = Math.max(4, size * 0.62);
    for (const [colour, wide] of [[colours.panel, 5], [colours.lost, 2.4]]) {
      on.strokeStyle = colour;
      on.lineWidth = wide;
      on.beginPath();
      for (const block of blocks) cross(block, reach);
      on.stroke();
    }
    on.font = "600 11px system-ui, sans-serif";
    on.textBaseline = "middle";
    on.lineJoin = "round";
    const labels = [];
    for (let at = shown.collisions - 1; at >= 0 && labels.length < LABELS_MAX; at--) {
      const { cycle: since, router } = collisions[at];
      if (since <= cycle - LABEL_CYCLES) break;
      const block = routers.block[router];
      if (!blocks.has(block)) continue;
      const text = `${since}`, wide = 7 * text.length;
      const tx = Math.min(x[block] + reach + 3, width - 6 - wide), ty = y[block] - reach - 3;
      if (labels.some(([ox, oy, over]) => Math.abs(oy - ty) < 11 && tx < ox + over && ox < tx + wide)) continue;
      labels.push([tx, ty, wide]);
      on.strokeStyle = colours.panel;
      on.lineWidth = 3;
      on.strokeText(text, tx, ty);
      on.fillStyle = colours.lost;
      on.fillText(text, tx, ty);
    }
  }

  function drawSelected(selection) {
    const blocks = [];
    if (selection.kind === "router") blocks.push(routers.block[selection.of]);
    if (selection.kind === "block") blocks.push(selection.of);
    if (selection.kind === "node") blocks.push(blockOf(0, selection.of), blockOf(receiverRow, selection.of));
    if (selection.kind === "message") {
      const [first] = attemptsOfMessage.get(selection.of) ?? [];
      if (first !== undefined) blocks.push(blockOf(0, attempts.source[first]), blockOf(receiverRow, attempts.destination[first]));
    }
    context.strokeStyle = colours.accent;
    context.lineWidth = 2.5;
    context.beginPath();
    for (const block of blocks) {
      const reach = Math.max(size, 9) * 0.5 + 4;
      context.rect(x[block] - reach, y[block] - reach, 2 * reach, 2 * reach);
    }
    context.stroke();
  }

  /** The block at a point of the canvas, or none. */
  function blockAt(event) {
    const box = canvas.getBoundingClientRect();
    const px = event.clientX - box.left, py = event.clientY - box.top;
    let best = NONE, nearest = 18 * 18;
    for (let block = 0; block < blockCount; block++) {
      const far = (x[block] - px) ** 2 + (y[block] - py) ** 2;
      if (far < nearest) {
        nearest = far;
        best = block;
      }
    }
    return best;
  }

  /** What a block is called. */
  function nameOf(block) {
    const row = rowOfBlock[block], at = block - firstBlock[row];
    const { name, chips: all, x: places } = data.rows[row];
    const first = Math.ceil(at * all / places.length), last = first + chips[block] - 1;
    if (isNodeRow(row)) return chips[block] === 1 ? `node ${first}` : `nodes ${first} to ${last}`;
    if (data.is_single) return data.router_names[routerOf(block)];
    return `${name}, group ${at} of ${places.length}: ${chips[block]} router${chips[block] === 1 ? "" : "s"}`;
  }

  const routerOf = block => routers.block.indexOf(block);

  function point(event) {
    const block = blockAt(event);
    tip.hidden = block === NONE;
    canvas.style.cursor = block === NONE ? "default" : "pointer";
    if (block === NONE) return;
    tip.textContent = nameOf(block);
    tip.style.left = `${Math.max(0, Math.min(width - tip.offsetWidth, x[block] - tip.offsetWidth / 2))}px`;
    tip.style.top = `${y[block] + (y[block] > 40 ? -34 : 14)}px`;
  }

  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  return { canvas, place, draw, blockAt, nameOf, routerOf, isNodeRow, centre: block => [x[block], y[block]], flush: () => context.getImageData(0, 0, 1, 1) };
})();
