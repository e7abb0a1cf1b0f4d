//go:build linux

package trouble_test

import (
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/client"
)

// fewFiles is the program, in a process that may open few files.
func fewFiles(t *testing.T) string {
	t.Helper()
	return farmtest.Under(t, farmtest.Program(t), "ulimit -n 512")
}

// TestACrowdFromOneAddressShutsNobodyOut has one address open connections to the ports of a coordinator that may open few files, and others work
// with it meanwhile.
func TestACrowdFromOneAddressShutsNobodyOut(t *testing.T) {
	t.Parallel()
	began := time.Now()
	f := farmtest.LaunchProgram(t, fewFiles(t), "coordinator", t.TempDir(), "--cluster-listen", "127.0.0.1:0", "--cluster-strangers", "16")
	public := strings.TrimPrefix(f.Server, "http://")
	alone := answers(f)
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 3)}}
	for range 600 {
		conn, err := dialer.Dial("tcp", public)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
	}
	t.Logf("a request takes %s, and %s beside the crowd", alone, answers(f))
	var uploads sync.WaitGroup
	for range 100 {
		uploads.Go(func() {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.Server+"/api/farm/v1/files?name=a.txt", strings.NewReader(strings.Repeat("x", 100<<10)))
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Authorization", "Bearer "+f.Token)
			res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
			if err != nil {
				return // closed at once: this address has as many open as it may
			}
			defer res.Body.Close()
			if words, _ := io.ReadAll(res.Body); res.StatusCode >= 500 && res.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("an upload is answered %d %s", res.StatusCode, words)
			}
		})
	}
	uploads.Wait()
	// It says so once a minute at most.
	if n := strings.Count(f.Said.String(), "--connections-per-address"); n < 1 || n > 1+int(time.Since(began)/time.Minute) {
		t.Errorf("the log tells %d times of the crowd", n)
	}
}

// answers has the farm answer several requests over connections of their own, and tells how long one of them took, the median.
func answers(f *farmtest.Farm) time.Duration {
	f.T.Helper()
	caller := &client.Client{Server: f.Server, Token: f.Token, HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	var took []time.Duration
	for range 9 {
		began := time.Now()
		if _, err := caller.Me(f.T.Context()); err != nil {
			f.T.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[len(took)/2]
}
