//go:build linux

package main

import (
	"net/http"
	"testing"
)

func TestNoAcknowledgedJobIsLostWithALeader(t *testing.T) {
	c := startCluster(t, 3)
	lost := c.leader()
	var ids []string
	submit := func(node int) {
		t.Helper()
		var job struct{ ID string }
		if status, err := c.ask(t.Context(), node, http.MethodPost, "/api/v2/jobs", clusterJob(len(ids)), &job); err != nil || status != http.StatusCreated {
			t.Fatalf("node %d, leader %d: %d, %v", node, lost, status, err)
		}
		ids = append(ids, job.ID)
	}
	for n := range 30 {
		submit(n % 3)
	}
	c.kill(lost)
	for n := range 30 {
		submit((lost + 1 + n%2) % 3) // the first of them while there is no leader
	}
	c.start(lost)
	c.awaitReady(lost)
	for node := range c.nodes {
		for _, id := range ids {
			if status, err := c.ask(t.Context(), node, http.MethodGet, "/api/v2/jobs/"+id, "", nil); err != nil || status != http.StatusOK {
				t.Fatalf("node %d answers %d, %v for an acknowledged job", node, status, err)
			}
		}
	}
}
