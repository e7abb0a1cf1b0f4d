package coordinator_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"overcrank/aep"
	"overcrank/aep/aeptest"
	"overcrank/coordinator"
	"overcrank/coordinator/templates"
	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/raftstore/command"
)

// project writes an After Effects project with empty compositions of 4 s at 25 frames a second; nested ones are layers
// of the first.
func project(t testing.TB, roots []string, nested ...string) []byte {
	t.Helper()
	p := &aep.Project{Version: aep.Version{Major: 24, Minor: 1, OS: "windows"}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8}
	for i, name := range append(slices.Clone(roots), nested...) {
		p.Items = append(p.Items, &aep.Item{ID: uint32(i + 1), Name: name, Kind: aep.ItemComposition, Comp: &aep.Composition{
			Width: 320, Height: 180, PixelAspect: 1, FrameRate: 25, FrameTicks: 1024, TicksPerSecond: 25600, Duration: 4, WorkAreaDuration: 4,
		}})
	}
	for i := range nested {
		first := p.Items[0].Comp
		first.Layers = append(first.Layers, &aep.Layer{
			ID: uint32(100 + i), Name: "layer " + nested[i], Kind: aep.LayerAV, Source: uint32(len(roots) + i + 1), Stretch: 100, Out: 4, Enabled: true,
			Props: &aep.Property{Match: "ADBE AV Layer", Group: true, Enabled: true},
		})
	}
	var b bytes.Buffer
	if err := aep.Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// put uploads to a signed address, as a client does.
func (r *rig) put(address string, body []byte) error {
	r.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		r.t.Fatal(err)
	}
	id := strings.TrimPrefix(u.Path, "/files/templates/")
	return r.Templates().Receive(r.t.Context(), id, u.RawQuery, bytes.NewReader(body), int64(len(body)))
}

func (r *rig) create(in templates.New) farm.Template {
	r.t.Helper()
	tpl, err := r.Templates().Create(r.t.Context(), r.admin, in)
	if err != nil {
		r.t.Fatal(err)
	}
	return tpl
}

// read waits until a template's file has been read.
func (r *rig) read(id string) (tpl farm.Template) {
	r.t.Helper()
	r.eventually("the template is read", func() bool {
		var err error
		if tpl, err = r.Templates().Get(r.t.Context(), r.admin, id); err != nil {
			r.t.Fatal(err)
		}
		return tpl.Status == farm.TemplateUploaded || tpl.Status == farm.TemplateError
	})
	return tpl
}

func (r *rig) uploaded(body []byte) farm.Template {
	r.t.Helper()
	tpl := r.create(templates.New{Type: "aep", DisplayName: "Opener"})
	if err := r.put(r.Templates().UploadAddress(tpl), body); err != nil {
		r.t.Fatal(err)
	}
	return r.read(tpl.ID)
}

func TestATemplateIsUploadedReadAndDownloaded(t *testing.T) {
	r := open(t)
	body := project(t, []string{"main", "credits"}, "logo")
	tpl := r.create(templates.New{Type: "aep", DisplayName: "Opener"})
	if tpl.Status != farm.TemplateAwaitingUpload || !strings.HasPrefix(r.Templates().UploadAddress(tpl), publicAddress+"/files/templates/"+tpl.ID+"?") {
		t.Errorf("created %+v", tpl)
	}
	if _, err := r.Templates().DownloadAddress(t.Context(), r.admin, tpl.ID); farm.CodeOf(err) != farm.CodeGone {
		t.Errorf("downloading before the upload: %v", err)
	}
	if err := r.put(r.Templates().UploadAddress(tpl), body); err != nil {
		t.Fatal(err)
	}
	tpl = r.read(tpl.ID)
	if tpl.Status != farm.TemplateUploaded || !slices.Equal(tpl.Compositions, []string{"main", "credits", "logo"}) || !slices.Equal(tpl.Layers, []string{"layer logo"}) {
		t.Fatalf("read as %+v", tpl)
	}
	s, err := r.Templates().Introspection(t.Context(), r.admin, tpl.ID)
	if err != nil || len(s.Compositions) != 3 || s.Compositions[0].Duration != 4 {
		t.Errorf("introspection: %+v, %v", s, err)
	}
	address, err := r.Templates().DownloadAddress(t.Context(), r.admin, tpl.ID)
	if err != nil {
		t.Fatal(err)
	}
	u, _ := url.Parse(address)
	f, err := r.Templates().Open(t.Context(), tpl.ID, u.RawQuery)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, body) || f.Name != "Opener.aep" {
		t.Errorf("downloaded %d bytes named %q, %v", len(got), f.Name, err)
	}
}

func TestSignedAddresses(t *testing.T) {
	c := newClock()
	r := open(t, c.config)
	body := project(t, []string{"main"})
	tpl := r.create(templates.New{Type: "aep"})
	address := r.Templates().UploadAddress(tpl)
	other := r.create(templates.New{Type: "aep"})
	wantCode(t, r.put(strings.Replace(address, tpl.ID, other.ID, 1), body), farm.CodeForbidden)
	wantCode(t, r.put(strings.Replace(address, "op=put", "op=get", 1), body), farm.CodeForbidden)
	wantCode(t, r.put(strings.Replace(address, "expires=", "expires=9", 1), body), farm.CodeForbidden)
	wantCode(t, r.put(address+"%zz", body), farm.CodeForbidden)
	wantCode(t, r.put(publicAddress+"/files/templates/"+tpl.ID, body), farm.CodeForbidden)
	fresh, err := r.Templates().RenewUpload(t.Context(), r.admin, tpl.ID)
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, r.put(address, body), farm.CodeGone)
	c.pass(time.Hour)
	wantCode(t, r.put(r.Templates().UploadAddress(fresh), body), farm.CodeGone)
	if fresh, err = r.Templates().RenewUpload(t.Context(), r.admin, tpl.ID); err != nil {
		t.Fatal(err)
	}
	if err := r.put(r.Templates().UploadAddress(fresh), body); err != nil {
		t.Errorf("the fresh address: %v", err)
	}
}

func TestAnUploadAddressTakesOneFile(t *testing.T) {
	t.Parallel()
	r := open(t)
	tpl := r.create(templates.New{Type: "aep"})
	address := r.Templates().UploadAddress(tpl)
	if err := r.put(address, []byte("no project")); err != nil {
		t.Fatal(err)
	}
	if got := r.read(tpl.ID); got.Status != farm.TemplateError {
		t.Fatalf("a file that is none is %s", got.Status)
	}
	first, second := project(t, []string{"main"}), project(t, []string{"another"})
	if err := r.put(address, first); err != nil {
		t.Errorf("after a file that could not be read: %v", err)
	}
	if err := r.put(address, first); err != nil {
		t.Errorf("the same file again: %v", err)
	}
	wantCode(t, r.put(address, second), farm.CodeGone)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, r.Templates().Receive(t.Context(), tpl.ID, u.RawQuery, bytes.NewReader(second), -1), farm.CodeGone)
	if got := r.read(tpl.ID); !slices.Equal(got.Compositions, []string{"main"}) {
		t.Errorf("the template has %v", got.Compositions)
	}
	fresh, err := r.Templates().RenewUpload(t.Context(), r.admin, tpl.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.put(r.Templates().UploadAddress(fresh), second); err != nil {
		t.Errorf("a fresh address: %v", err)
	}
	wantCode(t, r.put(r.Templates().UploadAddress(fresh), first), farm.CodeGone)
}

// Of two files that are sent to one address at the same time the first that is whole counts, and whoever sent the other is told.
func TestOfTwoUploadsAtOnceTheFirstCounts(t *testing.T) {
	t.Parallel()
	r := open(t)
	tpl := r.create(templates.New{Type: "aep"})
	u, err := url.Parse(r.Templates().UploadAddress(tpl))
	if err != nil {
		t.Fatal(err)
	}
	r.eventually("the farm is at this release's level", func() bool {
		level, err := r.Level()
		return err == nil && level == command.NewestLevel
	})
	bodies := map[string][]byte{"main": project(t, []string{"main"}), "another": project(t, []string{"another"})}
	ended := map[string]chan error{}
	var begun, whole sync.WaitGroup
	begun.Add(len(bodies))
	whole.Add(1)
	for name, body := range bodies {
		done := make(chan error, 1)
		ended[name] = done
		in, out := io.Pipe()
		go func() { done <- r.Templates().Receive(t.Context(), tpl.ID, u.RawQuery, in, -1) }()
		go func() {
			_, err := out.Write(body[:1]) // it is read once the address has been looked at
			begun.Done()
			whole.Wait()
			if err == nil {
				_, err = out.Write(body[1:])
			}
			_ = out.CloseWithError(err)
		}()
	}
	begun.Wait()
	whole.Done()
	var won []string
	for name, done := range ended {
		if err := <-done; err == nil {
			won = append(won, name)
		} else {
			wantCode(t, err, farm.CodeGone)
		}
	}
	if len(won) != 1 {
		t.Fatalf("%v were taken", won)
	}
	if got := r.read(tpl.ID); !slices.Equal(got.Compositions, won) {
		t.Errorf("%v was taken, and the template has %v", won, got.Compositions)
	}
}

func TestATruncatedUploadLeavesNothing(t *testing.T) {
	r := open(t)
	tpl := r.create(templates.New{Type: "aep"})
	u, _ := url.Parse(r.Templates().UploadAddress(tpl))
	err := r.Templates().Receive(t.Context(), tpl.ID, u.RawQuery, strings.NewReader("half"), 1000)
	wantCode(t, err, farm.CodeInvalid)
	wantCode(t, r.put(r.Templates().UploadAddress(tpl), nil), farm.CodeInvalid)
	if got, err := r.Templates().Get(t.Context(), r.admin, tpl.ID); err != nil || got.Status != farm.TemplateAwaitingUpload || got.File != nil {
		t.Errorf("afterwards: %+v, %v", got, err)
	}
	err = r.Templates().Receive(t.Context(), tpl.ID, u.RawQuery, strings.NewReader("x"), 21<<30)
	wantCode(t, err, farm.CodeTooLarge)
}

func TestAFullDiskIsSaidSo(t *testing.T) {
	r := open(t)
	tpl := r.create(templates.New{Type: "aep"})
	r.cfg.MinFree = 1 << 62
	r.stop()
	c, err := coordinator.Open(t.Context(), r.cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.Coordinator = c
	err = r.put(r.Templates().UploadAddress(tpl), []byte("x"))
	wantCode(t, err, farm.CodeUnavailable)
	if err != nil && !strings.Contains(err.Error(), "disk is full") {
		t.Errorf("the error does not say what to do: %v", err)
	}
	_, err = r.Submit(t.Context(), r.admin, farm.Job{Template: farm.JobTemplate{Src: "http://files.test/x.aep"}})
	wantCode(t, err, farm.CodeUnavailable)
}

func TestABrokenFileMakesTheTemplateAnError(t *testing.T) {
	r := open(t)
	for name, body := range map[string][]byte{
		"no project": []byte("this is a text"),
		"cut off":    project(t, []string{"main"})[:400],
	} {
		tpl := r.uploaded(body)
		if tpl.Status != farm.TemplateError || tpl.Error == "" || strings.Contains(tpl.Error, r.cfg.DataDir) {
			t.Errorf("%s: %s %q", name, tpl.Status, tpl.Error)
		}
		_, err := r.Submit(t.Context(), r.admin, farm.Job{Template: farm.JobTemplate{ID: tpl.ID}})
		wantCode(t, err, farm.CodeInvalid)
	}
}

func TestReadingGoesOnAfterARestart(t *testing.T) {
	r := open(t)
	tpl := r.create(templates.New{Type: "aep"})
	if err := r.put(r.Templates().UploadAddress(tpl), project(t, []string{"main"})); err != nil {
		t.Fatal(err)
	}
	r.restart()
	if got := r.read(tpl.ID); got.Status != farm.TemplateUploaded {
		t.Errorf("read as %s: %s", got.Status, got.Error)
	}
}

func TestATemplateIsFetchedFromItsSrc(t *testing.T) {
	body := project(t, []string{"main"})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path != "/opener.aep" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = w.Write(body)
	}))
	defer web.Close()
	r := open(t)
	stored, err := r.StoredFiles().Put(t.Context(), r.admin, "opener.aep", bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []string{web.URL + "/opener.aep", stored.Src()} {
		tpl := r.create(templates.New{Type: "aep", Src: src})
		if got := r.read(tpl.ID); got.Status != farm.TemplateUploaded || got.File.SHA256 != stored.SHA256 {
			t.Errorf("%s: %s %q", src, got.Status, got.Error)
		}
	}
	for src, want := range map[string]string{
		web.URL + "/gone.aep":               "(403)",
		"farm://" + strings.Repeat("0", 64): "expired",
	} {
		tpl := r.create(templates.New{Type: "aep", Src: src})
		if got := r.read(tpl.ID); got.Status != farm.TemplateError || !strings.Contains(got.Error, want) {
			t.Errorf("%s: %s %q, want %q", src, got.Status, got.Error, want)
		}
	}
}

func TestTemplatesBelongToTheirTeam(t *testing.T) {
	r := open(t)
	tpl := r.uploaded(project(t, []string{"main"}))
	stranger := farm.Principal{Team: "another", Role: farm.RoleAdmin}
	_, err := r.Templates().Get(t.Context(), stranger, tpl.ID)
	wantCode(t, err, farm.CodeNotFound)
	wantCode(t, r.Templates().Delete(t.Context(), stranger, tpl.ID), farm.CodeNotFound)
	_, err = r.Templates().Introspection(t.Context(), stranger, tpl.ID)
	wantCode(t, err, farm.CodeNotFound)
	_, err = r.Submit(t.Context(), stranger, farm.Job{Template: farm.JobTemplate{ID: tpl.ID}})
	wantCode(t, err, farm.CodeNotFound)
}

func TestATemplateInUseIsNotDeleted(t *testing.T) {
	r := open(t)
	tpl := r.uploaded(project(t, []string{"main"}))
	job := r.submit(func(j *farm.Job) { j.Template = farm.JobTemplate{ID: tpl.ID} })
	wantCode(t, r.Templates().Delete(t.Context(), r.admin, tpl.ID), farm.CodeConflict)
	if _, err := r.CancelJobs(t.Context(), r.admin, []string{job.ID}, false); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Templates().Rename(t.Context(), r.admin, tpl.ID, "Closer"); err != nil || got.DisplayName != "Closer" {
		t.Errorf("renamed to %q, %v", got.DisplayName, err)
	}
	if err := r.Templates().Delete(t.Context(), r.admin, tpl.ID); err != nil {
		t.Error(err)
	}
	_, err := r.Templates().Get(t.Context(), r.admin, tpl.ID)
	wantCode(t, err, farm.CodeNotFound)
}

func TestWhichCompositionAJobRenders(t *testing.T) {
	r := open(t)
	one, several := r.uploaded(project(t, []string{"main"}, "logo")), r.uploaded(project(t, []string{"main", "credits"}))
	frames := func(start, end int) *farm.Frames { return &farm.Frames{Start: start, End: end} }
	tests := []struct {
		name  string
		job   farm.Job
		comp  string
		total int
		err   string
	}{
		{"the only root", farm.Job{Template: farm.JobTemplate{ID: one.ID}}, "main", 100, ""},
		{"a named one", farm.Job{Template: farm.JobTemplate{ID: several.ID, Composition: "credits"}}, "credits", 100, ""},
		{"some frames", farm.Job{Template: farm.JobTemplate{ID: one.ID}, Settings: farm.Settings{Frames: frames(10, 19)}}, "main", 10, ""},
		{"frames up to beyond the end", farm.Job{Template: farm.JobTemplate{ID: one.ID}, Settings: farm.Settings{Frames: frames(10, 100)}}, "main", 90, ""},
		{"frames beyond the end", farm.Job{Template: farm.JobTemplate{ID: one.ID}, Settings: farm.Settings{Frames: frames(100, 110)}}, "", 0, "0 to 99"},
		{"none of several", farm.Job{Template: farm.JobTemplate{ID: several.ID}}, "", 0, "'main', 'credits'"},
		{"unknown", farm.Job{Template: farm.JobTemplate{ID: one.ID, Composition: "x"}}, "", 0, "Composition 'x' not found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			job, err := r.Submit(t.Context(), r.admin, tt.job)
			if tt.err != "" {
				wantCode(t, err, farm.CodeInvalid)
				if err != nil && !strings.Contains(err.Error(), tt.err) {
					t.Errorf("%q does not say %q", err, tt.err)
				}
				return
			}
			if err != nil || job.Template.Composition != tt.comp || job.FramesTotal != tt.total {
				t.Errorf("got %q with %d frames, %v", job.Template.Composition, job.FramesTotal, err)
			}
		})
	}
}

func TestAJobWaitsForItsTemplate(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	tpl := r.create(templates.New{Type: "aep", DisplayName: "Opener"})
	job := r.submit(func(j *farm.Job) { j.Template = farm.JobTemplate{ID: tpl.ID} })
	doomed := r.create(templates.New{Type: "aep", DisplayName: "Broken"})
	lost := r.submit(func(j *farm.Job) { j.Template = farm.JobTemplate{ID: doomed.ID} })
	s.silent()
	if why, err := r.WhyWaiting(t.Context(), r.admin, job.ID); err != nil || !strings.Contains(why.String(), `"Opener" has not been uploaded`) {
		t.Errorf("waits because %q, %v", why, err)
	}
	if err := r.put(r.Templates().UploadAddress(tpl), project(t, []string{"main"}, "logo")); err != nil {
		t.Fatal(err)
	}
	l := s.lease()
	if l.Job != job.ID || l.Composition != "main" || l.Project.Type != "aep" || l.Project.File == nil {
		t.Fatalf("leased %+v", l)
	}
	f, err := r.OpenFileFor(t.Context(), s.agent, l.Project.File.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := r.put(r.Templates().UploadAddress(doomed), []byte("no project")); err != nil {
		t.Fatal(err)
	}
	r.eventually("the other job has failed with its template", func() bool { return r.job(lost.ID).Status == farm.JobFailed })
	if got := r.job(lost.ID).Error; !strings.Contains(got, "Broken") {
		t.Errorf("failed with %q", got)
	}
	r.eventually("the job's log says why", func() bool {
		return strings.Contains(r.log(lost.ID), "the job failed: Template 'Broken' could not be read")
	})
}

func TestATemplateNeverShowsWhatAJobRendered(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	tpl := r.uploaded(project(t, []string{"main"}))
	job := r.submit(func(j *farm.Job) { j.Template = farm.JobTemplate{ID: tpl.ID} })
	l := s.lease()
	if err := r.Results().ReceiveThumbnail(t.Context(), s.agent, l.Attempt, 3, picture(t, 160, 90)); err != nil {
		t.Fatal(err)
	}
	s.finish(l, "x")
	if list, err := r.Results().Thumbnails(t.Context(), r.admin, job.ID); err != nil || len(list) != 1 {
		t.Fatalf("the job has the pictures %v, %v", list, err)
	}
	_, err := r.Templates().Poster(t.Context(), r.admin, tpl.ID)
	wantCode(t, err, farm.CodeNotFound)
}

func TestSampleMotionGraphicsTemplates(t *testing.T) {
	folder := aeptest.Samples(t, "inlife+nexrender/packages/nexrender-action-mogrt/test/assets")
	r := open(t)
	for name, status := range map[string]farm.TemplateStatus{"ae.mogrt": farm.TemplateUploaded, "premiere.mogrt": farm.TemplateError} {
		body, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		tpl := r.create(templates.New{Type: "mogrt", DisplayName: name})
		if err := r.put(r.Templates().UploadAddress(tpl), body); err != nil {
			t.Fatal(err)
		}
		tpl = r.read(tpl.ID)
		if tpl.Status != status {
			t.Errorf("%s: %s %q", name, tpl.Status, tpl.Error)
		}
		if status == farm.TemplateError {
			if !strings.Contains(tpl.Error, "Premiere") {
				t.Errorf("%s: %q", name, tpl.Error)
			}
			continue
		}
		f, err := r.Templates().Poster(t.Context(), r.admin, tpl.ID)
		if err != nil || f.ContentType != "image/png" {
			t.Fatalf("%s: %v", name, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("read 2 samples")
}

func TestErrorsOfUploadsAreNotInternal(t *testing.T) {
	r := open(t)
	tpl := r.create(templates.New{Type: "aep"})
	u, _ := url.Parse(r.Templates().UploadAddress(tpl))
	broken := io.MultiReader(strings.NewReader("x"), failing{errors.New("connection reset")})
	wantCode(t, r.Templates().Receive(t.Context(), tpl.ID, u.RawQuery, broken, -1), farm.CodeInvalid)
	_, err := r.Templates().Create(t.Context(), r.admin, templates.New{Type: "psd"})
	wantCode(t, err, farm.CodeInvalid)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestATemplateWithoutAFileBecomesInactive(t *testing.T) {
	now := newClock()
	r := open(t, now.config)
	tpl := r.create(templates.New{Type: "aep", DisplayName: "late"})
	on := func() error {
		_, err := r.Submit(t.Context(), r.admin, farm.Job{Template: farm.JobTemplate{ID: tpl.ID, Composition: "main"}})
		return err
	}
	first := r.Templates().UploadAddress(tpl)
	now.pass(7*24*time.Hour - time.Minute)
	if err := on(); err != nil {
		t.Fatalf("within seven days: %v", err)
	}
	now.pass(2 * time.Minute)
	wantCode(t, on(), farm.CodeInvalid)
	wantCode(t, r.put(first, project(t, []string{"main"})), farm.CodeGone)
	if got, err := r.Templates().Get(t.Context(), r.admin, tpl.ID); err != nil || got.Status != farm.TemplateAwaitingUpload {
		t.Errorf("the template is %+v, %v", got, err)
	}
	r.restart()
	wantCode(t, on(), farm.CodeInvalid)

	revived, err := r.Templates().RenewUpload(t.Context(), r.admin, tpl.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := on(); err != nil {
		t.Errorf("once revived: %v", err)
	}
	if err := r.put(r.Templates().UploadAddress(revived), project(t, []string{"main"})); err != nil {
		t.Fatal(err)
	}
	r.read(tpl.ID)
	now.pass(30 * 24 * time.Hour)
	if err := on(); err != nil {
		t.Errorf("long after its file came: %v", err)
	}
}

func TestAReplacedFileEndsEarlierAddressesAndIsReadAnew(t *testing.T) {
	r := open(t)
	tpl := r.uploaded(project(t, []string{"old"}))
	upload := r.Templates().UploadAddress(tpl)
	download, err := r.Templates().DownloadAddress(t.Context(), r.admin, tpl.ID)
	if err != nil {
		t.Fatal(err)
	}
	get := func(address string) error {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		f, err := r.Templates().Open(t.Context(), tpl.ID, u.RawQuery)
		if err == nil {
			err = f.Close()
		}
		return err
	}
	waits := r.submit(func(j *farm.Job) { j.Template = farm.JobTemplate{ID: tpl.ID} })
	renewed, err := r.Templates().RenewUpload(t.Context(), r.admin, tpl.ID)
	if err != nil || renewed.Status != farm.TemplateUploaded {
		t.Fatalf("renewed to %+v, %v", renewed, err)
	}
	wantCode(t, r.put(upload, project(t, []string{"thief"})), farm.CodeGone)
	if err := get(download); err != nil {
		t.Errorf("the file is gone before another has come: %v", err)
	}
	if err := r.put(r.Templates().UploadAddress(renewed), project(t, []string{"new"})); err != nil {
		t.Fatal(err)
	}
	wantCode(t, get(download), farm.CodeGone)
	if got := r.read(tpl.ID); len(got.Compositions) != 1 || got.Compositions[0] != "new" {
		t.Errorf("read as %v", got.Compositions)
	}
	if _, err := r.Submit(t.Context(), r.admin, farm.Job{Template: farm.JobTemplate{ID: tpl.ID, Composition: "old"}}); farm.CodeOf(err) != farm.CodeInvalid {
		t.Errorf("a composition of the replaced file: %v", err)
	}
	mac := r.enrol("mac")
	mac.connect()
	if lease := mac.lease(); lease.Job != waits.ID || lease.Project.File.SHA256 != tpl.File.SHA256 || lease.Composition != "old" {
		t.Errorf("a job that waited while its template was replaced is leased with %+v, and not with what it was submitted with", lease.Project)
	}
}

func TestWhatATemplatesSrcMayNotBe(t *testing.T) {
	policy, err := address.ParsePolicy(nil, []string{"127.0.0.2"})
	if err != nil {
		t.Fatal(err)
	}
	r := open(t, func(cfg *coordinator.Config) { cfg.Addresses = policy })
	files := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		switch req.URL.Path {
		case "/endless":
			w.Header().Set("Content-Length", fmt.Sprint(21<<30))
			w.WriteHeader(http.StatusOK)
		case "/metadata":
			http.Redirect(w, req, "http://169.254.169.254/latest/meta-data", http.StatusFound)
		case "/denied":
			http.Redirect(w, req, "http://127.0.0.2:1/", http.StatusTemporaryRedirect)
		default:
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	defer files.Close()
	for _, src := range []string{"http://127.0.0.2:1/", "http://169.254.169.254/x.aep"} {
		_, err := r.Templates().Create(t.Context(), r.admin, templates.New{Type: "aep", Src: src})
		wantCode(t, err, farm.CodeInvalid)
	}
	for src, want := range map[string]string{
		files.URL + "/endless":  "larger than 20 GiB",
		files.URL + "/metadata": "not allowed",
		files.URL + "/denied":   "not allowed",
		files.URL + "/secret":   "(403)",
		"ftp://files.test/a":    "only http and https",
	} {
		tpl := r.read(r.create(templates.New{Type: "aep", DisplayName: "x", Src: src}).ID)
		if tpl.Status != farm.TemplateError || !strings.Contains(tpl.Error, want) || strings.Contains(tpl.Error, "169.254") {
			t.Errorf("%s: %s %q, want %q, and not where it leads", src, tpl.Status, tpl.Error, want)
		}
	}
}
