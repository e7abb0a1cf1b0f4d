package api_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"overcrank/coordinator"
)

const (
	crowdSize = 10_000
	// crowdEnv names the server for the process that is the crowd: the ends of 10,000 connections are more files than
	// many systems let one process open.
	crowdEnv       = "OVERCRANK_TEST_CROWD"
	theCrowdIsHere = "the crowd is here"
)

// TestTenThousandOpenConnectionsHoldNothingUp has connections that were answered once and then stay idle, and lets other
// callers work among them.
func TestTenThousandOpenConnectionsHoldNothingUp(t *testing.T) {
	if address := os.Getenv(crowdEnv); address != "" {
		beTheCrowd(t, address)
		return
	}
	if testing.Short() {
		t.Skip("it opens 10,000 connections")
	}
	patient := func(s *fasthttp.Server) { // a busy machine takes its time to open so many
		s.ReadTimeout, s.WriteTimeout, s.IdleTimeout = time.Hour, time.Hour, time.Hour
	}
	r := startBehind(t, patient, coordinator.Config{DataDir: t.TempDir()})
	before := memoryInUse()

	crowd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	crowd.Env = append(os.Environ(), crowdEnv+"="+strings.TrimPrefix(r.base, "http://"))
	input, err := crowd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := crowd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := crowd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(output)
	heard := ""
	for heard != theCrowdIsHere && said.Scan() {
		heard = said.Text()
	}
	if heard == theCrowdIsHere {
		perConnection := (int64(memoryInUse()) - int64(before)) / crowdSize
		t.Logf("an idle connection takes %d KiB", perConnection>>10)
		if perConnection > 64<<10 {
			t.Errorf("an idle connection takes %d bytes", perConnection)
		}
		for range 20 {
			r.submit(srcJob)
		}
		var jobs []jobAnswer
		r.get("/api/v2/jobs").into(http.StatusOK, &jobs)
		if len(jobs) != 20 {
			t.Errorf("%d jobs were submitted among the crowd, want 20", len(jobs))
		}
	}
	input.Close()
	words := heard
	for said.Scan() { // to its end, or Wait would cut it
		words += "\n" + said.Text()
	}
	err = crowd.Wait()
	if err != nil && strings.Contains(words, "too many open files") {
		t.Skipf("the system does not let a process open %d files", crowdSize)
	}
	if err != nil {
		t.Fatalf("the crowd: %v\n%s", err, words)
	}
}

// beTheCrowd opens the connections, waits for the end of its input, and makes sure that they can all go on.
func beTheCrowd(t *testing.T, address string) {
	conns := make([]net.Conn, crowdSize)
	defer func() {
		for _, conn := range conns {
			if conn != nil {
				conn.Close()
			}
		}
	}()
	onEach(t, func(i int) (err error) {
		if conns[i], err = net.DialTimeout("tcp", address, patience); err != nil {
			return err
		}
		return ask(conns[i])
	})
	fmt.Println(theCrowdIsHere)
	_, _ = io.Copy(io.Discard, os.Stdin)
	onEach(t, func(i int) error { return ask(conns[i]) })
}

// onEach does something for all connections, a few at a time.
func onEach(t *testing.T, do func(i int) error) {
	t.Helper()
	const atOnce = 16
	var all sync.WaitGroup
	for w := range atOnce {
		all.Go(func() {
			for i := w; i < crowdSize; i += atOnce {
				if err := do(i); err != nil {
					t.Errorf("connection %d: %v", i, err)
					return
				}
			}
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// ask makes one request on an open connection.
func ask(conn net.Conn) error {
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: farm\r\n\r\n"); err != nil {
		return err
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return err
}

// memoryInUse is what heap and stacks take.
func memoryInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}
