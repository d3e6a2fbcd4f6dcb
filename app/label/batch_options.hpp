#pragma once

#include <optional>
#include <string>

#include "io/write/label_writer.hpp"

namespace gpuccl::app {

class Command;

/// Options that apply only to several inputs.
struct BatchOptions {
  bool recursive = false;
  std::optional<std::string> given_format;  // extension of label images
  std::string json_folder;
  std::string stats_folder;
  std::string contacts_folder;
  std::string preview_folder;
  std::string outlines_folder;
  std::string report;   // JSON lines, one an input
  std::string summary;  // CSV, a row for each input
  bool skip_existing = false;
  bool fail_fast = false;
  bool keep_going = false;  // asked for: not even a full disk ends the batch
  int jobs = 0;             // 0: as suits the machine

  /// `with_contacts`: and tables of contacts.
  void add_to(const Command& command, bool with_contacts = true);
  /// Returns the first of these options that was given and needs several inputs; "" if none was.
  std::string first_used() const;
  /// Returns the extension of label images unless inputs decide: ".tiff".
  std::string extension() const { return "." + given_format.value_or("tiff"); }
  io::LabelFormat format() const { return io::label_format("any" + extension()); }
};

}  // namespace gpuccl::app
