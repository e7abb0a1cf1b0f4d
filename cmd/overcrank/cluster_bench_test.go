//go:build linux

package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

// clusterJob is a job of 2 KB with 6 assets, of a template that each job names by address, so that the farm needs no file.
func clusterJob(n int) string {
	words := strings.Repeat("autumn sale begins on friday with prices that nobody has seen before ", 20)
	return fmt.Sprintf(`{"template": {"src": "https://files.example/title.aep", "composition": "main"}, "name": "variant %d", "tags": ["campaign-%d"],
		"assets": [{"type": "text", "layerName": "title", "value": %q}, {"type": "text", "layerName": "terms", "value": %q},
		{"type": "image", "layerName": "product", "src": "https://cdn.shop.example/products/2026/autumn/%d/front-1920.png"},
		{"type": "data", "layerName": "price", "property": "Source Text.fontSize", "value": 48},
		{"type": "data", "layerName": "backdrop", "property": "Effects.Fill.Color", "value": [0.5, 0.5, 0.25]},
		{"type": "function", "name": "nx:layer-state-set", "params": {"layerName": "badge", "visible": true}}]}`,
		n, n%50, words[:120], words[:1060], n)
}

// BenchmarkClusterSubmit submits jobs from 64 connections to three coordinators on this machine; each is answered when two of them
// have it on the disk.
func BenchmarkClusterSubmit(b *testing.B) {
	c := startCluster(b, 3)
	leads := c.leader()
	b.Run("to the leader", func(b *testing.B) { c.benchmarkSubmit(b, func(int) int { return leads }) })
	b.Run("to all", func(b *testing.B) { c.benchmarkSubmit(b, func(client int) int { return client % 3 }) })
}

func (c *clusterRig) benchmarkSubmit(b *testing.B, nodeOf func(client int) int) {
	const clients = 64
	jobs := make([]string, 1000)
	for n := range jobs {
		jobs[n] = clusterJob(n)
	}
	took := make([]time.Duration, b.N)
	var sent atomic.Int64
	var group sync.WaitGroup
	b.ResetTimer()
	for client := range clients {
		group.Go(func() {
			conn := &fasthttp.HostClient{Addr: c.nodes[nodeOf(client)].api, MaxConns: 1}
			defer conn.CloseIdleConnections()
			req, res := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
			defer fasthttp.ReleaseRequest(req)
			defer fasthttp.ReleaseResponse(res)
			for {
				n := int(sent.Add(1)) - 1
				if n >= b.N {
					return
				}
				req.Reset()
				req.SetRequestURI(c.base(nodeOf(client)) + "/api/v2/jobs")
				req.Header.SetMethod(http.MethodPost)
				req.Header.SetContentType("application/json")
				req.Header.Set("Authorization", "Bearer "+c.token)
				req.SetBodyString(jobs[n%len(jobs)])
				began := time.Now()
				if err := conn.Do(req, res); err != nil || res.StatusCode() != http.StatusCreated {
					b.Errorf("%v, %d %.300s", err, res.StatusCode(), res.Body())
					return
				}
				took[n] = time.Since(began)
			}
		})
	}
	group.Wait()
	elapsed := b.Elapsed()
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(b.N)/elapsed.Seconds(), "requests/s")
	b.ReportMetric(float64(took[b.N/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[b.N*99/100].Microseconds())/1000, "p99-ms")
}

// BenchmarkFailover kills the leader of three coordinators with -9 and measures how long a client at another one waits for the
// first write that is accepted again; run with -benchtime 20x.
func BenchmarkFailover(b *testing.B) {
	c := startCluster(b, 3)
	var took []time.Duration
	for range b.N {
		leads := c.leader()
		at := (leads + 1) % 3
		c.kill(leads)
		killed := time.Now()
		for {
			status, err := c.ask(b.Context(), at, http.MethodPost, "/api/v2/jobs", clusterJob(len(took)), nil)
			if err == nil && status == http.StatusCreated {
				break
			}
			if time.Since(killed) > time.Minute {
				b.Fatalf("nothing is accepted: %d, %v", status, err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		took = append(took, time.Since(killed))
		c.start(leads)
		c.awaitReady(leads)
	}
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(took[len(took)/2].Seconds(), "s(median)")
	b.ReportMetric(took[len(took)-1].Seconds(), "s(worst)")
}
