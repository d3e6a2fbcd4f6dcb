#include "app/commands/commands.hpp"

#include "app/label/label_outputs.hpp"
#include "io/files/descriptor.hpp"
#include "io/files/file_error.hpp"

namespace gpuccl::app {

TextOutput::TextOutput(const std::string& path, const OutputOptions& options,
                       bool (*is_ours)(std::string_view))
    : name_(path) {
  if (path.empty()) return;
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
    if (stream_) io::write_all(stream_->descriptor(), text.data(), text.size());
    if (file_) file_->write(text.data(), text.size());
  });
}

void TextOutput::commit_together(std::initializer_list<TextOutput*> outputs,
                                 const std::vector<io::SharedFile>& files) {
  std::vector<io::AtomicFile*> all;
  all.reserve(files.size() + outputs.size());
  for (const io::SharedFile& file : files) all.push_back(file.made());
  for (TextOutput* const output : outputs)
    if (output->file_) all.push_back(&*output->file_);
  if (!all.empty()) io::AtomicFile::commit_together(all);
}

}  // namespace gpuccl::app
