package aeptest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"testing"
)

// Archive is a zip of files, by name, in the order of their names.
func Archive(t testing.TB, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(files[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// EmptyLists is an archive with a project of n empty lists: small to send, large to read.
func EmptyLists(t testing.TB, n int) []byte {
	t.Helper()
	chunks := bytes.Repeat([]byte("LIST\x00\x00\x00\x04Egg!"), n)
	body := append(binary.BigEndian.AppendUint32([]byte("RIFX"), uint32(4+len(chunks))), "Egg!"...)
	return Archive(t, map[string][]byte{"a.aep": append(body, chunks...)})
}
