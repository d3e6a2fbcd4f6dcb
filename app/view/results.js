// Results of `gpuccl bench` as charts need them: metrics of an experiment, and series over an axis.

const kTotals = ["preallocated", "allocated", "label image", "components"];
const measure = (row, name) => row.measures?.find((one) => one.name === name);
const total = (row) => kTotals.map((name) => measure(row, name)).find(Boolean);
const working = (row) => row.phases?.find((phase) => phase.steps_mean + phase.atomics_mean > 0) ?? row.phases?.[0];
const timed = (one) => one && { value: one.median_ms, low: one.low_ms, high: one.high_ms, single: one.repetitions < 2 };
const speed = (one) => one?.elements_per_ns && { value: one.elements_per_ns, low: (one.elements_per_ns * one.median_ms) / one.high_ms, high: (one.elements_per_ns * one.median_ms) / one.low_ms };
const plain = (value) => (value == null ? null : { value });
const accesses = (phase) => phase.image_reads + phase.reads + phase.writes + phase.atomics;
const sum = (parts, of) => (parts?.length ? plain(parts.reduce((all, one) => all + of(one), 0)) : null);

const kTime = { title: "Time", unit: "ms", of: (row) => timed(total(row)), floor: true };
const kFromImage = { ...kTime, note: "Image to provisional labels; lower is better." };
const kBlocks = "Mean over thread blocks of the first phase with finds.";

/** What charts show of an experiment. `of(row)`: value, and low and high if it has a spread. */
export function metrics(test) {
  switch (test) {
    case "host":
      return [{ ...kTime, title: "Image to label image", note: "Both in host memory; lower is better." },
        { ...kTime, title: "Image to run labels", note: "Both in host memory; lower is better.", of: (row) => timed(measure(row, "run labels")) }];
    case "cca":
      return [{ ...kTime, note: "Image to a table of components; lower is better." }];
    case "steps":
      return [{ title: "Phases", unit: "ms", note: "Each phase timed on its own; together they take longer than the total.", of: (row) => sum(row.measures, (one) => one.median_ms),
        parts: (row) => row.measures.map((one) => [one.name, one.median_ms]) }];
    case "memory":
      return [{ title: "Accesses to global memory", unit: "accesses", note: "Of each phase to image, labels and parent pointers.", of: (row) => sum(row.phases, accesses),
        parts: (row) => row.phases.map((one) => [one.name, accesses(one)]) }];
    case "work":
      return [{ title: "Longest walk", unit: "steps", note: kBlocks, of: (row) => plain(working(row)?.longest_walk_mean) },
        { title: "Atomics", unit: "per block", note: kBlocks, of: (row) => plain(working(row)?.atomics_mean) }];
    case "iterations":
      return [{ title: "Launches", unit: "iterations", note: "Until nothing changes.", of: (row) => plain(row.measures?.[0]?.launches) }];
    case "size":
      return [kFromImage, { title: "Elements per ns", unit: "per ns", note: "Higher is better.", high: true, of: (row) => speed(total(row)) }];
    default:
      return [kFromImage];
  }
}

/** Sets of groups that differ in one thing, the axis: { title, axis, logarithmic, places: [{ name, x, group }] }. */
export function seriesSets(results) {
  const sets = new Map();
  for (const group of results) {
    const size = group.size?.slice(0, group.size[2] > 1 ? 3 : 2).join("x"), density = Number((100 * group.density).toPrecision(3));
    const values = { size: [size, group.mean_elements], density: [String(density), density], granularity: [String(group.granularity), group.granularity] };
    const fixed = { size, density: `density ${density} %`, granularity: `granularity ${group.granularity}` };
    const [name, x] = values[group.axis] ?? [group.title, null];
    if (group.axis) delete fixed[group.axis];
    const title = `${group.axis ? ["Random", ...Object.values(fixed)].join(", ") : "Images"}, ${group.connectivity}-connectivity`;
    if (!sets.has(title)) sets.set(title, { title, axis: group.axis === "density" ? "density (%)" : group.axis, logarithmic: group.axis === "size", places: [] });
    sets.get(title).places.push({ name, x, group });
  }
  for (const set of sets.values()) if (set.axis) set.places.sort((a, b) => a.x - b.x);
  return [...sets.values()];
}
