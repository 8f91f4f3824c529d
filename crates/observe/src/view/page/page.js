// The state of the page: the cycle, what is selected, whether it plays. The address has the first two
// (#cycle=120&message=5; router, node and block likewise), and attributes of the body show what is
// seen: with `holds` in the address, every output that is held, and with `measure`, how long frames take.

const page = (() => {
  const body = document.body;
  const byId = id => document.getElementById(id);
  const slider = byId("slider"), number = byId("number"), what = byId("what"), filter = byId("filter");
  const LIST_MAX = 100;
  const { first_cycle: first, last_cycle: last } = data;
  const clamped = to => Math.max(first, Math.min(last, Math.round(to) || 0));
  // The page opens where something moves.
  let cycle = clamped(count ? attempts.launched[0] : first), selection = null, marked = null, playing = false, listsHolds = false, drawnWidth = 0;
  window.addEventListener("error", event => { body.dataset.error = event.message; });

  /** Draws the cycle: what moves with every frame, and unless it plays what is slow to read too. */
  function draw() {
    show(cycle, listsHolds);
    if (marked?.cycle !== cycle) marked = null;
    network.draw(selection, marked);
    slider.value = cycle;
    slider.setAttribute("aria-valuetext", `cycle ${cycle}`);
    if (document.activeElement !== number || playing) number.value = cycle;
    counts();
    charts.mark(cycle);
    if (selection) details.draw(selection, cycle);
    if (!playing && filter.value === "now") list();
    Object.assign(body.dataset, {
      cycle, held: shown.held, underWay: shown.underWay, rejecting: shown.rejecting.length,
      messagesAcknowledged: shown.acknowledged, collisions: shown.collisions,
    });
    if (listsHolds) body.dataset.holds = [...shown.holds].sort().join(" ");
  }

  const cells = {};
  function startCounts() {
    const rows = isPackets
      ? [["underWay", "packets under way"], ["held", "outputs held"], ["rejecting", "losses"], ["collisions", "losses so far"], ["acknowledged", "messages delivered"]]
      : [["underWay", "attempts under way"], ["held", "outputs held"], ["rejecting", "inputs rejecting"], ["collisions", "collisions so far"], ["acknowledged", "messages acknowledged"]];
    byId("counts").innerHTML = rows.map(([name, told]) => `<li><b data-of="${name}"></b> ${told}</li>`).join("");
    for (const cell of document.querySelectorAll("[data-of]")) cells[cell.dataset.of] = cell;
  }
  function counts() {
    for (const name in cells) cells[name].textContent = name === "rejecting" ? shown.rejecting.length : shown[name];
  }

  function moveTo(to) {
    cycle = clamped(to);
    draw();
    remember();
  }

  let due = 0;
  /** Keeps the address, once nothing has changed for a while. */
  function remember() {
    clearTimeout(due);
    due = setTimeout(() => {
      const chosen = selection ? `&${selection.kind}=${selection.kind === "router" ? data.router_names[selection.of] : selection.of}` : "";
      try { history.replaceState(null, "", `#cycle=${cycle}${chosen}`); } catch { /* A page that is framed may have no say in its address. */ }
    }, 250);
  }

  function select(next) {
    selection = next;
    details.draw(selection, cycle);
    network.draw(selection, marked);
    body.dataset.selection = selection ? `${selection.kind} ${selection.kind === "router" ? data.router_names[selection.of] : selection.of}` : "";
    remember();
  }

  /** What a text names: a message, a node or a router. */
  function find(text) {
    const [, kind, of] = /^\s*(message|node|)[\s_]*(\d+)\s*$/i.exec(text) ?? [];
    if (of !== undefined) {
      const is = (kind || "message").toLowerCase();
      if (is === "node") return +of < data.nodes ? { kind: "node", of: +of } : null;
      return { kind: "message", of: +of };
    }
    const router = routerByName.get(text.trim());
    return router === undefined ? null : { kind: "router", of: router };
  }

  function selectBlock(block) {
    const row = rowOfBlock[block], single = data.rows[row].chips === data.rows[row].x.length;
    if (single && network.isNodeRow(row)) select({ kind: "node", of: block - firstBlock[row] });
    else if (single && network.routerOf(block) >= 0) select({ kind: "router", of: network.routerOf(block) });
    else select({ kind: "block", of: block });
  }

  function play(now) {
    playing = now ?? !playing;
    if (playing && cycle === last) cycle = first;
    body.classList.toggle("is-playing", playing);
    byId("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    let before = performance.now(), owed = 0;
    const frame = time => {
      if (!playing) return;
      owed += Math.min(0.25, (time - before) / 1000) * +byId("rate").value;
      before = time;
      const steps = Math.floor(owed);
      if (steps > 0) {
        owed -= steps;
        cycle = clamped(pastSilence(cycle + steps));
        draw();
      }
      if (cycle >= last) play(false);
      else requestAnimationFrame(frame);
    };
    if (playing) requestAnimationFrame(frame);
    else moveTo(cycle);
  }

  /** The cycle, or where nothing is to be seen for long, the next launch. */
  function pastSilence(from) {
    if (shown.underWay > 0 || shown.held > 0) return from;
    const next = notAbove(attempts.launched, from - 1);
    return next < count && attempts.launched[next] > from + 8 ? attempts.launched[next] - 2 : from;
  }

  function toCollision(back) {
    const at = back ? notAbove(collisionCycles, cycle - 1) - 1 : notAbove(collisionCycles, cycle);
    if (at < 0 || at >= collisions.length) return;
    marked = collisions[at];
    moveTo(marked.cycle);
    body.dataset.marked = `${at + 1} of ${collisions.length}`;
    // A message or node that is looked at stays so; the ring shows where they collide.
    const stays = selection?.kind === "message" || selection?.kind === "node";
    if (!stays) select({ kind: "router", of: marked.router });
  }

  /** The table of messages. */
  function list() {
    let chosen;
    if (filter.value === "now") {
      const now = around(cycle).filter(at => attempts.launched[at] <= cycle && cycle < attempts.told[at]);
      now.sort((one, other) => attempts.message[one] - attempts.message[other]);
      chosen = now.map(at => [attempts.message[at], at]);
    } else {
      const sorted = [...messages];
      if (filter.value === "slow") sorted.sort((one, other) => other.latency - one.latency || one.id - other.id);
      if (filter.value === "many") sorted.sort((one, other) => other.attempts - one.attempts || one.id - other.id);
      chosen = sorted.map(message => [message.id, undefined]);
    }
    const end = Math.max(0, chosen.length - LIST_MAX);
    listFirst = Math.max(0, Math.min(end, listFirst));
    const rows = chosen.slice(listFirst, listFirst + LIST_MAX).map(([id, at]) => [id, at ?? (attemptsOfMessage.get(id) ?? []).at(-1)]);
    const cell = value => `<td>${value ?? ""}</td>`;
    byId("messages").tBodies[0].innerHTML = rows.map(([id, at]) => {
      const message = messageById.get(id);
      const number = filter.value === "now" ? attempts.number[at] : message.attempts;
      return `<tr>${cell(details.messageLink(id))}${cell(details.nodeLink(message?.source ?? attempts.source[at]))}${cell(details.nodeLink(message?.destination ?? attempts.destination[at]))}${cell(number)}${cell(at === undefined ? "" : details.go(attempts.launched[at]))}${cell(message && details.go(message.acknowledged))}${cell(message?.latency)}</tr>`;
    }).join("");
    const turn = (to, text) => `<button class="turn" data-rows="${to}"${Math.max(0, Math.min(end, to)) === listFirst ? " disabled" : ""}>${text}</button>`;
    const told = chosen.length === 0 ? "None." : `${listFirst + 1} to ${listFirst + rows.length} of ${chosen.length}`;
    byId("more").innerHTML = end === 0 ? chosen.length === 0 ? told : "" : `${turn(listFirst - LIST_MAX, "before")}<span>${told}</span>${turn(listFirst + LIST_MAX, "next")}`;
  }
  let listFirst = 0;

  /** Links to cycles, messages, nodes and routers, wherever they stand. */
  function follow(event) {
    const { cycle: to, message, node, router, list: part, rows } = event.target.closest(".go, .turn, g[data-message]")?.dataset ?? {};
    if (part !== undefined) {
      details.turn(event.target.closest(".turn").dataset);
      details.draw(selection, cycle);
    } else if (rows !== undefined) {
      listFirst = +rows;
      list();
    } else if (message !== undefined) select({ kind: "message", of: +message });
    else if (node !== undefined) select({ kind: "node", of: +node });
    else if (router !== undefined) select({ kind: "router", of: +router });
    else if (to !== undefined) moveTo(+to);
  }

  function press(event) {
    const typing = event.target.matches("input:not([type=range]), select");
    if (event.ctrlKey || event.metaKey || event.altKey || (typing && event.key !== "Escape")) return;
    const far = event.shiftKey ? 10 : 1;
    const onButton = event.target.matches("button, summary");
    const keys = {
      ArrowLeft: () => moveTo(cycle - far), ArrowRight: () => moveTo(cycle + far),
      Home: () => moveTo(first), End: () => moveTo(last),
      " ": onButton ? null : () => play(), c: () => toCollision(false), C: () => toCollision(true),
      "+": network.zoomIn, "=": network.zoomIn, "-": network.zoomOut, 0: network.fit,
      "/": () => what.focus(), Escape: () => { event.target.blur?.(); select(null); },
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** Takes in the address. */
  function arrive() {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (asked.has("cycle")) cycle = clamped(+asked.get("cycle"));
    listsHolds = asked.has("holds");
    for (const kind of ["message", "node"]) if (asked.has(kind)) selection = find(`${kind} ${asked.get(kind)}`);
    if (asked.has("router")) selection = find(asked.get("router"));
    if (asked.has("block")) selection = +asked.get("block") < blockCount ? { kind: "block", of: +asked.get("block") } : null;
    draw();
    select(selection);
    if (asked.has("measure")) measure();
  }

  /** Draws all cycles, up to some thousands, one after the other; each is waited for. */
  function measure() {
    const from = cycle, end = Math.min(last, first + 4000);
    playing = true;
    network.flush();
    const began = performance.now();
    for (cycle = first; cycle <= end; cycle++) {
      draw();
      network.flush();
    }
    body.dataset.frameMilliseconds = ((performance.now() - began) / (end - first + 1)).toFixed(3);
    body.dataset.frames = end - first + 1;
    playing = false;
    moveTo(from);
  }

  function start() {
    byId("title").textContent = data.title;
    const why = { end: "the run ends there", window: "the run goes on after it", full: "more hops do not fit the page", interrupted: "the run was interrupted there" };
    body.classList.toggle("draws-groups", !data.is_single);
    byId("told").textContent = `cycles ${first} to ${last} (${why[data.cut]}): ${count} ${PART}s, ${messages.length} messages ${isPackets ? "delivered" : "acknowledged"}, ${collisions.length} ${isPackets ? "losses" : "collisions"}; ${data.router_count} routers`;
    // What lines and marks mean where messages are packets; null is left out.
    const legends = { words: ["packet on a wire", null, null, null, "loss", "route of the selected message", "where a packet is"], flits: ["head on its way", "its flits follow", null, null, null] };
    (legends[data.carried] ?? []).forEach((text, at) => {
      const item = byId("legend").children[at];
      item.hidden = text === null;
      item.lastChild.textContent = text;
    });
    byId("facts").querySelector("dl").innerHTML = data.facts.map(([name, value]) => `<dt>${details.escape(name)}</dt><dd>${details.escape(value)}</dd>`).join("");
    byId("known").innerHTML = data.router_names.slice(0, 4000).map(name => `<option value="${details.escape(name)}">`).join("");
    for (const input of [slider, number]) Object.assign(input, { min: first, max: last });
    startCounts();
    details.draw(null, cycle);
    network.place();
    charts.start();
    list();

    slider.addEventListener("input", () => moveTo(+slider.value));
    number.addEventListener("change", () => moveTo(+number.value));
    byId("back").addEventListener("click", event => moveTo(cycle - (event.shiftKey ? 10 : 1)));
    byId("forward").addEventListener("click", event => moveTo(cycle + (event.shiftKey ? 10 : 1)));
    byId("play").addEventListener("click", () => play());
    byId("next-collision").addEventListener("click", event => toCollision(event.shiftKey));
    filter.addEventListener("change", () => {
      listFirst = 0;
      list();
    });
    byId("zoom-in").addEventListener("click", network.zoomIn);
    byId("zoom-out").addEventListener("click", network.zoomOut);
    byId("fit").addEventListener("click", network.fit);
    network.whenChanged(() => network.draw(selection, marked));
    byId("find").addEventListener("submit", event => {
      event.preventDefault();
      const found = find(what.value);
      what.setCustomValidity(found ? "" : "no such message, node or router");
      what.reportValidity();
      if (found) select(found);
    });
    what.addEventListener("input", () => what.setCustomValidity(""));
    network.canvas.addEventListener("click", event => {
      if (network.wasDragged()) return;
      const block = network.blockAt(event);
      if (block === NONE) select(null); else selectBlock(block);
    });
    document.addEventListener("click", follow);
    document.addEventListener("keydown", press);
    window.addEventListener("hashchange", arrive);
    const again = () => { network.place(); charts.paint(); network.draw(selection, marked); report(); };
    const frame = network.canvas.parentElement;
    new ResizeObserver(() => requestAnimationFrame(() => {
      if (frame.clientWidth === drawnWidth) return;
      drawnWidth = frame.clientWidth;
      again();
    })).observe(frame);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
    drawnWidth = frame.clientWidth;
    arrive();
    report();
  }

  /** What the window makes of the page. */
  function report() {
    body.dataset.overflow = Math.max(0, document.documentElement.scrollWidth - window.innerWidth);
    body.dataset.dark = matchMedia("(prefers-color-scheme: dark)").matches;
  }

  return { start, moveTo };
})();
page.start();
