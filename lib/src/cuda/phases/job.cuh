#pragma once

#include "cuda/device/bit_rows.cuh"
#include "cuda/device/image_ref.cuh"

namespace gpuccl::cuda {

/// What one labeling works on: the same image as bits and as bytes, and where the labels go.
struct Job {
  BitRows bits;
  ImageRef<const Pixel> image;
  ImageRef<Label> labels;
};

}  // namespace gpuccl::cuda
