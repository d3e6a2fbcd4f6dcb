#include "app/bench/html.hpp"

#include "app/bench/markup.hpp"
#include "app/bench/measurement_notes.hpp"
#include "app/bench/result_tables.hpp"

namespace gpuccl::bench {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --line: #ddd; --wrong: #b00; }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #16181c; --line: #33373d; --wrong: #ff7a6b; } }
body { font: 15px/1.45 sans-serif; color: var(--ink); background: var(--paper); max-width: 1100px; margin: 2em auto;
  padding: 0 1em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.2em; margin-top: 2em; } h3 { font-size: 1em; margin: 1.6em 0 .4em; }
table { border-collapse: collapse; font-size: 13px; }
th, td { padding: 2px 10px; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { border-bottom: 2px solid #888; } .word { text-align: left; } .head td + td, .claims td { white-space: normal; }
.claims td { min-width: 7em; vertical-align: top; } .claims td:nth-child(3) { min-width: 0; }
.claims td:last-child { min-width: 22em; text-align: left; }
.scroll { overflow-x: auto; } .scroll:focus-visible { outline: 2px solid #56b4e9; }
.chart { display: block; width: 100%; max-width: 900px; min-width: 600px; height: auto; margin: 1.4em 0; }
.wrong { color: var(--wrong); font-weight: bold; }
)";

std::string cells(const std::vector<std::string>& row, std::size_t word_columns, const std::string& tag) {
  std::string text = "<tr>";
  for (std::size_t i = 0; i < row.size(); ++i)
    text += "<" + tag + (i < word_columns ? " class=\"word\">" : ">") + escaped(row[i]) + "</" + tag + ">";
  return text + "</tr>\n";
}

/// Makes content that may be wider than a phone scroll on its own, also with keys.
std::string scrolling(const std::string& body) {
  return "<div class=\"scroll\" tabindex=\"0\">" + body + "</div>\n";
}

std::string html(const Table& table, const std::string& type = "") {
  const std::string title = table.title.empty() ? "" : "<h3>" + escaped(table.title) + "</h3>\n";
  std::string text = "<table" + (type.empty() ? "" : " class=\"" + type + "\"") + ">\n";
  if (!table.header.empty()) text += "<thead>" + cells(table.header, table.word_columns, "th") + "</thead>\n";
  text += "<tbody>\n";
  for (const auto& row : table.rows) text += cells(row, table.word_columns, "td");
  return title + scrolling(text + "</tbody></table>");
}

std::string html(const Head& head) {
  Table table{{}, {}, {}, 2};
  table.rows.push_back(
      {"gpuccl", head.version + (head.commit.empty() ? "" : " (commit " + head.commit + ")")});
  table.rows.push_back({"command", head.command});
  for (const auto& [entry, value] : head.environment) table.rows.push_back({entry, value});
  return html(table, "head");
}

std::string wrong_ones(const Results& results) {
  std::string text;
  if (!results.incomplete.empty())
    text += "<p class=\"wrong\">Incomplete: " + escaped(results.incomplete) + "</p>\n";
  for (const Group& group : results.groups)
    for (const Row& row : group.rows)
      if (!row.problem.empty())
        text += "<p class=\"wrong\">" +
                escaped(row.title + ": " + std::to_string(row.wrong + row.failed) + " of " +
                        std::to_string(group.images) + " images not timed; " + row.problem) +
                "</p>\n";
  return text;
}

}  // namespace

std::string as_html(const Head& head, const Results& results, const std::vector<std::string>& charts) {
  std::string text =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>gpuccl bench: " +
      name(results.test) + "</title>\n<style>" + kStyle +
      "</style>\n</head>\n<body>\n<h1>gpuccl bench: " + name(results.test) + "</h1>\n" + html(head) +
      wrong_ones(results) + "<h2>How it was measured</h2>\n<ul>\n";
  for (const std::string& line : measurement_notes(results)) text += "<li>" + escaped(line) + "</li>\n";
  text += "</ul>\n";
  if (!charts.empty()) text += "<h2>Charts</h2>\n";
  for (const std::string& chart : charts) text += scrolling(chart);
  if (std::optional<Table> claims = claims_table(results)) {
    text += "<h2>" + claims->title + "</h2>\n";
    claims->title.clear();
    text += html(*claims, "claims");
  }
  text += "<h2>Tables</h2>\n";
  for (const Table& table : tables(results)) text += html(table);
  return text + "</body>\n</html>\n";
}

}  // namespace gpuccl::bench
