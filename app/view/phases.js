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

export const roleNames = kRoles.map(([name]) => name);
export const roleOf = (phase) => kByPhase.get(phase) ?? kRoles.length - 1;
