// Tests as a user would write them, in Go: what a service does when its coordinator is not there
// yet, and when the answer to its commit is lost on the way.
package control

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

type cluster struct {
	t                  *testing.T
	bootstrap, control string
}

// start runs a cluster that ends with the test.
func start(t *testing.T) *cluster {
	process := exec.Command(os.Getenv("FENCEPOST"), "serve", "--port", "0", "--topic", "orders", "--control", "0")
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		process.Process.Signal(syscall.SIGTERM)
		if err := process.Wait(); err != nil {
			t.Errorf("the cluster ended with %v", err)
		}
	})
	lines := bufio.NewScanner(output)
	words := func() []string { lines.Scan(); return strings.Fields(lines.Text()) }
	c := &cluster{t: t, bootstrap: words()[2]}
	c.control = strings.TrimSuffix(words()[3], ",")
	return c
}

// ask sends one request to the control API; a body makes it a POST.
func (c *cluster) ask(path string, body any) map[string]any {
	c.t.Helper()
	var answer *http.Response
	var err error
	if body == nil {
		answer, err = http.Get(c.control + path)
	} else {
		text, _ := json.Marshal(body)
		answer, err = http.Post(c.control+path, "application/json", strings.NewReader(string(text)))
	}
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	var it map[string]any
	if err := json.NewDecoder(answer.Body).Decode(&it); err != nil || answer.StatusCode >= 300 {
		c.t.Fatalf("%s: %s %v %v", path, answer.Status, it, err)
	}
	return it
}

// fault adds a rule and tells how often it was met.
func (c *cluster) fault(rule map[string]any) (hits func() int) {
	id := c.ask("/v1/faults", rule)["id"]
	return func() int { return int(c.ask(fmt.Sprintf("/v1/faults/%v", id), nil)["hits"].(float64)) }
}

func (c *cluster) client(options ...kgo.Opt) *kgo.Client {
	client, err := kgo.NewClient(append(options, kgo.SeedBrokers(c.bootstrap))...)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(client.Close)
	return client
}

// commit writes one record in one transaction.
func (c *cluster) commit(ctx context.Context, value string) {
	c.t.Helper()
	client := c.client(kgo.TransactionalID("service"), kgo.DefaultProduceTopic("orders"))
	if err := client.BeginTransaction(); err != nil {
		c.t.Fatal(err)
	}
	if err := client.ProduceSync(ctx, kgo.StringRecord(value)).FirstErr(); err != nil {
		c.t.Fatal(err)
	}
	if err := client.EndTransaction(ctx, kgo.TryCommit); err != nil {
		c.t.Fatal(err)
	}
}

// committed reads what is there up to the last stable offset, which has to be end.
func (c *cluster) committed(ctx context.Context, end int64) (values []string) {
	c.t.Helper()
	c.ask(fmt.Sprintf("/v1/partitions/orders/0?until_last_stable_offset=%d", end), nil)
	client := c.client(kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
		kgo.FetchMaxWait(100*time.Millisecond),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{"orders": {0: kgo.NewOffset().AtStart()}}))
	for position := int64(0); position < end; {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			c.t.Fatal(err)
		}
		fetches.EachRecord(func(record *kgo.Record) {
			position = record.Offset + 1
			if !record.Attrs.IsControl() {
				values = append(values, string(record.Value))
			}
		})
	}
	return values
}

func TestServiceWaitsForACoordinatorThatLoads(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	c := start(t)
	hits := c.fault(map[string]any{
		"action": "error", "error": "COORDINATOR_LOAD_IN_PROGRESS", "api": "InitProducerId", "count": 3})
	c.commit(ctx, "patient")
	if hits() != 3 {
		t.Errorf("asked %d times while the coordinator loaded, not 3", hits())
	}
	if got := c.committed(ctx, 2); !reflect.DeepEqual(got, []string{"patient"}) {
		t.Errorf("read %v", got)
	}
}

func TestCommitWhoseAnswerIsLostCountsOnce(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	c := start(t)
	hits := c.fault(map[string]any{"action": "lose_reply", "api": "EndTxn", "transactional_id": "service"})
	c.commit(ctx, "once")
	if hits() != 1 {
		t.Errorf("%d answers lost, not 1", hits())
	}
	if state := c.ask("/v1/transactions/service?until_state=CompleteCommit", nil)["state"]; state != "CompleteCommit" {
		t.Errorf("the transaction is %v", state)
	}
	if got := c.committed(ctx, 2); !reflect.DeepEqual(got, []string{"once"}) {
		t.Errorf("read %v", got)
	}
}
