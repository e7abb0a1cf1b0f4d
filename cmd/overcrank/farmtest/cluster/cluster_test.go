//go:build linux

package cluster_test

import (
	"net/http"
	"testing"

	"overcrank/cmd/overcrank/farmtest"
)

func TestNoAcknowledgedJobIsLostWithALeader(t *testing.T) {
	t.Parallel()
	c := farmtest.StartRig(t, 3)
	lost := c.Leader()
	var ids []string
	submit := func(node int) {
		t.Helper()
		var job struct{ ID string }
		if status, _, err := c.AskPatiently(t.Context(), node, http.MethodPost, "/api/v2/jobs", farmtest.JobOf2KB(len(ids)), &job); err != nil || status != http.StatusCreated {
			t.Fatalf("node %d, leader %d: %d, %v", node, lost, status, err)
		}
		ids = append(ids, job.ID)
	}
	for n := range 30 {
		submit(n % 3)
	}
	c.Kill(lost)
	for n := range 30 {
		submit((lost + 1 + n%2) % 3) // the first of them while there is no leader
	}
	c.Start(lost)
	c.AwaitReady(lost)
	for node := range c.Nodes {
		for _, id := range ids {
			status, _, err := c.AskPatiently(t.Context(), node, http.MethodGet, "/api/v2/jobs/"+id, "", nil)
			if err != nil || status != http.StatusOK {
				t.Fatalf("node %d answers %d, %v, for an acknowledged job", node, status, err)
			}
		}
	}
}
