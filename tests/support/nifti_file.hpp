#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tests {

/// A NIfTI as its standard describes it, byte by byte.
struct NiftiToWrite {
  bool nifti2 = false;
  bool big_endian = false;
  bool pair = false;  // the header alone
  std::vector<std::int64_t> dim = {3, 4, 3, 2};
  int datatype = 2;
  double vox_offset = -1;  // what fits
  double slope = 0, inter = 0;
  int units = 0;
  std::array<double, 8> pixdim = {1, 1, 1, 1, 1, 1, 1, 1};
  int qform = 0, sform = 0;
  std::array<double, 6> quatern{};
  std::array<double, 12> srow{};
  std::int32_t sizeof_hdr = 0;  // what is right
  std::string samples;          // in the byte order of the file

  std::string bytes() const {
    const std::size_t size = nifti2 ? 540 : 348;
    std::string file(pair ? size : size + 4, '\0');
    const auto put = [&](std::size_t at, auto value) {
      std::string bytes(sizeof value, '\0');
      std::memcpy(bytes.data(), &value, sizeof value);
      if (big_endian) std::reverse(bytes.begin(), bytes.end());
      file.replace(at, bytes.size(), bytes);
    };
    const auto real = [&](std::size_t at, double value) {
      if (nifti2) {
        put(at, value);
      } else {
        put(at, static_cast<float>(value));
      }
    };
    const auto reals = [&](std::size_t at, const auto& values) {
      for (std::size_t i = 0; i < values.size(); ++i) real(at + i * (nifti2 ? 8 : 4), values[i]);
    };
    const auto code = [&](std::size_t at, int value) {
      if (nifti2) {
        put(at, static_cast<std::int32_t>(value));
      } else {
        put(at, static_cast<std::int16_t>(value));
      }
    };
    put(0, sizeof_hdr != 0 ? sizeof_hdr : static_cast<std::int32_t>(size));
    const double offset = vox_offset == -1 ? (pair ? 0.0 : static_cast<double>(size + 4)) : vox_offset;
    for (std::size_t i = 0; i < dim.size(); ++i) {
      if (nifti2) {
        put(16 + 8 * i, dim[i]);
      } else {
        put(40 + 2 * i, static_cast<std::int16_t>(dim[i]));
      }
    }
    put(nifti2 ? 12 : 70, static_cast<std::int16_t>(datatype));
    reals(nifti2 ? 104 : 76, pixdim);
    if (nifti2) {
      put(168, static_cast<std::int64_t>(offset));
    } else {
      put(108, static_cast<float>(offset));
    }
    real(nifti2 ? 176 : 112, slope);
    real(nifti2 ? 184 : 116, inter);
    if (nifti2) {
      put(500, static_cast<std::int32_t>(units));
    } else {
      put(123, static_cast<std::uint8_t>(units));
    }
    code(nifti2 ? 344 : 252, qform);
    code(nifti2 ? 348 : 254, sform);
    reals(nifti2 ? 352 : 256, quatern);
    reals(nifti2 ? 400 : 280, srow);
    const std::string magic = pair ? "ni" : "n+";
    if (nifti2) {
      file.replace(4, 8, magic + std::string("2\0\r\n\x1a\n", 6));
    } else {
      file.replace(344, 4, magic + std::string("1\0", 2));
    }
    return file + samples;
  }
};

}  // namespace tests
