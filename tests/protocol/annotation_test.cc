// What each byte is: over all messages and batches of Kafka the rows tile the bytes.
#include "protocol/annotation.h"

#include "protocol/reader.h"
#include "tests/golden.h"
#include "tests/protocol/message_types.h"

#include "tests/catch.h"

namespace fencepost::protocol {
namespace {

// The first byte that no field or more than one field stands for; nothing when the fields tile
// the range. Fields of unpacked records are not among them.
std::optional<std::size_t> first_hole(const Annotation& annotation, std::size_t size) {
  std::size_t at = 0;
  int unpacked_depth = -1;
  for (const AnnotatedField& field : annotation.fields()) {
    if (unpacked_depth >= 0 && field.depth > unpacked_depth) continue;
    unpacked_depth = field.is_unpacked ? field.depth : -1;
    if (field.is_group) continue;
    if (field.begin != at || field.bytes.size() != field.end - field.begin) return at;
    at = field.end;
  }
  if (at != size) return at;
  return std::nullopt;
}

std::string rows_of(const Annotation& annotation) {
  std::string out;
  for (const AnnotatedField& field : annotation.fields())
    out += std::to_string(field.begin) + " " + field.name + " " + field.type + " " + field.value +
           "\n";
  return out;
}

TEST_CASE("every byte of every message belongs to exactly one field", "[protocol][annotation]") {
  std::size_t seen = 0;
  for (const char* file : {"messages.tsv.gz", "unknown-tags.tsv.gz"}) {
    for (const golden::Row& row : golden::rows(file)) {
      const std::string name = row[0] + (row[2] == "request" ? "Request" : "Response");
      INFO(name << " v" << row[1] << " " << row[3]);
      const SharedBytes bytes = golden::from_hex(row[3]);
      Annotation annotation(bytes);
      Reader reader(bytes);
      REQUIRE(message_type_named(name).annotate(reader, std::stoi(row[1]), annotation));
      const std::optional<std::size_t> hole = first_hole(annotation, bytes.size());
      if (hole) FAIL("byte " << *hole << "\n" << rows_of(annotation));
      ++seen;
    }
  }
  CHECK(seen >= 2020);
}

TEST_CASE("every byte of every batch belongs to exactly one field", "[protocol][annotation]") {
  for (const golden::Row& row : golden::rows("record-batches.tsv.gz")) {
    INFO(row[0]);
    const SharedBytes bytes = golden::from_hex(row[1]);
    Annotation annotation(bytes);
    annotate_batches(annotation, 0, bytes.size());
    const std::optional<std::size_t> hole = first_hole(annotation, bytes.size());
    if (hole) FAIL("byte " << *hole << "\n" << rows_of(annotation));
    CHECK(rows_of(annotation).find(" ? ") == std::string::npos);
  }
}

// Behind the header and the start of the record.
std::string control_rows_of(std::string_view batch) {
  for (const golden::Row& row : golden::rows("record-batches.tsv.gz")) {
    if (row[0] != batch) continue;
    const SharedBytes bytes = golden::from_hex(row[1]);
    Annotation annotation(bytes);
    annotate_batches(annotation, 0, bytes.size());
    const std::string rows = rows_of(annotation);
    return rows.substr(rows.find("65 key "));
  }
  return "";
}

TEST_CASE("the record of a control batch is annotated down to what it marks",
          "[protocol][annotation]") {
  CHECK(control_rows_of("control-commit-epoch5") ==
        "65 key zigzag length 4\n"
        "66 key ControlRecordType \n66 version int16 0\n68 type int16 1\n"
        "70 value zigzag length 6\n"
        "71 value EndTxnMarker \n71 version int16 0\n73 coordinatorEpoch int32 5\n"
        "77 headers zigzag count 0\n");
  const std::string leader_change = control_rows_of("control-leader-change");
  CHECK(leader_change.find("key ControlRecordType") != std::string::npos);
  CHECK(leader_change.find("value LeaderChangeMessage") != std::string::npos);
  CHECK(leader_change.find("leaderId int32") != std::string::npos);
}

TEST_CASE("an annotation of a control batch with any byte changed stays within the batch",
          "[protocol][annotation]") {
  for (const golden::Row& row : golden::rows("record-batches.tsv.gz")) {
    if (!row[0].starts_with("control-")) continue;
    const SharedBytes original = golden::from_hex(row[1]);
    // From the key on.
    for (std::size_t at = 66; at < original.size(); ++at) {
      ByteVector changed(original.view().begin(), original.view().end());
      changed[at] = static_cast<std::uint8_t>(changed[at] ^ 0xff);
      const SharedBytes bytes(std::move(changed));
      Annotation annotation(bytes);
      annotate_batches(annotation, 0, bytes.size());
      CHECK(annotation.fields().back().end <= bytes.size());
      CHECK(annotation.fields().front().name == "batch");
      CHECK(annotation.fields().front().end == bytes.size());
    }
  }
}

TEST_CASE("an annotation names fields, lengths and the end of tagged fields",
          "[protocol][annotation]") {
  const SharedBytes bytes = golden::from_hex("04782d30000000000000001100010100");
  Annotation annotation(bytes);
  Reader reader(bytes);
  REQUIRE(message_type_named("EndTxnRequest").annotate(reader, 5, annotation));
  CHECK(rows_of(annotation) ==
        "0 transactionalId varint length+1 3\n1 transactionalId string \"x-0\"\n"
        "4 producerId int64 17\n12 producerEpoch int16 1\n14 committed bool true\n"
        "15 _tagged_fields varint count 0\n");
}

TEST_CASE("an annotation of cut-off bytes tells what stands before the cut",
          "[protocol][annotation]") {
  const SharedBytes bytes = golden::from_hex("04782d300000");
  Annotation annotation(bytes);
  Reader reader(bytes);
  CHECK_FALSE(message_type_named("EndTxnRequest").annotate(reader, 5, annotation));
  CHECK(rows_of(annotation) ==
        "0 transactionalId varint length+1 3\n1 transactionalId string \"x-0\"\n");
  CHECK(reader.error().field == "producerId");
  CHECK(reader.error().offset == 4);
}

TEST_CASE("a damaged batch is annotated up to the damage and never fails",
          "[protocol][annotation]") {
  for (const golden::Row& row : golden::rows("bad-batches.tsv.gz")) {
    INFO(row[0]);
    const SharedBytes bytes = golden::from_hex(row[1]);
    Annotation annotation(bytes);
    annotate_batches(annotation, 0, bytes.size());
    CHECK_FALSE((bytes.empty() ? false : annotation.fields().empty()));
  }
}

}  // namespace
}  // namespace fencepost::protocol
