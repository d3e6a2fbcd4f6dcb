#include "parts/message.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/labels_in_memory.hpp"
#include "gpuccl/parts.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl {

void SoloLink::send(int, Message) { throw Error(ErrorCode::internal, "there is no other part"); }
Message SoloLink::receive(int) { throw Error(ErrorCode::internal, "there is no other part"); }

PartLink::Sums PartLink::scan(std::uint64_t value) {
  Message mine;
  put(mine, std::vector<std::uint64_t>{value});
  Sums sums;
  int from = 0;
  for (Message& message : gather(std::move(mine))) {
    value = TakenMessage(std::move(message)).take<std::uint64_t>().at(0);
    if (from++ < part()) sums.before += value;
    sums.all += value;
  }
  return sums;
}

std::vector<Message> PartLink::gather(Message message) {
  std::vector<Message> all;
  if (part() > 0) {
    send(0, std::move(message));
    TakenMessage taken(receive(0));
    for (int from = 0; from < parts(); ++from) all.push_back(taken.take<std::byte>());
    return all;
  }
  all.push_back(std::move(message));
  for (int from = 1; from < parts(); ++from) all.push_back(receive(from));
  Message together;
  for (int to = 1; to < parts(); ++to) {
    if (together.empty())
      for (const Message& one : all) put(together, one);
    send(to, together);
  }
  return all;
}

BorderRows list_border_rows(const SlabLabels& slab, Extent whole, const PeriodicAxes& periodic) {
  BorderRows found;
  const RowRange own = rows_of(slab.slab, whole);
  const auto keep_row = [&](std::int64_t place, std::span<const LabelRun> row) {
    const std::int64_t number = own.begin + place, y = number % whole.height, z = number / whole.height;
    const bool all = (periodic[1] && (y == 0 || y == whole.height - 1)) ||
                     (periodic[2] && (z == 0 || z == whole.depth - 1));
    if (row.empty() || (!all && !periodic[0])) return;
    found.rows.push_back(number);
    if (all || row.size() < 2) {
      found.runs.runs.insert(found.runs.runs.end(), row.begin(), row.end());
    } else {
      found.runs.runs.insert(found.runs.runs.end(), {row.front(), row.back()});
    }
    found.runs.ends.push_back(found.runs.runs.size());
  };
  if (!own.empty()) for_each_row(*slab.labels, 0, own.count(), slab.map(), keep_row);
  return found;
}

void put(Message& message, const BorderRows& rows) {
  put(message, rows.rows);
  put(message, rows.runs.runs);
  put(message, rows.runs.ends);
}

BorderRows take_border_rows(TakenMessage& message) {
  BorderRows rows;
  message.take(rows.rows);
  message.take(rows.runs.runs);
  message.take(rows.runs.ends);
  return rows;
}

void keep(BorderRuns& borders, const BorderRows& rows) {
  for (std::size_t i = 0; i < rows.rows.size(); ++i) borders.keep(rows.rows[i], rows.runs.row(i));
}

namespace {

/// Runs of halo rows.
class HaloRows final : public LabelRows {
 public:
  HaloRows(int width, LabelRuns runs)
      : extent_{width, static_cast<int>(runs.ends.size()), 1}, runs_(std::move(runs)) {}

  Extent extent() const override { return extent_; }
  Label count() const override { return 0; }  // unknown
  void list_runs(std::int64_t first_row, std::int64_t rows, LabelRuns& out, const Label*) const override {
    out.runs.clear();
    out.ends.clear();
    append_rows(out, runs_, static_cast<std::size_t>(first_row), static_cast<std::size_t>(rows));
  }

 private:
  Extent extent_;
  LabelRuns runs_;
};

}  // namespace

JoinedLabels rows_of_part(PartLink& link, Extent whole, const RowsAround& reach, const PartResult& part,
                          const std::function<Label(Label)>& number, Label count) {
  const LabelRows* const labels = part.labels.labels.get();
  const std::vector<RowRange> all = rows_of_parts(whole, link.parts());
  const auto rows = [&](int of) { return all[static_cast<std::size_t>(of)]; };
  const RowRange own = rows(link.part());
  // Returns the halo rows of part `one` that part `other` owns.
  const auto around = [&](int one, int other) {
    const RowRange of = rows(other);
    if (of.empty() || one == other) return RowRange{};
    return common_rows(rows(one), one < other ? RowRange{of.begin - reach.before, of.begin}
                                              : RowRange{of.end, of.end + reach.behind});
  };
  for (int other = 0; other < link.parts(); ++other)
    if (const RowRange mine = around(link.part(), other); !mine.empty()) {
      LabelRuns runs;
      labels->prepare(mine.begin - own.begin, mine.count());
      labels->list_runs(mine.begin - own.begin, mine.count(), runs, part.labels.map());
      Message message;
      put(message, runs.runs);
      put(message, runs.ends);
      link.send(other, std::move(message));
    }
  std::vector<JoinedLabels::Part> slabs;
  std::optional<std::size_t> prepared;
  for (int other = 0; other < link.parts(); ++other) {
    if (other == link.part() && !own.empty()) {
      prepared = slabs.size();
      std::vector<Label> numbers;
      for (const Label label : part.labels.numbers) numbers.push_back(number(label));
      slabs.push_back({own, {std::shared_ptr<void>(), labels}, std::move(numbers)});
    } else if (const RowRange theirs = around(other, link.part()); !theirs.empty()) {
      TakenMessage message(link.receive(other));
      LabelRuns runs;
      message.take(runs.runs);
      message.take(runs.ends);
      for (LabelRun& run : runs.runs) run.label = number(run.label);
      slabs.push_back({theirs, std::make_shared<HaloRows>(whole.width, std::move(runs)), {}});
    }
  }
  return {whole, std::move(slabs), count, prepared};
}

}  // namespace gpuccl
