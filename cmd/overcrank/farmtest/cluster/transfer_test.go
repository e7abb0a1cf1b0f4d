//go:build linux

package cluster_test

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
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
	var taken atomic.Int64
	var clients sync.WaitGroup
	for client := range 12 {
		clients.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				job, want := farmtest.JobOf(template, n), http.StatusCreated
				if n%4 == 3 {
					job, want = `{"template": {"id": "01M80D97CEW5WNZHDV2FNPMQZB", "composition": "none"}, "assets": []}`, http.StatusNotFound
				}
				status, err := c.Ask(t.Context(), client%3, http.MethodPost, "/api/v2/jobs", job, nil)
				if err != nil || status != want {
					t.Errorf("a submission to node %d was answered %d, %v, want %d", client%3, status, err, want)
					return
				}
				if want == http.StatusCreated {
					taken.Add(1)
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
	if taken.Load() == 0 {
		t.Error("nothing was submitted")
	}
	for i := range c.Nodes {
		farm := client.Client{Server: c.Base(i), Token: c.Token}
		jobs, err := farm.Jobs(t.Context(), url.Values{}, 0)
		if err != nil || int64(len(jobs.Items)) != taken.Load() {
			t.Errorf("node %d has %d jobs, %v; %d were taken", i, len(jobs.Items), err, taken.Load())
		}
	}
}
