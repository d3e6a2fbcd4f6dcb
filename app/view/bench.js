// The page of `gpuccl bench --report`.
import { byId, copy, counted, element, save, three } from "./base.js";
import { bars, curves, lookOf, roleColor, stacked } from "./chart.js";
import { metrics, seriesSets } from "./results.js";
import { Table } from "./table.js";

// Roles of phases, independent of their names in papers: a role has one color in all algorithms.

const kRoles = [
  ["transfer and memory", ["upload", "allocate", "release", "Pack", "Unpack", "download"]],
  ["initialization", ["Init", "Initialization", "InitLabels", "Runs"]],
  ["local labeling", ["LocalMerge", "LocalLabeling", "TileLabeling", "StripLabeling", "FirstScan", "FindSpans", "Fill"]],
  ["merging", ["Merge", "GlobalMerge", "BoundaryMerge", "BoundaryAnalysis", "BorderMerge", "BorderMerging", "PartitionMerge", "MergeSpans", "Compute", "Merge borders", "Reduction", "LabelReduction", "SouthBorders", "EastBorders", "Scan", "Rows", "Columns", "Propagate", "Forward", "Backward"]],
  ["compression", ["Compression", "PathCompression", "Analysis", "ResolveLabels", "Link", "Update", "Relabeling", "Labeling", "Finalize", "Flatten"]],
  ["writing labels", ["FinalLabeling", "SecondScan", "WriteLabels", "WriteRuns", "GatherRuns", "render"]],
  ["numbering", ["Renumber", "Renumber: mark", "Renumber: count", "Renumber: write", "Number", "Numbering", "MarkRuns", "CountRuns"]],
  ["statistics", ["statistics"]],
  ["other", []],
];
const kByPhase = new Map(kRoles.flatMap(([, phases], role) => phases.map((phase) => [phase, role])));

const roleNames = kRoles.map(([name]) => name);
const roleOf = (phase) => kByPhase.get(phase) ?? kRoles.length - 1;

const head = JSON.parse(byId("results").textContent), results = head.results ?? [];
const metric = metrics(head.test), sets = seriesSets(results);
const names = [...new Set(results.flatMap(({ algorithms }) => algorithms.map(({ title }) => title)))];
const shownNames = new Set(names);

function showHeadline() {
  const { machine = {}, fastest = [] } = head, first = [...new Set(fastest.map(({ algorithm }) => algorithm))];
  document.title = `gpuccl bench: ${head.test}`;
  byId("summary").textContent = `gpuccl bench, ${head.test}: ${[machine.GPU?.split(",")[0], machine.CPU].filter(Boolean).join("; ")}; ${machine.date ?? ""}`;
  byId("title").textContent = results.length === 0 ? "Nothing was measured" : first.length === 0 ? `Results of --test ${head.test}` : `${first.join(" and ")} ${first.length > 1 ? "are" : "is"} the fastest`;
  byId("cards").replaceChildren(...fastest.map(({ speedup, text }) => element("div", { class: "card" }, element("strong", { text: three(speedup) + "×" }), element("span", { text }))));
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

function barsOf(one, { group }) {
  const rows = group.algorithms.filter(({ title }) => shownNames.has(title)).map((row) => ({ name: row.title, ...one.of(row), row })).filter(({ value }) => value != null);
  if (rows.length === 0) return null;
  const title = group.title + (metric.length > 1 ? `: ${one.title.toLowerCase()}` : ""), axis = byId("axis").value;
  if (one.parts) return stacked({ title, note: group.about, unit: one.unit, rows: rows.map(({ name, row }) => ({ name, parts: one.parts(row).map(([part, value]) => ({ name: part, value, role: roleOf(part) })) })) });
  const floors = new Map(rows.map(({ row }) => [row.floor?.name, row.floor]).filter(([name]) => name));
  const [floor] = one.floor && floors.size === 1 ? floors.values() : [];
  return bars({ title, note: group.about, rows, unit: one.unit, axis, floor: floor && { name: floor.name, value: floor.median_ms } });
}

function curvesOf(one, { title, places, ...set }) {
  const of = (name, figure) => places.map(({ group }) => { const row = group.algorithms.find(({ title }) => title === name); return (row && figure(row)) ?? null; });
  const series = names.filter((name) => shownNames.has(name)).map((name) => ({ name, look: lookOf(names.indexOf(name)), values: of(name, one.of) }))
    .filter(({ values }) => values.some(Boolean));
  if (series.length === 0) return null;
  for (const name of one.floor ? new Set(places.flatMap(({ group }) => group.algorithms.map(({ floor }) => floor?.name).filter(Boolean))) : [])
    series.push({ name: `floor ${name}`, look: { color: "var(--soft)", dash: "3 3", thin: true },
      values: places.map(({ group }) => { const row = group.algorithms.find(({ floor }) => floor?.name === name); return row ? { value: row.floor.median_ms } : null; }) });
  return curves({ title: `${title}: ${one.title.toLowerCase()}`, note: one.note, places, series, unit: one.unit, axis: byId("axis").value, logarithmic: set.logarithmic, across: set.axis });
}

function showCharts() {
  const made = [];
  for (const one of metric)
    for (const set of sets)
      if (set.axis && set.places.length > 1 && set.places[0].x !== set.places.at(-1).x) made.push(curvesOf(one, set));
      else if (!one.high) for (const place of set.places) made.push(barsOf(one, place));
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

/** One row for each measure or phase of each algorithm on each image set, the fastest algorithm first, with the names of the JSON. */
function showTable() {
  const value = (row) => metric[0].of(row)?.value ?? Infinity, sorted = (rows) => [...rows].sort((a, b) => value(a) - value(b) || 0);
  const rows = results.flatMap((group) => sorted(group.algorithms).flatMap((row) => { const parts = row.measures ?? row.phases; return (parts.length ? parts : [{}]).map((part) => ({ group, row, part })); }));
  const words = (name, of) => ({ name, word: true, values: rows.map(of), text: (i) => of(rows[i]) });
  const numbers = (key) => {
    const values = rows.map(({ part }) => part[key] ?? NaN);
    return { name: key.replaceAll("_", " "), values, text: (i) => (Number.isNaN(values[i]) ? "" : three(values[i])) };
  };
  const keys = [...new Set(rows.flatMap(({ part }) => Object.keys(part)))].filter((key) => key !== "name");
  const columns = [words("images", ({ group }) => `${group.title}${group.size ? "" : `, ${group.connectivity}-conn.`}`), words("algorithm", ({ row }) => row.title), words("device", ({ row }) => row.device),
    words("name", ({ part }) => part.name ?? ""), ...keys.map(numbers), words("note", ({ row }) => row.note ?? "")];
  if (innerWidth <= 640) columns.push(...columns.splice(0, 1));  // figures are in sight on a phone
  const ofAll = ["device", "launches", "repetitions"];  // left out where they are the same in all rows
  const used = columns.filter(({ name, values }) => values.some((value) => value !== "" && (!ofAll.includes(name) || value !== values[0])));
  const table = new Table(used, { rows: () => rows.map((_, i) => i), look: () => ({}), chosen: () => {}, label: "Figures" });
  byId("table").append(table.box);
  return table;
}

function showMethod() {
  byId("command").replaceWith(element("code", { id: "command", words: head.command }));
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
window.gpucclBench = { table };
document.body.dataset.ready = "yes";
