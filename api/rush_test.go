package api_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// TestOneWhoMayNotRushLeavesOthersRoom has an artist ask for the level rush again and again, one request after the other on several
// connections, and looks at what that costs another team.
func TestOneWhoMayNotRushLeavesOthersRoom(t *testing.T) {
	r := start(t)
	artist := bearer(r.makeToken("artist", "").Secret)
	other := bearer(r.makeToken("artist", `, "team": "`+r.makeTeam("second").ID+`"`).Secret)
	rush := strings.Replace(srcJob, "{", `{"level": "rush", `, 1)
	var asked atomic.Int64
	var stopped atomic.Bool
	var callers sync.WaitGroup
	defer callers.Wait()
	defer stopped.Store(true)
	r.undisturbed(func() {
		for range 4 {
			callers.Go(func() {
				for !stopped.Load() {
					if a := r.send(http.MethodPost, "/api/v2/jobs", rush, artist); a.status != http.StatusForbidden {
						t.Errorf("an artist's rush is answered with %d", a.status)
						return
					}
					asked.Add(1)
				}
			})
		}
		r.eventually("the artist is at it", func() bool { return asked.Load() > 20 })
	}, func() bool {
		before := asked.Load()
		r.eventually("the artist goes on", func() bool { return asked.Load() > before })
		return true
	}, "/api/v2/jobs", other)
	for range 5 {
		r.send(http.MethodPost, "/api/v2/jobs", srcJob, other).into(http.StatusCreated, nil)
	}
}
