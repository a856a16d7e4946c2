#include "minibroker/server/control/http.h"

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <list>
#include <mutex>
#include <thread>

#include "minibroker/server/control/routes.h"

namespace fencepost::minibroker::server {

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::size_t body_bytes_max = 1 << 20;
constexpr std::size_t threads = 32;               // requests that wait and streams, together
constexpr std::size_t stream_lines_max = 100000;  // of a reader that does not read
constexpr std::chrono::milliseconds stream_pause(200);

// A request on its way to the loop and back.
struct Exchange {
  ControlRequest request;
  std::optional<SteadyTime> give_up;  // set when it begins to wait
  std::promise<ControlAnswer> answered;
};

// Events on their way to one reader.
class Stream {
 public:
  void push(std::string line) {
    const std::lock_guard lock(mutex_);
    if (lines_.size() < stream_lines_max)
      lines_.push_back(std::move(line));
    else
      ++dropped_;
    changed_.notify_one();
  }
  // What has come, after a moment at most; empty when nothing has.
  std::string take() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stream_pause, [this] { return !lines_.empty(); });
    std::string text;
    for (const std::string& line : lines_) text += line;
    if (dropped_ > 0) text += Json{{"dropped", std::exchange(dropped_, 0)}}.dump() + "\n";
    lines_.clear();
    return text;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  std::size_t dropped_ = 0;
};

bool has_body(const httplib::Request& request) {
  return request.method != "GET" && request.method != "DELETE";
}

ControlRequest request_of(const httplib::Request& from) {
  ControlRequest request{from.method, from.path, {}, from.body};
  if (!has_body(from)) {
    for (const auto& [name, value] : from.params) request.query[name] = value;
  } else if (const auto query = from.target.find('?'); query != std::string::npos) {
    // The parameters are the body's then, as a form's; no route takes a query beside a body.
    request.query[from.target.substr(query + 1)] = "";
  }
  return request;
}

}  // namespace

class ControlServer::Impl {
 public:
  Impl(ControlledCluster& controlled, Post post) : controlled_(controlled), post_(std::move(post)) {
    http_.new_task_queue = [] { return new httplib::ThreadPool(threads); };
    http_.set_payload_max_length(body_bytes_max);
    // Its threads wait on idle connections without looking up, and the end waits for its threads.
    http_.set_keep_alive_max_count(1);
    http_.set_keep_alive_timeout(1);
    http_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& to) {
      // The body has not been read yet here: what has one goes on to its method's handler.
      if (has_body(request)) return httplib::Server::HandlerResponse::Unhandled;
      serve(request, to);
      return httplib::Server::HandlerResponse::Handled;
    });
    const auto handler = [this](const httplib::Request& request, httplib::Response& to) {
      serve(request, to);
    };
    http_.Post(".*", handler);
    http_.Put(".*", handler);
    http_.Patch(".*", handler);
  }

  ~Impl() {
    is_ending_ = true;
    http_.stop();
    {
      const std::lock_guard lock(mutex_);
      for (auto& exchange : unanswered_) exchange->answered.set_value(ending());
      unanswered_.clear();
    }
    if (thread_.joinable()) thread_.join();
  }

  Result<void> listen(int port) {
    if (port < 0 || port > 65535)
      return Error{ErrorKind::invalid_argument,
                   "the control port has to be from 0 to 65535, not " + std::to_string(port),
                   0,
                   {}};
    const bool is_bound = port == 0 ? (port = http_.bind_to_any_port("127.0.0.1")) > 0
                                    : http_.bind_to_port("127.0.0.1", port);
    if (!is_bound)
      return Error{ErrorKind::cannot_connect,
                   "cannot listen on 127.0.0.1:" + std::to_string(port) + " for the control API",
                   0,
                   {}};
    port_ = port;
    thread_ = std::thread([this] {
      http_.listen_after_bind();
      has_ended_ = true;
    });
    // A stop that comes before it runs would be lost.
    while (!http_.is_running() && !has_ended_) std::this_thread::yield();
    return {};
  }

  int port() const { return port_; }

  void turned(const std::vector<Event>& events) {
    std::list<std::shared_ptr<Exchange>> waiting;
    {
      const std::lock_guard lock(mutex_);
      for (const Event& event : events)
        for (const auto& stream : streams_) stream->push(to_json(event).dump() + "\n");
      for (const auto& exchange : unanswered_)
        if (exchange->give_up) waiting.push_back(exchange);
    }
    for (const auto& exchange : waiting) try_to_answer(exchange);
  }

 private:
  static ControlAnswer ending() { return refuse(503, "the server is ending"); }

  // ---- on HTTP's threads

  void serve(const httplib::Request& request, httplib::Response& to) {
    if (request.path == "/openapi.json")
      return to.set_content(open_api_document(), "application/json");
    if (request.path == "/v1/events" && request.method == "GET") return stream(to);
    const ControlAnswer answer = ask(request_of(request));
    to.status = answer.status;
    to.set_content(answer.body, "application/json");
  }

  ControlAnswer ask(ControlRequest request) {
    auto exchange = std::make_shared<Exchange>();
    exchange->request = std::move(request);
    std::future<ControlAnswer> answered = exchange->answered.get_future();
    {
      const std::lock_guard lock(mutex_);
      if (is_ending_) return ending();
      unanswered_.push_back(exchange);
    }
    post_([this, exchange] { try_to_answer(exchange); });
    // A request that waits is looked at after each turn; its time may pass without one.
    while (answered.wait_for(stream_pause) != std::future_status::ready)
      if (!is_ending_) post_([this, exchange] { try_to_answer(exchange); });
    return answered.get();
  }

  void stream(httplib::Response& to) {
    auto stream = std::make_shared<Stream>();
    {
      const std::lock_guard lock(mutex_);
      streams_.push_back(stream);
    }
    to.set_chunked_content_provider(
        "application/x-ndjson",
        [this, stream](std::size_t, httplib::DataSink& sink) {
          const std::string text = stream->take();
          if (is_ending_) sink.done();
          if (!text.empty()) return sink.write(text.data(), text.size());
          return sink.is_writable();
        },
        [this, stream](bool) {
          const std::lock_guard lock(mutex_);
          streams_.remove(stream);
        });
  }

  // ---- on the loop

  void try_to_answer(const std::shared_ptr<Exchange>& exchange) {
    {
      const std::lock_guard lock(mutex_);
      if (std::ranges::find(unanswered_, exchange) == unanswered_.end()) return;
    }
    ControlAnswer answer = answer_control(controlled_, exchange->request);
    if (answer.is_waiting) {
      const SteadyTime now = std::chrono::steady_clock::now();
      if (!exchange->give_up) exchange->give_up = now + answer.wait_at_most;
      if (now < *exchange->give_up) return;
      answer.status = 408;
    }
    const std::lock_guard lock(mutex_);
    unanswered_.remove(exchange);
    exchange->answered.set_value(std::move(answer));
  }

  ControlledCluster& controlled_;
  Post post_;
  httplib::Server http_;
  std::thread thread_;
  int port_ = 0;
  std::atomic<bool> is_ending_{false};
  std::atomic<bool> has_ended_{false};

  std::mutex mutex_;
  std::list<std::shared_ptr<Exchange>> unanswered_;
  std::list<std::shared_ptr<Stream>> streams_;
};

ControlServer::ControlServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ControlServer::~ControlServer() = default;

Result<std::unique_ptr<ControlServer>> ControlServer::listen(int port,
                                                             ControlledCluster& controlled,
                                                             Post post) {
  auto impl = std::make_unique<Impl>(controlled, std::move(post));
  if (Result<void> listening = impl->listen(port); !listening.ok()) return listening.error();
  return std::unique_ptr<ControlServer>(new ControlServer(std::move(impl)));
}

int ControlServer::port() const {
  return impl_->port();
}
void ControlServer::turned(const std::vector<Event>& events) {
  impl_->turned(events);
}

}  // namespace fencepost::minibroker::server
