// Package s3test runs a real S3 server for tests: versitygw, which is built of the modules of tools/s3.mod when it is first asked for and kept in the
// user's cache folder.
package s3test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"overcrank/aep/aeptest"
	"overcrank/raftstore/porttest"
)

// Credentials of the server, and its region.
const (
	KeyID  = "overcrank-test"
	Secret = "not-to-be-found-anywhere"
	Region = "eu-test-1"
)

// Server is a running S3 server. Its objects survive Kill.
type Server struct {
	Address string // host:port, plain HTTP
	Domain  string // below which buckets are hosts too, from the next Restart on; "" for none
	Client  *minio.Client
	t       testing.TB
	program string
	dir     string
	said    bytes.Buffer
	cmd     *exec.Cmd
}

// Start starts a server with these buckets. It is killed when the test ends.
func Start(t testing.TB, buckets ...string) *Server {
	t.Helper()
	s := &Server{t: t, dir: t.TempDir(), program: program(t)}
	s.Address = porttest.Address(t)
	s.Restart()
	t.Cleanup(s.Kill)
	var err error
	s.Client, err = minio.New(s.Address, &minio.Options{Creds: credentials.NewStaticV4(KeyID, Secret, ""), Region: Region})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range buckets {
		if err := s.Client.MakeBucket(t.Context(), b, minio.MakeBucketOptions{Region: Region}); err != nil {
			t.Fatalf("making the bucket %s: %v; the server said\n%s", b, err, s.said.String())
		}
	}
	return s
}

// source is the folder of its program. It lies where no pattern of go finds it, since its modules are not those of this repository.
const source = "agent/upload/s3test/testdata/versitygw"

// unreachable is what go says on a machine that cannot download modules.
var unreachable = regexp.MustCompile(`dial tcp|no such host|module lookup disabled|connection refused|403 Forbidden`)

// program is the server's program, built unless an earlier test has built the same. Packages are tested beside each other, and
// each may be the first to ask: so it is built under a name of its own and takes its place by renaming, and nobody ever starts a
// file that somebody else still writes.
func program(t testing.TB) string {
	t.Helper()
	root := aeptest.Repository(t)
	sum := sha256.New()
	for _, name := range []string{"tools/s3.mod", "tools/s3.sum", source + "/main.go"} {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		sum.Write(text)
	}
	sum.Write([]byte(runtime.Version()))
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	built := filepath.Join(cache, "overcrank-tests", fmt.Sprintf("versitygw-%x", sum.Sum(nil)[:8]))
	if _, err := os.Stat(built); err == nil {
		return built
	}
	if err := os.MkdirAll(filepath.Dir(built), 0o700); err != nil {
		t.Fatal(err)
	}
	building, err := os.MkdirTemp(filepath.Dir(built), "building-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(building)
	fresh := filepath.Join(building, "versitygw")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-modfile=tools/s3.mod", "-o", fresh, "./"+source)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0") // as `make test`, which has compiled it
	if said, err := cmd.CombinedOutput(); err != nil {
		if unreachable.Match(said) {
			t.Skipf("the S3 server's modules cannot be had here:\n%s", said)
		}
		t.Fatalf("building the S3 server: %v\n%s", err, said)
	}
	if err := os.Rename(fresh, built); err != nil {
		t.Fatalf("keeping the S3 server for the next test: %v", err)
	}
	return built
}

// Kill ends the server without a word.
func (s *Server) Kill() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait() // it was killed, and says so
		s.cmd = nil
	}
}

// Down tells whether the server was killed.
func (s *Server) Down() bool { return s.cmd == nil }

// Restart starts a killed server again, at the same address, and waits until it answers.
func (s *Server) Restart() {
	s.t.Helper()
	data, meta := filepath.Join(s.dir, "data"), filepath.Join(s.dir, "meta")
	for _, dir := range []string{data, meta} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			s.t.Fatal(err)
		}
	}
	s.cmd = exec.Command(s.program, "-access", KeyID, "-secret", Secret, "-region", Region, "-listen", s.Address, "-virtual-domain", s.Domain,
		"-data", data, "-sidecar", meta)
	s.cmd.Stdout, s.cmd.Stderr = &s.said, &s.said
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", s.Address)
		if err == nil {
			if err := conn.Close(); err != nil {
				s.t.Fatal(err)
			}
			return
		}
	}
	s.Kill()
	s.t.Fatalf("the S3 server does not answer; it said\n%s", s.said.String())
}

// Age makes all objects an hour older.
func (s *Server) Age() {
	s.t.Helper()
	Age(s.t, filepath.Join(s.dir, "data"))
}

// Age makes all files of a folder an hour older.
func Age(t testing.TB, dir string) {
	t.Helper()
	then := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return os.Chtimes(path, then, then)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Read gives an object's content and what kind it is said to be of.
func (s *Server) Read(ctx context.Context, bucket, key string) (content []byte, contentType string, err error) {
	object, err := s.Client.GetObject(ctx, bucket, key, minio.GetObjectOptions{})
	if err != nil {
		return nil, "", fmt.Errorf("opening an object: %w", err)
	}
	content, err = io.ReadAll(object)
	info, lost := object.Stat()
	if err := errors.Join(err, lost, object.Close()); err != nil {
		return nil, "", fmt.Errorf("reading an object: %w", err)
	}
	return content, info.ContentType, nil
}
