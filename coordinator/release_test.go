package coordinator_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/release"
	"overcrank/release/releasetest"
)

func TestWhichReleasesAFarmTakes(t *testing.T) {
	house := releasetest.New(t)
	r := open(t, func(cfg *coordinator.Config) { cfg.ReleaseRoots = house.Roots })
	add := func(folder string, change func(*release.Manifest)) error {
		t.Helper()
		docs, err := release.ReadDocuments(folder)
		if err != nil {
			t.Fatal(err)
		}
		m, err := release.ParseManifest(docs.Manifest)
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			change(m)
			made, err := release.Sign(folder, *m, house.Signer)
			if err != nil {
				t.Fatal(err)
			}
			docs = made.Documents
		}
		for _, f := range m.Files {
			content, err := os.ReadFile(filepath.Join(folder, f.Name))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Releases().Receive(t.Context(), r.admin, f.SHA256, bytes.NewReader(content), int64(len(content))); err != nil {
				return err
			}
		}
		_, err = r.Releases().Add(t.Context(), r.admin, docs)
		return err
	}
	if err := add(house.Release(t, "1.0.0", 1, []byte("one")), nil); err != nil {
		t.Fatal(err)
	}
	err := add(house.Release(t, "2.0.0", 2, []byte("two")), func(m *release.Manifest) {
		m.Protocol = release.Protocol{Min: wire.Version + 1, Max: wire.Version + 2}
	})
	wantCode(t, err, farm.CodeConflict)
	if !strings.Contains(err.Error(), "update the coordinators first") {
		t.Errorf("another protocol: %v", err)
	}
	wantCode(t, add(releasetest.New(t).Release(t, "3.0.0", 3, []byte("three")), nil), farm.CodeInvalid)
	wantCode(t, add(house.Release(t, "4.0.0", 1, []byte("four")), nil), farm.CodeConflict) // of a number that is taken

	// A release whose file was not sent, and a file that is another.
	docs, err := release.ReadDocuments(house.Release(t, "5.0.0", 5, []byte("five")))
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Releases().Add(t.Context(), r.admin, docs)
	wantCode(t, err, farm.CodeConflict)
	_, err = r.Releases().Receive(t.Context(), r.admin, strings.Repeat("0", 64), strings.NewReader("five"), 4)
	wantCode(t, err, farm.CodeInvalid)

	list, err := r.Releases().List(t.Context(), r.admin)
	if err != nil || len(list) != 1 || list[0].Version != "1.0.0" || list[0].AddedBy != r.admin.Name {
		t.Errorf("the farm keeps %+v, %v", list, err)
	}
	if _, err := r.Releases().Change(t.Context(), r.admin, func(u *farm.Updates) { u.Release = "1.0.0" }); err != nil {
		t.Fatal(err)
	}
	wantCode(t, r.Releases().Remove(t.Context(), r.admin, "1.0.0"), farm.CodeConflict)
	_, err = r.Releases().Resume(t.Context(), r.admin)
	wantCode(t, err, farm.CodeConflict)
}
