#include <algorithm>
#include <string>

#include "decode.hpp"
#include "io/zarr/zarr.hpp"
#include "io/zarr/zarr_zip.hpp"

// The reader of Zarr. The bytes are documents of metadata, each ended by a NUL, the first begun by a letter
// that says which they are; what follows is every chunk, or shard. Or they are a zip archive.
namespace gpuccl {
namespace {

class FuzzedStore final : public io::ZarrStore {
 public:
  FuzzedStore(const std::uint8_t* data, std::size_t size) {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    const char kind = size > 0 ? bytes[0] : 'a';
    if (kind == '3') keys_ = {"zarr.json", "0/zarr.json"};
    if (kind == '2') keys_ = {".zattrs", "0/.zarray"};
    if (kind == 'v') keys_ = {"zarr.json"};
    if (kind == 'a') keys_ = {".zarray"};
    std::size_t at = 1;
    for (std::size_t i = 0; i < keys_.size() && at < size; ++i) {
      const std::size_t end = std::min(bytes.find('\0', at), size);
      documents_.push_back(bytes.substr(at, end - at));
      at = end + 1;
    }
    chunk_ = bytes.substr(std::min(at, size));
  }

  std::unique_ptr<const io::InputFile> open(const std::string& key) const override {
    for (std::size_t i = 0; i < documents_.size(); ++i)
      if (keys_[i] == key) return file_of(documents_[i]);
    if (key.ends_with(".json") || key.ends_with(".zarray") || key.ends_with(".zattrs")) return nullptr;
    return chunk_.empty() ? nullptr : file_of(chunk_);
  }

  static std::unique_ptr<const io::InputFile> file_of(const std::string& text) {
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    return std::make_unique<const io::InputFile>(std::vector<std::byte>(bytes, bytes + text.size()));
  }

 private:
  std::vector<std::string> keys_, documents_;
  std::string chunk_;
};

}  // namespace
}  // namespace gpuccl

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuccl;
  fuzz::decode(size > 0 ? data[size - 1] : 0, [&](const io::ReadOptions& options) {
    if (size == 0 || data[0] != 'P')
      return io::open_zarr(std::make_shared<const FuzzedStore>(data, size), options);
    const std::string archive(reinterpret_cast<const char*>(data), size);
    return io::open_zarr(std::make_shared<const io::ZarrZip>(FuzzedStore::file_of(archive), "", 1 << 20),
                         options);
  });
  return 0;
}
