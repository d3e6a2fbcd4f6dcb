// Charts of results: bars with their spread, bars of phases, curves with values under the pointer.
import { drawn, element, shown, three } from "./base.js";

// Told apart by color-blind readers, on light and on dark paper.
const kColors = ["#0a7abf", "#d9730d", "#1f9e6d", "#c2458f", "#7a6fd0", "#a07d00", "#3fb0c9", "#c0392b"];
const kDashes = ["", "7 3", "2 3", "9 3 2 3"];

/** How the series of a number looks: { color, dash }. */
export const lookOf = (n) => ({ color: kColors[n % kColors.length], dash: kDashes[Math.floor(n / kColors.length) % kDashes.length] });
export const roleColor = (role) => (role === 8 ? "var(--bar)" : kColors[[6, 5, 0, 1, 3, 2, 4, 7][role]]);

const kTooMuch = 50;  // on a linear axis the largest value hides the smallest

const spans = (values) => {
  const above = values.filter((value) => value > 0);
  return above.length === values.length && above.length > 1 && Math.max(...above) > kTooMuch * Math.min(...above);
};

function figure(title, note, ...children) {
  return element("figure", { class: "chart" }, element("figcaption", {}, element("h3", { text: title }), element("p", { class: "note", text: note })), ...children);
}

/** `rows`: { name, value, low, high, single } of algorithms; `floor`: { name, value } or null; `unit` of values. */
export function bars({ title, note, rows, floor, unit, axis }) {
  const sorted = [...rows].sort((a, b) => a.value - b.value), hasFactors = !rows.some(({ single }) => single);
  const values = sorted.map(({ value }) => value), best = values[0];
  const log = axis === "log" || (axis === "auto" && spans(values));
  const most = 1.04 * Math.max(...values, floor?.value ?? 0) || 1;
  const least = 10 ** Math.floor(Math.log10(Math.min(...values.filter((value) => value > 0), floor?.value || Infinity)) - 0.05);
  const share = (value) => 100 * Math.min(Math.max(log ? Math.log(value / least) / Math.log(most / least) : value / most, 0), 1);
  const grid = element("div", { class: log ? "bars dots" : "bars", role: "list" });
  for (const { name, value, low, high } of sorted) {
    const track = element("span", { class: "track" }, element("span", { class: value === best ? "fill best" : "fill", style: `width:${share(value)}%` }));
    if (low != null && high > low) track.append(element("span", { class: "spread", style: `left:${share(low)}%;width:${share(high) - share(low)}%` }));
    if (floor) track.append(element("span", { class: "floor", style: `left:${share(floor.value)}%` }));
    const ratio = value / best;
    grid.append(element("div", { class: "line", role: "listitem", title: low != null ? `${name}: median ${three(value)} ${unit}, 5 to 95 %: ${three(low)} to ${three(high)}` : "" },
      element("span", { class: "name", text: name }), track,
      element("span", { class: "value" }, `${three(value)} ${unit}`, element("small", { text: !hasFactors || value === best || !Number.isFinite(ratio) ? "" : `${three(ratio)}×` }))));
  }
  const under = [log ? `Logarithmic, from ${three(least)} ${unit}.` : "", floor ? `Dashed: floor ${floor.name}, ${three(floor.value)} ${unit}.` : ""].filter(Boolean).join(" ");
  return figure(title, note, grid, element("p", { class: "note", text: under }));
}

/** `rows`: { name, parts: [{ name, value, role }] }. */
export function stacked({ title, note, rows, unit }) {
  const sum = ({ parts }) => parts.reduce((all, { value }) => all + value, 0);
  const sorted = [...rows].sort((a, b) => sum(a) - sum(b)), most = Math.max(...sorted.map(sum)) || 1;
  const grid = element("div", { class: "bars", role: "list" });
  for (const row of sorted) {
    const track = element("span", { class: "track" });
    for (const { name, value, role } of [...row.parts].sort((a, b) => a.role - b.role))
      track.append(element("span", { class: "part", title: `${name}: ${three(value)} ${unit}`, style: `width:${(100 * value) / most}%;background:${roleColor(role)}` }));
    grid.append(element("div", { class: "line", role: "listitem" }, element("span", { class: "name", text: row.name }), track, element("span", { class: "value", text: `${three(sum(row))} ${unit}` })));
  }
  return figure(title, note, grid);
}

/** Round numbers of an axis, about `count`. */
function ticks(from, to, count, log) {
  const found = [];
  if (log) {
    const decades = Math.log10(to / from), steps = decades > count ? [1] : decades > count / 3 ? [1, 3] : [1, 2, 5];
    const skip = Math.max(1, Math.ceil(decades / (count + 3)));
    for (let power = Math.floor(Math.log10(from)); power <= Math.log10(to); power += skip)
      for (const step of steps) if (step * 10 ** power >= from * 0.999 && step * 10 ** power <= to * 1.001) found.push(step * 10 ** power);
    return found;
  }
  const rough = (to - from) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((n) => n * power >= rough) * power;
  for (let at = Math.ceil(from / step - 1e-9); at * step <= to * (1 + 1e-9); ++at) found.push(at * step);
  return found;
}

const kHeight = 300, kLeft = 52, kRight = 14, kTop = 10, kBottom = 40;

/** `places`: { name, x }; `series`: { name, values: [{ value, low, high } or null], look }; curves over them, with their spread. */
export function curves({ title, note, places, series, unit, axis, logarithmic, across }) {
  const all = series.flatMap(({ values }) => values.filter(Boolean).flatMap(({ value, low = value, high = value }) => [low, value, high]));
  const log = axis === "log" ? all.every((value) => value > 0) : axis === "auto" && spans(all);
  const xs = places.map(({ x }) => x), xFrom = Math.min(...xs), xTo = Math.max(...xs);
  const yTo = Math.max(...all, 1e-9) * (log ? 1.15 : 1.04), yFrom = log ? Math.min(...all) / 1.15 : 0;
  const svg = drawn("svg", { class: "curves", role: "img", tabindex: 0, "aria-label": `${title}: ${note}` });
  const tip = element("div", { class: "values", hidden: true, role: "status" });
  const box = element("div", { class: "plot" }, svg, tip);
  let at = -1, width = 0;
  const placeX = (x) => kLeft + (width - kLeft - kRight) * (logarithmic ? Math.log(x / xFrom) / Math.log(xTo / xFrom) : (x - xFrom) / (xTo - xFrom));
  const placeY = (y) => kTop + (kHeight - kTop - kBottom) * (1 - (log ? Math.log(y / yFrom) / Math.log(yTo / yFrom) : (y - yFrom) / (yTo - yFrom)));
  const cursor = drawn("g");

  function draw() {
    const floor = kHeight - kBottom;
    svg.setAttribute("viewBox", `0 0 ${width} ${kHeight}`);
    const parts = [];
    for (const y of ticks(yFrom, yTo, 5, log))
      parts.push(drawn("line", { x1: kLeft, x2: width - kRight, y1: placeY(y), y2: placeY(y), class: "rule" }),
        drawn("text", { x: kLeft - 6, y: placeY(y) + 4, class: "end", text: shown(Number(y.toPrecision(6))) }));
    const room = Math.floor((width - kLeft) / (logarithmic ? 84 : 46)), skip = Math.max(1, Math.ceil(places.length / room));
    places.forEach(({ name, x }, i) => {
      if (i % skip === 0) parts.push(drawn("text", { x: placeX(x), y: floor + 18, class: name.length < 5 ? "middle" : i === 0 ? "" : i === places.length - 1 ? "end" : "middle", text: name }));
    });
    parts.push(drawn("text", { x: (kLeft + width - kRight) / 2, y: kHeight - 4, class: "middle soft", text: across }),
      drawn("text", { x: 2, y: kTop + 2, class: "soft", text: unit }));
    for (const { values, look } of series) {
      const place = (i, y) => `${placeX(xs[i]).toFixed(1)} ${placeY(y).toFixed(1)}`;
      let path = "", band = "";
      values.forEach((one, i) => {
        if (!one || (log && one.value <= 0)) return;
        const before = values[i - 1];
        path += (path === "" || !before ? "M" : "L") + place(i, one.value);
        if (before?.low != null && one.low != null) band += `M${place(i - 1, before.high)}L${place(i, one.high)}L${place(i, one.low)}L${place(i - 1, before.low)}Z`;
      });
      if (band) parts.push(drawn("path", { class: "band", d: band, fill: look.color, "fill-opacity": 0.2 }));
      parts.push(drawn("path", { d: path, fill: "none", stroke: look.color, "stroke-width": look.thin ? 1.2 : 2, "stroke-dasharray": look.dash, "stroke-linejoin": "round" }));
    }
    svg.replaceChildren(...parts, cursor);
    point(at);
  }

  /** Values at a place, the lowest first. */
  function point(i) {
    at = i;
    tip.hidden = i < 0;
    if (i < 0) return cursor.replaceChildren();
    const there = series.filter(({ values }) => values[i]).sort((a, b) => a.values[i].value - b.values[i].value);
    cursor.replaceChildren(drawn("line", { x1: placeX(xs[i]), x2: placeX(xs[i]), y1: kTop, y2: kHeight - kBottom, class: "cursor" }),
      ...there.map(({ values, look }) => drawn("circle", { cx: placeX(xs[i]), cy: placeY(values[i].value), r: 3.5, fill: look.color })));
    tip.replaceChildren(element("b", { text: `${across}: ${places[i].name}` }),
      element("dl", {}, ...there.slice(0, 16).flatMap(({ name, values, look }) => [
        element("dt", {}, element("span", { class: "swatch", style: `background:${look.color}` }), name), element("dd", { text: `${three(values[i].value)} ${unit}` + (values[i].low == null ? "" : ` (${three(values[i].low)} to ${three(values[i].high)})`) })])));
    const right = placeX(xs[i]) > width / 2;
    tip.style.left = right ? "" : `${placeX(xs[i]) + 12}px`;
    tip.style.right = right ? `${width - placeX(xs[i]) + 12}px` : "";
  }
  svg.addEventListener("pointermove", (event) => {
    const x = event.clientX - svg.getBoundingClientRect().left;
    point(xs.reduce((best, one, i) => (Math.abs(placeX(one) - x) < Math.abs(placeX(xs[best]) - x) ? i : best), 0));
  });
  svg.addEventListener("pointerleave", () => point(-1));
  svg.addEventListener("blur", () => point(-1));
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    point(Math.min(Math.max(at + step, 0), places.length - 1));
  });
  new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width === width || contentRect.width === 0) return;
    width = contentRect.width;
    draw();
  }).observe(box);
  return figure(title, note + (log ? " Logarithmic axis." : ""), box);
}
