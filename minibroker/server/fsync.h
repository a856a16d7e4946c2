// How much of what a server acknowledges the end of the machine may take back.
#pragma once

namespace fencepost::minibroker::server {

// When what the brokers have written has to be on disk, and not only with the operating system.
// Against the end of the process alone all of them are safe.
enum class Fsync {
  always,    // before its answer leaves
  interval,  // within a second
  never,     // when the system likes; at the end
};

}  // namespace fencepost::minibroker::server
