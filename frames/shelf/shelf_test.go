package shelf_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"overcrank/faults/leaktest"
	"overcrank/frames/shelf"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func address(of string) shelf.Address { return sha256.Sum256([]byte(of)) }

// picture is the pixels of a frame that compress somewhat.
func picture(seed byte) []byte {
	pix := make([]byte, 4*64*48)
	for i := range pix {
		pix[i] = seed + byte(i/4%7)*byte(i%5)
	}
	return pix
}

func open(t testing.TB, dir string, room int64) *shelf.Store {
	t.Helper()
	s, err := shelf.Open(dir, room)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// has tells whether the store has a frame; one that comes back as another fails the test.
func has(t testing.TB, s *shelf.Store, of string, seed byte) bool {
	t.Helper()
	pix := make([]byte, len(picture(seed)))
	if !s.Read(address(of), pix, 4) {
		return false
	}
	if !bytes.Equal(pix, picture(seed)) {
		t.Errorf("frame %q came back as another", of)
	}
	return true
}

func file(dir, of string) string {
	at := address(of)
	return filepath.Join(dir, hex.EncodeToString(at[:]))
}

func TestAFrameIsKeptFromTheSecondTimeOn(t *testing.T) {
	dir := t.TempDir()
	first := open(t, dir, 1<<20)
	first.Drawn(address("a"), picture(1), 4)
	if has(t, first, "a", 1) {
		t.Error("kept although it was drawn for the first time")
	}
	second := open(t, dir, 1<<20) // another process
	pix := picture(1)
	second.Drawn(address("a"), pix, 4)
	if !bytes.Equal(pix, picture(1)) {
		t.Error("the frame was changed")
	}
	if !has(t, first, "a", 1) || !has(t, second, "a", 1) || has(t, first, "b", 1) {
		t.Error("kept frames are not the ones that were drawn")
	}
	if first.Read(address("a"), make([]byte, 4*64*47), 4) {
		t.Error("a frame of another size was read")
	}
}

// TestFramesWithOneRowAreAllKept draws frames again whose addresses begin alike, so that they are remembered in one row.
func TestFramesWithOneRowAreAllKept(t *testing.T) {
	s := open(t, t.TempDir(), 1<<20)
	alike := make([]shelf.Address, 4)
	for i := range alike {
		alike[i] = address(fmt.Sprint(i))
		copy(alike[i][:4], "same")
	}
	for range 2 {
		for i, at := range alike {
			s.Drawn(at, picture(byte(i)), 4)
		}
	}
	for i, at := range alike {
		pix := make([]byte, len(picture(0)))
		if !s.Read(at, pix, 4) || !bytes.Equal(pix, picture(byte(i))) {
			t.Errorf("frame %d was drawn twice and is not kept", i)
		}
	}
}

func TestBytesOfAnyFormAreKeptAsTheyAre(t *testing.T) {
	s := open(t, t.TempDir(), 1<<20)
	given := picture(3)[:4*64*48-3] // no whole pixels
	for range 2 {
		s.Drawn(address("a"), given, 0)
	}
	got := make([]byte, len(given))
	if !bytes.Equal(given, picture(3)[:len(given)]) || !s.Read(address("a"), got, 0) || !bytes.Equal(got, given) {
		t.Error("they came back as others")
	}
}

// TestLowerLayersAreKeptWhereDrawingThemTakesLonger keeps pictures of lower layers, in no more than half of the room.
func TestLowerLayersAreKeptWhereDrawingThemTakesLonger(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	noise := func() []byte {
		pix := make([]byte, 4*64*48)
		for i := range pix {
			pix[i] = byte(random.Uint32())
		}
		return pix
	}
	s := open(t, t.TempDir(), 4*4*64*48+60)
	keep := func(of string, took time.Duration) bool {
		pix := noise()
		for range 2 {
			s.Lower(address(of), pix, took)
		}
		got := make([]byte, len(pix))
		return s.Read(address(of), got, 0) && bytes.Equal(got, pix)
	}
	if keep("quick", time.Microsecond) {
		t.Error("what is drawn quickly was kept")
	}
	for i, want := range []bool{true, true, false} {
		if of := fmt.Sprint("slow ", i); keep(of, time.Second) != want {
			t.Errorf("%s was kept: %v", of, !want)
		}
	}
	pix := noise()
	for range 2 {
		s.Drawn(address("frame"), pix, 0)
	}
	if !s.Read(address("frame"), make([]byte, len(pix)), 0) {
		t.Error("there was no room for a frame")
	}
}

func TestFilmsAreKeptFromTheSecondTimeOn(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1<<20)
	film := picture(9)[:1001]
	s.Encoded(address("a"), film)
	if _, ok := s.Film(address("a"), 1<<20); ok {
		t.Error("kept although it was encoded for the first time")
	}
	s.Encoded(address("a"), film)
	if got, ok := s.Film(address("a"), len(film)); !ok || !bytes.Equal(got, film) {
		t.Error("it did not come back as it was")
	}
	if _, ok := s.Film(address("a"), len(film)-1); ok {
		t.Error("a film larger than was asked for came back")
	}
	if err := shelf.Trim(dir, 100); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Film(address("a"), len(film)); ok {
		t.Error("it was not dropped to make room")
	}
}

func TestDamagedFramesAreNotRead(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1<<20)
	whole := func() []byte {
		for range 2 {
			s.Drawn(address("a"), picture(1), 4)
		}
		if !has(t, s, "a", 1) {
			t.Fatal("not kept")
		}
		b, err := os.ReadFile(file(dir, "a"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	good := whole()
	for name, bad := range map[string][]byte{
		"cut off": good[:len(good)-1], "empty": nil, "longer": append(bytes.Clone(good), 0), "only a sum": good[:32],
		"first bit": flipped(good, 0), "last bit": flipped(good, len(good)-1), "too long": make([]byte, 1<<20),
	} {
		if err := os.WriteFile(file(dir, "a"), bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if has(t, s, "a", 1) {
			t.Errorf("%s: read", name)
		}
		if err := os.RemoveAll(file(dir, "a")); err != nil {
			t.Fatal(err)
		}
		whole()
	}
	if err := os.Rename(file(dir, "a"), file(dir, "b")); err != nil {
		t.Fatal(err)
	}
	if has(t, s, "b", 1) {
		t.Error("a frame was read at the address of another")
	}
}

func flipped(b []byte, i int) []byte {
	b = bytes.Clone(b)
	b[i] ^= 1
	return b
}

func TestNoMoreIsAddedThanThereIsRoom(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 3000)
	noise := make([]byte, 4*64*48)
	for i := range noise {
		noise[i] = byte(i * i * 7 >> 3)
	}
	for i := range 40 {
		for range 2 {
			at := address(string(rune('a' + i)))
			noise[i] ^= 0xff
			s.Drawn(at, noise, 4)
		}
	}
	total := int64(0)
	for _, f := range list(t, dir) {
		total += f.Size()
	}
	if total > 3000 {
		t.Errorf("%d bytes were added", total)
	}
}

// list are the frames in a folder.
func list(t *testing.T, dir string) (out []os.FileInfo) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.Name() != "seen" {
			out = append(out, info)
		}
	}
	return out
}

func TestTheLeastRecentlyUsedGoFirst(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1<<20)
	names := []string{"a", "b", "c", "d"}
	for i, name := range names {
		for range 2 {
			s.Drawn(address(name), picture(1), 4)
		}
		old := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(file(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if !has(t, s, "a", 1) { // now it is the latest
		t.Fatal("not kept")
	}
	size := list(t, dir)[0].Size()
	for _, name := range []string{"part-1", "part-2"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("cut off"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "part-1"), old, old); err != nil {
		t.Fatal(err)
	}
	if err := shelf.Trim(dir, 2*size+1); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"a": true, "b": false, "c": false, "d": true} {
		if has(t, s, name, 1) != want {
			t.Errorf("%s: kept is %v", name, !want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "part-1")); !os.IsNotExist(err) {
		t.Error("an abandoned file is still there")
	}
	if _, err := os.Stat(filepath.Join(dir, "part-2")); err != nil {
		t.Error("a file that may be being written was removed")
	}
	if err := shelf.Trim(dir, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Error("the folder is still there")
	}
	if err := shelf.Trim(dir, 1); err != nil {
		t.Errorf("a folder that is not there: %v", err)
	}
}

func TestManyUseOneFolderAtOnce(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 4 {
		s := open(t, dir, 1<<20)
		all.Go(func() {
			for range 30 {
				for i, name := range []string{"a", "b", "c"} {
					if !has(t, s, name, byte(i)) {
						s.Drawn(address(name), picture(byte(i)), 4)
					}
				}
				if err := shelf.Trim(dir, 800); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func BenchmarkShelf(b *testing.B) {
	s := open(b, b.TempDir(), 1<<40)
	pix := make([]byte, 4*1280*720)
	for i := range len(pix) / 4 { // areas, a gradient, and some detail
		copy(pix[4*i:], []byte{byte(i / 1280 / 3), byte(i % 1280 / 300 * 40), byte(i * i >> 20), 255})
	}
	at := address("a")
	s.Drawn(at, pix, 4)
	b.Run("keep", func(b *testing.B) {
		for b.Loop() {
			s.Drawn(at, pix, 4)
		}
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			if !s.Read(at, pix, 4) {
				b.Fatal("not kept")
			}
		}
	})
}
