package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// model is what a store that is being moved should hold.
type model struct {
	dir     string
	storage *Mount
	cut     *cut
	m       *Moving
	want    map[string]string
	// uncertain is what is there instead as far as the last change came, which was cut off; nil when none was.
	uncertain map[string]string
	renamed   [2]string // keys of which one at least has to have what the first had; empty for none
}

var modelKeys = []string{"a/1", "a/b/2", "a/b.5", "out/1", "out/2", "k/1"}

func aKey(t *rapid.T) string { return rapid.SampledFrom(modelKeys).Draw(t, "key") }
func aText(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "blob", "one", "another"}).Draw(t, "text")
}

// start opens the store, as a process does.
func (s *model) start(t *rapid.T) {
	old, err := OpenFolder(s.dir, -1)
	if err != nil {
		t.Fatal(err)
	}
	s.cut = &cut{Shared: s.storage, left: -1}
	s.m = NewMoving(old, s.cut, movingRoots)
}

// came records the outcome of a change that should lead to then.
func (s *model) came(t *rapid.T, err error, then func(want map[string]string)) {
	after := maps.Clone(s.want)
	then(after)
	switch {
	case err == nil:
		s.want = after
	case errors.Is(err, errCut):
		s.uncertain = after
	default:
		t.Fatal(err)
	}
}

// change applies one random change to the store.
func (s *model) change(t *rapid.T) {
	ctx := context.Background()
	there := func(key string) bool { _, found := s.want[key]; return found }
	switch key := aKey(t); rapid.SampledFrom([]string{"put", "put half", "put blob", "rename", "delete", "delete below", "delete if"}).Draw(t, "change") {
	case "put":
		text := aText(t)
		_, err := s.m.Put(ctx, key, strings.NewReader(text), Limits{Size: -1})
		s.came(t, err, func(want map[string]string) { want[key] = text })
	case "put half":
		if _, err := s.m.Put(ctx, key, strings.NewReader("half"), Limits{Size: 8}); !errors.Is(err, ErrShort) {
			s.came(t, err, func(map[string]string) {})
		}
	case "put blob":
		text := aText(t)
		_, err := s.m.PutBlob(ctx, strings.NewReader(text), Limits{Size: -1})
		s.came(t, err, func(want map[string]string) { want[blobKeyOf(text)] = text })
	case "rename":
		to := aKey(t)
		err := s.m.Rename(ctx, key, to)
		if !there(key) && errors.Is(err, ErrNotFound) {
			return
		}
		if errors.Is(err, errCut) && there(key) {
			s.renamed = [2]string{key, to}
		}
		s.came(t, err, func(want map[string]string) {
			text, found := want[key]
			if delete(want, key); found {
				want[to] = text
			}
		})
	case "delete":
		s.came(t, s.m.Delete(ctx, key), func(want map[string]string) { delete(want, key) })
	case "delete below":
		err := s.m.DeleteBelow(ctx, "a")
		s.came(t, err, func(want map[string]string) {
			maps.DeleteFunc(want, func(key, _ string) bool { return strings.HasPrefix(key, "a/") })
		})
	case "delete if":
		key = rapid.SampledFrom([]string{key, blobKeyOf(aText(t))}).Draw(t, "which")
		named := rapid.Bool().Draw(t, "named")
		err := s.m.DeleteIf(ctx, key, time.Now().Add(time.Hour), func() (bool, error) { return named, nil })
		s.came(t, err, func(want map[string]string) {
			if !named {
				delete(want, key)
			}
		})
	}
}

func blobKeyOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	key, _ := BlobKey(hex.EncodeToString(sum[:]))
	return key
}

// move moves a file, and changes something while it is copied.
func (s *model) move(t *rapid.T) {
	keys := slices.Concat(modelKeys, slices.Sorted(maps.Keys(s.want)))
	key := rapid.SampledFrom(keys).Draw(t, "moved")
	if rapid.Bool().Draw(t, "changed meanwhile") {
		s.cut.copying = func() { // once: the change may copy files too
			s.cut.copying = nil
			s.change(t)
		}
	}
	err := s.m.moveIfIdle(context.Background(), key)
	s.cut.copying = nil
	if err != nil && !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	if err != nil && s.uncertain == nil {
		s.uncertain = maps.Clone(s.want)
	}
}

// check compares store and model, after a restart if the process was cut off.
func (s *model) check(t *rapid.T) {
	if s.uncertain != nil {
		t.Log("cut off")
		s.restart(t)
	}
	got, err := held(s.m)
	if err != nil {
		t.Fatal(err)
	}
	if s.uncertain == nil {
		if !maps.Equal(got, s.want) {
			t.Fatalf("holds %q, want %q", got, s.want)
		}
		return
	}
	for _, key := range slices.Concat(slices.Collect(maps.Keys(got)), slices.Collect(maps.Keys(s.want)), slices.Collect(maps.Keys(s.uncertain))) {
		is, found := got[key]
		before, was := s.want[key]
		after, will := s.uncertain[key]
		if (found != was || is != before) && (found != will || is != after) {
			t.Fatalf("%s holds %q (%v), want %q (%v) or %q (%v)", key, is, found, before, was, after, will)
		}
	}
	if from, to := s.renamed[0], s.renamed[1]; from != "" {
		is, kept := got[from]
		then, renamed := got[to]
		if text := s.want[from]; (!kept || is != text) && (!renamed || then != text) {
			t.Fatalf("neither %s nor %s holds what was renamed: %q", from, to, got)
		}
	}
	s.want, s.uncertain, s.renamed = got, nil, [2]string{}
}

func (s *model) restart(t *rapid.T) {
	if err := s.m.old.Close(); err != nil {
		t.Fatal(err)
	}
	s.start(t)
}

// Whatever is changed while files are moved, and wherever the process is cut off, the store matches the model.
func TestMovingStoreMatchesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, err := os.MkdirTemp("", "moving-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(base)
		s := &model{dir: filepath.Join(base, "folder"), want: map[string]string{}}
		mounted := filepath.Join(base, "mount")
		if err := os.Mkdir(mounted, 0o700); err != nil {
			t.Fatal(err)
		}
		if s.storage, err = OpenMount(mounted, "n1", -1); err != nil {
			t.Fatal(err)
		}
		defer s.storage.Close()
		s.start(t)
		defer func() { s.m.old.Close() }()
		for _, key := range modelKeys {
			if !rapid.Bool().Draw(t, "in the folder") {
				continue
			}
			s.want[key] = aText(t)
			if _, err := s.m.old.Put(context.Background(), key, strings.NewReader(s.want[key]), Limits{Size: -1}); err != nil {
				t.Fatal(err)
			}
		}
		if obj, err := s.m.old.PutBlob(context.Background(), strings.NewReader("blob"), Limits{Size: -1}); err != nil {
			t.Fatal(err)
		} else {
			s.want[obj.Key] = "blob"
		}
		t.Repeat(map[string]func(*rapid.T){
			"change": s.change,
			"move":   s.move,
			"cut": func(t *rapid.T) {
				s.cut.left, s.cut.done = rapid.IntRange(0, 3).Draw(t, "after"), rapid.Bool().Draw(t, "done")
				if rapid.Bool().Draw(t, "moving") {
					s.move(t)
				} else {
					s.change(t)
				}
				if s.uncertain == nil {
					s.cut.left, s.cut.over = -1, false
				}
			},
			"restart": s.restart,
			"":        s.check,
		})
		if err := s.m.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		got, err := held(s.storage)
		if err != nil || !maps.Equal(got, s.want) {
			t.Fatalf("after all the storage holds %q, %v; want %q", got, err, s.want)
		}
	})
}
