/* What the crash test does to a cluster and reads back from it, through librdkafka. Each fact is
 * printed, and has left the process, as soon as it holds: whoever kills the cluster knows what it
 * had acknowledged.
 * usage: crash_client load HOST:PORT NUMBER        until the cluster is gone
 *        crash_client settle HOST:PORT            ends what the load left open
 *        crash_client read HOST:PORT TOPIC ISOLATION   the values of partition 0 to its end
 *        crash_client committed HOST:PORT GROUP TOPIC  the committed offset of partition 0 */
#include <librdkafka/rdkafka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int patience_ms = 15000;
static const char *bootstrap;
static int number; /* of this run of the load */

static void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

static void say(const char *line) {
  if (write(1, line, strlen(line)) < 0) exit(1);
}

static void set(rd_kafka_conf_t *configuration, const char *key, const char *value) {
  char error[256];
  if (rd_kafka_conf_set(configuration, key, value, error, sizeof(error)) != RD_KAFKA_CONF_OK)
    fail(key, error);
}

static rd_kafka_t *client(rd_kafka_type_t type, rd_kafka_conf_t *configuration) {
  char error[256];
  set(configuration, "bootstrap.servers", bootstrap);
  set(configuration, "log_level", "0");
  rd_kafka_t *it = rd_kafka_new(type, configuration, error, sizeof(error));
  if (!it) fail("rd_kafka_new", error);
  return it;
}

static void produce(rd_kafka_t *it, const char *topic, const char *value) {
  while (rd_kafka_producev(it, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_PARTITION(0),
                           RD_KAFKA_V_VALUE((void *)value, strlen(value)),
                           RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END))
    rd_kafka_poll(it, 1);
}

/* ---- load */

static void on_delivered(rd_kafka_t *it, const rd_kafka_message_t *message, void *opaque) {
  (void)it, (void)opaque;
  if (message->err) return;
  char line[128];
  snprintf(line, sizeof(line), "acknowledged %.*s\n", (int)message->len,
           (const char *)message->payload);
  say(line);
}

static void *load_plain(void *unused) {
  (void)unused;
  rd_kafka_conf_t *configuration = rd_kafka_conf_new();
  set(configuration, "enable.idempotence", "true");
  set(configuration, "linger.ms", "1");
  rd_kafka_conf_set_dr_msg_cb(configuration, on_delivered);
  rd_kafka_t *it = client(RD_KAFKA_PRODUCER, configuration);
  for (int i = 0;; ++i) {
    char value[64];
    snprintf(value, sizeof(value), "p%d-%d", number, i);
    produce(it, "plain", value);
    rd_kafka_poll(it, i % 20 == 0 ? 10 : 0);
  }
  return NULL;
}

static int end(rd_kafka_t *it, const char *transaction, int commits) {
  char line[128];
  const char *what = commits ? "commit" : "abort";
  snprintf(line, sizeof(line), "ending %s %s\n", transaction, what);
  say(line);
  rd_kafka_error_t *error = commits ? rd_kafka_commit_transaction(it, patience_ms)
                                    : rd_kafka_abort_transaction(it, patience_ms);
  if (error) return 0;
  snprintf(line, sizeof(line), "ended %s %s\n", transaction, what);
  say(line);
  return 1;
}

static rd_kafka_t *transactional_producer(const char *id) {
  rd_kafka_conf_t *configuration = rd_kafka_conf_new();
  char name[64];
  snprintf(name, sizeof(name), "crash-%s", id);
  set(configuration, "transactional.id", name);
  set(configuration, "linger.ms", "0");
  rd_kafka_t *it = client(RD_KAFKA_PRODUCER, configuration);
  rd_kafka_error_t *error = rd_kafka_init_transactions(it, patience_ms);
  if (error) fail("init_transactions", rd_kafka_error_string(error));
  return it;
}

/* Transactions of two records and an offset each: two topics, the second with the group. */
static void *load_transactions(void *id) {
  rd_kafka_t *it = transactional_producer(id);
  char name[64];
  snprintf(name, sizeof(name), "crash-%s", (const char *)id);
  for (int i = 1;; ++i) {
    char transaction[64];
    char value[80];
    snprintf(transaction, sizeof(transaction), "t%s-%d-%d", (const char *)id, number, i);
    if (rd_kafka_begin_transaction(it)) return NULL;
    for (int record = 0; record < 2; ++record) {
      snprintf(value, sizeof(value), "%s.%d", transaction, record);
      produce(it, record == 0 ? "first" : "second", value);
    }
    rd_kafka_topic_partition_list_t *offsets = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(offsets, "plain", 0)->offset = number * 1000000LL + i;
    rd_kafka_consumer_group_metadata_t *group = rd_kafka_consumer_group_metadata_new(name);
    rd_kafka_error_t *error =
        rd_kafka_send_offsets_to_transaction(it, offsets, group, patience_ms);
    rd_kafka_consumer_group_metadata_destroy(group);
    rd_kafka_topic_partition_list_destroy(offsets);
    if (error) return NULL;
    if (!end(it, transaction, i % 4 != 0)) return NULL;
  }
}

static void load_group_commits(void) {
  rd_kafka_conf_t *configuration = rd_kafka_conf_new();
  set(configuration, "group.id", "crash-plain");
  set(configuration, "enable.auto.commit", "false");
  rd_kafka_t *it = client(RD_KAFKA_CONSUMER, configuration);
  for (int i = 1;; ++i) {
    rd_kafka_topic_partition_list_t *offsets = rd_kafka_topic_partition_list_new(1);
    const long long offset = number * 1000000LL + i;
    rd_kafka_topic_partition_list_add(offsets, "plain", 0)->offset = offset;
    if (rd_kafka_commit(it, offsets, 0) == RD_KAFKA_RESP_ERR_NO_ERROR) {
      char line[64];
      snprintf(line, sizeof(line), "committed %lld\n", offset);
      say(line);
    }
    rd_kafka_topic_partition_list_destroy(offsets);
    usleep(2000);
  }
}

static void load(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, load_plain, NULL);
  pthread_create(&thread, NULL, load_transactions, "a");
  pthread_create(&thread, NULL, load_transactions, "b");
  load_group_commits();
}

/* ---- reading back */

static rd_kafka_t *consumer(const char *group, const char *isolation) {
  rd_kafka_conf_t *configuration = rd_kafka_conf_new();
  set(configuration, "group.id", group);
  set(configuration, "isolation.level", isolation);
  set(configuration, "enable.auto.commit", "false");
  set(configuration, "enable.partition.eof", "true");
  set(configuration, "fetch.wait.max.ms", "20");
  return client(RD_KAFKA_CONSUMER, configuration);
}

static void read_all(const char *topic, const char *isolation) {
  rd_kafka_t *it = consumer("crash-reader", isolation);
  rd_kafka_topic_partition_list_t *partitions = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(partitions, topic, 0)->offset = RD_KAFKA_OFFSET_BEGINNING;
  if (rd_kafka_assign(it, partitions)) fail("assign", topic);
  rd_kafka_topic_partition_list_destroy(partitions);
  for (;;) {
    rd_kafka_message_t *message = rd_kafka_consumer_poll(it, patience_ms);
    if (!message) fail(topic, "nothing to read in time");
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) break;
    if (message->err) fail(topic, rd_kafka_message_errstr(message));
    printf("%.*s\n", (int)message->len, (const char *)message->payload);
    rd_kafka_message_destroy(message);
  }
}

static void print_committed(const char *group, const char *topic) {
  rd_kafka_t *it = consumer(group, "read_committed");
  rd_kafka_topic_partition_list_t *partitions = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(partitions, topic, 0);
  rd_kafka_resp_err_t error = rd_kafka_committed(it, partitions, patience_ms);
  if (error) fail("committed", rd_kafka_err2str(error));
  printf("%lld\n", (long long)partitions->elems[0].offset);
}

int main(int argument_count, char **arguments) {
  if (argument_count < 3) fail("usage", "see the source");
  bootstrap = arguments[2];
  if (!strcmp(arguments[1], "load") && argument_count == 4) {
    number = atoi(arguments[3]);
    load();
  } else if (!strcmp(arguments[1], "settle") && argument_count == 3) {
    transactional_producer("a");
    transactional_producer("b");
  } else if (!strcmp(arguments[1], "read") && argument_count == 5) {
    read_all(arguments[3], arguments[4]);
  } else if (!strcmp(arguments[1], "committed") && argument_count == 5) {
    print_committed(arguments[3], arguments[4]);
  } else {
    fail("usage", "see the source");
  }
  fflush(stdout);
  _exit(0); /* the clients end with the process: nothing waits for them */
}
