//go:build linux

package main

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"overcrank/aep"
	"overcrank/cmd/overcrank/titlecard"
)

// clusterJob is a job of 2 KB with 6 assets, of a template that the job names by address.
func clusterJob(n int) string {
	return jobOf(`{"src": "https://files.example/title.aep", "composition": "main"}`, n)
}

func jobOf(template string, n int) string {
	words := strings.Repeat("autumn sale begins on friday with prices that nobody has seen before ", 20)
	return fmt.Sprintf(`{"template": %s, "name": "variant %d", "tags": ["campaign-%d"],
		"assets": [{"type": "text", "layerName": "title", "value": %q}, {"type": "text", "layerName": "terms", "value": %q},
		{"type": "image", "layerName": "product", "src": "https://cdn.shop.example/products/2026/autumn/%d/front-1920.png"},
		{"type": "data", "layerName": "price", "property": "Source Text.fontSize", "value": 48},
		{"type": "data", "layerName": "backdrop", "property": "Effects.Fill.Color", "value": [0.5, 0.5, 0.25]},
		{"type": "function", "name": "nx:layer-state-set", "params": {"layerName": "badge", "visible": true}}]}`,
		template, n, n%50, words[:120], words[:1060], n)
}

// BenchmarkClusterSubmit submits jobs from 64 connections to three coordinators on this machine; each is answered when two of them
// have it on the disk.
func BenchmarkClusterSubmit(b *testing.B) {
	c := startCluster(b, 3)
	leads, template := c.leader(), c.register()
	b.Run("to the leader", func(b *testing.B) { c.benchmarkSubmit(b, template, func(int) int { return leads }) })
	b.Run("to all", func(b *testing.B) { c.benchmarkSubmit(b, template, func(client int) int { return client % 3 }) })
}

// register gives the farm a project, and how a job names it.
func (c *clusterRig) register() string {
	c.t.Helper()
	var project bytes.Buffer
	if err := aep.Write(&project, titlecard.Project()); err != nil {
		c.t.Fatal(err)
	}
	var made struct {
		ID         string
		UploadInfo struct{ URL string }
	}
	if status, err := c.ask(c.t.Context(), 0, http.MethodPost, "/api/v2/templates", `{"type": "aep", "displayName": "card"}`, &made); err != nil || status != http.StatusCreated {
		c.t.Fatalf("registering a project: %d, %v", status, err)
	}
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodPut, made.UploadInfo.URL, &project)
	if err != nil {
		c.t.Fatal(err)
	}
	res, err := c.client.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	res.Body.Close()
	c.await("the project to be read", func() bool {
		var t struct{ Status string }
		_, err := c.ask(c.t.Context(), 0, http.MethodGet, "/api/v2/templates/"+made.ID, "", &t)
		return err == nil && t.Status == "uploaded"
	})
	return fmt.Sprintf(`{"id": %q, "composition": %q}`, made.ID, titlecard.Composition)
}

func (c *clusterRig) benchmarkSubmit(b *testing.B, template string, nodeOf func(client int) int) {
	const clients = 64
	jobs := make([]string, 1000)
	for n := range jobs {
		jobs[n] = jobOf(template, n)
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
