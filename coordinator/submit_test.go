package coordinator_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"image"
	"image/jpeg"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator"
	"overcrank/coordinator/templates"
	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/farm/wire"
)

func TestOutputNames(t *testing.T) {
	r := open(t)
	frames := &farm.Frames{Start: 0, End: 9}
	for ext, settings := range map[string]farm.Settings{
		"mp4":  {},
		"mov":  {Codec: "video_prores_4444"},
		"png":  {Type: "image", Frames: &farm.Frames{Single: true}},
		"jpg":  {Type: "image", Codec: "image_jpeg", Frames: &farm.Frames{Single: true}},
		"zip":  {Type: "image", Frames: frames},
		"zip ": {Type: "aep"},
	} {
		job := r.submit(func(j *farm.Job) { j.Settings = settings })
		want := regexp.MustCompile("^" + job.ID + "-[a-z2-7]{20,}[.]" + strings.TrimSpace(ext) + "$")
		if !want.MatchString(job.OutputName) {
			t.Errorf("%+v: %q does not match %s", settings, job.OutputName, want)
		}
		if got := r.OutputAddress(job); got != publicAddress+"/outputs/"+job.OutputName {
			t.Errorf("address %q", got)
		}
	}
}

func TestAnUnknownTemplateFallsBackToItsSrc(t *testing.T) {
	r := open(t)
	job := r.submit(func(j *farm.Job) { j.Template = farm.JobTemplate{ID: "PLACEHOLDER", Src: "http://files.test/x.aep"} })
	if job.Template.ID != "" || job.Template.Src != "http://files.test/x.aep" {
		t.Errorf("submitted with %+v", job.Template)
	}
	_, err := r.Submit(t.Context(), r.admin, farm.Job{Template: farm.JobTemplate{ID: "PLACEHOLDER"}})
	wantCode(t, err, farm.CodeNotFound)
	_, err = r.Submit(t.Context(), r.admin, farm.Job{})
	wantCode(t, err, farm.CodeInvalid)
}

func TestLongDataAddressesBecomeKeptFiles(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	long, short := bytes.Repeat([]byte("picture"), 1000), "data:text/plain,short"
	src := "data:image/png;base64," + base64.StdEncoding.EncodeToString(long)
	assets := []farm.Asset{{Type: "image", LayerName: "logo", Src: src}, {Type: "data", LayerName: "x", Src: short}}
	panel := []byte(strconv.Quote("data:image/png;base64," + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("panel"), 1000))))
	assets = append(assets, farm.Asset{Type: "essential", LayerName: "Logo", Value: panel}, farm.Asset{Type: "essential", LayerName: "Size", Value: []byte("3")})
	job := r.submit(func(j *farm.Job) { j.Assets = assets })
	var address string
	if err := json.Unmarshal(job.Assets[2].Value, &address); err != nil || !strings.HasPrefix(address, "farm://") || string(job.Assets[3].Value) != "3" {
		t.Errorf("panel fields: %.60s and %s", job.Assets[2].Value, job.Assets[3].Value)
	}
	if !strings.HasPrefix(job.Assets[0].Src, "farm://") || job.Assets[1].Src != short || assets[0].Src != src {
		t.Fatalf("submitted with %.40q and %.40q", job.Assets[0].Src, job.Assets[1].Src)
	}
	l := s.lease()
	ref, ok := l.Files[job.Assets[0].Src]
	if !ok || ref.Size != int64(len(long)) || ref.Name != "asset-0.png" {
		t.Fatalf("the lease names %+v", l.Files)
	}
	if got := l.Files[address]; got.Size != 5000 {
		t.Errorf("the lease does not name the panel's picture: %+v", l.Files)
	}
	f, err := r.OpenFileFor(t.Context(), s.agent, ref.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, long) {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
	stranger := r.enrol("stranger")
	_, err = r.OpenFileFor(t.Context(), stranger.agent, ref.SHA256)
	wantCode(t, err, farm.CodeNotFound)
	s.finish(l, "x")
	_, err = r.OpenFileFor(t.Context(), s.agent, ref.SHA256)
	wantCode(t, err, farm.CodeNotFound)
}

func TestAnAgentGetsItsFilesAfterARestart(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	stored, err := r.StoredFiles().Put(t.Context(), r.admin, "../../logo.png", strings.NewReader("logo"), 4)
	if err != nil || stored.Name != "logo.png" {
		t.Fatalf("stored %+v, %v", stored, err)
	}
	r.submit(func(j *farm.Job) { j.Assets = []farm.Asset{{Type: "image", LayerName: "l", Src: stored.Src()}} })
	l := s.lease()
	r.restart()
	f, err := r.OpenFileFor(t.Context(), s.agent, stored.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	s.connect(l.Attempt)
}

func TestStoredFilesBelongToTheirTeamAndMustExist(t *testing.T) {
	r := open(t)
	_, err := r.Submit(t.Context(), r.admin, farm.Job{
		Template: farm.JobTemplate{Src: "http://files.test/x.aep"},
		Assets:   []farm.Asset{{Type: "image", LayerName: "a", Src: "http://x"}, {Type: "image", LayerName: "b", Src: "farm://" + strings.Repeat("0", 64)}},
	})
	wantCode(t, err, farm.CodeInvalid)
	if err != nil && !strings.Contains(err.Error(), "assets[1].src") {
		t.Errorf("the field is not named: %v", err)
	}
}

func TestJobsBelongToTheirTeam(t *testing.T) {
	r := open(t)
	job := r.submit()
	stranger := farm.Principal{Team: "another", Role: farm.RoleAdmin}
	_, err := r.Job(t.Context(), stranger, job.ID)
	wantCode(t, err, farm.CodeNotFound)
	_, err = r.CancelJobs(t.Context(), stranger, []string{job.ID}, true)
	wantCode(t, err, farm.CodeNotFound)
	_, err = r.JobLog(t.Context(), stranger, job.ID)
	wantCode(t, err, farm.CodeNotFound)
	_, err = r.Results().Thumbnails(t.Context(), stranger, job.ID)
	wantCode(t, err, farm.CodeNotFound)
	_, err = r.JobLog(t.Context(), r.admin, job.ID)
	wantCode(t, err, farm.CodeNotFound)
	if jobs, _, err := r.Jobs(t.Context(), r.admin, farm.JobQuery{}); err != nil || len(jobs) != 1 || jobs[0].ID != job.ID {
		t.Errorf("listed %+v, %v", jobs, err)
	}
	if counts, err := r.CountJobs(t.Context(), r.admin); err != nil || counts[farm.JobQueued] != 1 {
		t.Errorf("counted %v, %v", counts, err)
	}
}

func picture(t testing.TB, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, w, h)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestThumbnails(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	job := r.submit()
	l := s.lease()
	good := picture(t, 160, 90)
	for _, frame := range []int{50, 0, 9} {
		if err := r.Results().ReceiveThumbnail(t.Context(), s.agent, l.Attempt, frame, good); err != nil {
			t.Fatal(err)
		}
	}
	list, err := r.Results().Thumbnails(t.Context(), r.admin, job.ID)
	if err != nil || len(list) != 3 || list[0].Frame != 0 || list[1].Frame != 9 || list[2].Frame != 50 || list[2].Size != int64(len(good)) {
		t.Errorf("listed %+v, %v", list, err)
	}
	f, err := r.Results().OpenThumbnail(t.Context(), r.admin, job.ID, 9)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, good) || f.ContentType != "image/jpeg" {
		t.Errorf("read %d bytes of %s, %v", len(got), f.ContentType, err)
	}
	_, err = r.Results().OpenThumbnail(t.Context(), r.admin, job.ID, 10)
	wantCode(t, err, farm.CodeNotFound)

	bad := []struct {
		name    string
		at      wire.Attempt
		frame   int
		picture []byte
		code    farm.Code
	}{
		{"no JPEG", l.Attempt, 1, []byte("<svg onload=alert(1)>"), farm.CodeInvalid},
		{"cut off", l.Attempt, 1, good[:len(good)/2], farm.CodeInvalid},
		{"too many bytes", l.Attempt, 1, append(bytes.Clone(good), make([]byte, 256<<10)...), farm.CodeTooLarge},
		{"too many pixels", l.Attempt, 1, picture(t, 4000, 10), farm.CodeTooLarge},
		{"a frame before the first", l.Attempt, -1, good, farm.CodeInvalid},
		{"another attempt", wire.Attempt{Task: l.Task, Attempt: 2}, 1, good, farm.CodeConflict},
		{"no such task", wire.Attempt{Task: "../../x", Attempt: 1}, 1, good, farm.CodeConflict},
	}
	for _, b := range bad {
		if err := r.Results().ReceiveThumbnail(t.Context(), s.agent, b.at, b.frame, b.picture); farm.CodeOf(err) != b.code {
			t.Errorf("%s: %v, want %s", b.name, err, b.code)
		}
	}
}

func TestAccess(t *testing.T) {
	c := newClock()
	r := open(t, c.config)
	if again, err := r.FirstToken(t.Context(), func(string) error { return nil }); err != nil || again != "" {
		t.Errorf("a second first token: %q, %v", again, err)
	}
	if p, err := r.PrincipalOf(t.Context(), r.admin.TokenID); err != nil || p != r.admin {
		t.Errorf("principal of the token's id: %+v, %v", p, err)
	}
	for _, secret := range []string{"", "x", r.invite()} {
		_, err := r.Authenticate(t.Context(), secret)
		wantCode(t, err, farm.CodeUnauthorized)
		_, err = r.AuthenticateEarlierAgent(t.Context(), secret)
		wantCode(t, err, farm.CodeUnauthorized)
	}
	_, err := r.Enrol(t.Context(), "wrong", wire.Enrol{Name: "x", Request: request(t)})
	wantCode(t, err, farm.CodeUnauthorized)
	_, err = r.Enrol(t.Context(), r.invite(), wire.Enrol{Request: request(t)})
	wantCode(t, err, farm.CodeInvalid)
	_, err = r.Enrol(t.Context(), r.invite(), wire.Enrol{Name: "box\x00\u202e", Request: request(t)})
	wantCode(t, err, farm.CodeInvalid)
	_, err = r.Enrol(t.Context(), r.invite(), wire.Enrol{Name: "x", Request: []byte("none")})
	wantCode(t, err, farm.CodeInvalid)
	sessions := r.SigningKey("sessions")
	if bytes.Equal(sessions, r.SigningKey("addresses")) || len(sessions) != 32 {
		t.Error("two purposes have the same key")
	}
	r.restart()
	if !bytes.Equal(r.SigningKey("sessions"), sessions) {
		t.Error("a restart changed the farm's keys")
	}
}

func TestEnrolledMachinesLearnTheGossip(t *testing.T) {
	r := open(t, func(c *coordinator.Config) { c.GossipBind = "127.0.0.1:0" })
	e, err := r.Enrol(t.Context(), r.invite(), wire.Enrol{Name: "box", Request: request(t)})
	if err != nil || len(e.GossipKey) != 32 || e.Cluster == "" || len(e.Gossip) != 1 {
		t.Errorf("enrolled %+v, %v", e, err)
	}
}

func TestWatchersSeeTheirTeamOnly(t *testing.T) {
	r := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	own := r.Watch(ctx, r.admin)
	other := r.Watch(ctx, farm.Principal{Team: "another"})
	s := r.enrol("box")
	s.connect()
	job := r.submit()
	l := s.lease()
	s.say(wire.Message{Log: &wire.Log{Attempt: l.Attempt, Lines: []string{"a line"}}})
	seen := map[farm.EventKind]farm.Event{}
	all := []farm.EventKind{farm.EventJob, farm.EventTask, farm.EventMachine, farm.EventProgress, farm.EventLog}
	r.eventually("every kind of event has come", func() bool {
		// A job that moves drops the progress before it, which whoever reads the job again sees: so it is told until it comes.
		s.say(wire.Message{Progress: &wire.Progress{Attempt: l.Attempt, Percent: 40, Frame: 9}})
		for len(own) > 0 {
			e := <-own
			seen[e.Kind] = e
		}
		return !slices.ContainsFunc(all, func(k farm.EventKind) bool { return seen[k].Kind == "" })
	})
	if e := seen[farm.EventProgress]; e.ID != job.ID || e.Progress != 40 || e.Frame != 9 {
		t.Errorf("progress %+v", e)
	}
	if e := seen[farm.EventLog]; len(e.Lines) != 1 || e.Lines[0] != "a line" {
		t.Errorf("log %+v", e)
	}
	cancel()
	for e := range other {
		if e.Kind != farm.EventMachine {
			t.Errorf("another team saw %+v", e)
		}
	}
	for range own {
	}
}

func TestASlowWatcherIsToldThatItMissedEvents(t *testing.T) {
	r := open(t)
	events := r.Watch(t.Context(), r.admin)
	for range 300 {
		r.create(templates.New{Type: "aep"})
	}
	for len(events) > 0 {
		if e := <-events; e.Lost {
			t.Fatal("an event before the gap says that something was lost")
		}
	}
	r.create(templates.New{Type: "aep"})
	if e := <-events; !e.Lost {
		t.Error("the first event after the gap does not say so")
	}
}

func TestFilesThatNothingNamesAreDropped(t *testing.T) {
	r := open(t)
	kept, dropped := r.uploaded(project(t, []string{"kept"})), r.uploaded(project(t, []string{"dropped"}))
	blob := func(ref *farm.FileRef) string {
		return filepath.Join(r.cfg.DataDir, "files", "blobs", ref.SHA256[:2], ref.SHA256)
	}
	age := func(ref *farm.FileRef) {
		old := time.Now().Add(-2 * time.Hour)
		if err := os.Chtimes(blob(ref), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Templates().Delete(t.Context(), r.admin, dropped.ID); err != nil {
		t.Fatal(err)
	}
	age(kept.File)
	age(dropped.File)
	if err := r.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !exists(blob(kept.File)) || !exists(blob(kept.Introspection)) {
		t.Error("a template's file was dropped")
	}
	if exists(blob(dropped.File)) {
		t.Error("a deleted template's file is still there after two hours")
	}
	if !exists(blob(dropped.Introspection)) {
		t.Error("a fresh file was dropped, which may be about to be named")
	}
}

func TestStoredFilesExpire(t *testing.T) {
	c := newClock()
	r := open(t, c.config, func(cfg *coordinator.Config) { cfg.FileLife = time.Hour })
	stored, err := r.StoredFiles().Put(t.Context(), r.admin, "a.png", strings.NewReader("a"), -1)
	if err != nil || !stored.ExpiresAt.Equal(c.read().Add(time.Hour)) {
		t.Fatalf("stored %+v, %v", stored, err)
	}
	withFile := func(j *farm.Job) { j.Assets = []farm.Asset{{Type: "image", LayerName: "l", Src: stored.Src()}} }
	c.pass(50 * time.Minute)
	job := r.submit(withFile)
	c.pass(50 * time.Minute)
	if err := r.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.submit(withFile) // its use has kept it alive
	c.pass(10 * time.Hour)
	if err := r.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := r.enrol("box")
	s.connect()
	if l := s.lease(); l.Job != job.ID || len(l.Files) != 1 {
		t.Errorf("leased %+v although a waiting job keeps its files", l)
	}
}

func TestAddressesThatTheFarmDoesNotAskAreRefusedAtOnce(t *testing.T) {
	t.Parallel()
	r := open(t, func(cfg *coordinator.Config) { cfg.Addresses = address.Policy{}.WithoutLoopback() })
	_, err := r.Submit(t.Context(), r.admin, farm.Job{
		Template: farm.JobTemplate{Src: "http://127.1/title.aep", Composition: "main"},
		Assets: []farm.Asset{
			{Type: "image", LayerName: "a", Src: "https://files.test/a.png"}, {Type: "image", LayerName: "b", Src: "http://2130706433/b.png"},
			{Type: "job", LayerName: "c", Nested: &farm.Job{
				Template: farm.JobTemplate{Src: "http://files.test/c.aep", Composition: "c"}, Webhook: &farm.Webhook{URL: "http://metadata.google.internal/"},
			}},
		},
		Upload:  &farm.Upload{Provider: "s3", Params: map[string]string{"bucket": "films", "region": "r", "endpoint": "http://localhost:9000"}},
		Webhook: &farm.Webhook{URL: "http://[::ffff:169.254.169.254]/"},
	})
	if got, want := fieldNames(err), []string{"template.src", "assets[1].src", "upload.params.endpoint", "webhook.url"}; !slices.Equal(got, want) {
		t.Errorf("refused are %v, want %v: %v", got, want, err)
	}
	_, err = r.Submit(t.Context(), r.admin, farm.Job{
		Template: farm.JobTemplate{Src: "http://files.test/title.aep", Composition: "main"},
		Assets: []farm.Asset{{Type: "job", LayerName: "c", Nested: &farm.Job{
			Template: farm.JobTemplate{Src: "http://files.test/c.aep", Composition: "c"}, Webhook: &farm.Webhook{URL: "http://metadata.google.internal/"},
		}}},
	})
	if got, want := fieldNames(err), []string{"assets[0].webhook.url"}; !slices.Equal(got, want) {
		t.Errorf("refused are %v, want %v: %v", got, want, err)
	}
}

// fieldNames are the fields that an error names, in its order.
func fieldNames(err error) []string {
	var refused *farm.Error
	if !errors.As(err, &refused) {
		return nil
	}
	var out []string
	for _, f := range refused.Fields {
		out = append(out, f.Field)
	}
	return out
}

func TestFramesBehindTheEndAreCutWithAWarning(t *testing.T) {
	t.Parallel()
	r := open(t)
	tpl := r.uploaded(project(t, []string{"main"}))
	submit := func(first, last int) (farm.Job, error) {
		return r.Submit(t.Context(), r.admin, farm.Job{
			Template: farm.JobTemplate{ID: tpl.ID, Composition: "main"}, Settings: farm.Settings{Frames: &farm.Frames{Start: first, End: last}},
		})
	}
	cut, err := submit(1, 99_999)
	if err != nil {
		t.Fatal(err)
	}
	if kept := r.job(cut.ID); len(kept.Warnings) != 1 || !strings.Contains(kept.Warnings[0], "1 to 99999") || !strings.Contains(kept.Warnings[0], "'main' ends with frame") {
		t.Errorf("the job keeps %q", kept.Warnings)
	}
	if whole, err := submit(0, cut.FramesTotal); err != nil || len(whole.Warnings) != 0 {
		t.Errorf("a range within the composition: %q, %v", whole.Warnings, err)
	}
	_, err = submit(99_998, 99_999)
	wantCode(t, err, farm.CodeInvalid)
}
