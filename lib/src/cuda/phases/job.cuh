#pragma once

#include "cuda/device/bit_rows.cuh"
#include "cuda/device/image_ref.cuh"

namespace gpuccl::cuda {

/// Input and output of one labeling: the same image as bits and as bytes, and the labels.
struct Job {
  BitRows bits;
  ImageRef<const Pixel> image;
  ImageRef<Label> labels;
};

}  // namespace gpuccl::cuda
