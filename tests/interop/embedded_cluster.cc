// A cluster inside a test process, and librdkafka pointed at it.
#include <librdkafka/rdkafkacpp.h>
#include <minibroker/server/server.h>

#include <cstdio>
#include <memory>
#include <string>
#include <thread>

int main() {
  using namespace fencepost::minibroker;
  ClusterSettings cluster;
  cluster.topics = {{"orders", 1, 1, {}}};
  server::ServerSettings settings;
  settings.port = 0;
  auto server = server::Server::listen(cluster, settings);
  if (!server.ok()) return std::puts(server.error().text.c_str()), 1;
  std::thread serving([&] { (void)server->run(); });

  std::string error;
  const std::unique_ptr<RdKafka::Conf> conf(RdKafka::Conf::create(RdKafka::Conf::CONF_GLOBAL));
  conf->set("bootstrap.servers", "127.0.0.1:" + std::to_string(server->listeners().at(0).port),
            error);
  conf->set("transactional.id", "t", error);
  std::unique_ptr<RdKafka::Producer> producer(RdKafka::Producer::create(conf.get(), error));
  bool is_good = producer->init_transactions(10000) == nullptr;
  is_good = is_good && producer->begin_transaction() == nullptr;
  is_good = is_good && producer->produce("orders", 0, RdKafka::Producer::RK_MSG_COPY,
                                         const_cast<char*>("paid"), 4, nullptr, 0, 0,
                                         nullptr) == RdKafka::ERR_NO_ERROR;
  is_good = is_good && producer->commit_transaction(10000) == nullptr;
  producer.reset();
  server->stop();
  serving.join();
  std::puts(is_good ? "1 passed, 0 failed, 0 skipped" : "0 passed, 1 failed, 0 skipped");
  return is_good ? 0 : 1;
}
