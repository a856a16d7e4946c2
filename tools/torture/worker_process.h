// A real `fencepost worker` in a process of its own: begun, stopped in the middle, woken, killed.
#pragma once

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
  void kill_and_wait();
  // Whether it runs; when it has ended by itself its exit code is in exit_code().
  bool is_running();
  int exit_code() const { return exit_code_; }
  bool is_stopped() const { return is_stopped_; }

 private:
  std::vector<std::string> arguments_;
  std::string log_file_;
  int process_ = -1;
  bool is_stopped_ = false;
  int exit_code_ = 0;
};

}  // namespace fencepost::tools
