#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <typeindex>
#include <utility>

namespace gpuccl::io {

/// Objects made for inputs, by path, which all images in the same file use: time points of a batch, or
/// channels. Thread-safe.
class KeptInputs {
 public:
  /// Returns the object of this type and path in `kept`, which `make` makes if there is none yet. Without
  /// `kept`, or if `make` throws, nothing is kept.
  template <class Kept, class Make>
  static std::shared_ptr<Kept> get(const std::shared_ptr<KeptInputs>& kept, const std::string& path,
                                   Make make) {
    if (!kept) return make();
    const std::lock_guard lock(kept->mutex_);
    std::shared_ptr<void>& object = kept->objects_[{typeid(Kept), path}];
    if (!object) object = make();
    return std::static_pointer_cast<Kept>(object);
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<std::type_index, std::string>, std::shared_ptr<void>> objects_;
};

}  // namespace gpuccl::io
