/* Commits and aborts transactions with offsets through librdkafka and reads everything back under
 * both isolation levels.
 * usage: librdkafka_transaction HOST:PORT */
#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int patience_ms = 20000;
static const char *bootstrap;
static char name[64]; /* of the topic, the group and the transactional.id */

static void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

/* Ends the program with the error's text when there is one. */
static void check(const char *what, rd_kafka_error_t *error) {
  if (error) fail(what, rd_kafka_error_string(error));
}

static void set(rd_kafka_conf_t *configuration, const char *key, const char *value) {
  char error[256];
  if (rd_kafka_conf_set(configuration, key, value, error, sizeof(error)) != RD_KAFKA_CONF_OK) {
    fail(key, error);
  }
}

static rd_kafka_t *client(rd_kafka_type_t type, rd_kafka_conf_t *configuration) {
  char error[256];
  set(configuration, "bootstrap.servers", bootstrap);
  rd_kafka_t *it = rd_kafka_new(type, configuration, error, sizeof(error));
  if (!it) fail("rd_kafka_new", error);
  return it;
}

static rd_kafka_t *producer(void) {
  rd_kafka_conf_t *configuration = rd_kafka_conf_new();
  set(configuration, "transactional.id", name);
  rd_kafka_t *it = client(RD_KAFKA_PRODUCER, configuration);
  check("init_transactions", rd_kafka_init_transactions(it, patience_ms));
  return it;
}

static void transaction(rd_kafka_t *it, const char *value, int64_t offset, int commits) {
  check("begin_transaction", rd_kafka_begin_transaction(it));
  rd_kafka_resp_err_t produced =
      rd_kafka_producev(it, RD_KAFKA_V_TOPIC(name), RD_KAFKA_V_PARTITION(0),
                        RD_KAFKA_V_VALUE((void *)value, strlen(value)),
                        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
  if (produced) fail("produce", rd_kafka_err2str(produced));
  if (rd_kafka_flush(it, patience_ms)) fail("flush", "timed out");

  rd_kafka_topic_partition_list_t *offsets = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(offsets, name, 0)->offset = offset;
  rd_kafka_consumer_group_metadata_t *group = rd_kafka_consumer_group_metadata_new(name);
  check("send_offsets", rd_kafka_send_offsets_to_transaction(it, offsets, group, patience_ms));
  rd_kafka_consumer_group_metadata_destroy(group);
  rd_kafka_topic_partition_list_destroy(offsets);

  check("end", commits ? rd_kafka_commit_transaction(it, patience_ms)
                       : rd_kafka_abort_transaction(it, patience_ms));
}

static rd_kafka_t *consumer(const char *isolation) {
  rd_kafka_conf_t *configuration = rd_kafka_conf_new();
  set(configuration, "isolation.level", isolation);
  set(configuration, "group.id", name);
  set(configuration, "enable.auto.commit", "false");
  return client(RD_KAFKA_CONSUMER, configuration);
}

/* Compares all values up to "last" with the expected ones, each followed by a space. */
static void expect_read(const char *isolation, const char *expected) {
  char values[256] = "";
  rd_kafka_t *it = consumer(isolation);
  rd_kafka_topic_partition_list_t *partitions = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(partitions, name, 0)->offset = RD_KAFKA_OFFSET_BEGINNING;
  if (rd_kafka_assign(it, partitions)) fail("assign", isolation);
  for (int waited_ms = 0; waited_ms < patience_ms && !strstr(values, "last "); waited_ms += 200) {
    rd_kafka_message_t *message = rd_kafka_consumer_poll(it, 200);
    if (message && !message->err) {
      size_t length = strlen(values);
      snprintf(values + length, sizeof(values) - length, "%.*s ", (int)message->len,
               (const char *)message->payload);
    }
    if (message) rd_kafka_message_destroy(message);
  }
  rd_kafka_topic_partition_list_destroy(partitions);
  rd_kafka_consumer_close(it);
  rd_kafka_destroy(it);
  if (strcmp(values, expected)) {
    fprintf(stderr, "%s: expected %s\n got %s\n", isolation, expected, values);
    exit(1);
  }
}

/* librdkafka asks for stable offsets, and so waits for markers on their way. */
static void expect_committed(int64_t expected) {
  rd_kafka_t *it = consumer("read_committed");
  rd_kafka_topic_partition_list_t *partitions = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(partitions, name, 0);
  rd_kafka_resp_err_t error = rd_kafka_committed(it, partitions, patience_ms);
  if (error) fail("committed", rd_kafka_err2str(error));
  if (partitions->elems[0].offset != expected) {
    fprintf(stderr, "committed offset: expected %lld, got %lld\n", (long long)expected,
            (long long)partitions->elems[0].offset);
    exit(1);
  }
  rd_kafka_topic_partition_list_destroy(partitions);
  rd_kafka_consumer_close(it);
  rd_kafka_destroy(it);
}

int main(int argument_count, char **arguments) {
  if (argument_count != 2) fail("usage", "librdkafka_transaction HOST:PORT");
  bootstrap = arguments[1];
  snprintf(name, sizeof(name), "librdkafka-%d", (int)getpid());

  rd_kafka_t *it = producer();
  transaction(it, "aborted-1", 5, 0);
  transaction(it, "committed-1", 2, 1);
  transaction(it, "aborted-2", 7, 0);
  transaction(it, "committed-2", 3, 1);
  transaction(it, "aborted-3", 9, 0);
  transaction(it, "last", 4, 1);
  rd_kafka_destroy(it);

  expect_read("read_committed", "committed-1 committed-2 last ");
  expect_read("read_uncommitted",
              "aborted-1 committed-1 aborted-2 committed-2 aborted-3 last ");
  expect_committed(4);
  puts("committed, aborted and read back");
  return 0;
}
