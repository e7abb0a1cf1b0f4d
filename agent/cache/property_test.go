package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// contents are so many files of different sizes.
func contents(n, size int) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		all[i] = bytes.Repeat([]byte{byte('a' + i)}, size*(i+1))
	}
	return all
}

// onDisk is the files of a cache's folder, by name, with their sizes.
func onDisk(tb interface{ Fatal(...any) }, dir string) (files map[string]int64, total int64) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	files = map[string]int64{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			tb.Fatal(err)
		}
		files[e.Name()] = info.Size()
		total += info.Size()
	}
	return files, total
}

func TestCacheAgainstAModel(t *testing.T) {
	const limit = 1000
	files := contents(8, 60)
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "cache-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		store, out := filepath.Join(dir, "cache"), filepath.Join(dir, "out")
		c, err := Open(store, limit)
		if err != nil {
			t.Fatal(err)
		}
		sound := map[int]bool{} // files that were put in and neither damaged nor evicted, as far as the model knows
		pick := rapid.IntRange(0, len(files)-1)
		check := func() {
			_, total := onDisk(t, store)
			if total > limit || total != c.Size() {
				t.Fatalf("%d bytes on the disk, %d in the books, %d allowed", total, c.Size(), limit)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(*rapid.T) { check() },
			"get": func(t *rapid.T) {
				i := pick.Draw(t, "file")
				sha, fetched := hashOf(files[i]), 0
				had := c.Has(sha)
				err := c.Copy(context.Background(), sha, rapid.SampledFrom([]int64{-1, int64(len(files[i]))}).Draw(t, "size"), out, func(_ context.Context, w io.Writer) error {
					fetched++
					_, err := w.Write(files[i])
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, files[i]) {
					t.Fatalf("file %d: %d bytes, %v", i, len(got), err)
				}
				if had && sound[i] && fetched > 0 {
					t.Fatalf("file %d was there and whole, and fetched", i)
				}
				sound[i] = true
				if err := os.Remove(out); err != nil {
					t.Fatal(err)
				}
			},
			"damage": func(t *rapid.T) {
				i := pick.Draw(t, "file")
				path := filepath.Join(store, hashOf(files[i]))
				if _, err := os.Stat(path); err != nil {
					t.Skip("not there")
				}
				sound[i] = false
				spoiled := bytes.Clone(files[i])
				spoiled[rapid.IntRange(0, len(spoiled)-1).Draw(t, "byte")] ^= 1
				if err := os.WriteFile(path, spoiled, 0o600); err != nil {
					t.Fatal(err)
				}
			},
			"fail": func(t *rapid.T) {
				i := pick.Draw(t, "file")
				sha := hashOf(files[i])
				if c.Has(sha) {
					t.Skip("there")
				}
				broken := errors.New("the line broke")
				if err := c.Copy(context.Background(), sha, -1, out, func(_ context.Context, w io.Writer) error {
					_, err := w.Write(files[i][:10])
					return errors.Join(err, broken)
				}); !errors.Is(err, broken) {
					t.Fatal(err)
				}
			},
			"restart": func(t *rapid.T) {
				c.Close()
				if err := os.WriteFile(filepath.Join(store, partPrefix+"1"), []byte("half"), 0o600); err != nil {
					t.Fatal(err)
				}
				if c, err = Open(store, limit); err != nil {
					t.Fatal(err)
				}
			},
		})
		c.Close()
	})
}

func TestManyTasksAtOnceGetWholeFilesWithinTheBound(t *testing.T) {
	const limit, workers, rounds = 4000, 24, 150
	files := contents(20, 50)
	dir, out := t.TempDir(), t.TempDir()
	c := open(t, dir, limit)
	var inFlight [20]atomic.Int32
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(w), 1))
			for round := range rounds {
				i := int(min(random.ExpFloat64()*4, 19))
				dst := filepath.Join(out, fmt.Sprint(w, "-", round))
				ctx, cancel := context.WithCancel(t.Context())
				leaves := random.IntN(10) == 0
				if leaves {
					go cancel()
				}
				err := c.Copy(ctx, hashOf(files[i]), int64(len(files[i])), dst, func(ctx context.Context, w io.Writer) error {
					if inFlight[i].Add(1) > 1 {
						t.Errorf("file %d is fetched twice at once", i)
					}
					defer inFlight[i].Add(-1)
					if _, err := w.Write(files[i][:1]); err != nil {
						return err
					}
					if ctx.Err() != nil {
						return ctx.Err()
					}
					_, err := w.Write(files[i][1:])
					return err
				})
				cancel()
				if err != nil {
					if !leaves || !errors.Is(err, context.Canceled) {
						t.Errorf("file %d: %v", i, err)
					}
					continue
				}
				if got, err := os.ReadFile(dst); err != nil || !bytes.Equal(got, files[i]) {
					t.Errorf("file %d: %d bytes, %v", i, len(got), err)
				}
				if random.IntN(300) == 0 { // a disk that forgets
					_ = os.Truncate(c.path(hashOf(files[i])), 3)
				}
			}
		})
	}
	wg.Wait()
	c.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		if e.pins != 0 {
			t.Errorf("%s is pinned %d times, by nobody", e.key[:8], e.pins)
		}
	}
	if c.coming != 0 || len(c.fetches) != 0 || c.total > limit {
		t.Errorf("%d bytes are to come in %d fetches, %d are there", c.coming, len(c.fetches), c.total)
	}
	onDisk, _ := onDisk(t, dir)
	for name := range onDisk {
		if c.entries[name] == nil {
			t.Errorf("%s is on the disk and not in the books", name)
		}
	}
}

func TestAFileThatIsReadIsNotEvicted(t *testing.T) {
	c := open(t, t.TempDir(), 100)
	files := contents(3, 30)
	h, err := c.hold(t.Context(), hashOf(files[2]), -1, giving(files[2])) // 90 bytes
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		for _, other := range files[:2] {
			if err := get(t, c, other, giving(other)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := os.Stat(c.path(hashOf(files[2]))); err != nil || !c.Has(hashOf(files[2])) {
		t.Errorf("a file that is read is gone: %v", err)
	}
	if err := h.release(); err != nil {
		t.Fatal(err)
	}
	if c.Size() > 100 {
		t.Errorf("%d bytes are kept", c.Size())
	}
}

func TestADamagedFileIsFetchedAgain(t *testing.T) {
	c := open(t, t.TempDir(), 100)
	content := []byte("whole")
	if err := get(t, c, content, giving(content)); err != nil {
		t.Fatal(err)
	}
	for _, damage := range []string{"whole!", "who", "", "Whole"} {
		if err := os.WriteFile(c.path(hashOf(content)), []byte(damage), 0o600); err != nil {
			t.Fatal(err)
		}
		fetched := 0
		err := get(t, c, content, func(ctx context.Context, w io.Writer) error {
			fetched++
			return giving(content)(ctx, w)
		})
		if err != nil || fetched != 1 {
			t.Errorf("damaged to %q: fetched %d times, %v", damage, fetched, err)
		}
	}
	if err := os.WriteFile(c.path(hashOf(content)), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	gone := errors.New("the farm has it no longer")
	if err := get(t, c, content, func(context.Context, io.Writer) error { return gone }); !errors.Is(err, gone) {
		t.Errorf("a damaged file that cannot be fetched: %v", err)
	}
}

func TestUnpackedFilesComeBackAsTheyWere(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir, 100_000)
	zipped := []byte("the archive")
	tree := t.TempDir()
	for name, content := range map[string]string{"Folder/Project.aep": "RIFX", "Folder/(Footage)/a b é.png": "picture", "empty/x": "", "top.txt": "t"} {
		path := filepath.Join(tree, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sha := hashOf(zipped)
	if _, ok, err := c.Unpack(t.Context(), sha, t.TempDir()); ok || err != nil {
		t.Fatalf("before it was kept: %t, %v", ok, err)
	}
	if err := c.KeepUnpacked(t.Context(), sha, tree, []byte("note"), 1<<20); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir, 100_000) // as the next start of the agent
	for range 2 {
		got := t.TempDir()
		note, ok, err := again.Unpack(t.Context(), sha, got)
		if err != nil || !ok || string(note) != "note" || !again.Has(sha) {
			t.Fatalf("%q, %t, %v", note, ok, err)
		}
		if want, have := listing(t, tree), listing(t, got); !slices.Equal(want, have) {
			t.Errorf("got %q, want %q", have, want)
		}
	}
	entry := again.entries[sha+unpackedKey]
	content, err := os.ReadFile(again.path(entry.file))
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{0, 600, len(content) / 2, len(content) - 1} {
		spoiled := bytes.Clone(content)
		spoiled[at] ^= 0x40
		if err := os.WriteFile(again.path(entry.file), spoiled, 0o600); err != nil {
			t.Fatal(err)
		}
		c := open(t, dir, 100_000)
		got := t.TempDir()
		if _, ok, err := c.Unpack(t.Context(), sha, got); ok || err != nil || len(listing(t, got)) != 0 || c.Has(sha) {
			t.Errorf("damaged at %d: %t, %v, left %q", at, ok, err, listing(t, got))
		}
		if err := c.KeepUnpacked(t.Context(), sha, tree, []byte("note"), 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	if err := again.KeepUnpacked(t.Context(), hashOf([]byte("other")), tree, nil, 5); err != nil || again.Has(hashOf([]byte("other"))) {
		t.Errorf("a folder above the limit: %v", err)
	}
}

// listing is the files below a folder with their contents.
func listing(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		below, _ := filepath.Rel(dir, path)
		files = append(files, below+"="+string(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
