#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "gpuccl/contacts.hpp"
#include "gpuccl/labels.hpp"
#include "gpuccl/measures.hpp"
#include "io/image/geometry.hpp"
#include "io/report/component_rows.hpp"

namespace gpuccl::io {

/// Writes the table of components: label,area,x0,y0,z0,x1,y1,z1,cx,cy,cz (no z columns in 2D) and, if the
/// spacing is known, area_physical,cx_physical,cy_physical,cz_physical,unit, which is unit_of_area(). Then
/// follow the value, for label maps, and the other measures. Numbers with decimals have `digits` significant
/// digits.
void stream_stats_csv(const TextSink& sink, bool volume, const Geometry& geometry,
                      const Components& components, const MeasureTable& measured = MeasureTable(),
                      const TableSection& stretch = {}, const ValueColumn& value = {},
                      int digits = kAllDigits);

/// Returns whether a text with this beginning, without white space, is a table of components of one or
/// several inputs.
bool is_stats_csv(std::string_view beginning);

/// Returns the first line of a table of several inputs. It has a column for the name of the input, one for
/// the time point if time points are inputs of their own, and all columns of stream_stats_csv(), which are
/// empty if they do not apply.
std::string joint_stats_header(const std::vector<MeasureColumn>& columns = {}, bool has_values = false,
                               bool has_frames = false);
/// Returns the first columns of a row.
std::string before_joint_row(const std::string& input, std::optional<int> frame);
/// Writes the rows of one input.
void write_joint_stats_rows(const TextSink& sink, const std::string& input, bool volume,
                            const Geometry& geometry, const Components& components,
                            const std::vector<MeasureColumn>& columns = {},
                            const MeasureTable& measured = MeasureTable(), const ValueColumn& value = {},
                            int digits = kAllDigits, std::optional<int> frame = {});

/// Rows of an input in the summary table: one, or one for each page and value.
class SummaryRows {
 public:
  /// Pages that were labeled separately.
  struct Pages {
    int count = 0;           // 0: they were not
    std::int64_t first = 0;  // number in the file
  };
  SummaryRows(Pages pages, bool has_values);

  /// Adds a component of this page, counted from the first one, whose value is `value`.
  void add(int page, const std::string& value, std::uint64_t area);

  /// Properties of the input, some of which are in its first row only.
  struct Input {
    std::string file;
    std::optional<int> frame;  // of a file with several
    bool volume = false;
    Extent extent;
    const Geometry& geometry;
    std::string foreground_rule;
    std::uint64_t dropped = 0;
    const std::vector<std::string>& hints;
  };
  /// Returns the rows, at least one.
  std::string text(const Input& input);

 private:
  std::vector<std::uint64_t>& areas_of(int page, const std::string& value);

  Pages pages_;
  bool has_values_;
  /// By page and value; numbers have 64 bits of precision, and text tells the others apart.
  std::map<std::tuple<int, long double, std::string>, std::vector<std::uint64_t>> areas_;
};

/// Returns the rows of labeled components.
std::string summary_rows(const SummaryRows::Input& input, SummaryRows::Pages pages,
                         const Components& components, const ValueColumn& value);

/// file,page,value,components,area,area_fraction,area_min,area_median,area_max,area_physical,unit,
/// foreground_rule,dropped,hints; with `has_frames`, frame is second.
std::string summary_header(bool has_frames);

/// Returns the row of an input that failed, whose only cells are its name, the time point and, under hints,
/// why.
std::string summary_row_of_failure(const std::string& input, std::optional<int> frame,
                                   const std::string& reason);

/// Returns whether a text with this beginning is such a table.
bool is_summary_csv(std::string_view beginning);

/// Writes the table of contacts: label_a,label_b,faces_x,faces_y,faces_z,edges,corners and, if the spacing is
/// known, area_physical,unit: the area of all faces. For images and slices:
/// label_a,label_b,faces_x,faces_y,edges and length_physical,unit. For label maps value_a,value_b follow.
/// With `labels`, in ascending order, labels of contacts are indices of it, counted from 1.
void stream_contacts_csv(const TextSink& sink, bool volume, const Geometry& geometry,
                         const std::vector<Contact>& contacts, const ValueColumn& value = {},
                         std::span<const std::uint64_t> labels = {});

/// Returns whether a text with this beginning, without white space, is a table of contacts.
bool is_contacts_csv(std::string_view beginning);

}  // namespace gpuccl::io
