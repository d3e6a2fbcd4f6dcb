#pragma once

#include <cstdint>
#include <variant>

#include "cuda/phases/layouts.cuh"
#include "cuda/runs/host/device_call.cuh"
#include "cuda/runs/host/enqueue.cuh"
#include "cuda/runs/values/planes.cuh"
#include "cuda/runtime/arena.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::cuda::runs {

/// Arrays in the workspace of a call.
template <class Tile, class Link>
struct Workspace {
  Word* bits;  // bits of images that are copied, or the planes of a label map
  LabelState<Link> tables;

  Workspace(const TableLengths<Tile>& lengths, Arena& arena)
      : bits(arena.take<Word>(static_cast<std::size_t>(lengths.first.words) * planes())),
        tables{arena.take<Link>(lengths.links()),
               arena.take<std::uint16_t>(lengths.first_nodes()),
               arena.take<std::uint32_t>(lengths.tiles),
               {lengths.first,
                arena.take<std::uint32_t>(lengths.first.padded_words()),
                arena.take<std::uint32_t>(lengths.first.before()),
                arena.take<unsigned long long>(static_cast<std::size_t>(lengths.first.progress())),
                {arena.take<unsigned long long>(1), nullptr, 0}}} {}

 private:
  static constexpr std::size_t planes() {
    if constexpr (Tile::kOfValues)
      return ValuePlanes<Tile::connectivity>::kAll;
    else
      return 1;
  }
};

/// Rows have the minimum number of words, so rows without padding need no copy.
template <class Tile>
TiledImage frame_of(const Extent& extent) {
  return frame_of<Tile>(nullptr, extent, (extent.width - 1) / kWordBits + 1);
}

/// Returns true if the image has the layout of a frame: consecutive rows of complete words, from an address
/// that is a multiple of `alignment`.
inline bool is_like_words(const DeviceImage& image, int bits_an_element, std::uintptr_t alignment) {
  const std::int64_t row = std::int64_t{image.extent.width} * bits_an_element / 8;
  return image.extent.width % kWordBits == 0 && image.row_pitch == row &&
         (image.extent.depth == 1 || image.slice_pitch == row * image.extent.height) &&
         reinterpret_cast<std::uintptr_t>(image.data) % alignment == 0;
}

template <class T>
PitchedRows<T> rows_of(T* data, const DeviceLabels& labels) {
  constexpr std::int64_t kLabel = sizeof(T);
  const auto in_fours = [](auto address_or_pitch) { return address_or_pitch % (4 * kLabel) == 0; };
  return {data, labels.row_pitch / kLabel, labels.slice_pitch / kLabel,
          in_fours(reinterpret_cast<std::intptr_t>(data)) && in_fours(labels.row_pitch) &&
              in_fours(labels.slice_pitch)};
}

/// Throws Error: memory if the image is too large.
template <class Tile>
TiledImage checked_frame_of(const Extent& extent) {
  const TiledImage frame = frame_of<Tile>(extent);
  // Above this, indices of threads of BoundaryMerge exceed 32 bits.
  if (double{1} * frame.tiles_x * frame.tiles_y * frame.tiles_z * Tile::kNodes > 0x1p37)
    throw Error(ErrorCode::memory, "the image is too large for a GPU");
  return frame;
}

template <class Tile>
std::size_t workspace_bytes_of(Extent extent, LinkWidth width) {
  const TiledImage frame = checked_frame_of<Tile>(extent);
  Arena arena(nullptr);
  with_links(needs_wide_links<Tile>(frame, width),
             [&]<class Link>() { Workspace<Tile, Link>(TableLengths<Tile>(frame), arena); });
  return arena.used();
}

template <Connectivity connectivity>
std::size_t workspace_bytes(Extent extent, LinkWidth width) {
  return workspace_bytes_of<TileFor<connectivity>>(extent, width);
}

template <Connectivity connectivity>
std::size_t value_workspace_bytes(Extent extent, LinkWidth width) {
  return workspace_bytes_of<ValueTileFor<connectivity>>(extent, width);
}

/// Enqueues the phases after Numbering.
template <class Tile, class Link>
void enqueue_results(const DeviceResult& result, const TiledImage& frame, const LabelState<Link>& tables,
                     PhaseClock& phase) {
  std::visit(
      [&](auto* data) {
        if (data != nullptr) enqueue_labels<Tile>(frame, tables, rows_of(data, result.labels), phase);
      },
      result.labels.data);
  if (result.components == nullptr) return;
  const ComponentSums components{result.components, result.capacity};
  enqueue_statistics<Tile>(frame, tables, components, tables.first.total.count, phase);
}

/// Calls number(source) with the image, if necessary after it is packed to `bits`. Sets `frame.words` to the
/// words that it then has.
template <class Number>
void with_source(const DeviceImage& image, TiledImage& frame, Word* bits, PhaseClock& phase,
                 const Number& number) {
  const bool as_bytes = image.format == DeviceImage::Format::bytes;
  const bool in_place = is_like_words(image, as_bytes ? 8 : 1, as_bytes ? sizeof(uint4) : sizeof(Word));
  frame.words = in_place && !as_bytes ? static_cast<const Word*>(image.data) : bits;
  if (in_place && as_bytes) return number(FromBytes{static_cast<const uint4*>(image.data), bits});
  if (!in_place) pack(image, frame.pitch, bits, phase);
  number(FromBits{});
}

template <class Tile, class Link>
void enqueue_with(const DeviceCall& call, TiledImage frame) {
  const TableLengths<Tile> lengths(frame);
  Arena arena(call.workspace);
  Workspace<Tile, Link> workspace(lengths, arena);
  const LabelState<Link>& tables = workspace.tables;
  if (call.result.count != nullptr) workspace.tables.first.total.count = call.result.count;

  PhaseClock phase{call.stream, nullptr};
  with_source(call.image, frame, workspace.bits, phase,
              [&](const auto& source) { enqueue_numbering<Tile>(frame, source, tables, phase); });
  enqueue_results<Tile>(call.result, frame, tables, phase);
}

template <Connectivity connectivity>
void enqueue(const DeviceCall& call, LinkWidth width) {
  using Tile = TileFor<connectivity>;
  const TiledImage frame = frame_of<Tile>(call.image.extent);
  with_links(needs_wide_links<Tile>(frame, width),
             [&]<class Link>() { enqueue_with<Tile, Link>(call, frame); });
}

template <Connectivity connectivity>
void enqueue_values(const ValueCall& call, LinkWidth width) {
  using Tile = ValueTileFor<connectivity>;
  const TiledImage lengths = frame_of<Tile>(call.extent);
  with_links(needs_wide_links<Tile>(lengths, width), [&]<class Link>() {
    Arena arena(call.workspace);
    Workspace<Tile, Link> workspace(TableLengths<Tile>(lengths), arena);
    if (call.result.count != nullptr) workspace.tables.first.total.count = call.result.count;
    const LabelState<Link>& tables = workspace.tables;
    TiledImage frame = lengths;
    frame.words = workspace.bits;
    PhaseClock phase{call.stream, nullptr};
    find_planes(connectivity, frame, call.values, workspace.bits, phase);
    enqueue_numbering<Tile>(frame, FromBits{}, tables, phase);
    enqueue_results<Tile>(call.result, frame, tables, phase);
    if (call.to != nullptr)
      find_values(frame, call.values, tables.first, call.to, call.result.capacity, phase);
  });
}

}  // namespace gpuccl::cuda::runs
