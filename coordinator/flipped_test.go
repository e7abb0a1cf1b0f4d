package coordinator_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/coordinator"
	"overcrank/coordinator/cluster"
	"overcrank/farm"
)

// A data folder's keys and small files are what they were, or the farm does not start and names the one that is not. Apart from them are
// the log and the state, which raftstore's tests cover, and the files of callers (TestADamagedResultIsRefusedAndTold).
func TestABitThatWasFlippedInTheDataFolderIsSeen(t *testing.T) {
	t.Parallel()
	r := open(t, onMount(t), func(cfg *coordinator.Config) { cfg.ClusterListen = "127.0.0.1:0" })
	if _, err := r.Secrets().Put(t.Context(), r.admin, "LICENCE", farm.NewConfidential("value"), nil); err != nil {
		t.Fatal(err)
	}
	job := r.submit()
	if err := r.ProveFiles(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.stop()
	if err := cluster.BeginEra(r.cfg.DataDir); err != nil {
		t.Fatal(err)
	}
	r.start()
	was := r.character()
	r.stop()

	refused := map[string]int{}
	for _, name := range r.smallFiles() {
		path := filepath.Join(r.cfg.DataDir, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		const flips = 4
		for i := range flips {
			kept := r.keepFolder()
			flip(t, path, (8*len(whole)*(2*i+1))/(2*flips)+i)
			c, err := coordinator.Open(t.Context(), r.cfg)
			if err == nil {
				r.Coordinator = c
				r.eventually("the coordinator is ready", func() bool { return c.Ready() == nil })
				if is := r.character(); is != was || r.job(job.ID).Status != farm.JobQueued {
					t.Errorf("a bit of %s was flipped, and the farm is another one:\n%s\n%s", name, is, was)
				}
				r.stop()
			} else if refused[name]++; !strings.Contains(err.Error(), name) {
				t.Errorf("a bit of %s was flipped: %v", name, err)
			}
			kept()
		}
	}
	for _, name := range []string{"farm.key", "secrets.key", "ca.key", "ca.crt", "storage.json", "cluster.era", filepath.Join("state", "node-id")} {
		if refused[name] == 0 {
			t.Errorf("no start was refused for %s; refused were %v", name, refused)
		}
	}
	r.start()
	if is := r.character(); is != was {
		t.Errorf("with the whole files the farm is another one: %s, %s", is, was)
	}
}

// character is what of a farm its keys and files decide.
func (r *rig) character() string {
	r.t.Helper()
	state, err := r.Cluster().Status(r.t.Context(), r.admin, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.Join([]string{
		state.Farm, r.NodeID(), r.AuthorityPrint(), string(r.SigningKey("x")), state.Storage.Where, strings.Join(r.Eras(), " "), strings.Join(r.SecretKeys(), " "),
	}, "\n")
}

// smallFiles are the files of the data folder that the farm reads when it starts, but for the log, the state, and what callers keep.
func (r *rig) smallFiles() (names []string) {
	r.t.Helper()
	err := filepath.WalkDir(r.cfg.DataDir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(r.cfg.DataDir, path)
		switch {
		case err != nil:
			return err
		case e.IsDir() && (name == "files" || name == filepath.Join("state", "log") || name == filepath.Join("state", "snapshots")):
			return fs.SkipDir
		case e.IsDir(), strings.HasSuffix(name, ".db"), strings.Contains(name, "state.db"):
			return nil
		}
		names = append(names, name)
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return names
}

// keepFolder remembers the data folder of a farm that is stopped; what it gives puts that back.
func (r *rig) keepFolder() (restore func()) {
	r.t.Helper()
	kept := filepath.Join(r.t.TempDir(), "kept")
	if err := os.CopyFS(kept, os.DirFS(r.cfg.DataDir)); err != nil {
		r.t.Fatal(err)
	}
	return func() {
		if err := os.RemoveAll(r.cfg.DataDir); err != nil {
			r.t.Fatal(err)
		}
		if err := os.CopyFS(r.cfg.DataDir, os.DirFS(kept)); err != nil {
			r.t.Fatal(err)
		}
	}
}
