#pragma once

#include <string>
#include <vector>

namespace gpuccl::bench {

/// Text in columns, to be printed or written as HTML. The first columns are words, the others figures.
struct Table {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::size_t word_columns = 1;
};

/// Columns as wide as their widest cell; words to the left, figures to the right.
std::string as_text(const Table& table);

/// Characters of UTF-8 text.
std::size_t letters(const std::string& text);

/// "1234", "123", "12.3", "1.23", "0.123", "0.0123": three digits that count.
std::string three_digits(double value);

}  // namespace gpuccl::bench
