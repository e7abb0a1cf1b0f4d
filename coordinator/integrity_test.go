package coordinator_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/farm"
)

// TestADamagedStateFileIsMadeAgainWhileTheFarmWorks changes every page of the state file below a coordinator that runs: it answers nobody
// with what is left, makes the file again by itself, and says so wherever somebody looks.
func TestADamagedStateFileIsMadeAgainWhileTheFarmWorks(t *testing.T) {
	t.Parallel()
	r := open(t)
	var jobs []farm.Job
	for range 20 {
		jobs = append(jobs, r.submit())
	}
	r.restart() // by which all of it goes into the file
	damage(t, filepath.Join(r.cfg.DataDir, "state", "state.db"))

	_, err := r.Job(t.Context(), r.admin, jobs[3].ID)
	if err != nil && (farm.CodeOf(err) != farm.CodeUnavailable || !strings.Contains(err.Error(), "state file is damaged")) { // or it is over already
		t.Errorf("a job that lies in a damaged page is answered with %v", err)
	}
	r.eventually("the state file is made again", func() bool { return rebuilds(t, r) == 1 && r.Ready() == nil })
	for _, job := range jobs {
		if got := r.job(job.ID); got.Status != job.Status || got.OutputName != job.OutputName {
			t.Errorf("job %s came back as %+v", job.ID, got)
		}
	}
	r.submit()

	if checks := r.Checks(); !slices.ContainsFunc(checks, func(c farm.Check) bool {
		return c.Name == "state" && c.Warn && strings.Contains(c.Found, "was found damaged and made again once")
	}) {
		t.Errorf("/readyz says %+v", checks)
	}
	cluster, err := r.Cluster().Status(t.Context(), r.admin, 0)
	if err != nil {
		t.Fatal(err)
	}
	if words := strings.Join(cluster.Warnings, "\n"); !strings.Contains(words, "found its state file damaged and rebuilt it") {
		t.Errorf("the page of coordinators warns of %q", words)
	}
	if cluster.Members[0].Rebuilds != 1 {
		t.Errorf("the coordinator is %+v", cluster.Members[0])
	}
}

// rebuilds is what the metrics say.
func rebuilds(t *testing.T, r *rig) float64 {
	t.Helper()
	families, err := r.Metrics().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "overcrank_state_rebuilds_total" {
			return f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatal("nothing counts how often the state file was made again")
	return 0
}

// damage changes what kind each page of a state file is, but those by which it is opened.
func damage(t *testing.T, path string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := file.Stat()
	page := int64(os.Getpagesize())
	for at := 2 * page; err == nil && at < info.Size(); at += page {
		_, err = file.WriteAt([]byte{0x80}, at+8)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}
