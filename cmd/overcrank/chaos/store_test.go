//go:build linux

package chaos_test

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"overcrank/agent/upload/s3test"
	"overcrank/faults"
)

const bucket = "farm"

// store is the storage that all coordinators share: a real S3 server, which misbehaves to order.
type store struct {
	*faults.Storage
	server  *s3test.Server
	http    *http.Server
	serving sync.WaitGroup
	flag    string // for --storage
	keys    string // for --storage-credentials
}

// newStore has the storage answer at ip.
func newStore(server *s3test.Server, ip, folder string) (*store, error) {
	ln, err := net.Listen("tcp", net.JoinHostPort(ip, "0"))
	if err != nil {
		return nil, err
	}
	s := &store{
		Storage: faults.NewStorage(&url.URL{Scheme: "http", Host: server.Address}), server: server, keys: filepath.Join(folder, "credentials"),
		flag: "s3://" + bucket + "/chaos?endpoint=http://" + ln.Addr().String() + "&region=" + s3test.Region,
	}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	s.serving.Go(func() { _ = s.http.Serve(ln) })
	text := "[default]\naws_access_key_id = " + s3test.KeyID + "\naws_secret_access_key = " + s3test.Secret + "\n"
	return s, os.WriteFile(s.keys, []byte(text), 0o600)
}

func (s *store) close() {
	s.Set(faults.StorageWell, nil)
	_ = s.http.Close()
	s.serving.Wait()
}

// results counts the results in the storage, by job.
func (s *store) results(ctx context.Context) (map[string]int, error) {
	found := map[string]int{}
	for object := range s.server.Client.ListObjects(ctx, bucket, minio.ListObjectsOptions{Prefix: "chaos/outputs/", Recursive: true}) {
		if object.Err != nil {
			return nil, object.Err
		}
		id, _, _ := strings.Cut(strings.TrimPrefix(object.Key, "chaos/outputs/"), "-")
		found[id]++
	}
	return found, nil
}

// ofStorage is what befalls the storage, or a part of what is asked of it.
func (m *misfortune) ofStorage() fault {
	s := m.farm.store
	what := pick(m.chance, faults.StorageStalls, faults.StorageStalls, faults.StorageResets, faults.StorageErrs)
	some := pick(m.chance, "all", "reads", "writes")
	only := map[string]func(*http.Request) bool{
		"all":    nil,
		"reads":  func(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead },
		"writes": func(r *http.Request) bool { return r.Method != http.MethodGet && r.Method != http.MethodHead },
	}[some]
	return fault{"storage: it " + what.String() + ", " + some, func() { s.Set(what, only) }, func() { s.Set(faults.StorageWell, nil) }}
}

// serveStorage starts the S3 server, unless the farm of this run has a folder of its own.
func serveStorage(t *testing.T, s settings) *s3test.Server {
	if s.nodes == 1 {
		return nil
	}
	return s3test.Start(t, bucket)
}
