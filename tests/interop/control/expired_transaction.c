/* A test as a user would write it, in C: the clock of the cluster belongs to the test, so a
 * transaction times out at once. The coordinator aborts it, and its producer is fenced.
 * usage: expired_transaction FENCEPOST */
#include <curl/curl.h>
#include <librdkafka/rdkafka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int patience_ms = 20000;
static char control[128]; /* http://HOST:PORT of the control API */

static void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

static size_t collect(char *data, size_t size, size_t count, void *to) {
  strncat(to, data, size * count);
  return size * count;
}

/* The answer's JSON; posts a body when there is one. Valid until the next call. */
static const char *ask(const char *path, const char *body) {
  static char answer[65536], url[256];
  CURL *curl = curl_easy_init();
  long status = 0;
  answer[0] = '\0';
  snprintf(url, sizeof(url), "%s%s", control, path);
  curl_easy_setopt(curl, CURLOPT_URL, url);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, collect);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
  if (body) curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
  CURLcode outcome = curl_easy_perform(curl);
  if (outcome != CURLE_OK) fail(path, curl_easy_strerror(outcome));
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_cleanup(curl);
  if (status >= 300) fail(path, answer);
  return answer;
}

static void check(const char *what, rd_kafka_error_t *error) {
  if (error) fail(what, rd_kafka_error_string(error));
}

static rd_kafka_t *transactional_producer(const char *bootstrap) {
  char error[256];
  rd_kafka_conf_t *configuration = rd_kafka_conf_new();
  if (rd_kafka_conf_set(configuration, "bootstrap.servers", bootstrap, error, sizeof(error)) ||
      rd_kafka_conf_set(configuration, "transactional.id", "sleeper", error, sizeof(error)))
    fail("configuration", error);
  rd_kafka_t *producer = rd_kafka_new(RD_KAFKA_PRODUCER, configuration, error, sizeof(error));
  if (!producer) fail("rd_kafka_new", error);
  return producer;
}

static void test(const char *bootstrap) {
  rd_kafka_t *producer = transactional_producer(bootstrap);
  check("init", rd_kafka_init_transactions(producer, patience_ms));
  check("begin", rd_kafka_begin_transaction(producer));
  if (rd_kafka_producev(producer, RD_KAFKA_V_TOPIC("orders"), RD_KAFKA_V_PARTITION(0),
                        RD_KAFKA_V_VALUE("half done", 9), RD_KAFKA_V_END))
    fail("produce", "refused");
  check("flush", rd_kafka_flush(producer, patience_ms) ? rd_kafka_error_new(-1, "late") : NULL);
  ask("/v1/transactions/sleeper?until_state=Ongoing", NULL);

  ask("/v1/clock", "{\"advance_ms\": 90000}"); /* transaction.timeout.ms is 60000 */
  ask("/v1/transactions/sleeper?until_state=CompleteAbort", NULL);
  if (!strstr(ask("/v1/partitions/orders/0", NULL), "\"last_stable_offset\":2"))
    fail("the abort's marker", "readers still wait for the transaction");

  rd_kafka_error_t *error = rd_kafka_commit_transaction(producer, patience_ms);
  if (!error || !rd_kafka_error_is_fatal(error))
    fail("commit", error ? rd_kafka_error_string(error) : "has been answered with success");
  rd_kafka_error_destroy(error);
  rd_kafka_destroy(producer);
}

int main(int count, char **arguments) {
  char command[512], bootstrap[128];
  int process = 0;
  if (count != 2) fail("usage", "expired_transaction FENCEPOST");
  snprintf(command, sizeof(command),
           "echo $$; exec '%s' serve --port 0 --topic orders --control 0 --clock manual",
           arguments[1]);
  FILE *cluster = popen(command, "r");
  if (fscanf(cluster, "%d listening on %127s (broker 1) control API at %127[^,]", &process,
             bootstrap, control) != 3)
    fail(command, "did not start");
  test(bootstrap);
  kill(process, SIGTERM);
  while (fgetc(cluster) != EOF) {
  }
  if (pclose(cluster) != 0) fail(command, "did not end well");
  puts("an expired transaction is aborted, and its producer fenced");
}
