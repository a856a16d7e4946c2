// A real `fencepost worker` in a process of its own: begun, stopped in the middle, woken, killed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "protocol/base/result.h"

namespace fencepost::tools {

class WorkerProcess {
 public:
  // What it prints is appended to `log_file`. Nothing runs yet.
  WorkerProcess(std::vector<std::string> arguments, std::string log_file);
  // Kills what still runs.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Error io when the program cannot be started.
  Result<void> start();
  void send(int signal);  // SIGSTOP, SIGCONT, SIGTERM; nothing when none runs
  // A second SIGTERM would not be waited for.
  bool is_asked_to_end() const { return is_asked_to_end_; }
  void kill_and_wait();
  bool is_running();
  // How it ended, when that is a fault of its own: without being asked, by a signal that nobody
  // sent, or with an exit code that says neither success nor a cluster out of reach. Told once.
  std::optional<std::string> take_bad_end();

 private:
  void note_end(int status);

  std::vector<std::string> arguments_;
  std::string log_file_;
  int process_ = -1;
  bool is_asked_to_end_ = false;
  std::optional<std::string> bad_end_;
};

}  // namespace fencepost::tools
