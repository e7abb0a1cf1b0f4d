package raftstore

import (
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/tables"
)

// BenchmarkApply commits submissions of one job of about 1 KB from several callers at once.
func BenchmarkApply(b *testing.B) {
	for _, callers := range []int{1, 16, 256} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			s := openStore(b, config(b, b.TempDir()))
			putTeam(b, s, "team")
			var next atomic.Int64
			var group sync.WaitGroup
			b.ResetTimer()
			for range callers {
				group.Go(func() {
					for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
						if _, err := s.Apply(b.Context(), benchSubmission(n)); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			group.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "applies/s")
		})
	}
}

func benchSubmission(n int64) command.SubmitJobs {
	job := farm.Job{ID: fmt.Sprintf("job%012d", n), Team: "team", OutputName: fmt.Sprintf("job%012d-out.mp4", n), CreatedAt: after(int(n))}
	for i := range 4 {
		job.Assets = append(job.Assets, farm.Asset{Type: "text", LayerName: fmt.Sprint("title ", i), Value: []byte(`"Some words that a title would hold"`)})
	}
	return command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{{ID: job.ID + ".0", Job: job.ID, Team: "team", Kind: farm.TaskRender}}}
}

// BenchmarkJobs lists a page of a team's 20,000 jobs.
func BenchmarkJobs(b *testing.B) {
	m := newTestMachine(b, b.TempDir(), "state")
	defer m.end()
	m.must(command.PutTeam{Team: farm.Team{ID: "team"}})
	for n := range int64(20_000) {
		m.do(benchSubmission(n))
	}
	for _, sort := range []string{"oldest_first", "newest_first", "priority", "random"} {
		b.Run(sort, func(b *testing.B) {
			for b.Loop() {
				m.read(func(tx *tables.Tx) error {
					jobs, _, err := tx.Jobs("team", farm.JobQuery{Sort: sort, Limit: 100})
					if len(jobs) != 100 {
						b.Fatalf("%d jobs", len(jobs))
					}
					return err
				})
			}
		})
	}
}

// BenchmarkOpen starts a node that holds 5,000 jobs, after a clean stop.
func BenchmarkOpen(b *testing.B) {
	folder := b.TempDir()
	s := openStore(b, config(b, folder))
	putTeam(b, s, "team")
	var group sync.WaitGroup
	for c := range int64(50) {
		group.Go(func() {
			for n := range int64(100) {
				if _, err := s.Apply(b.Context(), benchSubmission(c*100+n)); err != nil {
					b.Error(err)
				}
			}
		})
	}
	group.Wait()
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := openStore(b, config(b, folder)).Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// counting counts what goes out over a layer.
type counting struct {
	Layer
	messages *atomic.Int64
}

func (l counting) Dial(address string, timeout time.Duration) (net.Conn, error) {
	conn, err := l.Layer.Dial(address, timeout)
	return countedConn{conn, l.messages}, err
}

type countedConn struct {
	net.Conn
	messages *atomic.Int64
}

func (c countedConn) Write(p []byte) (int, error) {
	c.messages.Add(1)
	return c.Conn.Write(p)
}

// BenchmarkLed submits at the leader of three nodes, with a look at the others before each submission, and without.
func BenchmarkLed(b *testing.B) {
	var messages atomic.Int64
	c := newClusterOf(b, 3, func(_ int, cfg *Config) { cfg.Layer = counting{cfg.Layer, &messages} })
	leader := c.nodes[c.leader()]
	putTeam(b, leader, "team")
	var next atomic.Int64
	for _, callers := range []int{1, 16, 64} {
		for _, led := range []bool{false, true} {
			b.Run(fmt.Sprintf("callers=%d/led=%v", callers, led), func(b *testing.B) {
				b.ReportAllocs()
				before := messages.Load()
				b.ResetTimer()
				var group sync.WaitGroup
				var done atomic.Int64
				for range callers {
					group.Go(func() {
						for done.Add(1) <= int64(b.N) {
							ctx := b.Context()
							if led {
								ctx = WithLed(ctx, leader.Led())
							} else if err := leader.Fresh(ctx); err != nil {
								b.Error(err)
								return
							}
							if _, err := leader.Apply(ctx, benchSubmission(next.Add(1))); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				group.Wait()
				b.ReportMetric(float64(messages.Load()-before)/float64(b.N), "messages/op")
			})
		}
	}
}
