#include "tools/torture/worker_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace fencepost::tools {

WorkerProcess::WorkerProcess(std::vector<std::string> arguments, std::string log_file)
    : arguments_(std::move(arguments)), log_file_(std::move(log_file)) {}

WorkerProcess::~WorkerProcess() {
  kill_and_wait();
}

Result<void> WorkerProcess::start() {
  std::vector<char*> arguments;
  for (std::string& argument : arguments_) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log_file_.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  const int failure =
      posix_spawn(&process_, "/proc/self/exe", &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0) {
    process_ = -1;
    return Error{ErrorKind::io, std::string("cannot start a worker: ") + std::strerror(failure)};
  }
  is_stopped_ = false;
  return {};
}

void WorkerProcess::send(int signal) {
  if (process_ < 0) return;
  kill(process_, signal);
  if (signal == SIGSTOP) is_stopped_ = true;
  if (signal == SIGCONT) is_stopped_ = false;
}

void WorkerProcess::kill_and_wait() {
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
  process_ = -1;
  is_stopped_ = false;
}

bool WorkerProcess::is_running() {
  if (process_ < 0) return false;
  int status = 0;
  if (waitpid(process_, &status, WNOHANG) != process_) return true;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  process_ = -1;
  is_stopped_ = false;
  return false;
}

}  // namespace fencepost::tools
