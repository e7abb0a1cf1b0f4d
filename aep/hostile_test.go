package aep_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/aep/aeptest"
	"overcrank/aep/rifx"
)

func read(data []byte, lim aep.Limits) (*aep.Project, error) {
	return aep.Read(context.Background(), bytes.NewReader(data), int64(len(data)), lim)
}

func TestTruncatedFilesAreRefused(t *testing.T) {
	dir, files := sampleFiles(t, ".aep", ".aet", ".aepx")
	cuts := 0
	for _, f := range files {
		whole, err := os.ReadFile(filepath.Join(dir, f))
		if err != nil {
			t.Fatal(err)
		}
		// What the reader needs ends before the packet of metadata that may follow.
		var end int
		if filepath.Ext(f) != ".aepx" {
			end = int(binary.BigEndian.Uint32(whole[4:])) + 8
		} else {
			end = bytes.LastIndex(whole, []byte("</AfterEffectsProject>"))
		}
		step := max(1, end/25)
		for n := 0; n < end; n += step {
			_, err := read(whole[:n], aep.Limits{})
			if !errors.Is(err, aep.ErrBroken) && !errors.Is(err, aep.ErrNotProject) {
				t.Errorf("%s cut to %d bytes: %v", f, n, err)
			}
			cuts++
		}
	}
	t.Logf("samples: %d files cut %d times", len(files), cuts)
}

func TestDamagedFilesNeverPanic(t *testing.T) {
	dir, files := sampleFiles(t, ".aep", ".aet")
	refused := 0
	for _, f := range files {
		whole, err := os.ReadFile(filepath.Join(dir, f))
		if err != nil {
			t.Fatal(err)
		}
		step := max(1, len(whole)/11)
		for at := 12; at < len(whole); at += step {
			damaged := bytes.Clone(whole)
			for i := at; i < min(at+6, len(damaged)); i++ {
				damaged[i] ^= 0xFF
			}
			p, err := read(damaged, aep.Limits{})
			if err != nil {
				refused++
				continue
			}
			aep.Complete(p)
			aep.Summarize(p, nil)
		}
	}
	if refused == 0 {
		t.Error("no damage was noticed")
	}
}

func TestReaderKeepsItsLimits(t *testing.T) {
	data, err := os.ReadFile(aeptest.Samples(t, "airbnb+lottie-android", "After Effects Samples", "Masks.aep"))
	if err != nil {
		t.Fatal(err)
	}
	for name, lim := range map[string]aep.Limits{
		"size":   {FileSize: 1000},
		"chunks": {Chunks: 100},
		"depth":  {Depth: 3},
	} {
		if _, err := read(data, lim); !errors.Is(err, aep.ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDeepTreesAreRefused(t *testing.T) {
	c := rifx.List("tdgp")
	for range 5000 {
		c = rifx.List("tdgp", c)
	}
	f := rifx.File{Form: rifx.FormProject, Children: []rifx.Chunk{c}}
	data, err := f.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := read(data, aep.Limits{}); !errors.Is(err, aep.ErrLimit) {
		t.Errorf("binary: %v", err)
	}
	xml := "<?xml version='1.0'?><AfterEffectsProject>" + strings.Repeat("<tdgp>", 5000)
	if _, err := read([]byte(xml), aep.Limits{}); !errors.Is(err, aep.ErrLimit) {
		t.Errorf("XML: %v", err)
	}
}

func TestEntitiesInXMLAreRefused(t *testing.T) {
	for _, xml := range []string{
		`<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;">]><AfterEffectsProject><string>&lol2;</string></AfterEffectsProject>`,
		`<?xml version="1.0"?><!DOCTYPE x SYSTEM "file:///etc/passwd"><AfterEffectsProject/>`,
		`<!DOCTYPE x [<!ENTITY e SYSTEM "http://example.invalid/">]><AfterEffectsProject>&e;</AfterEffectsProject>`,
		`<?xml version="1.0"?><AfterEffectsProject><ProjectXMPMetadata><!ENTITY a "b"></ProjectXMPMetadata></AfterEffectsProject>`,
	} {
		if _, err := read([]byte(xml), aep.Limits{}); !errors.Is(err, aep.ErrUnsafe) {
			t.Errorf("%s: %v", xml, err)
		}
	}
}

func TestOtherFilesAreNoProjects(t *testing.T) {
	for name, data := range map[string]string{
		"empty":      "",
		"png":        "\x89PNG\r\n\x1a\n",
		"little":     "RIFF\x04\x00\x00\x00Egg!",
		"preset":     "RIFX\x00\x00\x00\x04FaFX",
		"other xml":  "<?xml version='1.0'?><svg></svg>",
		"empty xml":  "<?xml version='1.0'?>",
		"plain text": "hello",
	} {
		if _, err := read([]byte(data), aep.Limits{}); !errors.Is(err, aep.ErrNotProject) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCancelledReadingStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	data := []byte("RIFX\x00\x00\x00\x04Egg!")
	if _, err := aep.Read(ctx, bytes.NewReader(data), int64(len(data)), aep.Limits{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
