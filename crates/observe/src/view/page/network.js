// The drawing of the network in a cycle. What does not change is drawn once and copied; a cycle adds
// the lines that are held, by state, and what its chips do. With a message selected, its path lies on
// top and the rest is dimmed. A zoom spreads the chips; lines and letters keep their size.

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
  /** Pixels between blocks up to which it can be zoomed, and by how much with a step. */
  const APART_MAX = 130, ZOOM_STEP = 1.5;
  /** Visibility of other traffic when a message is selected. */
  const DIMMED = 0.28;
  let width = 0, height = 0, ratio = 1, left = 0, size = 4, colours = {}, dim = 1;
  /** The zoom across, and where the left edge and the top of the drawing are. Rows are spread less, so that several stay in view. */
  const view = { zoom: 1, x: 0, y: 0 };
  const zoomDown = () => Math.sqrt(view.zoom);
  /** Blocks with their names, as far as there is room. */
  let labels = [], selected = null;
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
  /** Height to which lines within a row are bent, past the chips between their ends. */
  const arcs = new Float64Array(data.line_count);

  const mostBlocks = Math.max(...data.rows.map(row => row.x.length));
  const zoomMax = () => Math.max(3, APART_MAX * mostBlocks / (width - left - 12));

  function clampView() {
    view.zoom = Math.max(1, Math.min(zoomMax(), view.zoom));
    view.x = Math.min(0, Math.max(width * (1 - view.zoom), view.x));
    view.y = Math.min(0, Math.max(height * (1 - zoomDown()), view.y));
    canvas.style.touchAction = view.zoom > 1 ? "none" : "pan-y";
    document.body.dataset.zoom = view.zoom.toFixed(2);
  }

  function place() {
    const box = canvas.parentElement.clientWidth;
    ratio = Math.min(2, window.devicePixelRatio || 1);
    const [wide, tall] = [width, height];
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
    // A zoomed drawing shows the same part in a window of another size.
    if (wide > 0) [view.x, view.y] = [view.x * width / wide, view.y * height / tall];
    clampView();
    const room = inside / mostBlocks * view.zoom;
    size = data.is_single ? Math.max(2.5, Math.min(view.zoom > 1 ? 15 : 11, room * 0.62)) : Math.max(3, Math.min(16, room * 0.78));
    data.rows.forEach((row, at) => {
      row.x.forEach((part, place) => {
        x[firstBlock[at] + place] = (left + part / 10000 * inside) * view.zoom + view.x;
        y[firstBlock[at] + place] = (height - bottom - at * (height - top - bottom) / Math.max(1, rows - 1)) * zoomDown() + view.y;
      });
    });
    for (let line = 0; line < data.line_count; line++) {
      const from = lines.from[line], to = lines.to[line];
      const over = Math.abs(rowOfBlock[from] - rowOfBlock[to]);
      bends[line] = over > 1 ? (0.03 + 0.012 * over) * width * view.zoom * (x[from] + x[to] > (width + left) * view.zoom + 2 * view.x ? -1 : 1) : 0;
      arcs[line] = over === 0 ? Math.min(34, 10 + 0.12 * Math.abs(x[from] - x[to])) * (x[from] < x[to] ? 1 : -1) : 0;
      // The two directions of a wire lie side by side, and so do wires between the same chips.
      const apart = data.is_single ? Math.min(5, 2.6 * Math.sqrt(view.zoom)) : 4;
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
    if (arcs[line] !== 0) on.quadraticCurveTo((x[from] + x[to]) / 2, y[from] - 2 * arcs[line], x[to] + shift, y[to]);
    else if (bends[line] === 0) on.lineTo(x[to] + shift, y[to]);
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
    findLabels();
  }

  /** The name of a block in the drawing: a node's number, as its row says that these are nodes. */
  const shortName = block => isNodeRow(rowOfBlock[block]) ? nameOf(block).replace(/^nodes? /, "").replace(" to ", "–") : data.is_single ? nameOf(block) : "";

  /** Finds the names for which there is room: those of rows in which all fit. */
  function findLabels() {
    labels = [];
    context.font = "11px system-ui, sans-serif";
    data.rows.forEach((row, at) => {
      const first = firstBlock[at], end = firstBlock[at + 1];
      if (y[first] < -20 || y[first] > height + 20) return;
      let room = Infinity;
      for (let block = first + 1; block < end; block++) room = Math.min(room, x[block] - x[block - 1]);
      // All names of a row are about as long as its last one.
      if (context.measureText(shortName(end - 1)).width + 8 > room) return;
      for (let block = first; block < end; block++) {
        const name = x[block] > left - 12 && x[block] < width ? shortName(block) : "";
        if (name) labels.push([block, name, context.measureText(name).width]);
      }
    });
    document.body.dataset.labels = labels.length;
  }

  function halo(text, tx, ty, colour) {
    context.strokeStyle = colours.panel;
    context.lineWidth = 3.5;
    context.strokeText(text, tx, ty);
    context.fillStyle = colour;
    context.fillText(text, tx, ty);
  }

  /** Names of chips, and of rows at the left edge. */
  function drawNames(route) {
    const on = context;
    on.textBaseline = "middle";
    on.lineJoin = "round";
    on.font = "11px system-ui, sans-serif";
    const below = data.is_single ? size / 2 + 8 : BLOCK_HEIGHT / 2 + 8;
    const ofRoute = new Set(route);
    for (const [block, name, wide] of labels) {
      if (!ofRoute.has(block)) halo(name, Math.min(width - wide - 2, x[block] - wide / 2), y[block] + below, colours.soft);
    }
    drawRouteNames(route, below);
    if (view.zoom > 1) {
      on.globalAlpha = 0.86;
      on.fillStyle = colours.panel;
      on.fillRect(0, 0, left - 14, height);
      on.globalAlpha = 1;
    }
    on.font = `${width > 620 ? 12 : 10}px system-ui, sans-serif`;
    on.fillStyle = colours.soft;
    data.rows.forEach((row, at) => on.fillText(row.name, width > 620 ? 8 : 3, y[firstBlock[at]]));
  }

  /** Names of what the selected message passes, beside the chips, where they lie on no other name. */
  function drawRouteNames(route, below) {
    const on = context, taken = [], beside = Math.max(size, 6) / 2 + 6;
    on.font = `600 ${width > 620 ? 11 : 9.5}px system-ui, sans-serif`;
    for (const block of route) {
      const name = isNodeRow(rowOfBlock[block]) || data.is_single ? nameOf(block) : "";
      if (!name || x[block] < left - 12 || x[block] > width) continue;
      const wide = on.measureText(name).width, px = x[block], py = y[block];
      const free = ([tx, ty]) => tx > left - 12 && tx + wide < width - 3 && ty > 6 && ty < height - 5
        && !taken.some(([ox, oy, over]) => Math.abs(oy - ty) < 12 && tx < ox + over + 4 && ox < tx + wide + 4);
      const found = [[px + beside, py], [px - beside - wide, py], [px - wide / 2, py + below + 1], [px - wide / 2, py - below - 1]].find(free);
      if (!found) continue;
      taken.push([...found, wide]);
      halo(name, ...found, colours.ink);
    }
  }

  /** Strokes the lines of a state. */
  function strokeState(state) {
    const on = context;
    on.strokeStyle = colours[STATES[state]];
    on.setLineDash(DASHES[state] ?? []);
    on.lineWidth = WIDTHS[state];
    on.globalAlpha = dim;
    on.beginPath();
    for (const line of shown.touched) if (shown.lines[4 * line + state] > 0) trace(on, line);
    on.stroke();
    on.globalAlpha = 1;
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
      on.globalAlpha = alpha * dim;
      on.beginPath();
      for (const line of group) trace(on, line);
      on.stroke();
    });
    on.globalAlpha = 1;
    on.setLineDash([]);
  }

  /** Strokes lines twice: a broad edge in the colour of the ground, and themselves on it. */
  function strokeOn(lines, colour, wide, dashes) {
    if (lines.length === 0) return;
    const on = context;
    on.lineCap = "round";
    for (const [stroke, thick, pattern] of [[colours.panel, wide + 4, []], [colour, wide, dashes]]) {
      on.strokeStyle = stroke;
      on.lineWidth = thick;
      on.setLineDash(pattern);
      on.beginPath();
      for (const line of lines) trace(on, line);
      on.stroke();
    }
    on.lineCap = "butt";
    on.setLineDash([]);
  }

  /** The attempt of a message that a cycle is about: the one under way, else the one before, else the first. */
  function attemptAt(message, cycle) {
    let found = NONE;
    for (const at of attemptsOfMessage.get(message) ?? []) {
      if (found === NONE || attempts.launched[at] <= cycle) found = at;
    }
    return found;
  }

  /** The route of an attempt: all lines that it takes, and the chips that it passes, from the source on. */
  function routeOf(at) {
    const found = { lines: [], blocks: [blockOf(0, attempts.source[at])] };
    const take = line => { if (line !== NONE) found.lines.push(line); };
    take(attempts.line[at]);
    for (let hop = attempts.firstHop[at]; hop < attempts.firstHop[at + 1]; hop++) {
      take(hops.line[hop]);
      found.blocks.push(routers.block[hops.router[hop]]);
    }
    found.blocks.push(blockOf(receiverRow, attempts.destination[at]));
    return found;
  }

  /** The path of an attempt: its route thin, and on it thick what it holds in the cycle, in the colour of its state. */
  function drawPath(at, cycle) {
    const { lines: route, blocks } = routeOf(at), on = context;
    strokeOn(route, colours.accent, 2, [3, 4]);
    const held = [];
    if (attempts.line[at] !== NONE && attempts.launched[at] <= cycle && cycle < sourceFreed(at)) held.push(attempts.line[at]);
    for (let hop = attempts.firstHop[at]; hop < attempts.firstHop[at + 1]; hop++) {
      if (hops.line[hop] !== NONE && hops.left[hop] <= cycle && cycle < hops.freed[hop]) held.push(hops.line[hop]);
    }
    const state = stateOf(at, cycle);
    strokeOn(held, colours[STATES[state]], 5.5, state === LOST ? [7, 6] : []);
    on.beginPath();
    for (const block of blocks) {
      const half = Math.max(size, 6) / 2;
      if (data.is_single) on.rect(x[block] - half, y[block] - half, 2 * half, 2 * half);
      else chip(on, block);
    }
    on.fillStyle = colours.ink;
    on.strokeStyle = colours.panel;
    on.lineWidth = 1.5;
    on.stroke();
    on.fill();
    document.body.dataset.path = `${held.length} of ${route.length}`;
    return blocks;
  }

  function cross(at, reach) {
    context.moveTo(x[at] - reach, y[at] - reach);
    context.lineTo(x[at] + reach, y[at] + reach);
    context.moveTo(x[at] - reach, y[at] + reach);
    context.lineTo(x[at] + reach, y[at] - reach);
  }

  /** Draws the cycle that is shown; a collision of it may be marked. */
  function draw(selection, marked) {
    const on = context, cycle = shown.cycle;
    selected = selection;
    on.setTransform(1, 0, 0, 1, 0, 0);
    on.drawImage(base, 0, 0);
    on.setTransform(ratio, 0, 0, ratio, 0, 0);
    const own = selection?.kind === "message" ? attemptAt(selection.of, cycle) : NONE;
    dim = own === NONE ? 1 : DIMMED;
    delete document.body.dataset.path;
    if (data.is_single) {
      for (const state of [ANSWER, HELD, HEAD, LOST]) strokeState(state);
      on.fillStyle = colours.ink;
      on.beginPath();
      for (const block of shown.blocks) chip(on, block);
      on.globalAlpha = 0.62 * dim;
      on.fill();
      on.globalAlpha = dim;
      drawHeads(NONE);
    } else {
      strokeShares();
      on.globalAlpha = dim;
      drawShares();
    }
    on.globalAlpha = dim;
    drawCollisions(cycle, NONE);
    on.globalAlpha = 1;
    const route = own === NONE ? [] : drawPath(own, cycle);
    if (own !== NONE && data.is_single) drawHeads(own);
    if (own !== NONE) drawCollisions(cycle, own);
    drawNames(route);
    if (selection) drawSelected(selection);
    if (marked) drawMarked(marked.router);
  }

  /** A ring around the router of a collision. */
  function drawMarked(router) {
    const block = routers.block[router];
    context.strokeStyle = colours.lost;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(x[block], y[block], Math.max(size, 9) + 4, 0, 2 * Math.PI);
    context.stroke();
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

  /** Heads, on the wires that they are on, or in the router where they have come: all, or that of an attempt. */
  function drawHeads(own) {
    const on = context;
    on.fillStyle = colours.head;
    on.strokeStyle = colours.ground;
    on.lineWidth = 1;
    on.beginPath();
    const reach = own === NONE ? 3.2 : 5;
    for (let at = 0; at < shown.heads.length; at += 3) {
      const line = shown.heads[at], block = shown.heads[at + 1];
      if (own !== NONE && shown.heads[at + 2] !== own) continue;
      if (line === NONE && block === NONE) continue;
      const from = line === NONE ? block : lines.from[line], to = line === NONE ? block : lines.to[line];
      const head = line === NONE ? 0.5 : 0.6;
      const hx = x[from] + (x[to] - x[from]) * head + (line === NONE ? 0 : bends[line] / 2);
      const hy = y[from] + (y[to] - y[from]) * head - (line === NONE ? 0 : arcs[line]);
      on.moveTo(hx + reach, hy);
      on.arc(hx, hy, reach, 0, 2 * Math.PI);
    }
    on.fill();
    on.stroke();
  }

  /** Crosses where something is rejected, all or that of an attempt; where several chips make a block, for a while only. */
  function drawCollisions(cycle, own) {
    const on = context;
    const seen = shown.rejecting.filter(at => own === NONE ? data.is_single || attempts.lost[at] > cycle - 2 : at === own);
    if (seen.length === 0) return;
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
    const told = [];
    for (let at = shown.collisions - 1; at >= 0 && told.length < LABELS_MAX; at--) {
      const { cycle: since, router, attempt } = collisions[at];
      if (own !== NONE && attempt !== own) continue;
      if (since <= cycle - LABEL_CYCLES) break;
      const block = routers.block[router];
      if (!blocks.has(block)) continue;
      const text = `${since}`, wide = 7 * text.length;
      const tx = Math.min(x[block] + reach + 3, width - 6 - wide), ty = y[block] - reach - 3;
      if (told.some(([ox, oy, over]) => Math.abs(oy - ty) < 11 && tx < ox + over && ox < tx + wide)) continue;
      told.push([tx, ty, wide]);
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
      if (first !== undefined) blocks.push(blockOf(0, attempts.source[first]), blockOf(receiverRow, Math.min(attempts.destination[first], data.nodes - 1)));
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
    return `${name}, group ${at + 1} of ${places.length}: ${chips[block]} router${chips[block] === 1 ? "" : "s"}`;
  }

  const routerOf = block => routers.block.indexOf(block);

  function point(event) {
    const block = blockAt(event);
    tip.hidden = block === NONE;
    canvas.style.cursor = block !== NONE ? "pointer" : view.zoom > 1 ? "grab" : "default";
    if (block === NONE) return;
    tip.textContent = nameOf(block);
    document.body.dataset.tip = tip.textContent;
    tip.style.left = `${Math.max(0, Math.min(width - tip.offsetWidth, x[block] - tip.offsetWidth / 2))}px`;
    tip.style.top = `${y[block] + (y[block] > 40 ? -34 : 14)}px`;
  }

  /** Place of the selection in the drawing: of a message the last chip that its head has come to; else the middle. */
  function focus() {
    let block = selected?.kind === "router" ? routers.block[selected.of] : selected?.kind === "block" ? selected.of : selected?.kind === "node" ? blockOf(0, selected.of) : NONE;
    const own = selected?.kind === "message" ? attemptAt(selected.of, shown.cycle) : NONE;
    if (own !== NONE) {
      block = blockOf(0, attempts.source[own]);
      for (let hop = attempts.firstHop[own]; hop < attempts.firstHop[own + 1]; hop++) if (hops.arrived[hop] <= shown.cycle) block = routers.block[hops.router[hop]];
    }
    const isSeen = block !== NONE && x[block] >= left - 12 && x[block] <= width && y[block] >= 0 && y[block] <= height;
    return isSeen ? [x[block], y[block]] : [width / 2, height / 2];
  }

  /** Zooms by a factor about a point of the drawing, or about the selection. */
  function zoomBy(factor, [px, py] = focus()) {
    const { zoom } = view, down = zoomDown();
    view.zoom = Math.max(1, Math.min(zoomMax(), zoom * factor));
    view.x = px - (px - view.x) * view.zoom / zoom;
    view.y = py - (py - view.y) * zoomDown() / down;
    changed();
  }
  function moveBy(dx, dy) {
    view.x += dx;
    view.y += dy;
    changed();
  }
  function fit() {
    Object.assign(view, { zoom: 1, x: 0, y: 0 });
    changed();
  }

  let onChange = () => {}, isDue = false;
  /** Places everything again, once for a frame. */
  function changed() {
    clampView();
    tip.hidden = true;
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      place();
      onChange();
    });
  }

  const pointOf = event => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  /** Pointers that are down, with their last points; and how far they have been dragged. */
  const pointers = new Map();
  let dragged = 0;
  canvas.addEventListener("wheel", event => {
    // Where there is nothing to zoom out of, the page scrolls.
    if (event.deltaY > 0 && view.zoom === 1) return;
    event.preventDefault();
    zoomBy(Math.exp(-Math.max(-240, Math.min(240, event.deltaY)) / 400), pointOf(event));
  }, { passive: false });
  canvas.addEventListener("pointerdown", event => {
    if (pointers.size === 0) dragged = 0;
    pointers.set(event.pointerId, pointOf(event));
  });
  canvas.addEventListener("pointermove", event => {
    const before = pointers.get(event.pointerId);
    if (!before) return point(event);
    const now = pointOf(event), [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    pointers.set(event.pointerId, now);
    dragged += Math.hypot(dx, dy);
    // An event of a script has no pointer that could be captured.
    if (dragged > 4 && event.isTrusted) canvas.setPointerCapture(event.pointerId);
    if (pointers.size === 2) {
      const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      const span = ([ax, ay]) => Math.max(20, Math.hypot(ax - other[0], ay - other[1]));
      zoomBy(span(now) / span(before), [(now[0] + other[0]) / 2, (now[1] + other[1]) / 2]);
    }
    if (dragged > 4 && view.zoom > 1) moveBy(dx / pointers.size, dy / pointers.size);
  });
  for (const over of ["pointerup", "pointercancel"]) canvas.addEventListener(over, event => pointers.delete(event.pointerId));
  canvas.addEventListener("pointerleave", event => {
    if (!canvas.hasPointerCapture(event.pointerId)) pointers.delete(event.pointerId);
    tip.hidden = true;
  });
  return {
    canvas, place, draw, blockAt, nameOf, routerOf, isNodeRow, attemptAt, fit, zoomIn: () => zoomBy(ZOOM_STEP), zoomOut: () => zoomBy(1 / ZOOM_STEP),
    wasDragged: () => dragged > 4, whenChanged: act => { onChange = act; },
    centre: block => [x[block], y[block]], flush: () => context.getImageData(0, 0, 1, 1),
  };
})();
