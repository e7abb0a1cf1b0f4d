//go:build linux

package cluster_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/client"
)

// TestSubmissionsAndRefusalsStayTrueWhileTheLeadGoesRound submits to all three coordinators, of which each leads for a while:
// none is refused for it, none is taken twice, and what every node has refused before is refused.
func TestSubmissionsAndRefusalsStayTrueWhileTheLeadGoesRound(t *testing.T) {
	t.Parallel()
	c := farmtest.StartRig(t, 3)
	template := c.Register()
	ctx, done := context.WithCancel(t.Context())
	defer done()
	const submitters = 12
	var mu sync.Mutex
	taken := map[string]bool{} // names of jobs; true for those that are there once for certain
	var clients sync.WaitGroup
	for client := range submitters {
		clients.Go(func() {
			for n := client; ctx.Err() == nil; n += submitters {
				job, want := farmtest.JobOf(template, n), http.StatusCreated
				if n/submitters%4 == 3 {
					job, want = `{"template": {"id": "01M80D97CEW5WNZHDV2FNPMQZB", "composition": "none"}, "assets": []}`, http.StatusNotFound
				}
				status, unsure, err := c.AskPatiently(t.Context(), client%3, http.MethodPost, "/api/v2/jobs", job, nil)
				if err != nil || status != want {
					t.Errorf("a submission to node %d was answered %d, %v, want %d", client%3, status, err, want)
					return
				}
				if want == http.StatusCreated {
					mu.Lock()
					taken[fmt.Sprint("variant ", n)] = !unsure
					mu.Unlock()
				}
			}
		})
	}
	for range 6 {
		time.Sleep(300 * time.Millisecond)
		c.Await("the lead to be handed on", func() bool { // which is given up when the other one takes too long
			status, err := c.Ask(t.Context(), c.Leader(), http.MethodPost, "/api/farm/v1/cluster/transfer", `{}`, nil)
			return err == nil && status/100 == 2
		})
	}
	done()
	clients.Wait()
	if len(taken) == 0 {
		t.Error("nothing was submitted")
	}
	for i := range c.Nodes {
		farm := client.Client{Server: c.Base(i), Token: c.Token, Patience: farmtest.Patience}
		jobs, err := farm.Jobs(t.Context(), url.Values{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		there := map[string]int{}
		for _, job := range jobs.Items {
			there[job.Name]++
		}
		for name, once := range taken {
			if there[name] == 0 || once && there[name] != 1 {
				t.Errorf("node %d has %q %d times", i, name, there[name])
			}
			delete(there, name)
		}
		if len(there) > 0 {
			t.Errorf("node %d has what nobody was told of: %v", i, there)
		}
	}
}
