#pragma once

#include <memory>

#include "app/bench/floor.hpp"
#include "app/bench/plan.hpp"
#include "app/bench/timing.hpp"
#include "gpuccl/algorithms.hpp"

namespace gpuccl::bench {

/// An algorithm at one connectivity that is being measured.
class Subject {
 public:
  virtual ~Subject() = default;

  /// From image to final labels and statistics: what is checked before anything is timed.
  virtual Labeled label(BitView image) = 0;
  /// The floor that its times on the image last labelled are compared with.
  virtual FloorKind floor() const = 0;

  /// Whole times: preallocated and allocated as `trials` says, renumber, statistics, unpack; with
  /// `end_to_end` also the time from an image to labels in host memory.
  virtual void time_totals(BitView image, const Trials& trials, bool end_to_end, Samples& samples) = 0;
  /// Each phase on its own.
  virtual void time_steps(BitView image, const Trials& trials, Samples& samples) = 0;
  /// Phases once, for their number of launches.
  virtual void count_launches(BitView image, Samples& samples) = 0;
};

/// Times a GPU labeler through its stages, any other by the wall clock.
std::unique_ptr<Subject> make_subject(const Variant& variant, int gpu);
std::unique_ptr<Subject> make_host_subject(std::unique_ptr<Labeler> labeler);
std::unique_ptr<Subject> make_staged_subject(const Variant& variant, int gpu);

/// How many copies of input and output are gone through in turn so that none is still in a cache when its
/// turn comes again; 1 without Trials::rotate.
int copies(const Trials& trials, Extent extent);

}  // namespace gpuccl::bench
