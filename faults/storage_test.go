package faults_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"overcrank/faults"
)

func TestStorageMisbehavesToOrder(t *testing.T) {
	t.Parallel()
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Host+r.URL.Path)
	}))
	t.Cleanup(behind.Close)
	target, err := url.Parse(behind.URL)
	if err != nil {
		t.Fatal(err)
	}
	s := faults.NewStorage(target)
	front := httptest.NewServer(s)
	t.Cleanup(front.Close)
	t.Cleanup(func() { s.Set(faults.StorageWell, nil) })
	get := func(ctx context.Context, path string) (status int, text string, err error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, front.URL+path, nil)
		if err != nil {
			return 0, "", err
		}
		res, err := front.Client().Do(req)
		if err != nil {
			return 0, "", err
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		return res.StatusCode, string(body), err
	}
	host := strings.TrimPrefix(front.URL, "http://")
	if status, text, err := get(t.Context(), "/a"); status != http.StatusOK || text != host+"/a" || err != nil {
		t.Errorf("storage that is well answers %d %q, %v", status, text, err)
	}
	s.Set(faults.StorageErrs, func(r *http.Request) bool { return r.URL.Path == "/b" })
	if status, _, err := get(t.Context(), "/b"); status != http.StatusInternalServerError || err != nil {
		t.Errorf("storage that fails answers %d, %v", status, err)
	}
	if status, _, err := get(t.Context(), "/a"); status != http.StatusOK || err != nil {
		t.Errorf("another request gets %d, %v", status, err)
	}
	s.Set(faults.StorageResets, nil)
	if _, _, err := get(t.Context(), "/a"); err == nil {
		t.Error("a connection that is cut answers")
	}
	s.Set(faults.StorageStalls, nil)
	came := make(chan error, 1)
	go func() {
		_, _, err := get(t.Context(), "/a")
		came <- err
	}()
	for s.Held() == 0 {
		time.Sleep(time.Millisecond)
	}
	s.Set(faults.StorageWell, nil)
	if err := <-came; err != nil {
		t.Errorf("a request that was held: %v", err)
	}
}
