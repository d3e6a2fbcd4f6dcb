// Results of `gpuccl bench` as charts need them: metrics of an experiment, and series over an axis.

const kTotals = ["preallocated", "allocated", "label image", "components"];
const measure = (row, name) => row.measures?.find((one) => one.name === name);
const total = (row) => kTotals.map((name) => measure(row, name)).find(Boolean);
const working = (row) => row.images > 0 ? row.phases?.find((phase) => phase.steps_mean + phase.atomics_mean > 0) ?? row.phases?.[0] : null;
const timed = (one) => one && { value: one.median_ms, low: one.low_ms, high: one.high_ms };
const plain = (value) => (value == null ? null : { value });
export const accesses = (phase) => phase.image_reads + phase.reads + phase.writes + phase.atomics;

const kTime = { best: "is the fastest", than: "as fast as", unit: "ms", of: (row) => timed(total(row)), floor: true };
const kSpeed = { title: "Throughput", unit: "G/s", note: "10⁹ elements per second; higher is better.", high: true };
const kFromImage = "Image to provisional labels; lower is better.";

/** What charts show of an experiment, the first is what its result is judged by. `of(row, group)`: value, low, high. */
export function metrics(test) {
  switch (test) {
    case "host":
      return [{ ...kTime, title: "Image to label image", note: "Both in host memory; lower is better." },
        { ...kTime, title: "Image to run labels", note: "Both in host memory; lower is better.", of: (row) => timed(measure(row, "run labels")) }];
    case "cca":
      return [{ ...kTime, title: "Time", note: "Image to a table of components; lower is better." }];
    case "steps":
      return [{ title: "Phases", best: "has the shortest phases", than: "as fast as", unit: "ms", note: "Each phase timed on its own; together they take longer than the total.",
        of: (row) => plain(row.measures?.length ? row.measures.reduce((sum, one) => sum + one.median_ms, 0) : null),
        parts: (row) => row.measures.map((one) => [one.name, one.median_ms]) }];
    case "memory":
      return [{ title: "Accesses to global memory", best: "makes the fewest accesses to memory", than: "as many for", unit: "accesses", note: "Of each phase to image, labels and parent pointers.",
        of: (row) => plain(row.images > 0 ? row.phases.reduce((sum, one) => sum + accesses(one), 0) : null),
        parts: (row) => row.phases.map((one) => [one.name, accesses(one)]) }];
    case "work":
      return [{ title: "Longest find path", best: "has the shortest find paths", than: "as many steps for", unit: "steps", note: "Mean over thread blocks of the first phase with finds.", of: (row) => plain(working(row)?.longest_walk_mean) },
        { title: "Atomic operations", best: "has the fewest atomic operations", than: "as many for", unit: "per block", note: "Mean over thread blocks of the first phase with finds.", of: (row) => plain(working(row)?.atomics_mean) }];
    case "iterations":
      return [{ title: "Iterations", best: "needs the fewest iterations", than: "as many for", unit: "iterations", note: "Until nothing changes.", of: (row) => plain(row.measures?.[0]?.launches) }];
    case "size":
      return [{ ...kTime, title: "Time", note: kFromImage },
        { ...kSpeed, of: (row, group) => { const one = total(row); return one?.median_ms > 0 ? plain(group.mean_elements / one.median_ms / 1e6) : null; } }];
    default:
      return [{ ...kTime, title: "Time", note: kFromImage }];
  }
}

export const percent = (share) => String(Number((100 * share).toPrecision(3)));
const sizeOf = ([width, height, depth]) => `${width}x${height}` + (depth > 1 ? `x${depth}` : "");

/** "random 512x512, density 50 %, granularity 1" or the name of a dataset. */
export const described = (group) =>
  group.size ? `${group.dataset} ${sizeOf(group.size)}, density ${percent(group.density)} %, granularity ${group.granularity}` : group.dataset;

/** Names of algorithms, with their device where two rows of one group share the name. */
export function nameRows(results) {
  for (const { algorithms } of results)
    for (const row of algorithms)
      row.title = algorithms.some((other) => other !== row && other.algorithm === row.algorithm) ? `${row.algorithm} (${row.device === "cpu" ? "CPU" : "GPU"})` : row.algorithm;
}

/** Sets of groups that differ in one thing, the axis: { title, axis, logarithmic, places: [{ name, x, group }] }. */
export function seriesSets(test, results) {
  const sets = new Map();
  const random = results.filter(({ size }) => size);
  const sizes = new Set(random.map(({ size }) => sizeOf(size))).size;
  let pastSizes = false;  // of work, which grows one after the other
  for (const group of results) {
    const connectivity = `${group.connectivity}-connectivity`;
    let set, axis = null, name = described(group), x = null, logarithmic = false;
    if (!group.size) set = `Datasets, ${connectivity}`;
    else {
      const size = sizeOf(group.size), density = `density ${percent(group.density)} %`, grain = `granularity ${group.granularity}`;
      pastSizes ||= sizes < 2 || group.density !== random[0].density;
      const by = { density: "density", iterations: "density", granularity: "granularity", size: "size", work: pastSizes ? "density" : "size" }[test];
      if (by === "density") [set, axis, name, x] = [`Random ${size}, ${grain}, ${connectivity}`, "density (%)", percent(group.density), 100 * group.density];
      else if (by === "granularity") [set, axis, name, x] = [`Random ${size}, ${density}, ${connectivity}`, "granularity", String(group.granularity), group.granularity];
      else if (by === "size") [set, axis, name, x, logarithmic] = [`Random, ${density}, ${grain}, ${connectivity}`, "size", size, group.mean_elements, true];
      else set = `Random images, ${connectivity}`;
    }
    if (!sets.has(set)) sets.set(set, { title: set, axis, logarithmic, places: [] });
    sets.get(set).places.push({ name, x, group });
  }
  for (const set of sets.values()) if (set.axis) set.places.sort((a, b) => a.x - b.x);
  return [...sets.values()];
}

/**
 * Who is best over all groups: [{ title, ratio, wins }], the best first; `ratio` is the geometric mean of what it takes,
 * as a multiple of the best of each group. Only algorithms that have a value wherever the first of them has one.
 */
export function ranking(results, { of }) {
  const found = new Map();
  let groups = 0;
  for (const group of results) {
    const values = group.algorithms.map((row) => [row.title, of(row, group)?.value]).filter(([, value]) => value > 0);
    if (values.length === 0) continue;
    ++groups;
    const best = Math.min(...values.map(([, value]) => value));
    for (const [title, value] of values) {
      if (!found.has(title)) found.set(title, { title, sum: 0, count: 0, wins: 0 });
      const one = found.get(title);
      one.sum += Math.log(value / best);
      ++one.count;
      if (value === best) ++one.wins;
    }
  }
  const most = Math.max(0, ...[...found.values()].map(({ count }) => count));
  const order = [...found.values()].filter(({ count }) => count === most).map((one) => ({ ...one, ratio: Math.exp(one.sum / one.count) }));
  return { groups, compared: most, order: order.sort((a, b) => a.ratio - b.ratio) };
}
