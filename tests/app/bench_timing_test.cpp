#include "app/bench/timing.hpp"
#include "support/test.hpp"

using namespace gpuccl;
using namespace gpuccl::bench;

TEST_CASE("quantiles lie between samples in proportion") {
  CHECK(quantile({7}, 0.05) == 7);
  CHECK(quantile({3, 1, 2}, 0.5) == 2);
  CHECK(quantile({4, 1, 3, 2}, 0.5) == 2.5);
  CHECK(quantile({0, 10}, 0.95) == Approx(9.5));
  CHECK(quantile({5, 1}, 0) == 1);
  CHECK(quantile({5, 1}, 1) == 5);
}

TEST_CASE("one slow repetition does not move the median") {
  const Timing timing = summarize({1, 1, 1, 1, 1, 1, 1, 1, 1, 100});
  CHECK(timing.median_ms == 1);
  CHECK(timing.low_ms == 1);
  CHECK(timing.high_ms > 1);
  CHECK(timing.min_ms == 1);
  CHECK(timing.max_ms == 100);
  CHECK(timing.mean_ms == Approx(10.9));
}

TEST_CASE("samples keep the order of steps and count launches a repetition") {
  Samples samples;
  for (int repetition = 0; repetition < 4; ++repetition) {
    samples.add("Init", 1);
    samples.add("Scan", 2 + repetition, repetition % 2 == 0 ? 4 : 6);
  }
  const std::vector<Measure> measures = samples.summary();
  REQUIRE(measures.size() == 2);
  CHECK(measures[0].name == "Init");
  CHECK(measures[0].launches == 1);
  CHECK(measures[1].name == "Scan");
  CHECK(measures[1].timing.median_ms == 3.5);
  CHECK(measures[1].launches == 5);
  CHECK(measures[1].repetitions == 4);
}

TEST_CASE("an average over images counts a step that an image lacks as nothing") {
  ImageAverage average;
  average.add({{"Init", {1, 1, 1}, 1}, {"Scan", {2, 1, 4}, 2}});
  average.add({{"Init", {3, 2, 5, 1, 9, 4}, 1}});
  CHECK(average.images() == 2);
  const std::vector<Measure> mean = average.mean();
  REQUIRE(mean.size() == 2);
  CHECK(mean[0].timing.median_ms == 2);
  CHECK(mean[0].timing.high_ms == 3);
  CHECK(mean[0].timing.min_ms == 0.5);
  CHECK(mean[0].timing.max_ms == 4.5);
  CHECK(mean[0].timing.mean_ms == 2);
  CHECK(mean[1].timing.median_ms == 1);
  CHECK(mean[1].launches == 1);
  CHECK(find_measure(mean, "Scan") == &mean[1]);
  CHECK(find_measure(mean, "Merge") == nullptr);
}

TEST_CASE("no images, no measures") { CHECK(ImageAverage().mean().empty()); }

TEST_CASE("a warning tells of clocks that moved or were limited") {
  Clocks steady, moving, limited;
  for (const double mhz : {1980.0, 1965.0, 1980.0}) steady.add({mhz, {}});
  CHECK(clock_warning(DeviceKind::cuda, steady).empty());
  CHECK(steady.readings == 3);
  CHECK(steady.lowest_mhz == 1965);
  CHECK(steady.highest_mhz == 1980);

  for (const double mhz : {3500.0, 2100.0}) moving.add({mhz, {}});
  CHECK(clock_warning(DeviceKind::cpu, moving) ==
        "the clock of the CPU moved between 2100 and 3500 MHz; times of this run are less comparable");

  limited.add({1980, {"power"}});
  limited.add({1410, {"power", "temperature"}});
  CHECK(clock_warning(DeviceKind::cuda, limited) ==
        "the clock of the GPU moved between 1410 and 1980 MHz, limited by power and temperature; times of "
        "this run are less comparable; nvidia-smi --lock-gpu-clocks fixes it");
  CHECK(clock_warning(DeviceKind::cuda, {1980, 1980, 1, {"power"}})
            .starts_with("the clock of the GPU was limited by power; "));
}
