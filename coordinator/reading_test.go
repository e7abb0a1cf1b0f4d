package coordinator_test

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/aep/aeptest"
	"overcrank/coordinator"
	"overcrank/coordinator/people"
	"overcrank/coordinator/reader"
	"overcrank/coordinator/templates"
	"overcrank/durable"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/inbound/inboundtest"
)

// send registers a template of a caller and uploads its file.
func (r *rig) send(p farm.Principal, kind string, body []byte) farm.Template {
	r.t.Helper()
	tpl, err := r.Templates().Create(r.t.Context(), p, templates.New{Type: kind})
	if err != nil {
		r.t.Fatal(err)
	}
	u, err := url.Parse(r.Templates().UploadAddress(tpl))
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.Templates().Receive(r.t.Context(), tpl.ID, u.RawQuery, bytes.NewReader(body), int64(len(body))); err != nil {
		r.t.Fatal(err)
	}
	return tpl
}

func (r *rig) status(p farm.Principal, id string) farm.Template {
	r.t.Helper()
	tpl, err := r.Templates().Get(r.t.Context(), p, id)
	if err != nil {
		r.t.Fatal(err)
	}
	return tpl
}

// TestATeamsTemplatesLeaveOthersTheirTurn: one team sends many files that are costly to read. While the first of them is being read, and does not
// end, another team submits and has a template read.
func TestATeamsTemplatesLeaveOthersTheirTurn(t *testing.T) {
	held := filepath.Join(t.TempDir(), "held")
	if err := os.WriteFile(held, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := open(t, heldBy(t, held), func(cfg *coordinator.Config) { cfg.Reading = reader.Bounds{Memory: 64 << 20, Within: 10 * time.Minute} })
	team, err := r.MakeTeam(t.Context(), r.admin, "second")
	if err != nil {
		t.Fatal(err)
	}
	other, _ := r.token(r.admin, people.NewToken{Team: team.ID, Name: "other", Role: farm.RoleAdmin})
	costly := aeptest.EmptyLists(t, 1_500_000)
	var many []farm.Template
	for range 8 {
		many = append(many, r.send(r.admin, "zip", costly))
	}
	r.eventually("one of the costly templates is being read", func() bool { _, err := os.Stat(held + underWay); return err == nil })
	inboundtest.Promptly(t, func() {
		if _, err := r.Submit(t.Context(), other, farm.Job{Template: farm.JobTemplate{Src: "http://files.test/title.aep"}}); err != nil {
			t.Fatal(err)
		}
	})
	own := r.send(other, "aep", project(t, []string{"main"}))
	r.eventually("the other team's template is read", func() bool { return r.status(other, own.ID).Status == farm.TemplateUploaded })
	for _, tpl := range many {
		if now := r.status(r.admin, tpl.ID); now.Status != farm.TemplateProcessing {
			t.Errorf("a template whose reading is held is %s %q", now.Status, now.Error)
		}
	}
	if err := os.Remove(held); err != nil {
		t.Fatal(err)
	}
	for _, tpl := range many {
		r.eventually("the costly templates are refused", func() bool { return r.status(r.admin, tpl.ID).Status == farm.TemplateError })
		if words := r.status(r.admin, tpl.ID).Error; !strings.Contains(words, "64.0 MiB of memory (--reading-memory)") {
			t.Fatalf("the template's error is %q", words)
		}
	}
}

// TestAnArchiveWaitsForRoomOnTheDisk: a disk without room says nothing of the file.
func TestAnArchiveWaitsForRoomOnTheDisk(t *testing.T) {
	r := open(t, func(cfg *coordinator.Config) {
		free, _, err := durable.Space(cfg.DataDir)
		if err != nil {
			t.Fatal(err)
		}
		cfg.MinFree = free / 10 * 7 // which leaves room for files, and none to unpack some
	})
	tpl := r.send(r.admin, "zip", aeptest.Archive(t, map[string][]byte{"a.aep": project(t, []string{"main"})}))
	plain := r.send(r.admin, "aep", project(t, []string{"main"}))
	if got := r.read(plain.ID); got.Status != farm.TemplateUploaded {
		t.Fatalf("a template that needs no room: %+v", got)
	}
	if got := r.status(r.admin, tpl.ID); got.Status != farm.TemplateProcessing || got.Error != "" {
		t.Fatalf("without room it is %s %q", got.Status, got.Error)
	}
	team, err := r.MakeTeam(t.Context(), r.admin, "second")
	if err != nil {
		t.Fatal(err)
	}
	other, _ := r.token(r.admin, people.NewToken{Team: team.ID, Name: "other", Role: farm.RoleArtist})
	waiting := []farm.Template{tpl}
	for range 8 {
		waiting = append(waiting, r.send(r.admin, "zip", aeptest.Archive(t, map[string][]byte{"a.aep": project(t, []string{"main"})})))
	}
	inboundtest.Promptly(t, func() {
		if _, err := r.Submit(t.Context(), other, farm.Job{Template: farm.JobTemplate{Src: "https://files.example/a.aep", Composition: "main"}}); err != nil {
			t.Error(err)
		}
	})
	for _, tpl := range waiting {
		if now := r.status(r.admin, tpl.ID); now.Status != farm.TemplateProcessing {
			t.Errorf("an archive without room is %s %q", now.Status, now.Error)
		}
	}
	r.eventually("who asks is told why it is not read", func() bool {
		why := r.Templates().WhyUnread(t.Context(), r.admin, r.status(r.admin, tpl.ID), plain)
		return len(why) == 1 && strings.Contains(why[tpl.ID], "until there is room for it on the disk")
	})
	if why := r.Templates().WhyUnread(t.Context(), farm.Principal{Team: "another"}, r.status(r.admin, tpl.ID)); len(why) != 0 {
		t.Errorf("another team is told %q", why)
	}
	r.cfg.MinFree = 1
	r.restart()
	if got := r.read(tpl.ID); got.Status != farm.TemplateUploaded {
		t.Errorf("once there is room it is %s %q", got.Status, got.Error)
	}
}

func TestThumbnailsOfAnAttemptAreBounded(t *testing.T) {
	r := open(t)
	greedy, other := r.enrol("greedy"), r.enrol("other")
	greedy.connect()
	r.submit()
	first := greedy.lease()
	other.connect()
	r.submit()
	second := other.lease()
	small, large := picture(t, 160, 90), picture(t, 2048, 2048)
	taken, refused := 0, 0
	for n := range 300 {
		sent := small
		if n >= 200 {
			sent = large // what is refused is not even looked at
		}
		switch err := r.Results().ReceiveThumbnail(t.Context(), greedy.agent, first.Attempt, n, sent); farm.CodeOf(err) {
		case "":
			taken++
		case farm.CodeRateLimited:
			refused++
		default:
			t.Fatal(err)
		}
	}
	if taken != 200 || refused != 100 {
		t.Errorf("%d were taken and %d refused, want 200 and 100", taken, refused)
	}
	for frame := range 20 { // which another machine's are not counted with
		inboundtest.Promptly(t, func() {
			if err := r.Results().ReceiveThumbnail(t.Context(), other.agent, second.Attempt, frame, small); err != nil {
				t.Fatal(err)
			}
		})
	}
	if list, err := r.Results().Thumbnails(t.Context(), r.admin, jobOf(first)); err != nil || len(list) != 200 {
		t.Errorf("%d are kept, %v", len(list), err)
	}
}

// jobOf is the job of a lease.
func jobOf(l wire.Lease) string {
	job, _, _ := strings.Cut(l.Task, ".")
	return job
}
