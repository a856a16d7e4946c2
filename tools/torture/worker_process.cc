#include "tools/torture/worker_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "tools/exit_code.h"

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
  // A worker that held the links of another would keep them open when the proxy closes them.
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  // In a process group of its own: the Ctrl-C of a terminal is for whoever runs the torture.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int failure =
      posix_spawn(&process_, "/proc/self/exe", &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0) {
    process_ = -1;
    return Error{ErrorKind::io, std::string("cannot start a worker: ") + std::strerror(failure)};
  }
  is_asked_to_end_ = false;
  return {};
}

void WorkerProcess::send(int signal) {
  if (process_ < 0) return;
  kill(process_, signal);
  if (signal == SIGTERM) is_asked_to_end_ = true;
}

void WorkerProcess::kill_and_wait() {
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
  const bool is_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  if (!is_killed) note_end(status);
  process_ = -1;
}

bool WorkerProcess::is_running() {
  if (process_ < 0) return false;
  int status = 0;
  if (waitpid(process_, &status, WNOHANG) != process_) return true;
  note_end(status);
  process_ = -1;
  return false;
}

void WorkerProcess::note_end(int status) {
  // Asked before it could listen for that.
  if (is_asked_to_end_ && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) return;
  // Cut off while it began.
  if (WIFEXITED(status) && WEXITSTATUS(status) == exit_unreachable) return;
  if (WIFSIGNALED(status))
    bad_end_ = std::string("ended by signal ") + strsignal(WTERMSIG(status));
  else if (WEXITSTATUS(status) != 0)
    bad_end_ = "ended with exit code " + std::to_string(WEXITSTATUS(status));
  else if (!is_asked_to_end_)
    bad_end_ = "ended without being asked";
  else
    return;
  *bad_end_ += ", see " + log_file_;
}

std::optional<std::string> WorkerProcess::take_bad_end() {
  return std::exchange(bad_end_, std::nullopt);
}

}  // namespace fencepost::tools
