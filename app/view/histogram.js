// A histogram of a measure; dragging over it keeps a range.
import { drawn, element, shown, three } from "./base.js";

const kBins = 48, kWidth = 240, kHeight = 64;

export class Histogram {
  /** `changed` is called when a range was set or cleared. */
  constructor(column, filter, changed) {
    this.column = column;
    this.filter = filter;
    this.changed = changed;
    this.layOut();
    this.build();
  }

  /** Chooses bins: of whole numbers one each where they are few, on a logarithmic axis where most are small. */
  layOut() {
    const sorted = this.filter.sortedValues(this.column), count = sorted.length;
    this.least = this.low = count ? Number(sorted[0]) : 0;
    this.largest = this.high = count ? Number(sorted[count - 1]) : 0;
    const middle = count ? Number(sorted[count >> 1]) : 0;
    this.log = this.low > 0 && this.high / middle > 20;
    const range = this.high - this.low, whole = /^[ui]32$/.test(this.column.type);
    this.bins = range === 0 ? 1 : whole && !this.log && range < kBins ? range + 1 : kBins;
    if (whole && this.bins === range + 1) {
      this.low -= 0.5;
      this.high += 0.5;
    }
    const { values } = this.column;
    this.bin = new Uint8Array(values.length);
    this.all = new Uint32Array(this.bins + 1);  // the last one is of missing values
    for (let i = 0; i < values.length; ++i) {
      const share = this.share(values[i]);
      this.bin[i] = Number.isNaN(share) ? this.bins : Math.min(Math.floor(share * this.bins), this.bins - 1);
      ++this.all[this.bin[i]];
    }
    this.most = Math.max(1, ...this.all.subarray(0, this.bins));
  }

  share(value) {
    if (this.high === this.low) return Number.isNaN(value) ? NaN : 0;
    return this.log ? Math.log(value / this.low) / Math.log(this.high / this.low) : (value - this.low) / (this.high - this.low);
  }
  value(share) {
    return this.log ? this.low * (this.high / this.low) ** share : this.low + share * (this.high - this.low);
  }

  build() {
    const { column } = this;
    this.bars = drawn("path", { fill: "var(--line)" });
    this.keptBars = drawn("path", { fill: "var(--accent)" });
    this.band = drawn("rect", { y: 0, height: kHeight, fill: "var(--accent-soft)", stroke: "var(--accent)", visibility: "hidden" });
    this.svg = drawn("svg", { viewBox: `0 0 ${kWidth} ${kHeight}`, preserveAspectRatio: "none", role: "img" }, this.bars, this.keptBars, this.band);
    this.clear = element("button", { type: "button", text: "clear", hidden: true, "aria-label": `Clear the filter of ${column.name}`,
      onclick: () => { this.filter.clear(column); this.changed(); } });
    this.range = element("span");
    this.box = element("div", { class: "histogram", title: column.definition ?? "" },
      element("h3", {}, element("span", { text: column.name + (column.unit ? ` (${column.unit})` : "") }), element("small", { text: `peak ${shown(this.most)}` }), this.clear),
      this.svg,
      element("div", { class: "ends" }, element("span", { text: shown(this.least) }), this.range,
        element("span", { text: (this.log ? "log, " : "") + shown(this.largest) })));
    this.draw(this.bars, this.all);
    const share = (event) => {
      const { left, width } = this.svg.getBoundingClientRect();
      return Math.min(Math.max((event.clientX - left) / width, 0), 1);
    };
    let from = null;
    this.svg.addEventListener("pointerdown", (event) => {
      from = share(event);
      this.svg.setPointerCapture(event.pointerId);
    });
    const take = (event) => {
      const to = share(event), [a, b] = [Math.min(from, to), Math.max(from, to)];
      if (b - a < 0.01) this.filter.clear(column);
      else this.filter.set(column, a > 0 ? this.value(a) : null, b < 1 ? this.value(b) : null);
      this.changed();
    };
    this.svg.addEventListener("pointermove", (event) => { if (from != null) take(event); else this.point(share(event)); });
    this.svg.addEventListener("pointerleave", () => this.update());
    this.svg.addEventListener("pointerup", (event) => { if (from != null) take(event); from = null; });
    this.svg.addEventListener("pointercancel", () => { from = null; });
    // By keys: arrows move the lower bound, with Shift the upper one.
    this.svg.setAttribute("tabindex", 0);
    this.svg.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (event.key === "Escape") this.filter.clear(column);
      else if (step) {
        const { low, high } = this.filter.ranges.get(column) ?? { low: null, high: null };
        let a = low == null ? 0 : this.share(Number(low)), b = high == null ? 1 : this.share(Number(high));
        if (event.shiftKey) b = Math.min(Math.max(b + step / kBins, a), 1);
        else a = Math.min(Math.max(a + step / kBins, 0), b);
        this.filter.set(column, a > 0.001 ? this.value(a) : null, b < 0.999 ? this.value(b) : null);
      } else return;
      event.preventDefault();
      this.changed();
    });
  }

  draw(path, counts) {
    let d = "";
    for (let i = 0; i < this.bins; ++i) {
      if (counts[i] === 0) continue;
      const width = kWidth / this.bins, height = Math.max(1.5, (kHeight * counts[i]) / this.most);
      d += `M${(i * width).toFixed(2)} ${kHeight}v${-height.toFixed(2)}h${(width * 0.92).toFixed(2)}v${height.toFixed(2)}z`;
    }
    path.setAttribute("d", d);
  }

  /** Shows how many components the bar below the pointer has, and where it begins and ends. */
  point(share) {
    const bin = Math.min(Math.floor(share * this.bins), this.bins - 1), ends = [bin, bin + 1].map((n) => this.value(n / this.bins));
    const isOne = this.low < this.least;  // a bar for each integer
    this.range.textContent = `${shown(this.all[bin])} ${isOne ? `of ${Math.ceil(ends[0])}` : `from ${ends.map(three).join(" to ")}`}`;
  }

  /** Shows how many of each bin are kept, and the range. */
  update() {
    const counts = new Uint32Array(this.bins + 1), { kept } = this.filter;
    for (let i = 0; i < kept.length; ++i) counts[this.bin[i]] += kept[i];
    this.draw(this.keptBars, counts);
    const range = this.filter.ranges.get(this.column);
    this.box.classList.toggle("active", Boolean(range));
    this.clear.hidden = !range;
    this.band.setAttribute("visibility", range ? "visible" : "hidden");
    this.range.textContent = range ? `${range.low ?? ""} \u2026 ${range.high ?? ""}` : "";
    if (range) {
      const clamp = (share) => kWidth * Math.min(Math.max(share, 0), 1);
      const a = range.low == null ? 0 : clamp(this.share(Number(range.low))), b = range.high == null ? kWidth : clamp(this.share(Number(range.high)));
      this.band.setAttribute("x", a);
      this.band.setAttribute("width", Math.max(b - a, 1));
    }
    this.svg.setAttribute("aria-label", `Histogram of ${this.column.name}, ${shown(this.least)} to ${shown(this.largest)}` +
      (range ? `, kept from ${range.low ?? "the least"} to ${range.high ?? "the largest"}` : "") + ". Arrow keys move the lower bound, with Shift the upper one.");
  }
}
