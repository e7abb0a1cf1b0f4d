package coordinator_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"overcrank/coordinator/uploads"
	"overcrank/farm"
)

// uploadFiles are the files of uploads on a rig's disk.
func (r *rig) uploadFiles() (paths []string) {
	r.t.Helper()
	err := filepath.WalkDir(filepath.Join(r.cfg.DataDir, "files", "uploads"), func(path string, d fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if err == nil && !d.IsDir() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return paths
}

func TestUploadsThatStandStillGoAndNothingElse(t *testing.T) {
	r := open(t)
	ups := r.Uploads()
	put := func(key string) uploads.Upload {
		t.Helper()
		up, err := ups.Begin(t.Context(), r.admin, key, "spot.zip", 9<<20)
		if err == nil {
			err = ups.Put(t.Context(), r.admin, up.ID, 1, bytes.NewReader(make([]byte, 1<<20)), -1)
		}
		if err != nil {
			t.Fatal(err)
		}
		return up
	}
	still := put("still")
	old := time.Now().Add(-25 * time.Hour)
	for _, path := range r.uploadFiles() {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	moving := put("moving")
	if err := ups.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := ups.Get(t.Context(), r.admin, still.ID)
	wantCode(t, err, farm.CodeNotFound)
	if up, err := ups.Get(t.Context(), r.admin, moving.ID); err != nil || up.Arrived != 1<<20 {
		t.Errorf("an upload that is going on has %d bytes: %v", up.Arrived, err)
	}
	if got := len(r.uploadFiles()); got != 2 {
		t.Errorf("%d files of uploads are kept, want a part and what is known of it", got)
	}
	if err := ups.Cancel(t.Context(), r.admin, moving.ID); err != nil || len(r.uploadFiles()) != 0 {
		t.Errorf("a cancelled upload leaves %v: %v", r.uploadFiles(), err)
	}
	wantCode(t, ups.Put(t.Context(), r.admin, moving.ID, 0, bytes.NewReader(nil), -1), farm.CodeNotFound)
}

func TestATeamHasSoManyUploadsAtOnce(t *testing.T) {
	r := open(t)
	ups := r.Uploads()
	begin := func(n int) error {
		_, err := ups.Begin(t.Context(), r.admin, fmt.Sprint(n), "spot.zip", 10)
		return err
	}
	for n := range uploads.MostOfTeam {
		if err := begin(n); err != nil {
			t.Fatal(err)
		}
	}
	wantCode(t, begin(uploads.MostOfTeam), farm.CodeConflict)
	if err := begin(3); err != nil {
		t.Errorf("one that was begun before goes on with: %v", err)
	}
	up, err := ups.Begin(t.Context(), r.admin, "3", "spot.zip", 10)
	if err == nil {
		err = ups.Put(t.Context(), r.admin, up.ID, 0, bytes.NewReader([]byte("0123456789")), 10)
	}
	if err == nil {
		_, err = ups.Finish(t.Context(), r.admin, up.ID, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := begin(uploads.MostOfTeam); err != nil {
		t.Errorf("one that is finished makes no room: %v", err)
	}
	_, err = ups.Begin(t.Context(), r.admin, "huge", "spot.zip", uploads.MaxSize+1)
	wantCode(t, err, farm.CodeTooLarge)
}

func TestHalfAPartIsNotKept(t *testing.T) {
	r := open(t)
	ups := r.Uploads()
	up, err := ups.Begin(t.Context(), r.admin, "", "spot.zip", 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"01234", "0123456789a"} {
		if err := ups.Put(t.Context(), r.admin, up.ID, 0, bytes.NewReader([]byte(content)), -1); err == nil {
			t.Errorf("a part of %d bytes is taken", len(content))
		}
	}
	if up, err = ups.Get(t.Context(), r.admin, up.ID); err != nil || up.Arrived != 0 || len(up.Missing) != 1 {
		t.Errorf("something is kept of parts of the wrong size: %+v, %v", up, err)
	}
	_, err = ups.Finish(t.Context(), r.admin, up.ID, "")
	wantCode(t, err, farm.CodeConflict)
}
