package api_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/release"
	"overcrank/release/releasetest"
)

// addRelease sends a release's files and then what is signed about them.
func (r *rig) addRelease(folder string) {
	r.t.Helper()
	docs, err := release.ReadDocuments(folder)
	if err != nil {
		r.t.Fatal(err)
	}
	manifest, err := release.ParseManifest(docs.Manifest)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range manifest.Files {
		content, err := os.ReadFile(filepath.Join(folder, f.Name))
		if err != nil {
			r.t.Fatal(err)
		}
		r.send(http.MethodPut, "/api/farm/v1/releases/files/"+f.SHA256, content, "Content-Type: application/octet-stream").into(http.StatusOK, nil)
	}
	body, err := json.Marshal(map[string]string{
		"manifest": string(docs.Manifest), "manifestSignature": string(docs.ManifestSignature),
		"keys": string(docs.Keys), "keysSignature": string(docs.KeysSignature),
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.send(http.MethodPost, "/api/farm/v1/releases", body).into(http.StatusCreated, nil)
}

func TestAReleaseThatIsRolledBackStopsUntilItIsResumed(t *testing.T) {
	house := releasetest.New(t)
	r := startOn(t, coordinator.Config{DataDir: t.TempDir(), ReleaseRoots: house.Roots})
	r.addRelease(house.Release(t, "1.0.0", 1, []byte("one")))
	r.addRelease(house.Release(t, "2.0.0", 2, []byte("two")))
	var releases []struct{ Version string }
	r.get("/api/farm/v1/releases").into(http.StatusOK, &releases)
	if len(releases) != 2 {
		t.Fatalf("the farm keeps %+v", releases)
	}

	m := r.enrol("suite-1")
	m.connect()
	m.say(wire.Message{Updating: &wire.Updating{Version: "0.9.0", Mode: farm.UpdatedByFarm}})
	r.send(http.MethodPatch, "/api/farm/v1/updates", `{"release": "2.0.0", "canaryMachines": ["suite-1"], "soakMinutes": 0}`).into(http.StatusOK, nil)
	r.send(http.MethodDelete, "/api/farm/v1/releases/2.0.0", nil).refused(http.StatusConflict)
	r.send(http.MethodDelete, "/api/farm/v1/releases/1.0.0", nil).into(http.StatusNoContent, nil)

	m.say(wire.Message{Updating: &wire.Updating{
		Version: "0.9.0", Mode: farm.UpdatedByFarm, Release: "2.0.0", State: farm.UpdateRolledBack, Reason: "it did not start",
	}})
	var got struct {
		Stopped *struct{ Reason, Machine string }
	}
	r.eventually("the release is stopped", func() bool {
		r.get("/api/farm/v1/updates").into(http.StatusOK, &got)
		return got.Stopped != nil
	})
	if got.Stopped.Machine != m.self.AgentID || got.Stopped.Reason == "" {
		t.Errorf("it is stopped with %+v", got.Stopped)
	}
	got.Stopped = nil
	r.send(http.MethodPost, "/api/farm/v1/updates/resume", nil).into(http.StatusOK, &got)
	if got.Stopped != nil {
		t.Errorf("after it was resumed it is stopped with %+v", got.Stopped)
	}
}
