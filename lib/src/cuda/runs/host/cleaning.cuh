#pragma once

#include <algorithm>
#include <cstdint>
#include <variant>

#include "cuda/runs/cleaning/choice.cuh"
#include "cuda/runs/cleaning/keep_pieces.cuh"
#include "cuda/runs/host/device_labeling.cuh"

// clean_on_device(): labels the image, sums up areas, chooses components by their number, and keeps their
// pieces. Holes are components of the complement. No label image is written.
namespace gpuccl::cuda::runs {

inline Choice choice_of(const DeviceCleaning& request, bool of_complement) {
  const auto size = [](std::uint64_t elements) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(elements, UINT32_MAX));
  };
  Choice choice;
  choice.clears_border = of_complement || request.clear_border;
  if (of_complement) {
    choice.max_size = size(request.fill_holes);
    return choice;
  }
  choice.min_size = size(request.min_size);
  choice.max_size = size(request.max_size);
  choice.largest = request.largest;
  choice.needs_seeds = request.seeds.data != nullptr;
  return choice;
}

inline bool only_fills(const DeviceCleaning& request) {
  return request.fill_holes > 0 && request.min_size <= 1 && request.max_size >= UINT32_MAX &&
         request.largest == 0 && !request.clear_border && request.seeds.data == nullptr;
}

/// Arrays in the workspace of a call.
template <class Tile, class Link>
struct Selection {
  Workspace<Tile, Link> labeling;
  Choice choice;
  Word* seeds = nullptr;

  Selection(const TableLengths<Tile>& lengths, const CleanCall& call, bool of_complement, Arena& arena)
      : labeling(lengths, arena), choice(choice_of(call.request, of_complement)) {
    choice.take_from(arena, call.components);
    choice.count = labeling.tables.first.total.count;
    if (choice.needs_seeds) seeds = arena.take<Word>(static_cast<std::size_t>(lengths.first.words));
  }
};

template <class Tile>
std::size_t selection_bytes_of(const CleanCall& call, bool of_complement) {
  const TiledImage frame = checked_frame_of<Tile>(call.request.extent());
  Arena arena(nullptr);
  with_links(needs_wide_links<Tile>(frame, LinkWidth::as_needed), [&]<class Link>() {
    Selection<Tile, Link>(TableLengths<Tile>(frame), call, of_complement, arena);
  });
  return arena.used();
}

/// Calls enqueue(selection, frame, phase) with the workspace of the call.
template <class Tile, class Enqueue>
void with_selection(const CleanCall& call, bool of_complement, const Enqueue& enqueue) {
  const TiledImage frame = frame_of<Tile>(call.request.extent());
  with_links(needs_wide_links<Tile>(frame, LinkWidth::as_needed), [&]<class Link>() {
    Arena arena(call.workspace);
    const Selection<Tile, Link> selection(TableLengths<Tile>(frame), call, of_complement, arena);
    PhaseClock phase{call.stream, nullptr};
    enqueue(selection, frame, phase);
  });
}

/// Enqueues all after the numbering. `bits`: for the elements that are kept.
template <bool fills = false, class Tile, class Link>
void enqueue_selection(const Selection<Tile, Link>& selection, const TiledImage& frame, Word* bits,
                       PhaseClock& phase) {
  const Choice& choice = selection.choice;
  const LabelState<Link>& tables = selection.labeling.tables;
  clear(choice, phase);
  for_all_tiles<Tile>(frame, [&](const TiledImage& part, const LaunchShape& shape) {
    if (choice.areas != nullptr) phase("Areas", sum_areas<Tile, Link>, shape, part, tables, choice.areas);
    const auto mark = [&](const Word* seeds, Word* marks) {
      phase("Mark", mark_components<Tile, Link>, shape, part, tables, seeds, marks);
    };
    if (choice.clears_border) mark(nullptr, choice.at_border);
    if (choice.needs_seeds) mark(selection.seeds, choice.seeded);
  });
  choose(choice, phase);
  for_all_tiles<Tile>(frame, [&](const TiledImage& part, const LaunchShape& shape) {
    phase("Keep", keep_pieces<Tile, Link, fills>, shape, part, tables, choice.kept, bits);
  });
}

inline void draw(const DeviceCleaning& request, const Word* bits, int words_a_row, PhaseClock& phase) {
  draw(bits, words_a_row, request.from, request.filled,
       {request.out, request.type, request.extent(), request.out_row_pitch, request.out_slice_pitch, 0},
       phase);
}

template <Connectivity connectivity>
std::size_t selection_bytes(const CleanCall& call, bool of_complement) {
  return selection_bytes_of<TileFor<connectivity>>(call, of_complement);
}

template <Connectivity connectivity>
std::size_t value_selection_bytes(const CleanCall& call) {
  return selection_bytes_of<ValueTileFor<connectivity>>(call, false);
}

template <Connectivity connectivity>
void enqueue_filling(const CleanCall& call) {
  using Tile = TileFor<connectivity>;
  with_selection<Tile>(call, true, [&](const auto& selection, TiledImage frame, PhaseClock& phase) {
    Word* const bits = selection.labeling.bits;
    pack(std::get<DeviceImage>(call.request.image), frame.pitch, bits, phase);
    invert(bits, selection.labeling.tables.first.lengths.words, frame.pitch, frame.width, phase);
    frame.words = bits;
    enqueue_numbering<Tile>(frame, FromBits{}, selection.labeling.tables, phase);
    enqueue_selection<true>(selection, frame, bits, phase);
  });
}

template <Connectivity connectivity>
void enqueue_cleaning(const CleanCall& call) {
  using Tile = TileFor<connectivity>;
  with_selection<Tile>(call, false, [&](const auto& selection, TiledImage frame, PhaseClock& phase) {
    Word* const bits = selection.labeling.bits;  // the filled ones, if holes were filled: they come first
    if (only_fills(call.request)) return draw(call.request, bits, frame.pitch, phase);
    const auto number = [&](const auto& source) {
      enqueue_numbering<Tile>(frame, source, selection.labeling.tables, phase);
    };
    if (call.request.fill_holes > 0) {
      frame.words = bits;
      number(FromBits{});
    } else {
      with_source(std::get<DeviceImage>(call.request.image), frame, bits, phase, number);
    }
    if (selection.seeds != nullptr) pack(call.request.seeds, frame.pitch, selection.seeds, phase);
    enqueue_selection(selection, frame, bits, phase);
    draw(call.request, bits, frame.pitch, phase);
  });
}

template <Connectivity connectivity>
void enqueue_value_cleaning(const CleanCall& call) {
  using Tile = ValueTileFor<connectivity>;
  with_selection<Tile>(call, false, [&](const auto& selection, TiledImage frame, PhaseClock& phase) {
    Word* const planes = selection.labeling.bits;
    frame.words = planes;
    const auto& image = std::get<DeviceValueImage>(call.request.image);
    find_planes(connectivity, frame,
                {image.data, image.type, image.delta, image.row_pitch, image.slice_pitch}, planes, phase);
    enqueue_numbering<Tile>(frame, FromBits{}, selection.labeling.tables, phase);
    if (selection.seeds != nullptr) pack(call.request.seeds, frame.pitch, selection.seeds, phase);
    Word* const set = planes + frame.plane(ValuePlanes<connectivity>::kSet);
    enqueue_selection(selection, frame, set, phase);
    draw(call.request, set, frame.pitch, phase);
  });
}

}  // namespace gpuccl::cuda::runs
