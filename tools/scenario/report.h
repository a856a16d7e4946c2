// What a run shows: the text that a person follows, or JSON, one object a line. The text is made in
// every case, because the digest of a run is taken over it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/digest.h"
#include "tools/scenario/answer.h"
#include "tools/scenario/observed_transport.h"

namespace fencepost::scenario {

enum class ReportMode { text, quiet, json };

struct StepReport {
  const Step* step = nullptr;
  int number = 0;  // in the file, from 1
  Duration started{};
  Duration ended{};
  std::vector<Exchange> exchanges;
  std::optional<Answer> answer;  // nothing yet while it is held or in the background
  std::string remark;            // "held as late", "goes on in the background as recovery"
  const Outcome* expected = nullptr;
  std::optional<Mismatch> mismatch;
  std::vector<std::string> state;
};

struct PropertyReport {
  std::string name;
  std::optional<std::string> broken;  // why
  bool was_expected_broken = false;
  bool is_checked = true;
  bool ok() const { return !is_checked || broken.has_value() == was_expected_broken; }
};

class Report {
 public:
  using Write = std::function<void(std::string_view)>;
  Report(ReportMode mode, bool has_colours, Write write);

  // `replay` is the command that runs this again.
  void begin(const Scenario& scenario, const Variant& variant, const std::string& where,
             std::string replay);
  void step(const StepReport& step);
  void property(const PropertyReport& property);
  // Something that ended the variant early.
  void failure(const std::string& text);
  void note(const std::string& text);
  void end(std::uint64_t cluster_digest, Duration virtual_time);
  // Once per scenario file.
  void end_scenario(const Scenario& scenario);
  // The last lines; true when everything held.
  bool summary();

  bool has_failed() const { return failed_variants_ != 0; }
  std::uint64_t digest() const { return digest_.value(); }

 private:
  enum class Style { plain, title, dim, good, bad };

  void line(Style style, const std::string& text);
  void json_line(const std::string& text);
  void exchange_lines(const std::vector<Exchange>& exchanges);
  void outcome_lines(const StepReport& step);
  std::string json_of(const StepReport& step) const;

  ReportMode mode_;
  bool has_colours_;
  Write write_;
  Digest digest_;
  std::string file_, variant_, replay_;
  bool variant_ok_ = true;
  bool scenario_ok_ = true;
  int scenarios_ = 0;
  int variants_ = 0;
  int failed_variants_ = 0;
  int scenario_variants_ = 0;
};

}  // namespace fencepost::scenario
