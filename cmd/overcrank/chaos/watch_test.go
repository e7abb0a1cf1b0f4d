//go:build linux

package chaos_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// standing is how one coordinator sees the cluster.
type standing struct {
	ID      string `json:"id"`
	Leader  string `json:"leader"` // id, "" when none is known
	Members []struct {
		ID               string `json:"id"`
		Fingerprint      string `json:"fingerprint"` // of the state behind the command with the index, which is one for all
		FingerprintIndex uint64 `json:"fingerprintIndex"`
	} `json:"members"`
}

func (d *door) standing(ctx context.Context) (s standing, err error) {
	err = d.ask(ctx, http.MethodGet, "/api/farm/v1/cluster", "", nil, &s)
	return s, err
}

// watch follows who leads.
type watch struct {
	farm *farm

	mu      sync.Mutex
	leader  *member
	changed int
}

func newWatch(f *farm) *watch { return &watch{farm: f} }

// run asks all coordinators again and again.
func (w *watch) run(ctx context.Context) {
	if len(w.farm.members) < 2 {
		return
	}
	var all sync.WaitGroup
	for _, m := range w.farm.members {
		all.Go(func() {
			for rest(ctx, 300*time.Millisecond) {
				brief, cancel := context.WithTimeout(ctx, time.Second)
				s, err := m.door.standing(brief)
				cancel()
				if err == nil && s.ID != "" && s.ID == s.Leader {
					w.leads(m)
				}
			}
		})
	}
	all.Wait()
}

func (w *watch) leads(m *member) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.leader != nil && w.leader != m {
		w.changed++
	}
	w.leader = m
}

// leading is who led last, nil when nobody is known.
func (w *watch) leading() *member {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.leader
}

func (w *watch) name() string {
	if m := w.leading(); m != nil {
		return m.name
	}
	return "unknown"
}

func (w *watch) changes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

// takePrints asks each coordinator for the hashes of all states behind one command.
func (f *farm) takePrints(ctx context.Context, e *evidence) error {
	if len(f.members) < 2 {
		return nil
	}
	for _, d := range f.doors {
		err := f.await(ctx, healPatience, "the state of all coordinators, as "+d.name+" sees it", func() error {
			s, err := d.standing(ctx)
			if err != nil {
				return err
			}
			known := 0
			for _, m := range s.Members {
				if m.Fingerprint != "" {
					known++
					e.prints = append(e.prints, print{Node: m.ID, Index: m.FingerprintIndex, Sum: m.Fingerprint})
				}
			}
			if known < len(f.doors) {
				return fmt.Errorf("it tells of %d of %d", known, len(f.doors))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
