// `fencepost decode`, `encode` and `api` as a shell runs them: what they print, what they complain
// of, and their exit codes.
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/catch.h"

namespace {

struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string error;
};

class Shell {
 public:
  Shell() {
    std::string name = (std::filesystem::temp_directory_path() / "fencepost-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    folder_ = name;
  }
  ~Shell() { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
  }
  Outcome run(const std::string& arguments, const std::string& input = "") const {
    write("in", input);
    const std::string line = std::string(FENCEPOST_COMMAND) + " " + arguments + " < " + path("in") +
                             " > " + path("out") + " 2> " + path("error");
    const int status = std::system(line.c_str());
    REQUIRE(WIFEXITED(status));
    return {WEXITSTATUS(status), read("out"), read("error")};
  }

 private:
  std::string read(const std::string& name) const {
    std::stringstream content;
    content << std::ifstream(path(name), std::ios::binary).rdbuf();
    return content.str();
  }

  std::filesystem::path folder_;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* end_txn_json =
    R"({"transactionalId":"x-0","producerId":17,"producerEpoch":1,"committed":true})"
    "\n";
constexpr const char* end_txn_hex = "04782d30000000000000001100010100";

TEST_CASE("decode takes bytes as an argument and from the standard input", "[tools][command]") {
  const Shell shell;
  const std::string decode = "decode --json --api EndTxn --version 5 --request ";
  for (const char* argument :
       {"04782d30000000000000001100010100", "0x04782d30000000000000001100010100",
        "'04 78 2d 30 00 00 00 00 00 00 00 11 00 01 01 00'", "BHgtMAAAAAAAAAARAAEBAA=="}) {
    INFO(argument);
    const Outcome outcome = shell.run(decode + argument);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out == end_txn_json);
    CHECK(outcome.error == "");
  }
  const std::string raw("\x04x-0\0\0\0\0\0\0\0\x11\0\x01\x01\0", 16);
  for (const std::string& input : {std::string(end_txn_hex) + "\n", raw}) {
    CHECK(shell.run(decode, input).out == end_txn_json);
    CHECK(shell.run(decode + "-", input).out == end_txn_json);
  }
  CHECK(shell.run("decode --json --raw --api end_txn --version 5 --request", raw).out ==
        end_txn_json);
  CHECK(shell.run(decode + "BHgtMAAAAAAAAAARAAEBAA== --base64").out == end_txn_json);
}

TEST_CASE("what is wrong with the bytes is said in one line, and the exit code is 2",
          "[tools][command]") {
  const Shell shell;
  const std::string decode = "decode --json --api EndTxn --version 5 --request ";
  struct Case {
    std::string arguments;
    std::string error;
  };
  const Case cases[] = {
      {decode + "'04 7g'", "bad hex: 'g' at character 5 is not a hex digit"},
      {decode + "047", "bad hex: the digit at character 3 has no second one"},
      {decode + "04782d300000", "needs 8 bytes, 2 are left, field producerId, at byte 4"},
      {decode + std::string(end_txn_hex) + "00", "1 bytes left over, at byte 16"},
      {"decode --api EndTx --version 5 --request 00", "unknown api 'EndTx'; did you mean EndTxn"},
      {"decode --api Quux --version 5 --request 00", "unknown api 'Quux'"},
      {"decode --api EndTxn --version 9 --request 00", "EndTxnRequest has versions 0 to 5, not 9"},
      {"decode --api EndTxn --version five --request 00",
       "EndTxnRequest has versions 0 to 5, not five"},
      {"decode --api EndTxn --request 00", "give the version: EndTxnRequest has 0 to 5"},
      {"decode --version 5 --request 00", "name the message with --api"},
      {"decode --frame 03e70000", "unknown api key 999, field requestApiKey, at byte 0"},
      {"decode --frame 00000007 --response",
       "the header of a response does not say what it answers: give --api and --version"},
      {"decode --batch 00", "a batch that is cut off after 1 bytes, field baseOffset, at byte 1"},
      {"decode --record __consumer_offsets --value 00", "--record needs the --key of the record"},
      {"decode --record orders --key 00", "--record is __transaction_state or __consumer_offsets"},
      {"decode --file " + shell.path("none.log"),
       shell.path("none.log") + ": No such file or directory"},
  };
  for (const Case& each : cases) {
    INFO(each.arguments);
    const Outcome outcome = shell.run(each.arguments);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.error == "fencepost decode: " + each.error + "\n");
    CHECK(outcome.out == "");
  }
}

TEST_CASE("a command line that asks for nothing, or for two things, is refused",
          "[tools][command]") {
  const Shell shell;
  for (const char* arguments :
       {"decode", "decode --api EndTxn --version 5", "decode --batch 00 --file x.log",
        "decode --lines --batch 00", "decode --request 00 --data 00 --api EndTxn --version 5",
        "decode --api EndTxn --version 5 --request 00 --response 00", "decode --raw --base64",
        "decode --no-such-option", "encode", "encode --api EndTxn --version 5",
        "encode --api EndTxn --version 5 --request {} --response {}", "api EndTx",
        "api EndTxn --version 9", "decod"}) {
    INFO(arguments);
    const Outcome outcome = shell.run(arguments);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.error != "");
    CHECK(outcome.out == "");
  }
}

TEST_CASE("what stands before damage is shown, and the exit code is 2", "[tools][command]") {
  const Shell shell;
  const Outcome outcome =
      shell.run("decode --annotate --api EndTxn --version 5 --request 04782d300000");
  CHECK(outcome.exit_code == 2);
  CHECK(contains(outcome.out, "\"x-0\""));
  CHECK(contains(outcome.error, "field producerId, at byte 4"));
}

TEST_CASE("decode --file reads a log by the names of its file and its folder", "[tools][command]") {
  const Shell shell;
  std::filesystem::create_directory(shell.path("t-0"));
  shell.write("t-0/00000000000000000000.index", std::string("\0\0\0\x05\0\0\0\x44", 8));
  const Outcome outcome =
      shell.run("decode --json --file " + shell.path("t-0/00000000000000000000.index"));
  CHECK(outcome.out == "{\"offset\":5,\"position\":68}\n");
  CHECK(outcome.exit_code == 0);
}

TEST_CASE("encode turns what decode prints into the same bytes", "[tools][command]") {
  const Shell shell;
  const std::string message = "--api EndTxn --version 5 --request ";
  CHECK(shell.run("encode " + message, end_txn_json).out == std::string(end_txn_hex) + "\n");
  CHECK(shell.run("encode --base64 " + message, end_txn_json).out == "BHgtMAAAAAAAAAARAAEBAA==\n");
  CHECK(shell.run("encode --raw " + message, end_txn_json).out ==
        std::string("\x04x-0\0\0\0\0\0\0\0\x11\0\x01\x01\0", 16));

  const std::string frame = "0000001d001a00050000000700026d6500" + std::string(end_txn_hex);
  const Outcome decoded = shell.run("decode --frame " + frame);
  CHECK(decoded.exit_code == 0);
  CHECK(shell.run("encode --frame " + message, decoded.out).out == frame + "\n");

  const std::string answer = "0000000a00000007000000000033";
  const std::string side = " --api EndTxn --version 1 --response ";
  const Outcome decoded_answer = shell.run("decode --frame " + answer + side);
  CHECK(decoded_answer.exit_code == 0);
  CHECK(shell.run("encode --frame" + side, decoded_answer.out).out == answer + "\n");

  CHECK(shell
            .run("encode --api ConsumerProtocolAssignment --version 0 --data",
                 R"({"assignedPartitions":[],"userData":null})")
            .out == "000000000000ffffffff\n");
}

TEST_CASE("encode says which field is wrong, and the exit code is 2", "[tools][command]") {
  const Shell shell;
  struct Case {
    std::string json;
    std::string error;
  };
  const Case cases[] = {
      {"{", "not JSON"},
      {"[]", "should be an object"},
      {R"({"transactionalId":"x-0","producerEpoch":1,"committed":true})",
       "is missing, field producerId"},
      {R"({"transactionalId":"x-0","producerId":17,"producerEpoch":40000,"committed":true})",
       "should be a whole number from -32768 to 32767, field producerEpoch"},
      {R"({"transactionalId":"x-0","producerId":17,"producerEpoch":1,"committed":true,"a":1})",
       "\"a\" is not a field of this version"},
  };
  for (const Case& each : cases) {
    INFO(each.json);
    const Outcome outcome = shell.run("encode --api EndTxn --version 5 --request", each.json);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.error.starts_with("fencepost encode: "));
    CHECK(contains(outcome.error, each.error));
    CHECK(outcome.out == "");
  }
  const Outcome outcome =
      shell.run("encode --frame --api EndTxn --version 5 --request", R"({"request":{}})");
  CHECK(outcome.exit_code == 2);
  CHECK(contains(outcome.error, "the frame has no member \"requestHeader\""));
}

TEST_CASE("the examples of the help text work", "[tools][command]") {
  const Shell shell;
  const std::string help = shell.run("decode --help").out;
  const std::string program = "  fencepost ";
  std::size_t run = 0;
  for (std::size_t at = help.find(program); at != std::string::npos;
       at = help.find(program, at + 1)) {
    std::string line = help.substr(at + program.size());
    line.resize(line.find('\n'));
    if (contains(line, "data/") || contains(line, "<")) continue;  // a file that is not here
    INFO(line);
    CHECK(shell.run(line).exit_code == 0);
    ++run;
  }
  CHECK(run > 0);
}

TEST_CASE("lines are answered one for one, wrong ones too", "[tools][command]") {
  const Shell shell;
  const std::string line = "EndTxn\t5\trequest\t";
  const Outcome outcome =
      shell.run("decode --lines", line + end_txn_hex + "\nnonsense\n\n" + line + end_txn_hex);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.starts_with(end_txn_json));
  CHECK(outcome.out.ends_with(end_txn_json));
  CHECK(std::count(outcome.out.begin(), outcome.out.end(), '\n') == 4);
}

TEST_CASE("api lists the APIs and shows the fields of a message", "[tools][command]") {
  const Shell shell;
  const Outcome all = shell.run("api");
  CHECK(all.exit_code == 0);
  CHECK(contains(all.out, "26   EndTxn "));
  const Outcome one = shell.run("api EndTxn");
  CHECK(one.exit_code == 0);
  CHECK(contains(one.out, "EndTxnRequest  versions 0-5, flexible 3+"));
  CHECK(contains(one.out, "EndTxnResponse  versions 0-5, flexible 3+"));
  CHECK(contains(one.out, "transactionalId"));
  CHECK(shell.run("api 26").out == one.out);
  CHECK(shell.run("api END_TXN").out == one.out);
  CHECK(contains(shell.run("api TransactionLogValue").out, "transactionPartitions"));
  CHECK(contains(shell.run("api EndTx").error, "did you mean EndTxn"));
}

}  // namespace
