// The index of the pages of a batch.
import { byId, counted, element, field, harmlessName, save, shown, three } from "./base.js";

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
  name: (a, b) => a.input.localeCompare(b.input, undefined, { numeric: true }),
};

function tile({ input, page, components, foreground, hints = [], thumbnail, why }) {
  const picture = thumbnail ? element("img", { src: `data:image/png;base64,${thumbnail}`, alt: "" }) : element("span", { class: "no-picture", text: "no thumbnail" });
  return element("a", { class: "tile", title: input, href: page.split("/").map(encodeURIComponent).join("/") },
    element("span", { class: "picture" }, picture), element("strong", { text: page.replace(/\.html$/, "") }),
    element("span", { class: "soft", text: `${counted(components, "component")} \u00b7 ${three(100 * foreground)}\u00a0%\u00a0foreground` }),
    ...why.map((text) => element("span", { class: "badge", text })), ...hints.map((text) => element("span", { class: "hint", text })));
}

function showTiles() {
  const find = byId("find").value.trim().toLowerCase();
  const list = labeled.filter(({ input }) => input.toLowerCase().includes(find)).sort(kOrders[byId("order").value]);
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
    byId("failures").append(element("h2", { text: "Failed" }), element("dl", {}, ...failed.flatMap(({ input, error }) => [element("dt", { text: input }), element("dd", { class: "hint", text: error })])));
  }
  byId("rule").textContent = labeled.length < kFew ? "" : `Unusual: the number of components or the share of foreground is more than ${kUnusual} robust standard deviations from the median.`;
  byId("foot").textContent = program;
}

inputs.forEach((input, at) => { input.at = at; });
if (labeled.length) judge();
showHead();
showTiles();
byId("order").addEventListener("change", showTiles);
byId("find").addEventListener("input", showTiles);
byId("save").addEventListener("click", () => save("gpuccl-inputs.csv", table(), "text/csv"));
window.gpucclBatch = { inputs, labeled, table };
document.body.dataset.ready = "yes";
