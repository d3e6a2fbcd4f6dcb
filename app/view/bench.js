// The page of `gpuccl bench --report`.
import { byId, copy, counted, element, save, shown, three } from "./base.js";
import { bars, curves, lookOf, roleColor, stacked } from "./chart.js";
import { roleNames, roleOf } from "./phases.js";
import { described, metrics, nameRows, percent, ranking, seriesSets } from "./results.js";
import { Table } from "./table.js";

const head = JSON.parse(byId("results").textContent), results = head.results ?? [];
nameRows(results);
const metric = metrics(head.test), sets = seriesSets(head.test, results);
const names = [...new Set(results.flatMap(({ algorithms }) => algorithms.map(({ title }) => title)))];
const shownNames = new Set(names);
const rank = ranking(results, metric[0]);

const about = (group) => `${group.connectivity}-connectivity, ${counted(group.images, "image")} of ${group.mean_elements < 1e6 ? shown(Math.round(group.mean_elements)) : `${three(group.mean_elements / 1e6)} million`} elements, ${percent(group.mean_foreground)} % foreground, ${counted(Math.round(group.mean_components), "component")}`;

function showHeadline() {
  const [first, second] = rank.order, last = rank.order.at(-1), { machine = {} } = head;
  document.title = `gpuccl bench: ${head.test}`;
  byId("summary").textContent = `gpuccl bench, ${head.test}: ${[machine.GPU?.split(",")[0], machine.CPU].filter(Boolean).join("; ")}; ${machine.date ?? ""}`;
  byId("title").textContent = !first ? "Nothing was measured" : second ? `${first.title} ${metric[0].best}` : `${first.title}: ${metric[0].title.toLowerCase()}`;
  const cards = [];
  const card = (figure, text) => cards.push(element("div", { class: "card" }, element("strong", { text: figure }), element("span", { text })));
  if (second) card(three(second.ratio / first.ratio) + "×", `${metric[0].than} ${second.title}, the next`);
  if (rank.order.length > 2) card(three(last.ratio / first.ratio) + "×", `${metric[0].than} ${last.title}, the last`);
  if (second) card(`${first.wins} of ${rank.groups}`, `image sets on which ${first.title} comes first`);
  const ofFirst = results.flatMap((group) => group.algorithms.filter(({ title, measures }) => title === first?.title && measures?.length).map((row) => [group, row]));
  const bound = ofFirst.map(([, { measures }]) => measures[0].multiple_of_floor).filter(Boolean);
  if (bound.length && metric[0].floor) card(three(Math.exp(bound.reduce((sum, n) => sum + Math.log(n), 0) / bound.length)) + "×", `the bandwidth bound: the time of ${first.title}`);
  const speeds = metric[0].floor ? ofFirst.map(([group, row]) => group.mean_elements / metric[0].of(row, group).value / 1e6).filter(Number.isFinite) : [];
  if (speeds.length) card(`${three(Math.max(...speeds))} G/s`, `peak of ${first.title}, in 10⁹ elements per second`);
  byId("cards").replaceChildren(...cards);
  const lines = [];
  if (second) lines.push(`Geometric means over ${counted(rank.compared, "image set")}.`);
  const left = names.length - rank.order.length;
  if (left > 0 && second) lines.push(`Not compared, because they have no value on some of them: ${names.filter((name) => !rank.order.some(({ title }) => title === name)).join(", ")}.`);
  byId("basis").textContent = lines.join(" ");
  const problems = head.complete === false ? [`Incomplete: ${head.incomplete}`] : [];
  problems.push(...(head.warnings ?? []).map((text) => `Warning: ${text}`));
  for (const group of results)
    for (const { title, wrong, failed, problem } of group.algorithms)
      if (problem) problems.push(`${title}: ${wrong + failed} of ${counted(group.images, "image")} not timed; ${problem}`);
  byId("problems").replaceChildren(...problems.map((text) => element("p", { class: "hint", text })));
}

function showChips() {
  const parts = metric[0].parts;
  byId("chips").replaceChildren(...names.map((name, n) => {
    const { color } = lookOf(n);
    return element("button", { type: "button", class: "chip", "aria-pressed": "true", onclick: (event) => {
      if (!shownNames.delete(name)) shownNames.add(name);
      event.currentTarget.setAttribute("aria-pressed", String(shownNames.has(name)));
      showCharts();
    } }, parts ? "" : element("span", { class: "swatch", style: `background:${color}` }), name);
  }));
  byId("chips").hidden = names.length < 2;
  if (parts) byId("axis").closest(".bar").hidden = true;
}

function barsOf(one, place, axis) {
  const { group } = place, rows = [];
  for (const row of group.algorithms) {
    const found = one.of(row, group);
    if (found && shownNames.has(row.title)) rows.push({ name: row.title, ...found, row });
  }
  if (rows.length === 0) return null;
  const title = described(group) + (metric.length > 1 ? `: ${one.title.toLowerCase()}` : "");
  if (one.parts) return stacked({ title, note: about(group), unit: one.unit, rows: rows.map(({ name, row }) => ({ name, parts: one.parts(row).map(([part, value]) => ({ name: part, value, role: roleOf(part) })) })) });
  const floors = new Map(rows.map(({ row }) => [row.floor?.name, row.floor]).filter(([name]) => name));
  const [floor] = one.floor && floors.size === 1 ? floors.values() : [];
  return bars({ title, note: about(group), rows, unit: one.unit, axis, high: one.high, floor: floor && { name: floor.name, value: floor.median_ms } });
}

function curvesOf(one, set, axis) {
  const series = names.filter((name) => shownNames.has(name)).map((name) => ({ name, look: lookOf(names.indexOf(name)),
    values: set.places.map(({ group }) => { const row = group.algorithms.find(({ title }) => title === name); return (row && one.of(row, group)?.value) ?? null; }) }))
    .filter(({ values }) => values.some((value) => value != null));
  if (series.length === 0) return null;
  if (one.floor) {
    const floors = new Set(set.places.flatMap(({ group }) => group.algorithms.map(({ floor }) => floor?.name).filter(Boolean)));
    for (const name of floors)
      series.push({ name: `bandwidth bound ${name}`, look: { color: "var(--soft)", dash: "3 3", thin: true },
        values: set.places.map(({ group }) => group.algorithms.find(({ floor }) => floor?.name === name)?.floor.median_ms ?? null) });
  }
  return curves({ title: `${set.title}: ${one.title.toLowerCase()}`, note: one.note, places: set.places, series, unit: one.unit, axis, logarithmic: set.logarithmic, across: set.axis });
}

function showCharts() {
  const axis = byId("axis").value, made = [];
  for (const one of metric)
    for (const set of sets)
      if (set.axis && set.places.length > 1 && set.places[0].x !== set.places.at(-1).x) made.push(curvesOf(one, set, axis));
      else if (!one.high) for (const place of set.places) made.push(barsOf(one, place, axis));
  const charts = made.filter(Boolean);
  byId("charts").replaceChildren(...charts);
  byId("charts").className = charts.some((chart) => chart.querySelector(".curves")) ? "" : "many";
  if (metric[0].parts && !byId("roles")) {
    const used = new Set(results.flatMap(({ algorithms }) => algorithms.flatMap((row) => (row.measures ?? row.phases ?? []).map(({ name }) => roleOf(name)))));
    byId("charts").before(element("p", { id: "roles", class: "note" }, ...[...used].sort().map((role) => element("span", { class: "role" }, element("span", { class: "swatch", style: `background:${roleColor(role)}` }), roleNames[role]))));
  } else if (!metric[0].parts && charts.some((chart) => chart.querySelector(".bars")) && !byId("how")) {
    byId("charts").before(element("p", { id: "how", class: "note", text: `${metric[0].note} Bars: medians; lines: 5 to 95 % of the repetitions, cut at the end of the axis.` }));
  }
}

/** One row for each measure or phase of each algorithm on each image set. */
function showTable() {
  const rows = [];
  for (const group of results)
    for (const row of group.algorithms) {
      const notes = [[row.wrong, "wrong, not timed"], [row.failed, "failed"], [row.left_out, "left out, too slow"]].filter(([n]) => n > 0).map(([n, text]) => `${n} ${text}`).join(", ");
      const parts = row.measures ?? (row.images > 0 ? row.phases : []);
      for (const part of parts.length ? parts : [{}]) rows.push({ group, row, part, notes });
    }
  const fastest = (group, name) => Math.min(...group.algorithms.flatMap(({ measures = [] }) => measures.filter((one) => one.name === name).map(({ median_ms }) => median_ms)));
  const words = (name, of) => ({ name, word: true, values: rows.map(of), text: (i) => of(rows[i]) });
  const number = (name, unit, of) => {
    const values = rows.map((row) => of(row) ?? NaN);
    return { name, unit, values, text: (i) => (Number.isNaN(values[i]) ? "" : three(values[i])) };
  };
  const of = (key) => ({ part }) => part[key];
  const isTimed = rows.some(({ part }) => part.median_ms != null);
  const columns = [
    words("images", ({ group }) => described(group) + (group.size ? "" : `, ${group.connectivity}-conn.`)),
    words("algorithm", ({ row }) => row.title), words("device", ({ row }) => row.device),
    words(isTimed ? "measure" : "phase", ({ part }) => part.name ?? "")];
  if (isTimed)
    columns.push(number("median", "ms", of("median_ms")), number("5 %", "ms", of("low_ms")), number("95 %", "ms", of("high_ms")), number("minimum", "ms", of("min_ms")),
      number("of the fastest", "×", ({ group, part }) => { const least = fastest(group, part.name); return least > 0 ? part.median_ms / least : NaN; }),
      number("of the bound", "×", of("multiple_of_floor")),
      number("throughput", "G/s", ({ group, part }) => (part.median_ms > 0 ? group.mean_elements / part.median_ms / 1e6 : NaN)),
      number("cycles", "per element", of("cycles_per_element")), number("launches", "", of("launches")));
  else
    for (const key of Object.keys(rows.find(({ part }) => part.name)?.part ?? {})) if (key !== "name") columns.push(number(key.replaceAll("_", " "), "", of(key)));
  columns.push(words("note", ({ notes }) => notes));
  const used = columns.filter(({ name, values, word }) => values.some((value) => (word ? value !== "" && (name !== "device" || value !== values[0]) : !Number.isNaN(value) && (name !== "launches" || value !== 1))));
  const table = new Table(used, { rows: () => rows.map((_, i) => i), look: () => ({}), chosen: () => {}, label: "Figures" });
  byId("table").append(table.box);
  return table;
}

function showMethod() {
  byId("command").textContent = head.command;
  byId("copy").addEventListener("click", () => copy(head.command));
  byId("notes").replaceChildren(...(head.method ?? []).map((text) => element("li", { text })));
  const entries = [["gpuccl", head.version + (head.commit ? ` (commit ${head.commit})` : "")], ...Object.entries(head.machine ?? {})];
  byId("machine").replaceChildren(...entries.flatMap(([name, value]) => [element("dt", { text: name }), element("dd", { text: value })]));
  byId("save").addEventListener("click", () => save(`gpuccl-${head.test}.json`, byId("results").textContent, "application/json"));
}

showHeadline();
showChips();
byId("axis").addEventListener("change", showCharts);
showCharts();
const table = showTable();
showMethod();
window.gpucclBench = { head, rank, sets, table, shown: shownNames };
document.body.dataset.ready = "yes";
