// Which components are kept, by ranges of their measures, and the command that keeps the same ones.
import { quotedPath } from "./base.js";

/** The number with the fewest digits in (above, below), of whole numbers (above, below]. Text. */
function roundBetween(above, below, whole, least) {
  const inside = (t) => (whole && !least ? t >= above && t < below : whole ? t > above && t <= below : t > above && t < below);
  const start = Math.ceil(Math.log10(Math.max(Math.abs(above), Math.abs(below), 1e-300)));
  for (let power = start; power >= start - 17; --power) {
    const step = 10 ** power, decimals = Math.max(0, -power);
    const first = (least ? Math.ceil(above / step) : Math.floor(below / step)) * step;
    for (const number of least ? [first, first + step] : [first, first - step]) {
      const text = decimals <= 20 ? number.toFixed(decimals) : number.toExponential(16);
      if (inside(Number(text))) return text.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
    }
  }
  return String((above + below) / 2);
}

// The largest number that --keep compares values with.
const kLargestExact = 2 ** 53;

// Columns of 32 bits are the nearest to numbers of 64: a threshold keeps away from both sides.
const kRounding = 6e-8;

export class Filter {
  constructor(columns, count) {
    this.columns = columns;
    this.kept = new Uint8Array(count).fill(1);
    this.keptCount = count;
    this.ranges = new Map();  // column -> { low, high }: texts of thresholds or null
    this.sorted = new Map();
  }

  sortedValues(column) {
    if (!this.sorted.has(column)) this.sorted.set(column, column.values.filter((v) => !Number.isNaN(v)).sort());
    return this.sorted.get(column);
  }

  /** Keeps values between two numbers, as they were pointed at; null: no bound. */
  set(column, low, high) {
    const values = this.sortedValues(column), whole = /^[ui]32$/.test(column.type);
    if (values.length === 0) return this.clear(column);
    const firstFrom = (number) => {
      let begin = 0, end = values.length;
      while (begin < end) {
        const middle = (begin + end) >> 1;
        if (values[middle] < number) begin = middle + 1;
        else end = middle;
      }
      return begin;
    };
    const between = (at, least) => {
      if (at <= 0 || at >= values.length) return null;
      const a = Number(values[at - 1]), b = Number(values[at]);
      if (whole) return roundBetween(a, b, true, least);
      const above = a + Math.abs(a) * kRounding, below = b - Math.abs(b) * kRounding;
      return above < below ? roundBetween(above, below, false, least) : String((a + b) / 2);
    };
    const from = low == null ? null : between(firstFrom(low), true);
    // The next larger value begins where the last one that is kept ends.
    let to = null;
    if (high != null) {
      let at = firstFrom(high);
      while (at < values.length && values[at] <= high) ++at;
      to = at === 0 ? roundBetween(Number(values[0]) - 1, Number(values[0]), whole, false) : between(at, false);
    }
    const none = low != null && firstFrom(low) >= values.length;
    if (none) this.ranges.set(column, { low: String(Number(values[values.length - 1]) + 1), high: to });
    else if (from == null && to == null) this.ranges.delete(column);
    else this.ranges.set(column, { low: from, high: to });
    this.apply();
  }

  clear(column) {
    if (column) this.ranges.delete(column);
    else this.ranges.clear();
    this.apply();
  }

  apply() {
    this.kept.fill(1);
    for (const [{ values }, { low, high }] of this.ranges) {
      const from = low == null ? -Infinity : Number(low), to = high == null ? Infinity : Number(high);
      for (let i = 0; i < values.length; ++i) if (!(values[i] >= from && values[i] <= to)) this.kept[i] = 0;
    }
    let count = 0;
    for (let i = 0; i < this.kept.length; ++i) count += this.kept[i];
    this.keptCount = count;
  }

  /** Why --keep cannot keep the same components, "" if it can. */
  obstacle(made) {
    const thresholds = [...this.ranges.values()].flatMap(({ low, high }) => [low ?? 0, high ?? 0]);
    if (thresholds.some((number) => Math.abs(Number(number)) > kLargestExact)) return "No command keeps these: --keep compares with numbers between -2^53 and 2^53.";
    const delta = made?.options.match(/(?:^| )--delta '?([\d.e+-]+)/), filtersValue = [...this.ranges.keys()].some(({ name }) => name === "value");
    return delta && Number(delta[1]) > 0 && filtersValue ? "No command keeps these: with --delta, a component has more than one value." : "";
  }

  /** The condition for --keep; "" if nothing is filtered. Subtracts `shifts` of columns from their thresholds. */
  expression(shifts) {
    const parts = [];
    for (const [{ name }, range] of this.ranges) {
      const [low, high] = [range.low, range.high].map((number) => (number != null && shifts?.[name] ? Number(number) - shifts[name] : number));
      if (low != null) parts.push(`${name} >= ${low}`);
      if (high != null) parts.push(`${name} <= ${high}`);
    }
    return parts.join(" and ");
  }

  /** Whether the command cannot be told: the options do not name the image of a column, or name folders of a batch. */
  isOfOther(made) {
    if (made.batch && /(^| )--(intensity|seeds)/.test(made.options)) return true;
    const names = [...this.ranges.keys()].map(({ name }) => name), hasImage = /(^| )--intensity[ =]/.test(made.options);
    return names.some((name) => (!hasImage && /^(intensity_|c[xyz]_weighted)/.test(name)) || (!made.made && /^(value$|wraps_)/.test(name)));
  }

  /** The command line that makes these components, after one that made all of them; "" if there is none. */
  command(made) {
    if (!made || this.isOfOther(made) || this.obstacle(made)) return "";
    let options = made.options;
    let keep = this.expression(made.shifts);
    const before = options.match(/(?:^| )--keep '([^']*)'/), largest = options.match(/(?:^| )--largest \d+/);
    if (before) {
      options = options.replace(before[0], "");
      keep = keep ? `(${before[1]}) and ${keep}` : before[1];
    }
    // The largest are chosen among those that a condition keeps: as many as are kept of the largest.
    if (largest && this.ranges.size > 0) {
      if (/--per-value/.test(options) || this.keptCount === 0) return "";
      options = options.replace(largest[0], ` --largest ${this.keptCount}`);
    }
    const verb = /^measure( |$)/.test(options) ? "measure" : "label";
    if (verb === "measure") options = options.slice(verb.length);
    return [`gpuccl ${verb} ${quotedPath(made.input)}`, options.trim(), keep && `--keep '${keep}'`, `-o ${quotedPath(made.output)}`].filter(Boolean).join(" ");
  }
}
