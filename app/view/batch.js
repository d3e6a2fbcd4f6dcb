// The index of the pages of a batch.
import { byId, counted, drawn, element, field, harmlessName, save, scaleColor, shown, three } from "./base.js";

const kUnusual = 3.5, kFew = 5;  // robust deviations; fewer inputs are not judged

const { program, inputs } = JSON.parse(byId("batch").textContent);
const labeled = inputs.filter(({ page }) => page);

const median = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b), middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/** How many robust standard deviations each number is from the median (Iglewicz and Hoaglin 1993). */
function deviations(numbers) {
  const center = median(numbers), apart = numbers.map((number) => Math.abs(number - center));
  const spread = median(apart) / 0.6745 || (apart.reduce((sum, one) => sum + one, 0) / apart.length) * 1.2533;
  return numbers.map((number) => (spread > 0 ? (number - center) / spread : 0));
}

function judge() {
  const counts = deviations(labeled.map(({ components }) => Math.log1p(components)));
  const shares = deviations(labeled.map(({ foreground }) => foreground));
  labeled.forEach((input, i) => {
    input.unusual = Math.max(Math.abs(counts[i]), Math.abs(shares[i]));
    input.why = labeled.length < kFew ? [] : [
      Math.abs(counts[i]) > kUnusual && (counts[i] > 0 ? "many components" : "few components"),
      Math.abs(shares[i]) > kUnusual && (shares[i] > 0 ? "much foreground" : "little foreground")].filter(Boolean);
  });
}

const kOrders = {
  unusual: (a, b) => b.unusual - a.unusual || a.at - b.at,
  components: (a, b) => b.components - a.components || a.at - b.at,
  foreground: (a, b) => b.foreground - a.foreground || a.at - b.at,
  name: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }),
};

const linkOf = ({ page }) => page && page.split("/").map(encodeURIComponent).join("/");
const nameOf = ({ name }) => name.replace(/.*\//, "");

const least = Math.min(...labeled.map(({ components }) => components)), largest = Math.max(...labeled.map(({ components }) => components));
/** The place of a count between the least and the largest, from 0 to 1 on a logarithmic scale. */
const share = (components) => (largest > least ? Math.log((components + 1) / (least + 1)) / Math.log((largest + 1) / (least + 1)) : 0.5);

/** A dot for the count of each input, on a logarithmic scale; equal counts pile up. */
function showStrip() {
  if (labeled.length < kFew) return;
  const width = Math.min(innerWidth - 20, 900), places = Math.floor(width / 7) - 1, piles = Array.from({ length: places + 1 }, () => []);
  for (const input of [...labeled].sort((a, b) => a.why.length - b.why.length)) piles[Math.round(share(input.components) * places)].push(input);
  const height = 8 + 6 * Math.min(12, Math.max(...piles.map(({ length }) => length))), middle = median(labeled.map(({ components }) => components));
  const dots = piles.flatMap((pile, place) => pile.map((input, level) => drawn("a", { href: linkOf(input), tabindex: -1 },
    drawn("circle", { cx: 4 + 7 * place, cy: height - 4 - 6 * Math.min(level, 11), r: 3, class: input.why.length ? "odd" : "" }, drawn("title", { text: `${nameOf(input)}: ${counted(input.components, "component")}` })))));
  const x = 4 + 7 * places * share(middle);
  byId("strip").append(drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Components of each input, ${shown(least)} to ${shown(largest)}, median ${shown(middle)}` },
    drawn("line", { x1: x, x2: x, y1: 0, y2: height }), ...dots), element("div", { class: "ends" },
    ...[shown(least), `components of each input; dashed: median ${shown(middle)}`, shown(largest)].map((text) => element("span", { text }))));
}

/**
 * The well of each input: of a plate of OME-Zarr, or A1 to P24 in its name. A name may have several such parts, as in
 * B2-A1 and A1_F2: the first or the last ones are wells, whichever differ more.
 */
function wellsOf() {
  const all = inputs.map(({ input, name, place }) => {
    const [row, column] = place?.split("/") ?? [], text = place ? `${row}${column}` : name;
    return [...text.matchAll(/(?:^|[^A-Za-z0-9])(([A-P])0?([1-9]|1\d|2[0-4]))(?![A-Z0-9])/g)].map((match) => ({
      row: match[2], column: Number(match[3]), find: place ? input.slice(0, input.lastIndexOf("/")) : name.slice(0, match.index + match[0].length),
      well: match[1], plate: place ? input.slice(0, -place.length) : name.slice(0, match.index) }));
  });
  const [first, last] = [0, -1].map((at) => all.map((wells) => wells.at(at))), different = (wells) => new Set(wells.map((one) => `${one?.row}${one?.column}`)).size;
  return different(last) > different(first) ? last : first;
}

/** The wells of plates, if each input has one. Those of several images show the median of their counts. */
function showPlates() {
  const wells = wellsOf(), rows = new Set(wells.map((well) => well?.row)), columns = new Set(wells.map((well) => well?.column));
  if (rows.has(undefined) || rows.size < 2 || columns.size < 2) return;
  const plates = new Map();
  wells.forEach((well, i) => plates.set(well.plate, [...(plates.get(well.plate) ?? []), i]));
  const areApart = [...plates.values()].every((one) => new Set(one.map((i) => `${wells[i].row}${wells[i].column}`)).size > 1);
  byId("plate").hidden = false;
  for (const [name, members] of areApart ? plates : [["", inputs.map((_, i) => i)]])
    byId("plate").append(plates.size > 1 && areApart ? element("h3", { text: name.replace(/:?\/$/, "").replace(/.*\//, "") }) : "", plateOf(members, wells, areApart && plates.size > 1));
}

function plateOf(members, wells, isOneOfMany) {
  const isLarge = members.some((i) => wells[i].row > "H" || wells[i].column > 12);
  const names = [..."ABCDEFGHIJKLMNOP"].slice(0, isLarge ? 16 : 8), numbers = Array.from({ length: isLarge ? 24 : 12 }, (_, n) => n + 1);
  const brief = (count) => (count < 1000 ? String(Math.round(count)) : `${Number((count / 1000).toPrecision(2))}k`);
  const cell = (row, column) => {
    const places = members.filter((i) => wells[i].row === row && wells[i].column === column), here = places.map((i) => inputs[i]), [first] = here, done = here.filter(({ page }) => page);
    if (!first) return element("span", { class: "well" });
    const lines = here.map((input) => `${nameOf(input)}: ${input.page ? [counted(input.components, "component"), ...input.why].join(", ") : input.error ?? input.status}`);
    const count = done.length ? median(done.map(({ components }) => components)) : null, has = (name, test) => (here.some(test) ? name : "");
    const find = () => { byId("find").value = wells[places[0]][isOneOfMany ? "find" : "well"]; showTiles(); byId("inputs").scrollIntoView(); };
    return element(here.length > 1 ? "button" : done.length ? "a" : "span", { class: `well ${has("failed", ({ status }) => status === "failed")} ${has("odd", ({ why = [] }) => why.length)}`,
      title: [`${row}${column}`, ...lines].join("\n"), href: here.length > 1 ? null : linkOf(first), onclick: here.length > 1 ? find : () => {},
      style: count == null ? "" : `background:rgb(${scaleColor(share(count))});color:${share(count) > 0.6 ? "#000" : "#fff"}`, text: count != null ? brief(count) : has("\u2715", ({ status }) => status === "failed") });
  };
  return element("div", { class: "plate", style: `--columns:${numbers.length}` }, element("span"), ...numbers.map((number) => element("span", { class: "soft", text: number })),
    ...names.flatMap((row) => [element("span", { class: "soft", text: row }), ...numbers.map((column) => cell(row, column))]));
}

function tile({ input, name, page, components, foreground, hints = [], thumbnail, why }) {
  const picture = thumbnail ? element("img", { src: `data:image/png;base64,${thumbnail}`, alt: "" }) : element("span", { class: "no-picture", text: "no thumbnail" });
  return element("a", { class: "tile", title: input, href: linkOf({ page }) },
    element("span", { class: "picture" }, picture), element("strong", { text: name }),
    element("span", { class: "soft", text: `${counted(components, "component")} \u00b7 ${three(100 * foreground)}\u00a0%\u00a0foreground` }),
    ...why.map((text) => element("span", { class: "badge", text })), ...hints.map((words) => element("span", { class: "hint", words })));
}

function showTiles() {
  const find = byId("find").value.trim().toLowerCase();
  const list = labeled.filter(({ input, name }) => `${input} ${name}`.toLowerCase().includes(find)).sort(kOrders[byId("order").value]);
  byId("tiles").replaceChildren(...(list.length ? list.map(tile) : [element("p", { class: "note", text: "No inputs." })]));
}

function table() {
  const lines = inputs.map(({ input, status, components, foreground, unusual, hints = [], error }) =>
    [harmlessName(input), status, components, foreground, unusual?.toPrecision(3), hints.join("; ") || error].map((value) => field(String(value ?? ""))).join(","));
  return ["input,status,components,foreground,deviation,notes", ...lines].join("\n") + "\n";
}

function showHead() {
  const failed = inputs.filter(({ status }) => status === "failed"), others = inputs.length - labeled.length - failed.length;
  byId("title").textContent = `${labeled.length} of ${counted(inputs.length, "input")} labeled`;
  document.title = `${byId("title").textContent} \u00b7 gpuccl`;
  const unusual = labeled.filter(({ why }) => why.length).length, counts = labeled.map(({ components }) => components);
  const parts = [failed.length && `${failed.length} failed`, others && `${others} not labeled`, unusual && `${unusual} unusual`,
    labeled.length && `median ${shown(median(counts))} components`].filter(Boolean);
  byId("summary").textContent = parts.join(" \u00b7 ");
  if (failed.length) {
    byId("failures").hidden = false;
    byId("failures").append(element("h2", { text: "Failed" }), element("dl", {}, ...failed.flatMap(({ input, error }) => [element("dt", { text: input }), element("dd", { class: "hint", words: error })])));
  }
  byId("rule").textContent = labeled.length < kFew ? "" : `Unusual: the number of components or the share of foreground is more than ${kUnusual} robust standard deviations from the median.`;
  byId("foot").textContent = program;
}

inputs.forEach((input, at) => { input.at = at; });
if (labeled.length) judge();
showHead();
showStrip();
showPlates();
showTiles();
byId("order").addEventListener("change", showTiles);
byId("find").addEventListener("input", showTiles);
byId("save").addEventListener("click", () => save("gpuccl-inputs.csv", table(), "text/csv"));
window.gpucclBatch = { inputs, labeled, table };
document.body.dataset.ready = "yes";
