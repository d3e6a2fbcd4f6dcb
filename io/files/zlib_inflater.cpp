#include <zlib.h>

#include <new>

#include "io/files/inflater.hpp"

namespace gpuccl::io {
namespace {

class ZlibInflater final : public Inflater {
 public:
  ZlibInflater() {
    constexpr int kAnyHeader = 32;  // added to the bits of the window: gzip or zlib
    if (inflateInit2(&stream_, MAX_WBITS + kAnyHeader) != Z_OK) throw std::bad_alloc();
  }
  ZlibInflater(const ZlibInflater& other) : Inflater() {
    if (inflateCopy(&stream_, const_cast<z_stream*>(&other.stream_)) != Z_OK) throw std::bad_alloc();
  }
  ZlibInflater& operator=(const ZlibInflater&) = delete;
  ~ZlibInflater() override { inflateEnd(&stream_); }

  std::unique_ptr<Inflater> copy() const override { return std::make_unique<ZlibInflater>(*this); }
  void begin_member() override { inflateReset(&stream_); }
  std::string damage() const override { return stream_.msg != nullptr ? stream_.msg : "no valid data"; }

  Progress inflate(std::span<const unsigned char> in, std::span<unsigned char> out) override {
    stream_.next_in = const_cast<unsigned char*>(in.data());
    stream_.avail_in = static_cast<unsigned>(in.size());
    stream_.next_out = out.data();
    stream_.avail_out = static_cast<unsigned>(out.size());
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    return {stream_.next_in - in.data(), static_cast<std::size_t>(stream_.next_out - out.data()),
            status == Z_STREAM_END                    ? State::at_end
            : status == Z_OK || status == Z_BUF_ERROR ? State::inside
                                                      : State::damaged};
  }

 private:
  z_stream stream_{};
};

}  // namespace

std::unique_ptr<Inflater> make_zlib_inflater() { return std::make_unique<ZlibInflater>(); }

}  // namespace gpuccl::io
