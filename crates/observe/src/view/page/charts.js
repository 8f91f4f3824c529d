// Charts of all cycles of the page: how many messages took how long and where their cycles went, and
// heat maps of collisions and of wires in use, whose columns are spans of cycles.

const charts = (() => {
  const COLUMNS_MAX = 360;
  // Colours of heat maps go by the root of the value, so that little is seen beside much.
  const STOPS = [0, 0.25, 0.5, 0.75, 1];
  const span = data.last_cycle - data.first_cycle + 1;
  const cyclesOfColumn = Math.max(1, Math.ceil(span / COLUMNS_MAX));
  const columns = Math.ceil(span / cyclesOfColumn);
  const columnOf = cycle => Math.floor((cycle - data.first_cycle) / cyclesOfColumn);
  const byId = id => document.getElementById(id);
  const shortened = value => value >= 100 ? Math.round(value) : Math.round(10 * value) / 10;

  /** Adds the cycles of an interval to the columns of a row. */
  function spread(row, from, to) {
    const first = Math.max(from, data.first_cycle), end = Math.min(to, data.last_cycle + 1);
    for (let column = columnOf(first); first < end && column <= columnOf(end - 1); column++) {
      const begin = data.first_cycle + column * cyclesOfColumn;
      row[column] += Math.min(end, begin + cyclesOfColumn) - Math.max(first, begin);
    }
  }

  const inUse = classes.map(() => new Float64Array(columns));
  for (let at = 0; at < count; at++) spread(inUse[attempts.wireClass[at]], attempts.launched[at], sourceFreed(at));
  for (let hop = 0; hop < hops.router.length; hop++) {
    if (hops.wireClass[hop] !== NONE) spread(inUse[hops.wireClass[hop]], hops.left[hop], hops.freed[hop]);
  }
  const clashes = data.leads.map(() => new Float64Array(columns));
  for (const { cycle, router } of collisions) clashes[routers.rank[router]][columnOf(cycle)]++;
  const cyclesIn = column => Math.min(cyclesOfColumn, span - column * cyclesOfColumn);

  function histogram() {
    const place = byId("histogram"), done = messages.map(message => message.latency).sort((one, other) => one - other);
    if (!done.length) {
      place.innerHTML = "<p>No message was acknowledged in these cycles.</p>";
      return;
    }
    const least = done[0], most = done[done.length - 1], bins = Math.min(40, most - least + 1);
    const wide = Math.ceil((most - least + 1) / bins), counts = new Array(Math.ceil((most - least + 1) / wide)).fill(0);
    for (const latency of done) counts[Math.floor((latency - least) / wide)]++;
    const top = Math.max(...counts), W = Math.max(280, place.clientWidth), H = 160, base = H - 20, left = 34, step = (W - left - 4) / counts.length;
    const bars = counts.map((each, bin) => each === 0 ? "" : `<rect class="held" x="${left + bin * step + 0.5}" y="${base - each / top * (base - 12)}" width="${Math.max(1, step - 1)}" height="${each / top * (base - 12)}"><title>${least + bin * wide} to ${least + (bin + 1) * wide - 1} cycles: ${each} messages</title></rect>`);
    const quantile = part => done[Math.min(done.length - 1, Math.floor(part * done.length))];
    const mean = done.reduce((sum, latency) => sum + latency, 0) / done.length;
    place.innerHTML = `<svg viewBox="0 0 ${W} ${H}" role="img" aria-label="Histogram of latencies">${bars.join("")}
      <line class="rule" x1="${left}" x2="${W}" y1="${base}" y2="${base}"/><text x="${left - 5}" y="17" text-anchor="end">${top}</text><text x="${left - 5}" y="${base}" text-anchor="end">0</text>
      <text x="${left}" y="${H - 5}">${least}</text><text x="${W - 4}" y="${H - 5}" text-anchor="end">${least + counts.length * wide - 1}</text></svg>
      <p class="scale">${done.length} messages; mean ${shortened(mean)}, median ${quantile(0.5)}, 95 % up to ${quantile(0.95)}, longest ${most}</p>`;
  }

  function breakdown() {
    const known = messages.filter(message => message.parts);
    const place = byId("breakdown");
    if (!known.length) {
      place.innerHTML = "<p>No message's route is known in these cycles.</p>";
      return;
    }
    const means = PARTS.map((_, part) => known.reduce((sum, message) => sum + message.parts[part], 0) / known.length);
    place.innerHTML = details.parts(means, means.reduce((sum, mean) => sum + mean, 0), mean => mean.toFixed(1));
  }

  /** A heat map of rows with names, from 0 to a largest value. */
  function heat(id, rows, colour, unit) {
    const largest = Math.max(...rows.flatMap(row => [...row.values].map((value, column) => value / (row.per * cyclesIn(column)))), 1e-9);
    const place = byId(id);
    place.innerHTML = `<div class="heat"><div class="names">${rows.map(row => `<span>${details.escape(row.name)}</span>`).join("")}</div>
      <div class="plot" style="height:${Math.max(44, 15 * rows.length)}px"><canvas width="${columns}" height="${rows.length}" role="img" aria-label="${details.escape(unit)}"></canvas><div class="mark"></div></div>
      <div class="axis"><span>${data.first_cycle}</span><span>cycle</span><span>${data.last_cycle}</span></div></div>
      <p class="scale">0<span class="ramp" style="background:linear-gradient(90deg, ${STOPS.map(part => `color-mix(in srgb, rgb(var(--${colour})) ${100 * part}%, rgb(var(--scale-0))) ${100 * part * part}%`).join(", ")})"></span>${unit(largest)}<span class="under"></span></p>`;
    const plot = place.querySelector(".plot"), canvas = place.querySelector("canvas");
    const paint = () => {
      const style = getComputedStyle(document.documentElement), parse = name => style.getPropertyValue(name).split(",").map(Number);
      const low = parse("--scale-0"), high = parse(`--${colour}`), context = canvas.getContext("2d");
      const image = context.createImageData(columns, rows.length);
      rows.forEach((row, at) => row.values.forEach((value, column) => {
        const part = Math.sqrt(value / (row.per * cyclesIn(column)) / largest);
        for (let channel = 0; channel < 3; channel++) image.data[4 * (at * columns + column) + channel] = low[channel] + (high[channel] - low[channel]) * part;
        image.data[4 * (at * columns + column) + 3] = 255;
      }));
      context.putImageData(image, 0, 0);
    };
    const spot = event => {
      const box = plot.getBoundingClientRect();
      const column = Math.max(0, Math.min(columns - 1, Math.floor((event.clientX - box.left) / box.width * columns)));
      return [column, Math.max(0, Math.min(rows.length - 1, Math.floor((event.clientY - box.top) / box.height * rows.length)))];
    };
    plot.addEventListener("pointermove", event => {
      const [column, at] = spot(event), begin = data.first_cycle + column * cyclesOfColumn;
      const value = rows[at].values[column] / (rows[at].per * cyclesIn(column));
      place.querySelector(".under").textContent = ` · ${rows[at].name}, cycles ${begin} to ${begin + cyclesIn(column) - 1}: ${unit(value)}`;
    });
    plot.addEventListener("click", event => {
      const [column] = spot(event);
      page.moveTo(data.first_cycle + column * cyclesOfColumn);
    });
    return { paint, mark: place.querySelector(".mark") };
  }

  const rowName = row => data.rows[row].name;
  // From the highest level down, as the drawing has them.
  const order = classes.map((_, at) => at).sort((one, other) => classes[other].from - classes[one].from || classes[other].to - classes[one].to);
  let maps = [];
  function start() {
    histogram();
    breakdown();
    const levels = clashes.map((values, rank) => ({ name: rowName(rank + 1), values, per: 1 })).reverse();
    const wires = order.map(at => ({ name: `${rowName(classes[at].from)} → ${rowName(classes[at].to)}`, values: inUse[at], per: Math.max(1, classes[at].wires) }));
    maps = [
      heat("collisions", levels, "clash", value => `${shortened(value)} collisions a cycle`),
      heat("use", wires, "use", value => `${shortened(100 * value)} % of the wires`),
    ];
    paint();
  }

  /** How much of the network is held over time, and where collisions are. */
  function activity() {
    const canvas = byId("activity"), ratio = Math.min(2, window.devicePixelRatio || 1);
    const wide = canvas.clientWidth, tall = canvas.clientHeight, style = getComputedStyle(document.documentElement);
    canvas.width = Math.round(wide * ratio);
    canvas.height = Math.round(tall * ratio);
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const held = new Float64Array(columns), lost = new Float64Array(columns);
    for (const row of inUse) row.forEach((value, column) => { held[column] += value / cyclesIn(column); });
    for (const row of clashes) row.forEach((value, column) => { lost[column] += value / cyclesIn(column); });
    const most = Math.max(...held, 1e-9), mostLost = Math.max(...lost, 1e-9), step = wide / columns;
    const draw = (values, top, colour, alpha, reach) => {
      context.fillStyle = style.getPropertyValue(colour);
      context.globalAlpha = alpha;
      context.beginPath();
      values.forEach((value, column) => context.rect(column * step, tall - 6 - reach * value / top, Math.max(step, 0.7), reach * value / top));
      context.fill();
    };
    draw(held, most, "--held", 0.35, tall - 8);
    draw(lost, mostLost, "--lost", 0.9, 10);
  }

  function paint() {
    for (const map of maps) map.paint();
    activity();
  }

  function mark(cycle) {
    const part = 100 * (columnOf(cycle) + 0.5) / columns;
    for (const map of maps) map.mark.style.left = `${part}%`;
  }

  return { start, paint, mark };
})();
