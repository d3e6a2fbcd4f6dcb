#include "app/commands/text_output.hpp"

#include "app/label/label_outputs.hpp"
#include "io/files/descriptor.hpp"
#include "io/files/file_error.hpp"

namespace gpuccl::app {

TextOutput::TextOutput(const std::string& path, const OutputOptions& options,
                       bool (*is_ours)(std::string_view))
    : name_(path) {
  if (io::TextStream::is_named(path)) {
    stream_.emplace(path).open();
    name_ = stream_->name();
    return;
  }
  io::with_path(path, [&] {
    file_.emplace(path, options.file);
    if (!options.replace_foreign) refuse_foreign_table(path, is_ours);
  });
}

void TextOutput::write(std::string_view text) {
  io::with_path(name_, [&] {
    if (stream_)
      io::write_all(stream_->descriptor(), text.data(), text.size());
    else
      file_->write(text.data(), text.size());
  });
}

void TextOutput::commit() {
  if (file_) io::with_path(name_, [&] { file_->commit(); });
}

}  // namespace gpuccl::app
