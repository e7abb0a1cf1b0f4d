//go:build linux

package main

import (
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"overcrank/cmd/overcrank/farmtest"

	"github.com/valyala/fasthttp"
)

// BenchmarkClusterSubmit submits jobs from 64 connections to three coordinators on this machine; each is answered when two of them
// have it on the disk.
func BenchmarkClusterSubmit(b *testing.B) {
	c := farmtest.StartRig(b, 3)
	leads, template := c.Leader(), c.Register()
	b.Run("to the leader", func(b *testing.B) { benchmarkSubmit(c, b, template, func(int) int { return leads }) })
	b.Run("to all", func(b *testing.B) { benchmarkSubmit(c, b, template, func(client int) int { return client % 3 }) })
}

func benchmarkSubmit(c *farmtest.Rig, b *testing.B, template string, nodeOf func(client int) int) {
	const clients = 64
	jobs := make([]string, 1000)
	for n := range jobs {
		jobs[n] = farmtest.JobOf(template, n)
	}
	took := make([]time.Duration, b.N)
	var sent atomic.Int64
	var group sync.WaitGroup
	b.ResetTimer()
	for client := range clients {
		group.Go(func() {
			conn := &fasthttp.HostClient{Addr: c.Nodes[nodeOf(client)].API, MaxConns: 1}
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
				req.SetRequestURI(c.Base(nodeOf(client)) + "/api/v2/jobs")
				req.Header.SetMethod(http.MethodPost)
				req.Header.SetContentType("application/json")
				req.Header.Set("Authorization", "Bearer "+c.Token)
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
	c := farmtest.StartRig(b, 3)
	var took []time.Duration
	for range b.N {
		leads := c.Leader()
		at := (leads + 1) % 3
		c.Kill(leads)
		killed := time.Now()
		for {
			status, err := c.Ask(b.Context(), at, http.MethodPost, "/api/v2/jobs", farmtest.JobOf2KB(len(took)), nil)
			if err == nil && status == http.StatusCreated {
				break
			}
			if time.Since(killed) > time.Minute {
				b.Fatalf("nothing is accepted: %d, %v", status, err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		took = append(took, time.Since(killed))
		c.Start(leads)
		c.AwaitReady(leads)
	}
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(took[len(took)/2].Seconds(), "s(median)")
	b.ReportMetric(took[len(took)-1].Seconds(), "s(worst)")
}
