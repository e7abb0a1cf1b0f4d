// Package downloadstest makes small packages for tests.
package downloadstest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"testing"
)

// DEB is a Debian package with nothing in it but its control file.
func DEB(t testing.TB, control string) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	archive := tar.NewWriter(z)
	if err := archive.WriteHeader(&tar.Header{Name: "./control", Size: int64(len(control)), Mode: 0o644}); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Write([]byte(control)); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	var deb bytes.Buffer
	deb.WriteString("!<arch>\n")
	for _, member := range []struct {
		name    string
		content []byte
	}{{"debian-binary", []byte("2.0\n")}, {"control.tar.gz", packed.Bytes()}} {
		fmt.Fprintf(&deb, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", member.name, 0, 0, 0, "100644", len(member.content))
		deb.Write(member.content)
		if len(member.content)%2 == 1 {
			deb.WriteByte('\n')
		}
	}
	return deb.Bytes()
}

// PKG is a macOS package with nothing in it but its Distribution.
func PKG(t testing.TB, distribution string) []byte {
	t.Helper()
	pack := func(text string) []byte {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		if _, err := z.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	script := pack(distribution)
	table := pack(fmt.Sprintf(`<xar><toc><file id="1"><name>Distribution</name><data><length>%d</length><offset>0</offset><size>%d</size>`+
		`<encoding style="application/x-gzip"/></data></file></toc></xar>`, len(script), len(distribution)))
	head := append([]byte("xar!"), make([]byte, 24)...)
	binary.BigEndian.PutUint16(head[4:], 28)
	binary.BigEndian.PutUint16(head[6:], 1)
	binary.BigEndian.PutUint64(head[8:], uint64(len(table)))
	return bytes.Join([][]byte{head, table, script}, nil)
}
