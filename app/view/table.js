// A table that sorts, of any number of rows: only those in sight are in the document.
import { element, shown } from "./base.js";

const kRow = 26, kSpare = 8, kPrinted = 200;

export class Table {
  /**
   * `columns`: name, values, text(row) for others than plain numbers, unit, word: aligned as text. `rows()` says which there are, an array of numbers; `look(row)` the
   * class, color and selection of one; `chosen(row, event)` is called for one that was clicked.
   */
  constructor(columns, { rows, look, chosen, label }) {
    Object.assign(this, { columns, rows, look, chosen, by: null, down: false });
    this.body = element("tbody");
    this.heads = columns.map((column, c) =>
      element("th", { scope: "col", class: column.word && "word", "aria-sort": "none", title: column.definition ?? "" },
        element("button", { type: "button", text: column.name + (column.unit ? ` (${column.unit})` : ""), onclick: () => this.sort(c) })));
    this.table = element("table", { role: "grid", "aria-label": label, "aria-multiselectable": true },
      element("thead", {}, element("tr", {}, ...this.heads)), this.body);
    this.box = element("div", { class: "grid", tabindex: 0 }, this.table);
    this.box.addEventListener("scroll", () => this.show());
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.body.addEventListener("click", (event) => {
      const at = event.target.closest("tr")?.dataset.at;
      if (at == null) return;
      this.active = Number(at);
      this.chosen(this.list[this.active], event);
    });
    this.active = 0;
    this.update();
    new ResizeObserver(() => this.show()).observe(this.box);
    // On paper the first rows stand, without scrolling.
    const paper = matchMedia("print"), print = (isPrinted) => { this.isPrinted = isPrinted; this.show(); };
    this.isPrinted = paper.matches;
    for (const [event, isPrinted] of [["beforeprint", true], ["afterprint", false]]) addEventListener(event, () => print(isPrinted));
    paper.addEventListener("change", () => print(paper.matches));
  }

  sort(c) {
    this.down = this.by === c ? !this.down : false;
    this.by = c;
    this.orderRows();
    this.heads.forEach((head, i) => head.setAttribute("aria-sort", i !== c ? "none" : this.down ? "descending" : "ascending"));
    this.update();
    this.box.scrollTop = 0;
  }

  /** Asks again which rows there are. */
  update() {
    this.list = this.rows();
    if (this.by != null) {
      const inside = new Uint8Array(this.order.length);
      for (const row of this.list) inside[row] = 1;
      this.list = this.order.filter((row) => inside[row]);
    }
    this.show();
  }

  /** All rows in the order of the column, so that a filter need not sort again. */
  orderRows() {
    const { values } = this.columns[this.by], sign = this.down ? -1 : 1;
    this.order = Uint32Array.from(values, (_, row) => row).sort((a, b) => {
      const x = values[a], y = values[b];
      if (x === y) return a - b;
      if (x !== x || y !== y) return x !== x ? (y !== y ? a - b : 1) : -1;  // missing ones are last
      return x < y ? -sign : sign;
    });
  }

  show() {
    const count = this.list.length, paper = this.isPrinted;
    const first = paper ? 0 : Math.max(0, Math.min(count, Math.floor(this.box.scrollTop / kRow)) - kSpare);
    const last = Math.min(count, paper ? kPrinted : first + Math.ceil(this.box.clientHeight / kRow) + 2 * kSpare);
    const spacer = (rows) => element("tr", { "aria-hidden": true }, element("td", { style: `height:${rows * kRow}px;padding:0;border:0`, colspan: this.columns.length }));
    const made = [];
    if (first > 0) made.push(spacer(first));
    for (let at = first; at < last; ++at) made.push(this.row(at));
    const line = (text) => element("tr", {}, element("td", { text, colspan: this.columns.length, style: "text-align:left" }));
    if (last < count) made.push(paper ? line(`${shown(count - last)} more rows are not printed.`) : spacer(count - last));
    if (count === 0) made.push(line("No rows."));
    this.body.replaceChildren(...made);
    this.table.setAttribute("aria-rowcount", count + 1);
  }

  row(at) {
    const row = this.list[at], { selected, name, color } = this.look(row);
    const cells = this.columns.map((column, c) => {
      const cell = element("td", { class: column.word && "word", text: column.text ? column.text(row) : shown(column.values[row]) });
      if (c === 0 && color) cell.prepend(element("span", { class: "swatch", style: `background:rgb(${color})` }));
      return cell;
    });
    return element("tr", { "data-at": at, "aria-rowindex": at + 2, "aria-selected": String(Boolean(selected)), class: name }, ...cells);
  }

  /** Scrolls to a row that is in the list. */
  reveal(row) {
    const at = this.list.indexOf(row);
    if (at < 0) return;
    this.active = at;
    const top = at * kRow, { scrollTop, clientHeight } = this.box;
    if (top < scrollTop || top + 3 * kRow > scrollTop + clientHeight) this.box.scrollTop = top - clientHeight / 3;
    this.show();
  }

  key(event) {
    const page = Math.floor(this.box.clientHeight / kRow) - 1;
    const step = { ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page, Home: -1e9, End: 1e9 }[event.key];
    if (!step || event.target !== this.box || this.list.length === 0) return;
    event.preventDefault();
    this.active = Math.min(Math.max(this.active + step, 0), this.list.length - 1);
    this.chosen(this.list[this.active], event);
    this.reveal(this.list[this.active]);
  }
}
