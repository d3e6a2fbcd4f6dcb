#pragma once

#include "gpuccl/types.hpp"

namespace gpuccl::io {

/// Layout of the slices of a volume, reduced by an integer factor, in one picture: in rows from left to
/// right, each below its number, separated by lines of one pixel. For one slice the picture is the slice.
struct ContactSheet {
  int factor = 1;      // elements of a slice a pixel, along x and y
  int slice_step = 1;  // every so many slices are shown
  int shown = 1;       // slices
  int columns = 1, rows = 1;
  int tile_width = 0, tile_height = 0;
  int text_height = 0;     // of the numbers
  int caption_height = 0;  // above each tile; 0 where the numbers would not fit over the tiles

  int width() const { return columns * (tile_width + 1) - 1; }
  int height() const { return rows * (caption_height + tile_height + 1) - 1; }
  int left(int tile) const { return tile % columns * (tile_width + 1); }
  int top(int tile) const { return tile / columns * (caption_height + tile_height + 1) + caption_height; }
  int slice(int tile) const { return tile * slice_step; }
};

/// The sheet with the largest slices that is at most 2900 pixels wide and high, so that a sheet that is
/// halved has still half of that; at most 100 slices. Numbers are larger on larger sheets, which are seen
/// reduced, as long as slices are not smaller for them.
ContactSheet plan_contact_sheet(Extent extent);

}  // namespace gpuccl::io
