package client

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// largeFile is a file that is sent in parts; it takes no space on the disk.
func largeFile(t *testing.T, size int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "spot.zip")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestALargeFileGoesOnWhereItStopped(t *testing.T) {
	const part, size = 16 << 20, 2*(16<<20) + 7
	var asked []string
	breaksOnce := true
	m := &http.ServeMux{}
	m.HandleFunc("POST /api/farm/v1/uploads", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"id":"U","size":%d,"partSize":%d,"missing":[0,2],"arrived":%d,"src":null}`, size, part, part)
	})
	m.HandleFunc("PUT /api/farm/v1/uploads/U/parts/{part}", func(w http.ResponseWriter, r *http.Request) {
		if breaksOnce {
			breaksOnce = false
			_, _ = io.CopyN(io.Discard, r.Body, part/2)
			panic(http.ErrAbortHandler)
		}
		n, _ := io.Copy(io.Discard, r.Body)
		asked = append(asked, fmt.Sprintf("%s of %d", r.PathValue("part"), n))
		w.WriteHeader(http.StatusNoContent)
	})
	m.HandleFunc("POST /api/farm/v1/uploads/U/finish", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), `"sha256":"`) {
			t.Errorf("finished with %s", body)
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"src":"farm://x","size":5,"sha256":"y"}`)
	})
	m.HandleFunc("DELETE /api/farm/v1/uploads/U", func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, "deleted")
		w.WriteHeader(http.StatusNoContent)
	})
	srv := httptest.NewServer(m)
	defer srv.Close()
	c := &Client{Server: srv.URL, HTTP: srv.Client()}
	var last, total int64
	kept, err := c.KeepFile(t.Context(), largeFile(t, size), func(done, all int64) { last, total = done, all })
	if err != nil || kept.Src != "farm://x" {
		t.Fatalf("kept %+v, %v", kept, err)
	}
	if want := []string{fmt.Sprintf("0 of %d", part), "2 of 7", "deleted"}; !slices.Equal(asked, want) {
		t.Errorf("the farm got %q, want %q", asked, want)
	}
	if last != size || total != size {
		t.Errorf("the bar stands at %d of %d", last, total)
	}
}

func TestAFarmThatKnowsNoPartsGetsTheFileWhole(t *testing.T) {
	m := &http.ServeMux{}
	m.HandleFunc("POST /api/farm/v1/files", func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"src":"farm://x","size":%d,"sha256":"y"}`, n)
	})
	srv := httptest.NewServer(m)
	defer srv.Close()
	kept, err := (&Client{Server: srv.URL, HTTP: srv.Client()}).KeepFile(t.Context(), largeFile(t, partsFrom+1), nil)
	if err != nil || kept.Size != partsFrom+1 {
		t.Errorf("kept %+v, %v", kept, err)
	}
}
