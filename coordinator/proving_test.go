package coordinator_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator/files"
	"overcrank/coordinator/templates"
	"overcrank/farm"
)

// flip changes one bit of a file.
func flip(t testing.TB, path string, bit int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[bit/8%len(text)] ^= 1 << (bit % 8)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// damaged is what the check of the files says, "" when it finds none damaged.
func (r *rig) damaged() string {
	r.t.Helper()
	checks := r.Checks()
	i := slices.IndexFunc(checks, func(c farm.Check) bool { return c.Name == "files" })
	if i < 0 {
		r.t.Fatal("nothing says how the files are")
	}
	if !checks[i].Warn {
		return ""
	}
	return checks[i].Found
}

// refusedOnTheWay reads a file to its end and wants it to be refused, at its opening or in the place of its last bytes.
func refusedOnTheWay(t testing.TB, f *files.File, err error) {
	t.Helper()
	if err == nil {
		_, err = io.ReadAll(f)
		f.Close()
	} else if farm.CodeOf(err) != farm.CodeGone {
		t.Errorf("a damaged file is refused with %v", err)
	}
	if err == nil || !strings.Contains(err.Error(), "damaged") && !strings.Contains(err.Error(), "not what was kept") {
		t.Errorf("a damaged file ends with %v", err)
	}
}

func TestADamagedResultIsRefusedAndTold(t *testing.T) {
	t.Parallel()
	for name, where := range everyStorage(t) {
		if name == "s3" {
			continue // whose files no test reaches: coordinator/files covers it
		}
		t.Run(name, func(t *testing.T) {
			r := open(t, where)
			s := r.enrol("box")
			s.connect()
			job := r.submit()
			s.finish(s.lease(), "a film that is long enough")
			job = r.job(job.ID)
			if got := r.output(job); got != "a film that is long enough" || r.damaged() != "" {
				t.Fatalf("%q, and %q", got, r.damaged())
			}
			root := r.cfg.Storage
			if root == "" {
				root = filepath.Join(r.cfg.DataDir, "files")
			}
			path := filepath.Join(root, "outputs", job.OutputName)
			flip(t, path, 77)
			for range 2 {
				f, err := r.Results().Open(t.Context(), job.OutputName)
				refusedOnTheWay(t, f, err)
			}
			if told := r.damaged(); !strings.Contains(told, job.OutputName) || !strings.Contains(told, "backup") {
				t.Errorf("the check says %q", told)
			}
			state, err := r.Cluster().Status(t.Context(), r.admin, 0)
			if err != nil || !slices.ContainsFunc(state.Warnings, func(w string) bool { return strings.Contains(w, job.OutputName) }) {
				t.Errorf("the coordinators' page warns of %q, %v", state.Warnings, err)
			}
			// An agent that is to use the result is not given it either.
			r.submit(func(j *farm.Job) { j.Template.Src = r.OutputAddress(job) })
			l := s.lease()
			f, err := r.OpenFileFor(t.Context(), s.agent, l.Files[l.Project.Src].SHA256)
			refusedOnTheWay(t, f, err)

			flip(t, path, 77)
			then := time.Now().Add(time.Second)
			if err := os.Chtimes(path, then, then); err != nil {
				t.Fatal(err)
			}
			r.ReviewFiles(t.Context())
			if got := r.output(job); got != "a film that is long enough" || r.damaged() != "" {
				t.Errorf("put back: %q, and %q", got, r.damaged())
			}
		})
	}
}

// The round finds damage that nobody has asked for, in results, parts and kept files, and goes on where it was.
func TestARoundFindsDamagedFiles(t *testing.T) {
	t.Parallel()
	r := open(t)
	s := r.enrol("box")
	s.connect()
	job := r.submit()
	s.finish(s.lease(), "a film")
	job = r.job(job.ID)
	if r.output(job) != "a film" {
		t.Fatal("no result")
	}
	kept, err := r.StoredFiles().Put(t.Context(), r.admin, "logo.png", strings.NewReader("a logo"), 6)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ProveFiles(t.Context()); err != nil || r.damaged() != "" {
		t.Fatalf("%v, %q", err, r.damaged())
	}
	files := filepath.Join(r.cfg.DataDir, "files")
	blob := filepath.Join("blobs", kept.SHA256[:2], kept.SHA256)
	flip(t, filepath.Join(files, blob), 3)
	flip(t, filepath.Join(files, "outputs", job.OutputName), 3)
	if err := r.ProveFiles(t.Context()); err != nil || r.damaged() != "" {
		t.Fatalf("a round is not due, and yet: %v, %q", err, r.damaged())
	}
	r.restart()
	if err := os.Remove(filepath.Join(r.cfg.DataDir, "files.checked")); err != nil {
		t.Fatal(err)
	}
	if err := r.ProveFiles(t.Context()); err != nil {
		t.Fatal(err)
	}
	if told := r.damaged(); !strings.Contains(told, "2 of the farm's files") || !strings.Contains(told, filepath.ToSlash(blob)) || !strings.Contains(told, job.OutputName) {
		t.Errorf("found: %q", told)
	}
	if _, err := r.StoredFiles().Put(t.Context(), r.admin, "logo.png", strings.NewReader("a logo"), 6); err != nil {
		t.Fatal(err)
	}
	r.ReviewFiles(t.Context())
	if told := r.damaged(); strings.Contains(told, kept.SHA256) {
		t.Errorf("uploaded again: %q", told)
	}
}

// A project that is damaged in the store is not read as if it were what was uploaded.
func TestADamagedTemplateIsNotRead(t *testing.T) {
	t.Parallel()
	r := open(t)
	kept, err := r.StoredFiles().Put(t.Context(), r.admin, "opener.aep", bytes.NewReader(project(t, []string{"main"})), -1)
	if err != nil {
		t.Fatal(err)
	}
	flip(t, filepath.Join(r.cfg.DataDir, "files", "blobs", kept.SHA256[:2], kept.SHA256), 8*200)
	tpl := r.create(templates.New{Type: "aep", Src: kept.Src()})
	r.eventually("the template is refused", func() bool {
		tpl, err = r.Templates().Get(t.Context(), r.admin, tpl.ID)
		return err == nil && tpl.Status == farm.TemplateError
	})
	if !strings.Contains(tpl.Error, "damaged") || !strings.Contains(tpl.Error, "Upload it again") {
		t.Errorf("it says %q", tpl.Error)
	}
}
