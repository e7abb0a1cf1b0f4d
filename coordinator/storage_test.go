package coordinator_test

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"overcrank/agent/upload/s3test"
	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// inBucket has a farm keep its files in a bucket of a real S3 server, and gives the server.
func inBucket(t testing.TB) (server *s3test.Server, where func(*coordinator.Config)) {
	t.Helper()
	server = s3test.Start(t, "farm")
	keys := filepath.Join(t.TempDir(), "credentials")
	text := "[default]\naws_access_key_id = " + s3test.KeyID + "\naws_secret_access_key = " + s3test.Secret + "\n"
	if err := os.WriteFile(keys, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return server, func(cfg *coordinator.Config) {
		cfg.Storage = "s3://farm/overcrank?endpoint=http://" + server.Address + "&region=" + s3test.Region
		cfg.StorageCredentials = keys
	}
}

// everyStorage is where a farm may keep its files, by name.
func everyStorage(t testing.TB) map[string]func(*coordinator.Config) {
	_, bucket := inBucket(t)
	return map[string]func(*coordinator.Config){"folder": func(*coordinator.Config) {}, "mount": onMount(t), "s3": bucket}
}

// storageWarns says whether the check of the storage asks for care.
func (r *rig) storageWarns() bool {
	i := slices.IndexFunc(r.Checks(), func(c farm.Check) bool { return c.Name == "storage" })
	check := r.Checks()[i]
	return check.Warn && strings.Contains(check.Found, "jobs are taken")
}

func onMount(t testing.TB) func(*coordinator.Config) {
	dir := t.TempDir()
	return func(cfg *coordinator.Config) { cfg.Storage = dir }
}

// A job goes its whole way with its files in shared storage, and after a restart all of it is there.
func TestAJobGoesItsWayInSharedStorage(t *testing.T) {
	_, bucket := inBucket(t)
	for name, where := range map[string]func(*coordinator.Config){"mount": onMount(t), "s3": bucket} {
		t.Run(name, func(t *testing.T) {
			r := open(t, where)
			if err := r.Storage().ServesAll(); err != nil {
				t.Error(err)
			}
			stored, err := r.StoredFiles().Put(t.Context(), r.admin, "logo.png", strings.NewReader("pixels"), 6)
			if err != nil {
				t.Fatal(err)
			}
			job := r.submit(func(j *farm.Job) {
				j.Assets = []farm.Asset{{Type: "image", LayerName: "logo", Src: "farm://" + stored.SHA256}}
			})
			s := r.enrol("aurora")
			s.connect()
			lease := s.lease()
			f, err := r.OpenFileFor(t.Context(), s.agent, stored.SHA256)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(f); err != nil || string(text) != "pixels" {
				t.Errorf("the machine reads %q, %v", text, err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			s.say(wire.Message{Log: &wire.Log{Attempt: lease.Attempt, Lines: []string{"a line of the engine"}}})
			s.finish(lease, "the film")
			if got := r.output(r.job(job.ID)); got != "the film" {
				t.Errorf("the result is %q", got)
			}
			check := func(when string) {
				t.Helper()
				if log := r.log(job.ID); !strings.Contains(log, "a line of the engine\n") || strings.Count(log, "finished") != 1 {
					t.Errorf("%s the log says %q", when, log)
				}
				if got := r.output(r.job(job.ID)); got != "the film" {
					t.Errorf("%s the result is %q", when, got)
				}
			}
			check("at once")
			s.hangUp()
			r.restart()
			check("after a restart")
			if entries, err := os.ReadDir(filepath.Join(r.cfg.DataDir, "files")); err == nil {
				t.Errorf("the data folder holds files: %v", entries)
			}
		})
	}
}

func TestStorageOfAnotherFarmIsRefused(t *testing.T) {
	_, bucket := inBucket(t)
	for name, where := range map[string]func(*coordinator.Config){"mount": onMount(t), "s3": bucket} {
		t.Run(name, func(t *testing.T) {
			open(t, where)
			cfg := coordinator.Config{DataDir: t.TempDir(), PublicAddress: publicAddress, MinFree: 1, DescribeJob: describe}
			where(&cfg)
			if _, err := coordinator.Open(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "another farm") {
				t.Errorf("a second farm: %v", err)
			}
		})
	}
}

// A share that is not mounted is an empty folder: a farm must not begin to fill it.
func TestAShareThatIsNotMountedIsNoticed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "share")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r := open(t, func(cfg *coordinator.Config) { cfg.Storage = dir })
	r.submit()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	away := dir + "-away"
	if err := errors.Join(os.Rename(dir, away), os.Mkdir(dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := coordinator.Open(t.Context(), r.cfg); err == nil || !strings.Contains(err.Error(), "does not hold this farm's files any more") {
		t.Errorf("with an empty folder: %v", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := coordinator.Open(t.Context(), r.cfg); err == nil || !strings.Contains(err.Error(), "is the share mounted?") {
		t.Errorf("with no folder: %v", err)
	}
	if err := os.Rename(away, dir); err != nil {
		t.Fatal(err)
	}
	r.start()
	if err := r.Storage().Look(t.Context()); err != nil {
		t.Error(err)
	}

	// While the farm runs, a share may go, and another be mounted there.
	if err := errors.Join(os.Rename(dir, away), os.Mkdir(dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := r.Storage().Look(t.Context()); farm.CodeOf(err) != farm.CodeUnavailable || !strings.Contains(err.Error(), dir) {
		t.Errorf("with an empty folder while it runs: %v", err)
	}
	if err := errors.Join(os.RemoveAll(dir), os.Rename(away, dir)); err != nil {
		t.Fatal(err)
	}
	if err := r.Storage().Look(t.Context()); err != nil {
		t.Errorf("after it came back: %v", err)
	}
}

// A result whose hash is announced is kept where it stays at once, and only when it is what was announced.
func TestAnAnnouncedResultIsHeldToItsHash(t *testing.T) {
	r := open(t, onMount(t))
	job := r.submit()
	s := r.enrol("aurora")
	s.connect()
	lease := s.lease()
	const sum = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" // of "test"
	send := func(content, sha256 string) (farm.OutputRef, error) {
		return r.Results().Receive(t.Context(), s.agent, lease.Attempt, "out.mp4", strings.NewReader(content), int64(len(content)), sha256)
	}
	if _, err := send("tesd", sum); farm.CodeOf(err) != farm.CodeUnavailable {
		t.Errorf("what came damaged: %v", err)
	}
	if _, err := send("test", "../../x"); farm.CodeOf(err) != farm.CodeInvalid {
		t.Errorf("a hash that is none: %v", err)
	}
	out, err := send("test", sum)
	if err != nil || out.SHA256 != sum || out.Size != 4 {
		t.Fatalf("kept as %+v, %v", out, err)
	}
	s.say(wire.Message{Finished: &wire.Finished{Attempt: lease.Attempt, Output: out}})
	s.settled(lease.Attempt)
	if got := r.output(r.job(job.ID)); got != "test" {
		t.Errorf("the result is %q", got)
	}
}

// While the bucket cannot be reached nothing is lost and no job fails: reports wait, and what is asked for is unavailable.
func TestABucketThatIsAwayForAWhileFailsNoJob(t *testing.T) {
	server, bucket := inBucket(t)
	r := open(t, bucket, func(cfg *coordinator.Config) { cfg.Lease = time.Hour })
	job := r.submit()
	s := r.enrol("aurora")
	s.connect()
	lease := s.lease()
	out := s.render(lease, "the film")
	server.Kill()
	if err := r.Storage().Look(t.Context()); farm.CodeOf(err) != farm.CodeUnavailable || !strings.Contains(err.Error(), "bucket 'farm'") || strings.Contains(err.Error(), s3test.Secret) {
		t.Errorf("the check says %v", err)
	}
	_, err := r.Results().Receive(t.Context(), s.agent, lease.Attempt, "out.mp4", strings.NewReader("x"), 1, "")
	if farm.CodeOf(err) != farm.CodeUnavailable {
		t.Errorf("an upload: %v", err)
	}
	s.say(wire.Message{Finished: &wire.Finished{Attempt: lease.Attempt, Output: out}})
	s.silent() // the report could not be kept, and is not settled
	if got := r.job(job.ID); got.Status.Ended() {
		t.Errorf("the job is %s: %s", got.Status, got.Error)
	}
	r.eventually("readiness tells of the storage, and takes jobs", func() bool { return r.storageWarns() && r.Ready() == nil })
	server.Restart()
	r.eventually("readiness is back", func() bool { return r.Ready() == nil && !r.storageWarns() })
	s.say(wire.Message{Finished: &wire.Finished{Attempt: lease.Attempt, Output: out}})
	s.settled(lease.Attempt)
	if got := r.output(r.job(job.ID)); got != "the film" {
		t.Errorf("the result is %q", got)
	}
}

// The first machine reads a file through the coordinator before a job needs one.
func TestTheFirstMachineTriesTheStorage(t *testing.T) {
	r := open(t, onMount(t))
	s := r.enrol("aurora")
	s.connect()
	s.say(wire.Message{Heartbeat: &wire.Heartbeat{}})
	var asked wire.Trial
	select {
	case asked = <-s.trials:
	case <-time.After(patience):
		t.Fatal("the machine was not asked")
	}
	other := r.enrol("borealis")
	other.connect()
	f, err := r.OpenFileFor(t.Context(), s.agent, asked.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	s.say(wire.Message{Tried: &wire.Tried{Asked: asked.SHA256, Error: "the farm answered 500"}})
	r.eventually("readiness tells of it", func() bool {
		err := r.Ready()
		return err != nil && strings.Contains(err.Error(), "aurora") && strings.Contains(err.Error(), "answered 500")
	})
	if _, err := r.OpenFileFor(t.Context(), s.agent, asked.SHA256); farm.CodeOf(err) != farm.CodeNotFound {
		t.Errorf("the file of the trial afterwards: %v", err)
	}
}

// A farm whose files lie in its data folder is started with shared storage: it works at once, with those that are there and those that
// are not yet, also across a restart, and other coordinators can come when all are there.
func TestAFarmMovesItsFilesWhileItWorks(t *testing.T) {
	_, bucket := inBucket(t)
	for name, where := range map[string]func(*coordinator.Config){"mount": onMount(t), "s3": bucket} {
		t.Run(name, func(t *testing.T) {
			r := open(t)
			s := r.enrol("aurora")
			s.connect()
			var jobs []farm.Job
			lease := func(text string) wire.Lease {
				jobs = append(jobs, r.submit())
				lease := s.lease()
				s.say(wire.Message{Log: &wire.Log{Attempt: lease.Attempt, Lines: []string{text}}})
				return lease
			}
			s.finish(lease("one"), "one")
			s.finish(lease("two"), "two")
			begun := lease("three")
			out := s.render(begun, "three")
			s.hangUp()
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			private := r.cfg
			where(&r.cfg)
			inTheWay := ""
			if name == "mount" { // one file cannot be moved before this goes
				inTheWay = filepath.Join(r.cfg.Storage, "outputs", jobs[0].OutputName, "x")
				if err := os.MkdirAll(inTheWay, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			r.start()
			check := func() {
				t.Helper()
				for i, want := range []string{"one", "two", "three", "four"}[:len(jobs)] {
					if got := r.output(r.job(jobs[i].ID)); got != want {
						t.Errorf("result %d is %q", i, got)
					}
					if log := r.log(jobs[i].ID); strings.Count(log, want+"\n") != 1 || strings.Count(log, "finished") != 1 || strings.Index(log, want) > strings.Index(log, "finished") {
						t.Errorf("log %d says %q", i, log)
					}
				}
			}
			s.connect(begun.Attempt)
			s.say(wire.Message{Finished: &wire.Finished{Attempt: begun.Attempt, Output: out}})
			s.settled(begun.Attempt)
			s.finish(lease("four"), "four")
			check()
			if inTheWay != "" {
				r.eventually("readiness tells what does not go on", func() bool {
					return slices.ContainsFunc(r.Checks(), func(c farm.Check) bool {
						return c.Name == "storage" && c.Err == nil && c.Warn && strings.Contains(c.Found, jobs[0].OutputName)
					})
				})
				if err := r.Storage().ServesAll(); farm.CodeOf(err) != farm.CodeConflict || !strings.Contains(err.Error(), "are being moved") || !strings.Contains(err.Error(), "files") {
					t.Errorf("on the way: %v", err)
				}
				r.eventually("all others are there", func() bool {
					move, moving := r.Storage().Move()
					return moving && move.FilesLeft == 1 && move.Files >= 6
				})
				s.hangUp()
				r.refusedWith(private, "are being moved to "+"the shared folder "+r.cfg.Storage)
				elsewhere := r.cfg
				elsewhere.Storage = t.TempDir()
				r.refusedWith(elsewhere, "has none of them")
				if err := os.RemoveAll(filepath.Dir(inTheWay)); err != nil {
					t.Fatal(err)
				}
				r.restart()
				check()
			}
			r.eventually("all files are there", func() bool { return r.Storage().ServesAll() == nil })
			check()
			for _, root := range []string{"outputs", "logs", "attempts"} {
				if _, err := os.Stat(filepath.Join(r.cfg.DataDir, "files", root)); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("the data folder still has %s: %v", root, err)
				}
			}
			s.hangUp()
			r.refusedWith(private, "start it with --storage")
			r.restart()
			check()
			if err := r.Storage().ServesAll(); err != nil {
				t.Error(err)
			}
		})
	}
}

// refusedWith makes sure that the farm is not opened with some settings, and that it says why.
func (r *rig) refusedWith(cfg coordinator.Config, why string) {
	r.t.Helper()
	if err := r.Close(); err != nil {
		r.t.Fatal(err)
	}
	if c, err := coordinator.Open(r.t.Context(), cfg); err == nil || !strings.Contains(err.Error(), why) {
		r.t.Errorf("with %q as its storage: %v, %v", cfg.Storage, c, err)
	}
}

// While the storage is away, what has not been moved is served, and the move goes on by itself when it is back.
func TestAMoveWaitsForTheStorage(t *testing.T) {
	server, bucket := inBucket(t)
	r := open(t)
	s := r.enrol("aurora")
	s.connect()
	job := r.submit()
	const size = 128 << 20 // so large that it is on its way when the server goes
	s.finish(s.lease(), strings.Repeat("the film", size/8))
	s.hangUp()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	bucket(&r.cfg)
	r.start()
	server.Kill()
	r.eventually("readiness tells of the storage, and takes jobs", func() bool { return r.storageWarns() && r.Ready() == nil })
	if f, err := r.Results().Open(t.Context(), job.OutputName); err != nil {
		t.Errorf("a result of the folder: %v", err)
	} else if err := f.Close(); err != nil {
		t.Error(err)
	}
	if move, moving := r.Storage().Move(); !moving || move.FilesLeft == 0 {
		t.Errorf("while the storage is away: %+v", move)
	}
	server.Restart()
	r.eventually("all files are there", func() bool { return r.Ready() == nil && r.Storage().ServesAll() == nil })
	if f, err := r.Results().Open(t.Context(), job.OutputName); err != nil || f.Size != size {
		t.Errorf("the result afterwards: %+v, %v", f, err)
	} else if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// A folder that a file server shares becomes the storage as it is; one inside it does not.
func TestTheFolderItselfBecomesTheStorage(t *testing.T) {
	r := open(t)
	s := r.enrol("aurora")
	s.connect()
	job := r.submit()
	s.finish(s.lease(), "the film")
	s.hangUp()
	inside := r.cfg
	inside.Storage = filepath.Join(r.cfg.DataDir, "files", "outputs", "shared")
	if err := os.MkdirAll(inside.Storage, 0o700); err != nil { // a result's name may follow its settling by a moment
		t.Fatal(err)
	}
	r.refusedWith(inside, "is inside the folder")
	if err := os.RemoveAll(inside.Storage); err != nil {
		t.Fatal(err)
	}
	r.cfg.Storage = filepath.Join(t.TempDir(), "share")
	if err := os.Symlink(filepath.Join(r.cfg.DataDir, "files"), r.cfg.Storage); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r.start()
		if err := r.Storage().ServesAll(); err != nil {
			t.Error(err)
		}
		if got := r.output(r.job(job.ID)); got != "the film" {
			t.Errorf("the result is %q", got)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	r.start()
}

// A farm that could not be opened with new storage goes on with its folder: nothing of it has left.
func TestAFarmThatDoesNotOpenHasMovedNothing(t *testing.T) {
	r := open(t)
	s := r.enrol("aurora")
	s.connect()
	job := r.submit()
	s.finish(s.lease(), "the film")
	s.hangUp()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	with := r.cfg
	onMount(t)(&with)
	with.ClusterListen = taken.Addr().String()
	r.refusedWith(with, "address already in use")
	r.start()
	if got := r.output(r.job(job.ID)); got != "the film" {
		t.Errorf("the result is %q", got)
	}
	if _, moving := r.Storage().Move(); moving {
		t.Error("files are being moved")
	}
}

func TestAFolderOfItsOwnIsNotShared(t *testing.T) {
	r := open(t)
	if err := r.Storage().ServesAll(); farm.CodeOf(err) != farm.CodeConflict || !strings.Contains(err.Error(), "give its coordinator a --storage") {
		t.Errorf("got %v", err)
	}
	if err := r.Storage().Look(t.Context()); err != nil {
		t.Errorf("the check says %v", err)
	}
}
