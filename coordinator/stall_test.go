package coordinator_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"overcrank/agent/upload/s3test"
	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/faults"
)

// inUnruly has a farm keep its files in a bucket behind a network that a test makes misbehave.
func inUnruly(t testing.TB) (storage *faults.Storage, where func(*coordinator.Config)) {
	t.Helper()
	server, bucket := inBucket(t)
	target := &url.URL{Scheme: "http", Host: server.Address}
	storage = faults.NewStorage(target)
	front := httptest.NewServer(storage)
	t.Cleanup(front.Close)
	t.Cleanup(func() { storage.Set(faults.StorageWell, nil) })
	address := "s3://farm/overcrank?endpoint=" + front.URL + "&region=" + s3test.Region
	return storage, func(cfg *coordinator.Config) {
		bucket(cfg)
		cfg.Storage = address
	}
}

func names(part string) func(*http.Request) bool {
	return func(r *http.Request) bool { return strings.Contains(r.URL.Path, part) }
}

func (r *rig) held(storage *faults.Storage, n int) {
	r.t.Helper()
	r.eventually("the storage holds requests", func() bool { return storage.Held() >= n })
}

// While storage that stalls is asked for a lease's contents, machines come, other jobs go to them, and the lease arrives at the session
// that its machine has when it is there.
func TestStorageThatStallsHoldsNobody(t *testing.T) {
	t.Parallel()
	storage, where := inUnruly(t)
	r := open(t, where)
	secret := r.private()
	r.restart() // so that nothing of it is in memory
	storage.Set(faults.StorageStalls, names("/private/"+secret.ID))

	first := r.enrol("first")
	first.connect()
	r.held(storage, 1)
	first.hangUp()
	first.connect() // with the lease on its way to it

	second := r.enrol("second")
	second.connect()
	open := r.submit()
	l := second.lease()
	if l.Job != open.ID {
		t.Fatalf("the other machine got %s, want %s", l.Job, open.ID)
	}
	second.finish(l, "a film")

	storage.Set(faults.StorageWell, nil)
	l = first.lease()
	if l.Job != secret.ID || l.Attempt.Attempt != 1 {
		t.Errorf("got attempt %d of %s, want the first of %s", l.Attempt.Attempt, l.Job, secret.ID)
	}
	first.finish(l, "a film")
}

// A report that waits for storage is settled when that answers, once, and the machine's other messages are heard meanwhile.
func TestAReportThatWaitsForStorageHoldsNoOtherMessage(t *testing.T) {
	t.Parallel()
	storage, where := inUnruly(t)
	r := open(t, where)
	s := r.enrol("box", func(inv *farm.Inventory) { inv.Slots = 2 })
	s.connect()
	slow, quick := r.submit(), r.submit()
	leases := map[string]wire.Lease{}
	for range 2 {
		l := s.lease()
		leases[l.Job] = l
	}
	report := wire.Message{Finished: &wire.Finished{Attempt: leases[slow.ID].Attempt, Output: s.render(leases[slow.ID], "a film")}}
	storage.Set(faults.StorageStalls, names(leases[slow.ID].Task))
	s.say(report)
	r.held(storage, 1)
	s.say(report) // agents repeat what has not been settled
	at := leases[quick.ID].Attempt
	s.say(wire.Message{Progress: &wire.Progress{Attempt: at, Percent: 40}})
	r.eventually("progress is heard", func() bool { return r.job(quick.ID).Progress == 40 })
	s.finish(leases[quick.ID], "another film")
	s.silent()

	storage.Set(faults.StorageWell, nil)
	s.settled(report.Finished.Attempt)
	if got := r.output(r.job(slow.ID)); got != "a film" {
		t.Errorf("the result is %q", got)
	}
	s.silent()
}

// What was read of a template is not in memory and the storage that has it stalls: the render is not split, and goes whole to one machine.
func TestARenderIsLeftWholeWhereStorageStallsItsPlan(t *testing.T) {
	t.Parallel()
	storage, where := inUnruly(t)
	r := open(t, where)
	template := r.uploaded(project(t, []string{"main"}))
	film := r.submit(func(j *farm.Job) { j.Template, j.Hold = farm.JobTemplate{ID: template.ID}, true })
	r.restart() // so that nothing of it is in memory
	read, err := r.Templates().Get(t.Context(), r.admin, template.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"first", "second"} {
		r.enrol(name).connect()
	}
	storage.Set(faults.StorageStalls, names(read.Introspection.SHA256))
	if _, err := r.ReleaseJobs(t.Context(), r.admin, []string{film.ID}); err != nil {
		t.Fatal(err)
	}
	r.held(storage, 1)
	r.eventually("one machine has the whole film", func() bool { return r.job(film.ID).Status == farm.JobRendering })
	tasks, _, err := r.Tasks(t.Context(), r.admin, film.ID, "", 10)
	if err != nil || len(tasks) != 1 {
		t.Errorf("the film has the tasks %+v, %v", tasks, err)
	}
}
