// The page of one label image.
import { byId, copy, counted, element, labelColor, save, scaleColor, shown, unitText } from "./base.js";
import { Filter } from "./filter.js";
import { Histogram } from "./histogram.js";
import { Planes } from "./planes.js";
import { Table } from "./table.js";
import { unpackColumns, unpackImages, unpackRuns } from "./unpack.js";

const kPlaces = /^(x0|y0|z0|x1|y1|z1|c[xyz](_physical|_weighted)?|moments_central-.*|inertia_tensor-.*|border_[xyz]\d|(percolates|wraps)_[xyz])$/;

async function start() {
  const head = JSON.parse(byId("head").textContent);
  for (const each of [head, ...head.columns]) each.unit = unitText(each.unit);
  const [runs, images, columns] = await Promise.all([unpackRuns(head.runs), unpackImages(head.images), unpackColumns(head.columns, head.rows)]);
  const page = new ViewPage(head, runs, images, columns);
  globalThis.gpucclView = page;  // for tests, and for people at the console
  document.body.dataset.ready = "yes";
}

class ViewPage {
  constructor(head, runs, images, columns) {
    this.head = head;
    this.count = head.rows;
    const id = columns.find(({ name }) => name === "id").values;
    this.columns = columns.filter(({ name }) => name !== "id");
    this.column = Object.fromEntries(this.columns.map((column) => [column.name, column]));
    this.id = id;
    this.column.label.text = (row) => String(this.column.label.values[row]);
    this.rowOf = new Int32Array(head.ids + 1).fill(-1);
    for (let row = 0; row < this.count; ++row) this.rowOf[id[row]] = row;
    this.filter = new Filter(this.columns, this.count);
    this.selected = new Set();
    this.colors = new Uint32Array(head.ids + 1);
    this.opaque = new Uint32Array(head.ids + 1);  // colors of all, kept or not
    this.marked = new Uint8Array(head.ids + 1);
    this.colorBy = "";
    this.describe();
    this.scene = { runs, images, inverted: head.inverted, extent: head.extent, spacing: head.spacing, unit: head.unit, colors: this.colors, marked: this.marked, names: () => this.names() };
    this.tip = document.body.appendChild(element("div", { id: "tip", hidden: true }));
    this.planes = new Planes(byId("planes"), this.scene, {
      hovered: (...args) => this.hovered(...args), clicked: (...args) => this.clicked(...args), moved: () => this.moved() });
    this.control();
    this.buildHistograms();
    this.table = new Table(this.columns, {
      label: "Components", rows: () => this.rows(), chosen: (row, event) => this.chooseRow(row, event),
      look: (row) => ({ selected: this.selected.has(row), name: this.filter.kept[row] ? "" : "gone", color: this.rgb(row) }) });
    byId("table").append(this.table.box);
    this.recolor();
    this.changed();
    this.moved();
  }

  describe() {
    const { head } = this, [w, h, d] = head.extent;
    document.title = `${head.title} \u00b7 gpuccl`;
    document.body.classList.add("viewing");
    byId("title").textContent = head.title;
    byId("up").hidden = !head.index;
    if (head.index) byId("up").href = head.index;
    const size = d > 1 ? `${w} \u00d7 ${h} \u00d7 ${d} voxels` : `${w} \u00d7 ${h} pixels`;
    const spacing = head.spacing?.[0] > 0 ? ` of ${head.spacing.slice(0, d > 1 && head.spacing[2] > 0 ? 3 : 2).map(shown).join(" \u00d7 ")} ${head.unit}` : "";
    byId("summary").textContent = `${counted(head.components, "component")} \u00b7 ${size}${spacing}`;
    const list = (title, lines, name) => (lines.length ? [element("h2", { text: title }), element("ul", { class: name }, ...lines.map((text) => element("li", { words: text })))] : []);
    byId("foot").append(...list("Hints", head.hints, "hint"), ...list("What this page leaves out", head.left_out, ""),
      element("h2", { text: "Made from" }), element("dl", {}, ...head.about.flatMap(([name, value]) => [element("dt", { text: name }), element("dd", { text: value })])));
  }

  control() {
    const { planes, head } = this, on = (id, what, act) => byId(id).addEventListener(what, act);
    byId("style").value = planes.style;
    byId("opacity").value = planes.opacity * 100;
    on("style", "change", () => { planes.style = byId("style").value; planes.draw(); });
    on("opacity", "input", () => { planes.opacity = byId("opacity").value / 100; planes.draw(); });
    byId("color").append(element("option", { value: "", text: "label" }), ...this.columns.slice(1).map(({ name }) => element("option", { text: name, value: name })));
    on("color", "change", () => { this.colorBy = byId("color").value; this.recolor(); this.fade(); this.table.show(); });
    byId("display").hidden = this.scene.images.length === 0;
    byId("invert").checked = planes.invert;
    on("invert", "change", () => { planes.invert = byId("invert").checked; planes.draw(); });
    for (const name of ["brightness", "contrast"]) on(name, "input", () => { planes[name] = 4 ** byId(name).value; planes.draw(); });
    if (this.scene.images.length > 1) byId("channels").append(...this.scene.images.map((image, n) => {
      const box = element("input", { type: "checkbox", checked: image.shown, onchange: () => { image.shown = box.checked; planes.draw(); } });
      return element("label", {}, box, element("span", { class: "swatch", style: `background:rgb(${planes.tints[n].map((share) => 255 * share)})` }), image.name);
    }));
    on("in", "click", () => planes.zoom(1.4));
    on("out", "click", () => planes.zoom(1 / 1.4));
    on("fit", "click", () => planes.fit());
    const volume = head.extent[2] > 1;
    byId("layout-box").hidden = byId("slices").hidden = !volume;
    on("layout", "change", () => { planes.show(byId("layout").value); this.moved(); });
    if (volume && innerWidth <= 640) byId("layout").value = "xy", planes.show("xy");
    on("slice", "input", () => {
      const place = [...planes.place], n = this.sliceAxis;
      place[n] = Number(byId("slice").value) * (n === 2 ? head.runs.step : 1);
      planes.go(place);
    });
    on("reset", "click", () => { this.filter.clear(); this.changed(); });
    on("only", "change", () => this.table.update());
    on("find", "input", () => this.find(byId("find").value.trim()));
    on("save", "click", () => this.save());
  }

  get sliceAxis() { return this.planes.shownPlanes[0].axes[2]; }

  moved() {
    const n = this.sliceAxis, step = n === 2 ? this.head.runs.step : 1, { place } = this.planes, slice = Math.floor(place[n] / step) * step;
    byId("slice").max = n === 2 ? this.head.runs.depth - 1 : this.head.extent[n] - 1;
    byId("slice").value = slice / step;
    byId("slice-name").textContent = `Slice ${slice + 1} of ${this.head.extent[n]} (${"xyz"[n]} ${slice})`;
  }

  buildHistograms() {
    const of = (column) => new Histogram(column, this.filter, () => this.changed());
    const isConstant = ({ values }) => { let one; return values.every((value) => Number.isNaN(value) || value === (one ??= value)); };
    const isId = ({ name, values }) => name === "value" && !/--delta/.test(this.head.command.options) && new Set(values).size === values.length;
    const measures = this.columns.filter((column) => column.filters && !isId(column)), constant = measures.filter(isConstant);
    const varied = measures.filter((column) => !constant.includes(column)), rest = varied.filter(({ name }) => kPlaces.test(name));
    // The area and means are looked at most.
    const rank = ({ name }) => (name === "area" ? 0 : /^intensity_mean/.test(name) ? 1 : 2);
    const first = varied.filter((column) => !rest.includes(column)).sort((a, b) => rank(a) - rank(b)).map(of);
    const same = this.count < 2 ? [] : constant.map(({ name, values, unit }) => `${name} ${shown(values.find((value) => !Number.isNaN(value))) || "none"} ${unit ?? ""}`.trim());
    this.histograms = first;
    const box = element("div", { class: "scroll" });
    const more = element("details", {}, element("summary", { text: `Positions and moments (${rest.length})` }));
    const within = element("div", { id: "more-histograms", style: "display:grid;gap:12px" });
    more.append(within);
    // They take time for many components and are wanted by few.
    more.addEventListener("toggle", () => {
      if (!more.open || within.childElementCount) return;
      const made = rest.map(of);
      this.histograms = [...this.histograms, ...made];
      within.append(...made.map((histogram) => histogram.box));
      made.forEach((histogram) => histogram.update());
    });
    const section = byId("filters"), parts = [...section.children];
    byId("histograms").append(...first.map((histogram) => histogram.box));
    box.append(...parts, ...(same.length ? [element("details", {}, element("summary", { text: `The same for all (${same.length})` }), element("p", { class: "note", text: `${same.join(", ")}.` }))] : []), ...(rest.length ? [more] : []));
    section.append(box);
  }

  /** After the filter has changed. */
  changed() {
    for (const histogram of this.histograms) histogram.update();
    const { filter, head } = this;
    byId("kept").textContent = filter.ranges.size ? `${shown(filter.keptCount)} of ${counted(this.count, "component")} kept` : `All ${counted(this.count, "component")}`;
    byId("reset").hidden = filter.ranges.size === 0;
    const line = (text) => element("div", { class: "command" }, element("code", { words: text }), element("button", { type: "button", text: "Copy", onclick: (event) => {
      copy(text);
      event.target.textContent = "Copied";
      setTimeout(() => { event.target.textContent = "Copy"; }, 1500);
    } }));
    const obstacle = filter.obstacle(head.command), command = filter.command(head.command), expression = obstacle ? "" : filter.expression(command && head.command.shifts);
    let hint = obstacle;
    if (!hint && expression && filter.isOfOther(head.command)) hint = "Add this to the command that made the table" + (head.command.batch ? "." : "; with gpuccl view --report, the page shows the whole command.");
    byId("commands").replaceChildren(...(expression ? [line(`--keep '${expression}'`)] : []), ...(command && (expression || head.command.made) ? [line(command)] : []), ...(hint ? [element("p", { text: hint })] : []));
    this.fade();
    this.table.update();
  }

  rgb(row) {
    if (!this.colorBy) return labelColor(Number(this.column.label.values[row]));
    const { values } = this.column[this.colorBy], value = Number(values[row]);
    return Number.isNaN(value) ? [128, 128, 128] : scaleColor(this.scaled(value));
  }

  /** After what colors stand for has changed. */
  recolor() {
    const { opaque, rowOf } = this;
    if (this.colorBy) {
      const histogram = this.histograms.find(({ column }) => column.name === this.colorBy) ?? new Histogram(this.column[this.colorBy], this.filter, () => {});
      this.scaled = (value) => histogram.share(value);
      const colors = Array.from({ length: 9 }, (_, i) => `rgb(${scaleColor(i / 8)})`);
      byId("legend").replaceChildren(shown(histogram.least), element("span", { style: `background:linear-gradient(90deg,${colors})` }), shown(histogram.largest));
    }
    byId("legend").hidden = !this.colorBy;
    for (let id = 1; id < opaque.length; ++id) {
      const row = rowOf[id], [r, g, b] = row >= 0 ? this.rgb(row) : labelColor(id);
      opaque[id] = ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
    }
  }

  /** Components that are not kept become nearly transparent. */
  fade() {
    const { colors, opaque, rowOf, filter: { kept } } = this;
    for (let id = 1; id < colors.length; ++id) {
      const row = rowOf[id];
      colors[id] = row < 0 || kept[row] ? opaque[id] : (opaque[id] & 0xffffff) | 0x1000000;
    }
    this.planes.draw();
  }

  rows() {
    const all = !byId("only").checked, { kept, keptCount } = this.filter;
    const list = new Uint32Array(all ? this.count : keptCount);
    for (let row = 0, at = 0; row < this.count; ++row) if (all || kept[row]) list[at++] = row;
    return list;
  }

  /** What is selected, with its label, where this is to be written on the planes. */
  names() {
    if (this.selected.size > 50) return [];
    return [...this.selected].map((row) => ({ name: String(this.column.label.values[row]), place: this.centroid(row) }));
  }
  centroid(row) {
    const place = ["cx", "cy", "cz"].map((name) => (this.column[name] ? this.column[name].values[row] + 0.5 : 0.5));
    if (this.column.cz) place[2] -= this.head.first_slice;
    return place;
  }

  nameOf(id) {
    const row = this.rowOf[id];
    return row < 0 ? (this.head.labels_are_ids ? String(id) : "?") : String(this.column.label.values[row]);
  }

  hovered(id, place, event) {
    const row = id > 0 ? this.rowOf[id] : -1;
    const where = place && place.every((n, k) => n >= 0 && n < this.head.extent[k]) ? place.slice(0, this.head.extent[2] > 1 ? 3 : 2).map(Math.floor).join(", ") : "";
    byId("readout").textContent = id > 0 ? `Label ${this.nameOf(id)} at ${where}` : where ? `Background at ${where}` : "";
    this.tip.hidden = id === 0;
    if (id === 0) return;
    const shownFirst = row < 0 ? [] : this.columns.filter(({ name, filters }) => filters && !kPlaces.test(name)).slice(0, 8);
    this.tip.replaceChildren(element("b", { text: `Label ${this.nameOf(id)}` }),
      element("dl", {}, ...shownFirst.flatMap(({ name, unit, values }) => [element("dt", { text: name }), element("dd", { text: `${shown(values[row])} ${unit ?? ""}` })])));
    const { width, height } = this.tip.getBoundingClientRect();
    this.tip.style.left = `${Math.max(4, event.clientX + 16 + width > innerWidth ? event.clientX - width - 12 : event.clientX + 16)}px`;
    this.tip.style.top = `${Math.max(4, Math.min(event.clientY + 16, innerHeight - height - 4))}px`;
  }

  clicked(id, place, event) {
    const row = id > 0 ? this.rowOf[id] : -1;
    if (this.head.extent[2] > 1 && place.every((n, k) => n >= 0 && n < this.head.extent[k])) this.planes.go(place);
    this.select(row < 0 ? null : row, event);
    if (row >= 0) this.table.reveal(row);
  }

  select(row, event) {
    const several = event && (event.ctrlKey || event.metaKey || event.shiftKey);
    if (!several && !(row != null && this.selected.size === 1 && this.selected.has(row))) this.selected.clear();
    if (row != null && this.selected.has(row)) this.selected.delete(row);
    else if (row != null) this.selected.add(row);
    this.marked.fill(0);
    for (const each of this.selected) this.marked[this.id[each]] = 1;
    byId("readout").textContent = row == null ? "" : `Label ${this.column.label.values[row]} ${this.selected.has(row) ? "selected" : "not selected"}`;
    this.table.show();
    this.planes.draw();
  }

  chooseRow(row, event) {
    this.select(row, event);
    if (!this.selected.has(row)) return;
    const place = this.centroid(row), { z0, z1 } = this.column, { first_slice, runs: { step } } = this.head;
    // The slice that is shown and nearest to the middle, within the component if one is.
    if (z0) {
      const first = Math.ceil((z0.values[row] - first_slice) / step) * step, last = Math.floor((z1.values[row] - first_slice) / step) * step;
      const near = Math.floor(place[2] / step) * step;
      place[2] = first <= last ? Math.min(Math.max(near, first), last) : near;
    }
    this.planes.go(place);
  }

  find(text) {
    if (text === "") return;
    const { values } = this.column.label, row = values.findIndex((label) => String(label) === text);
    if (row < 0) { byId("readout").textContent = `There is no label ${text}.`; return; }
    this.selected.clear();
    this.chooseRow(row, null);
    this.table.reveal(row);
  }

  save() {
    const lines = [this.columns.map(({ name }) => name).join(",")];
    for (const row of this.table.list) lines.push(this.columns.map(({ values }) => (Number.isNaN(values[row]) ? "" : Number.isInteger(values[row]) || typeof values[row] === "bigint" ? values[row] : Number(values[row].toPrecision(7)))).join(","));
    save(`${this.head.title.replace(/\.[^.]*$/, "")}-components.csv`, lines.join("\n") + "\n", "text/csv");
  }
}

start().catch((error) => {
  console.error(error);
  byId("summary").textContent = `This page cannot be shown: ${error.message}. It needs a browser of 2023 or later.`;
});
