package web_test

import (
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

var (
	doneOnOverview = regexp.MustCompile(`<b>(\d+)</b>\s*<span class="state finished">`)
	doneOnWall     = regexp.MustCompile(`Finished today</dt>\s*<dd>(\d+)<`)
)

// TestWhatIsDoneTodayIsOfTheReadersDay looks at three in the morning, UTC, at jobs that finished on the evening before.
func TestWhatIsDoneTodayIsOfTheReadersDay(t *testing.T) {
	night := farm.Day(time.Now())
	began := time.Now()
	r := &rig{t: t, dir: t.TempDir(), now: func() time.Time { return night.Add(3*time.Hour + time.Since(began)) }}
	r.people()
	store, err := raftstore.Open(t.Context(), raftstore.Config{Dir: filepath.Join(r.dir, "state"), MinFree: 1, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	r.apply(store, command.SetLevel{Level: command.NewestLevel, Version: "v"})
	r.apply(store, command.EnrolAgent{Agent: farm.Agent{ID: madeBy, Name: "suite-1", SecretHash: "none", EnrolledAt: night}})
	for i, end := range []time.Duration{-18 * time.Hour, -6 * time.Hour, -330*time.Minute + time.Second, -time.Hour, 2 * time.Hour} {
		id, at := madeID(i), night.Add(end)
		job := farm.Job{ID: id, Team: staff[0].Team, SubmittedBy: "art", CreatedAt: at, UpdatedAt: at, OutputName: id + "-x.mp4", Template: farm.JobTemplate{Src: "https://files.example/a.aep", Composition: "main"}}
		if i == 3 {
			job.SubmittedBy = "pro"
		}
		r.apply(store, command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{{ID: id + ".0", Job: id, Team: job.Team, Kind: farm.TaskRender}}})
		r.apply(store, command.LeaseTasks{Grants: []command.Grant{{Task: id + ".0", Attempt: 1, Agent: madeBy}}, At: at.Add(-30 * time.Minute)})
		r.apply(store, command.FinishTask{Task: id + ".0", Attempt: 1, At: at})
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	stop := r.serve("127.0.0.1:0")
	t.Cleanup(func() { stop() })
	base, err := url.Parse(r.base)
	if err != nil {
		t.Fatal(err)
	}
	art := r.as("art")
	art.get("/?of=team").is(http.StatusOK, "done today (UTC)")
	art.get("/wall").is(http.StatusOK, "Finished today (UTC)", "Machine time today (UTC)")
	for _, c := range []struct {
		zone      string
		team, own int
	}{
		{"Europe/Berlin", 2, 1}, {"Asia/Kolkata", 3, 2}, {"America/Los_Angeles", 4, 3}, {"UTC", 1, 1}, {"Pacific/Kiritimati", 4, 3},
	} {
		art.client.Jar.SetCookies(base, []*http.Cookie{{Name: "overcrank_zone", Value: url.QueryEscape(c.zone)}})
		live := art.live("wall").next(func(p part) bool { return p.ID == "wall" })
		for _, shown := range []struct {
			of, body string
			number   *regexp.Regexp
			want     int
		}{
			{"the team's overview", art.get("/?of=team").is(http.StatusOK, "done today").lacks("today (UTC)").body, doneOnOverview, c.team},
			{"art's overview", art.get("/").is(http.StatusOK, "done today").lacks("today (UTC)").body, doneOnOverview, c.own},
			{"the wall", art.get("/wall").is(http.StatusOK, "Machine time today").lacks("today (UTC)").body, doneOnWall, c.team},
			{"the wall as it goes on", live.HTML, doneOnWall, c.team},
		} {
			if found := shown.number.FindStringSubmatch(shown.body); found == nil || found[1] != strconv.Itoa(shown.want) {
				t.Errorf("in %s %s says %q, want %d done today", c.zone, shown.of, found, shown.want)
			}
		}
	}
	art.client.Jar.SetCookies(base, []*http.Cookie{{Name: "overcrank_zone", Value: "Nowhere%2FAt+all"}})
	art.get("/wall").is(http.StatusOK, "Finished today (UTC)")
}
