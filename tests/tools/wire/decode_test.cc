// What `fencepost decode` prints, against the JSON of Kafka's own classes and the files that one of
// its brokers left.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>

#include "protocol/writer.h"
#include "tests/golden.h"
#include "tools/wire/batch_json.h"
#include "tools/wire/decode_bytes.h"
#include "tools/wire/message_lookup.h"

#include "tests/catch.h"

namespace fencepost::tools::wire {
namespace {

using namespace protocol;
using Json = nlohmann::json;

constexpr Printer::Options as_json{.is_json = true, .is_annotated = false};
constexpr Printer::Options for_people{.is_json = false, .is_annotated = false};
constexpr Printer::Options annotated{.is_json = false, .is_annotated = true};
constexpr Printer::Options annotated_json{.is_json = true, .is_annotated = true};

struct Printed {
  std::string text;
  Failure failure;

  std::string error() const { return failure ? to_string(*failure) : ""; }
  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
      end = std::min(text.find('\n', at), text.size());
      out.push_back(text.substr(at, end - at));
    }
    return out;
  }
};

template <class Decode>
Printed print(Printer::Options options, Decode&& decode) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  REQUIRE(out != nullptr);
  Printer printer(out, options);
  Failure failure = decode(printer);
  std::fclose(out);
  Printed printed{std::string(text, size), std::move(failure)};
  std::free(text);
  return printed;
}

Printed print_body(Printer::Options options, std::string_view api, int version,
                   std::string_view hex, Side side = Side::request) {
  return print(options, [&](Printer& printer) {
    return decode_body(printer, **find_message(api, side), version, golden::from_hex(hex));
  });
}

Printed print_frames(Printer::Options options, std::string_view hex) {
  return print(options, [&](Printer& printer) {
    return decode_request_frames(printer, golden::from_hex(hex));
  });
}

Printed print_batches(Printer::Options options, std::string_view hex) {
  return print(options,
               [&](Printer& printer) { return decode_batches(printer, golden::from_hex(hex)); });
}

std::string golden_batch(std::string_view name) {
  for (const golden::Row& row : golden::rows("record-batches.tsv.gz"))
    if (row[0] == name) return row[1];
  FAIL("no batch " << name);
  return "";
}

// API key 26, version 5, correlation id 7, client "me"; EndTxn of x-0.
constexpr std::string_view end_txn_frame =
    "001a00050000000700026d6500"
    "04782d30000000000000001100010100";

// ---- messages and frames

TEST_CASE("a body is printed for people and on one line", "[tools][wire]") {
  const std::string_view body = "04782d30000000000000001100010100";
  CHECK(print_body(as_json, "EndTxn", 5, body).text ==
        R"({"transactionalId":"x-0","producerId":17,"producerEpoch":1,"committed":true})"
        "\n");
  CHECK(print_body(for_people, "EndTxn", 5, body).text ==
        "{\n  \"transactionalId\": \"x-0\",\n  \"producerId\": 17,\n  \"producerEpoch\": 1,\n"
        "  \"committed\": true\n}\n");
}

TEST_CASE("an annotation shows each field beside its bytes and what a number means",
          "[tools][wire]") {
  const Printed response = print_body(annotated, "EndTxn", 1, "00000000002f", Side::response);
  CHECK(response.failure == std::nullopt);
  CHECK(response.lines().size() == 2);
  CHECK(response.lines()[1].starts_with("      4-5  00 2f"));
  CHECK(response.lines()[1].find("errorCode") != std::string::npos);
  CHECK(response.lines()[1].ends_with("47  INVALID_PRODUCER_EPOCH"));
}

TEST_CASE("cut-off bytes are refused with field and offset, behind what stands before the cut",
          "[tools][wire]") {
  CHECK(print_body(as_json, "EndTxn", 5, "04782d300000").error() ==
        "needs 8 bytes, 2 are left, field producerId, at byte 4");
  const Printed rows = print_body(annotated, "EndTxn", 5, "04782d300000");
  CHECK(rows.error() == "needs 8 bytes, 2 are left, field producerId, at byte 4");
  CHECK(rows.lines().size() == 2);
  CHECK(print_body(as_json, "EndTxn", 5, "04782d3000000000000000110001010000").error() ==
        "1 bytes left over, at byte 16");
}

TEST_CASE("a frame says by its header what it is, with its size in front or without",
          "[tools][wire]") {
  const Json expected = Json::parse(
      R"({"requestHeader":{"requestApiKey":26,"requestApiVersion":5,"correlationId":7,)"
      R"("clientId":"me"},"request":{"transactionalId":"x-0","producerId":17,"producerEpoch":1,)"
      R"("committed":true}})");
  const std::string with_size = "0000001d" + std::string(end_txn_frame);
  CHECK(Json::parse(print_frames(as_json, end_txn_frame).text) == expected);
  CHECK(Json::parse(print_frames(as_json, with_size).text) == expected);
  const Printed twice = print_frames(as_json, with_size + with_size);
  REQUIRE(twice.lines().size() == 2);
  CHECK(Json::parse(twice.lines()[1]) == expected);
  CHECK(print_frames(annotated, with_size).lines().front().find("size") != std::string::npos);
}

TEST_CASE("a frame that cannot be read is refused at its byte", "[tools][wire]") {
  CHECK(print_frames(as_json, "03e700000000000700026d65").error() ==
        "unknown api key 999, field requestApiKey, at byte 0");
  CHECK(print_frames(as_json, "001a00090000000700026d65").error() ==
        "EndTxn has versions 0 to 5, not 9, field requestApiVersion, at byte 2");
  const std::string with_size = "0000001d" + std::string(end_txn_frame);
  CHECK(print_frames(as_json, with_size + with_size.substr(0, 20)).error() ==
        "a frame that is cut off, field size, at byte 33");
  // The offset counts from the first byte of the frame.
  CHECK(print_frames(as_json, std::string(end_txn_frame).substr(0, 40)).error() ==
        "needs 8 bytes, 3 are left, field producerId, at byte 17");
}

TEST_CASE("a response's frame is read as the answer to what was asked", "[tools][wire]") {
  const auto print_response = [](std::string_view api, int version, std::string_view hex) {
    return print(as_json, [&](Printer& printer) {
      return decode_response_frames(printer, **find_api(api), version, golden::from_hex(hex));
    });
  };
  CHECK(Json::parse(print_response("EndTxn", 1, "000000070000000a0033").text) ==
        Json::parse(R"({"responseHeader":{"correlationId":7},)"
                    R"("response":{"throttleTimeMs":10,"errorCode":51}})"));
  // ApiVersions is answered with header version 0, whatever its own version.
  CHECK(print_response("ApiVersions", 3, "000000070000010000000000").error() == "");
}

SharedBytes with_header(const Api& api, int version, bool is_request, const SharedBytes& body) {
  Writer header;
  if (is_request) {
    header.int16(static_cast<std::int16_t>(api.key));
    header.int16(static_cast<std::int16_t>(version));
  }
  header.int32(7);
  if (is_request) header.string_length(-1, false);
  const bool has_tags = is_request ? request_header_version(api, version) == 2
                                   : response_header_version(api, version) == 1;
  if (has_tags) header.unsigned_varint(0);
  Frame frame = header.finish();
  frame.append(body);
  return frame.flatten();
}

SharedBytes with_size(const SharedBytes& frame) {
  Writer size;
  size.int32(static_cast<std::int32_t>(frame.size()));
  Frame out = size.finish();
  out.append(frame);
  return out.flatten();
}

// A Produce request without its size begins like a small size, and so does every response.
TEST_CASE("frames of every request and response are known with their sizes and without",
          "[tools][wire]") {
  for (const golden::Row& row : golden::rows("messages.tsv.gz")) {
    INFO(row[0] << " v" << row[1] << " " << row[2]);
    const Api& api = **find_api(row[0]);
    const int version = std::stoi(row[1]);
    const bool is_request = row[2] == "request";
    const SharedBytes frame = with_header(api, version, is_request, golden::from_hex(row[3]));
    for (const SharedBytes& bytes : {frame, with_size(frame)}) {
      const Printed printed = print(as_json, [&](Printer& printer) {
        return is_request ? decode_request_frames(printer, bytes)
                          : decode_response_frames(printer, api, version, bytes);
      });
      REQUIRE(printed.error() == "");
      REQUIRE(printed.lines().size() == 1);
      REQUIRE(Json::parse(printed.text)[row[2]].dump() == golden::normalized_json(row[4]));
    }
  }
}

// ---- batches

TEST_CASE("every batch is printed as Kafka's classes read it", "[tools][wire]") {
  for (const golden::Row& row : golden::rows("record-batches.tsv.gz")) {
    INFO(row[0]);
    const Printed printed = print_batches(as_json, row[1]);
    CHECK(printed.error() == "");
    CHECK(golden::normalized_json(printed.text) == golden::normalized_json(row[2]));
  }
}

TEST_CASE("a marker is annotated down to the transaction's outcome", "[tools][wire]") {
  const std::string text = print_batches(annotated, golden_batch("control-abort-epoch5")).text;
  CHECK(text.find("0  ABORT") != std::string::npos);
  CHECK(text.find("coordinatorEpoch") != std::string::npos);
  CHECK(text.find("transactional control") != std::string::npos);
}

TEST_CASE("a CRC that does not match is reported behind the batch", "[tools][wire]") {
  std::string hex = golden_batch("one-record");
  hex[2 * 20] = hex[2 * 20] == '0' ? '1' : '0';
  const Printed printed = print_batches(as_json, hex);
  CHECK(Json::parse(printed.text)["record_count"] == 1);
  CHECK(printed.error() == "a CRC that does not match the content, field crc, at byte 17");
}

TEST_CASE("batches that cannot be read are refused at their byte", "[tools][wire]") {
  const std::string good = golden_batch("one-record");
  CHECK(print_batches(as_json, "").error() == "no batch, at byte 0");
  CHECK(print_batches(as_json, good + "00").error().find("cut off after 1 bytes") !=
        std::string::npos);
  CHECK(print_batches(as_json, good + "00")
            .error()
            .ends_with("field baseOffset, at byte " + std::to_string(good.size() / 2 + 1)));
  std::string old_magic = good;
  old_magic.replace(2 * 16, 2, "01");
  CHECK(print_batches(as_json, good + old_magic).error() ==
        "magic 1, field magic, at byte " + std::to_string(good.size() / 2 + 16));
}

TEST_CASE("bad batches are printed or refused, and what is printed is JSON", "[tools][wire]") {
  for (const golden::Row& row : golden::rows("bad-batches.tsv.gz")) {
    INFO(row[0]);
    for (Printer::Options options : {as_json, annotated_json})
      for (const std::string& line : print_batches(options, row[1]).lines())
        CHECK(Json::accept(line));
  }
}

// ---- records of the coordinators, embedded protocols

InternalTopic topic_of(const golden::Row& row) {
  return row[0] == "TransactionLog" ? InternalTopic::transaction_state
                                    : InternalTopic::consumer_offsets;
}

TEST_CASE("every record of the coordinators is printed as Kafka's classes read it",
          "[tools][wire]") {
  for (const golden::Row& row : golden::rows("internal-records.tsv.gz")) {
    INFO(row[0] << " " << row[2] << " " << row[3]);
    OptionalBytes value;
    if (row[3] != "null") value = golden::from_hex(row[3]);
    const Printed printed = print(as_json, [&](Printer& printer) {
      return decode_record(printer, topic_of(row), golden::from_hex(row[2]), value);
    });
    CHECK(printed.error() == "");
    CHECK(golden::normalized_json(printed.text) == golden::normalized_json(row[4]));
  }
}

TEST_CASE("a record of another topic is refused by its type", "[tools][wire]") {
  const Printed printed = print(as_json, [](Printer& printer) {
    return decode_record(printer, InternalTopic::transaction_state, golden::from_hex("0009000178"),
                         std::nullopt);
  });
  CHECK(printed.error() ==
        "record type 9, which __transaction_state does not have, field key.type, at byte 0");
}

TEST_CASE("what consumers embed is read by the version in front of it", "[tools][wire]") {
  for (const golden::Row& row : golden::rows("consumer-protocol.tsv.gz")) {
    const Printed printed = print(as_json, [&](Printer& printer) {
      return decode_versioned(printer, **find_message(row[0], Side::request),
                              golden::from_hex(row[2]));
    });
    INFO(row[0] << " " << row[2] << " " << printed.text);
    REQUIRE(printed.error() == "");
    const Json json = Json::parse(printed.text);
    CHECK(json["version"] == std::stoi(row[1]));
    CHECK(json["data"].dump() == golden::normalized_json(row[3]));
  }
}

// ---- files

Printed print_file(Printer::Options options, std::string_view path, const SharedBytes& bytes) {
  return print(options, [&](Printer& printer) { return decode_file(printer, path, bytes); });
}

TEST_CASE("every file that a broker left is printed", "[tools][wire]") {
  for (const golden::Row& row : golden::rows("segment-files.tsv.gz")) {
    INFO(row[0]);
    const SharedBytes bytes = golden::from_hex(row[1]);
    for (Printer::Options options : {as_json, annotated_json}) {
      const Printed printed = print_file(options, row[0], bytes);
      CHECK(printed.error() == "");
      CHECK((bytes.empty() || !printed.lines().empty()));
      for (const std::string& line : printed.lines()) CHECK(Json::accept(line));
    }
  }
}

TEST_CASE("the log of a coordinator's topic is printed with what its records say",
          "[tools][wire]") {
  std::size_t records = 0;
  for (const golden::Row& row : golden::rows("segment-files.tsv.gz")) {
    if (!row[0].starts_with("__") || !row[0].ends_with(".log")) continue;
    const Printed printed = print_file(as_json, row[0], golden::from_hex(row[1]));
    for (const std::string& line : printed.lines()) {
      const Json batch = Json::parse(line);
      for (const Json& record : batch["records"]) {
        INFO(row[0] << " " << record.dump());
        CHECK((record.contains("control") || record["content"].contains("key")));
        ++records;
      }
    }
  }
  CHECK(records > 10);
}

TEST_CASE("a file with a byte changed is printed or refused, and what is printed is JSON",
          "[tools][wire]") {
  for (const golden::Row& row : golden::rows("segment-files.tsv.gz")) {
    const SharedBytes original = golden::from_hex(row[1]);
    const std::size_t stride = original.size() / 64 + 1;
    for (std::size_t at = 0; at < original.size(); at += stride) {
      ByteVector changed(original.view().begin(), original.view().end());
      changed[at] = static_cast<std::uint8_t>(changed[at] ^ 0xff);
      const SharedBytes bytes(std::move(changed));
      for (Printer::Options options : {as_json, annotated_json})
        for (const std::string& line : print_file(options, row[0], bytes).lines())
          if (!Json::accept(line)) FAIL(row[0] << " byte " << at << ": " << line);
    }
  }
}

TEST_CASE("a file is told by its name", "[tools][wire]") {
  CHECK(print_file(as_json, "t-0/leader-epoch-checkpoint", {}).error().find(".timeindex") !=
        std::string::npos);
  CHECK(print_file(as_json, "t-0/copy.index", {}).error().find("base offset") != std::string::npos);
  CHECK(print_file(as_json, "00000000000000000000.index", {}).error() == "");
}

}  // namespace
}  // namespace fencepost::tools::wire
