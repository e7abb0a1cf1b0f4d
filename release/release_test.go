package release

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"
)

var now = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// house is a machine that makes releases: two root keys and one release key that the first root signed.
type house struct {
	roots    []minisign.PublicKey
	rootKeys []minisign.PrivateKey
	signer   Signer
	public   minisign.PublicKey
}

func newKey(t testing.TB) (minisign.PublicKey, minisign.PrivateKey) {
	t.Helper()
	public, secret, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return public, secret
}

func newHouse(t testing.TB) *house {
	t.Helper()
	var h house
	for range 2 {
		public, secret := newKey(t)
		h.roots, h.rootKeys = append(h.roots, public), append(h.rootKeys, secret)
	}
	h.public, h.signer.Key = newKey(t)
	h.sign(t, Keys{Product: Agent, Serial: 1, Expires: now.AddDate(1, 0, 0), Public: []string{h.public.String()}}, 0)
	return &h
}

// sign has a root sign the list of release keys.
func (h *house) sign(t testing.TB, keys Keys, root int) {
	t.Helper()
	var err error
	if h.signer.Keys, h.signer.KeysSignature, err = SignKeys(keys, h.rootKeys[root]); err != nil {
		t.Fatal(err)
	}
}

// manifest is one of a release of two programs.
func manifest(number int64) Manifest {
	return Manifest{Product: Agent, Version: "0.2.0-7-gabc", Number: number, NotBefore: now.AddDate(0, -1, 0), Expires: now.AddDate(0, 1, 0),
		Protocol: Protocol{Min: 3, Max: 3},
		Files:    []File{{System: "linux", Arch: "amd64", Name: "agent-linux-amd64"}, {System: "darwin", Arch: Universal, Name: "agent-darwin"}}}
}

// released makes a release in a folder of its own.
func (h *house) released(t testing.TB, m Manifest) string {
	t.Helper()
	folder := t.TempDir()
	for _, f := range m.Files {
		if err := os.WriteFile(filepath.Join(folder, f.Name), []byte("the program "+f.Name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Sign(folder, m, h.signer); err != nil {
		t.Fatal(err)
	}
	return folder
}

// resigned gives the documents of a release with another text for the manifest, signed as it should be.
func (h *house) resigned(docs Documents, text string) Documents {
	docs.Manifest = []byte(text)
	docs.ManifestSignature = minisign.Sign(h.signer.Key, docs.Manifest)
	return docs
}

func TestAReleaseIsOpened(t *testing.T) {
	h := newHouse(t)
	folder := h.released(t, manifest(7))
	r, err := Open(folder, h.roots, now)
	if err != nil {
		t.Fatal(err)
	}
	if r.Number != 7 || r.Version != "0.2.0-7-gabc" || r.Keys.Serial != 1 {
		t.Errorf("opened %+v", r)
	}
	for _, want := range [][3]string{{"linux", "amd64", "agent-linux-amd64"}, {"darwin", "arm64", "agent-darwin"}} {
		f, err := r.File(want[0], want[1])
		if err != nil || f.Name != want[2] {
			t.Errorf("the file for %v: %+v, %v", want, f, err)
		}
		if err := f.CheckFile(filepath.Join(folder, f.Name)); err != nil {
			t.Errorf("%s is whole: %v", f.Name, err)
		}
	}
	if _, err := r.File("windows", "amd64"); !errors.Is(err, ErrNoFile) {
		t.Errorf("a program that the release lacks: %v", err)
	}
}

func TestReleasesThatAreRefused(t *testing.T) {
	h, stranger := newHouse(t), newHouse(t)
	for name, test := range map[string]struct {
		change func(t *testing.T, docs Documents) Documents
		now    time.Time
		want   error
		reason string
	}{
		"changed": {func(_ *testing.T, d Documents) Documents {
			d.Manifest = []byte(strings.Replace(string(d.Manifest), `"number": 7`, `"number": 8`, 1))
			return d
		}, now, ErrSignature, "signature"},
		"signed by a stranger": {func(_ *testing.T, d Documents) Documents {
			d.ManifestSignature = minisign.Sign(stranger.signer.Key, d.Manifest)
			return d
		}, now, ErrSignature, "signature"},
		"signed by a root key, which may sign keys only": {func(_ *testing.T, d Documents) Documents {
			d.ManifestSignature = minisign.Sign(h.rootKeys[0], d.Manifest)
			return d
		}, now, ErrSignature, "signature"},
		"a stranger's keys": {func(_ *testing.T, d Documents) Documents {
			d.Keys, d.KeysSignature = stranger.signer.Keys, stranger.signer.KeysSignature
			d.ManifestSignature = minisign.Sign(stranger.signer.Key, d.Manifest)
			return d
		}, now, ErrSignature, "signature"},
		"keys that signed themselves": {func(_ *testing.T, d Documents) Documents {
			d.KeysSignature = minisign.Sign(h.signer.Key, d.Keys)
			return d
		}, now, ErrSignature, "signature"},
		"no signature": {func(_ *testing.T, d Documents) Documents { d.ManifestSignature = nil; return d }, now, ErrTruncated, "truncated"},
		"half a signature": {func(_ *testing.T, d Documents) Documents {
			d.ManifestSignature = d.ManifestSignature[:len(d.ManifestSignature)/2]
			return d
		}, now, ErrSignature, "signature"},
		"half a manifest": {func(_ *testing.T, d Documents) Documents {
			return h.resigned(d, string(d.Manifest[:len(d.Manifest)/2]))
		}, now, ErrTruncated, "truncated"},
		"another product": {func(_ *testing.T, d Documents) Documents {
			return h.resigned(d, strings.Replace(string(d.Manifest), Agent, "overcrank", 1))
		}, now, ErrProduct, "product"},
		"a version that leads elsewhere": {func(_ *testing.T, d Documents) Documents {
			return h.resigned(d, strings.Replace(string(d.Manifest), "0.2.0-7-gabc", "../../etc", 1))
		}, now, ErrFormat, "format"},
		"a file that lies elsewhere": {func(_ *testing.T, d Documents) Documents {
			return h.resigned(d, strings.Replace(string(d.Manifest), "agent-darwin", "../agent", 1))
		}, now, ErrFormat, "format"},
		"a file with the name of a device": {func(_ *testing.T, d Documents) Documents {
			return h.resigned(d, strings.Replace(string(d.Manifest), "agent-darwin", "nul.exe", 1))
		}, now, ErrFormat, "format"},
		"a file in place of the manifest": {func(_ *testing.T, d Documents) Documents {
			return h.resigned(d, strings.Replace(string(d.Manifest), "agent-darwin", "Manifest.json", 1))
		}, now, ErrFormat, "format"},
		"two files for one system": {func(_ *testing.T, d Documents) Documents {
			return h.resigned(d, strings.NewReplacer("darwin", "linux", Universal, "amd64").Replace(string(d.Manifest)))
		}, now, ErrFormat, "format"},
		"too large": {func(_ *testing.T, d Documents) Documents {
			return h.resigned(d, string(d.Manifest)+strings.Repeat(" ", documentBytes))
		}, now, ErrFormat, "format"},
		"expired":            {nil, now.AddDate(0, 2, 0), ErrExpired, "expired"},
		"the keys' time":     {nil, now.AddDate(2, 0, 0), ErrExpired, "expired"},
		"not yet valid":      {nil, now.AddDate(0, -2, 0), ErrTooEarly, "early"},
		"nothing whatsoever": {func(*testing.T, Documents) Documents { return Documents{} }, now, ErrTruncated, "truncated"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Open(h.released(t, manifest(7)), h.roots, now)
			if err != nil {
				t.Fatal(err)
			}
			docs := r.Documents
			if test.change != nil {
				docs = test.change(t, docs)
			}
			if _, err := Check(docs, h.roots, test.now); !errors.Is(err, test.want) || Reason(err) != test.reason {
				t.Errorf("%v (%q), want %v (%q)", err, Reason(err), test.want, test.reason)
			}
		})
	}
	r, err := Open(h.released(t, manifest(7)), h.roots, now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Check(r.Documents, nil, now); !errors.Is(err, ErrNoRoots) {
		t.Errorf("without root keys: %v", err)
	}
}

func TestFilesThatAreNotWhole(t *testing.T) {
	h := newHouse(t)
	folder := h.released(t, manifest(7))
	r, err := Open(folder, h.roots, now)
	if err != nil {
		t.Fatal(err)
	}
	f := r.Files[0]
	path := filepath.Join(folder, f.Name)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		content []byte
		want    error
	}{
		"short": {whole[:5], ErrTruncated}, "empty": {nil, ErrTruncated}, "longer": {append(whole[:len(whole):len(whole)], 'x'), ErrDamaged},
		"changed": {append([]byte{'T'}, whole[1:]...), ErrDamaged},
	} {
		if err := os.WriteFile(path, test.content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := f.CheckFile(path); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	if err := os.Remove(filepath.Join(folder, KeysSignatureName)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(folder, h.roots, now); !errors.Is(err, ErrTruncated) {
		t.Errorf("a document is missing: %v", err)
	}
}

func TestWhichReleaseFollowsWhich(t *testing.T) {
	at := func(number, downgradeOf, keys int64, version string) *Release {
		return &Release{Manifest: Manifest{Number: number, DowngradeOf: downgradeOf, Version: version}, Keys: Keys{Serial: keys}}
	}
	var seen Seen
	for _, step := range []struct {
		what    string
		r       *Release
		refused bool
	}{
		{"the first", at(5, 0, 1, "1.0.0"), false},
		{"the same once more", at(5, 0, 1, "1.0.0"), false},
		{"one under the number that runs", at(5, 0, 1, "1.0.1"), true},
		{"an older one", at(4, 0, 1, "0.9.0"), true},
		{"a newer one", at(6, 0, 2, "1.1.0"), false},
		{"a newer one under keys that were replaced", at(7, 0, 1, "1.2.0"), true},
		{"the way back from a release before this one", at(4, 5, 2, "0.9.0"), true},
		{"the way back", at(4, 6, 2, "0.9.0"), false},
		{"the release that was gone back from, replayed", at(6, 0, 2, "1.1.0"), true},
		{"a newer one than that", at(7, 0, 2, "1.2.0"), false},
	} {
		err := step.r.Follows(seen)
		if refused := errors.Is(err, ErrOlder); refused != step.refused || (err != nil && !refused) {
			t.Errorf("%s: %v, seen %+v", step.what, err, seen)
		}
		if err == nil {
			seen = seen.After(step.r)
		}
	}
}

func TestKeysAreChanged(t *testing.T) {
	h := newHouse(t)
	before, err := Open(h.released(t, manifest(7)), h.roots, now)
	if err != nil {
		t.Fatal(err)
	}
	// The other root signs a new list, without the key of before.
	lost := h.signer
	public, secret := newKey(t)
	h.signer.Key = secret
	h.sign(t, Keys{Product: Agent, Serial: 2, Expires: now.AddDate(1, 0, 0), Public: []string{public.String()}}, 1)
	after, err := Open(h.released(t, manifest(8)), h.roots, now)
	if err != nil {
		t.Fatal(err)
	}
	seen := Seen{}.After(before).After(after)
	lost.Keys, lost.KeysSignature = h.signer.Keys, h.signer.KeysSignature
	folder := h.released(t, manifest(9))
	if _, err := Sign(folder, manifest(9), lost); !errors.Is(err, ErrSignature) {
		t.Errorf("signing with a key that was withdrawn: %v", err)
	}
	stolen := &house{signer: Signer{Key: lost.Key, Keys: before.Documents.Keys, KeysSignature: before.Documents.KeysSignature}}
	forged, err := Open(stolen.released(t, manifest(10)), h.roots, now)
	if err != nil {
		t.Fatal(err)
	}
	if err := forged.Follows(seen); !errors.Is(err, ErrOlder) {
		t.Errorf("a key that was withdrawn signs with the old list: %v", err)
	}
}

func TestSecretKeys(t *testing.T) {
	if testing.Short() {
		t.Skip("a password is turned into a key on purpose slowly: seconds, and a gigabyte of memory")
	}
	path := filepath.Join(t.TempDir(), "root.key")
	public, err := NewKey(path, "a good password")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the secret key: %v, %v", info.Mode(), err)
	}
	key, err := ReadKey(path, "a good password")
	if err != nil {
		t.Fatal(err)
	}
	if !minisign.Verify(public, []byte("text"), minisign.Sign(key, []byte("text"))) {
		t.Error("the pair does not fit")
	}
	roots, err := Roots(path + ".pub")
	if err != nil || len(roots) != 1 || !roots[0].Equal(public) {
		t.Errorf("the public key is read as a root: %v, %v", roots, err)
	}
	if _, err := NewKey(path, "another"); !errors.Is(err, os.ErrExist) {
		t.Errorf("a key is not replaced: %v", err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadKey(path, "a good password"); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a key that others can read: %v", err)
	}
	if _, err := NewKey(path+"2", ""); err == nil {
		t.Error("a key without a password was made")
	}
}

func TestRootsOfABuild(t *testing.T) {
	if _, err := Roots(""); !errors.Is(err, ErrNoRoots) {
		t.Errorf("a build without roots: %v", err)
	}
	empty := filepath.Join(t.TempDir(), "roots")
	if err := os.WriteFile(empty, []byte("untrusted comment: nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Roots(empty); !errors.Is(err, ErrNoRoots) || !strings.Contains(err.Error(), empty) {
		t.Errorf("a file without keys: %v", err)
	}
	if err := os.WriteFile(empty, []byte("RWnonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Roots(empty); err == nil || errors.Is(err, ErrNoRoots) {
		t.Errorf("a file with nonsense: %v", err)
	}
	h := newHouse(t)
	roots, err := rootsOf([]string{h.roots[0].String(), h.roots[1].String()}, "the program's build")
	if err != nil || len(roots) != 2 {
		t.Errorf("two roots: %v, %v", roots, err)
	}
}

func TestMinisignChecksOurSignatures(t *testing.T) {
	if _, err := exec.LookPath("minisign"); err != nil {
		t.Skip("minisign is not installed: apt-get install minisign")
	}
	h := newHouse(t)
	folder := h.released(t, manifest(7))
	for name, key := range map[string]minisign.PublicKey{ManifestName: h.public, KeysName: h.roots[0]} {
		if out, err := exec.Command("minisign", "-Vm", filepath.Join(folder, name), "-P", key.String()).CombinedOutput(); err != nil {
			t.Errorf("minisign refuses %s: %v\n%s", name, err, out)
		}
		if err := exec.Command("minisign", "-Vm", filepath.Join(folder, name), "-P", h.roots[1].String()).Run(); err == nil {
			t.Errorf("minisign takes %s for signed by another key", name)
		}
	}
}

// FuzzCheck has documents that are signed as they should be, so that what reads them sees everything, and the same text as a signature.
func FuzzCheck(f *testing.F) {
	h := newHouse(f)
	good, err := json.Marshal(manifest(7))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(h.signer.Keys)
	f.Add(h.signer.KeysSignature)
	f.Add([]byte(`{"files":[{"name":"a/b"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		signed := func(key minisign.PrivateKey) []byte { return minisign.Sign(key, text) }
		for _, docs := range []Documents{
			{Manifest: text, ManifestSignature: signed(h.signer.Key), Keys: h.signer.Keys, KeysSignature: h.signer.KeysSignature},
			{Manifest: text, ManifestSignature: text, Keys: text, KeysSignature: signed(h.rootKeys[0])},
			{Manifest: text, ManifestSignature: text, Keys: h.signer.Keys, KeysSignature: h.signer.KeysSignature},
			{Manifest: text, ManifestSignature: text, Keys: text, KeysSignature: text},
		} {
			r, err := Check(docs, h.roots, now)
			if err != nil {
				if Reason(err) == "" {
					t.Fatalf("an error without a reason: %v", err)
				}
				continue
			}
			if !ValidVersion(r.Version) || filepath.Base(r.Version) != r.Version {
				t.Fatalf("the version %q leads elsewhere", r.Version)
			}
			for _, file := range r.Files {
				if filepath.Base(file.Name) != file.Name || strings.HasPrefix(file.Name, ".") {
					t.Fatalf("the file %q lies elsewhere", file.Name)
				}
			}
		}
	})
}
