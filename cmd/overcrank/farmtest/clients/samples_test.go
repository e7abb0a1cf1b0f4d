//go:build linux

package clients_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/titlecard"
)

func TestSamplesAndTheAuthoritysCertificateAreKeptAsFiles(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	job, err := f.Submit(t.Context(), map[string]any{
		"template": map[string]string{"id": f.Card(), "composition": titlecard.Composition}, "name": "Spring spot", "approve": true,
		"settings": map[string]any{"type": "video", "frames": []int{0, 4}},
	})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "look")
	f.Await("the sample frames are there", func() bool {
		list, err := f.Samples(t.Context(), job.ID)
		return err == nil && len(list.Items) == 3
	})
	if code, said, stderr := f.Command("jobs", "samples", "Spring spot", "--out", dir); code != 0 || strings.Count(said, filepath.Join(dir, "frame-")) != 3 {
		t.Errorf("jobs samples exits with %d: %s%s", code, said, stderr)
	}
	for _, name := range []string{"frame-0.png", "frame-2.png", "frame-4.png"} {
		if content, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.HasPrefix(content, []byte("\x89PNG")) {
			t.Errorf("%s is no picture: %v", name, err)
		}
	}

	file := filepath.Join(t.TempDir(), "ca.pem")
	if code, _, stderr := f.Command("cluster", "certificate", "--out", file); code != 0 {
		t.Fatal(stderr)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if code, said, _ := f.Command("cluster", "certificate"); code != 0 || said != string(content) {
		t.Errorf("printed is %q", said)
	}
	trusted := x509.NewCertPool()
	if block, rest := pem.Decode(content); block == nil || len(rest) > 0 || !trusted.AppendCertsFromPEM(content) {
		t.Fatalf("no certificate in PEM: %s", content)
	}
	conn, err := tls.Dial("tcp", strings.TrimPrefix(f.Server, "http://"), &tls.Config{RootCAs: trusted, ServerName: "localhost", MinVersion: tls.VersionTLS13})
	if err != nil {
		t.Fatalf("the farm's own certificate is not vouched for by it: %v", err)
	}
	conn.Close()
}
