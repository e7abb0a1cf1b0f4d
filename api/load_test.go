//go:build unix

package api_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api"
	"overcrank/api/public"
	"overcrank/coordinator"
	"overcrank/coordinator/templates"
	"overcrank/farm"
)

// loadConnections is how many callers ask at the same time.
const loadConnections = 64

// largeVariable is the environment variable that lets the benchmark of a large farm run, and says with how many jobs.
const largeVariable = "OVERCRANK_BENCH_JOBS"

// loaded is a farm under load: a coordinator with its interface on a real port, as the program runs it, with its log in
// a file.
type loaded struct {
	b        *testing.B
	dir      string
	farm     *coordinator.Coordinator
	address  string
	token    string
	template string
	stop     func()
}

func startLoaded(b *testing.B, dir string) *loaded {
	b.Helper()
	processors := runtime.GOMAXPROCS(0)
	b.Cleanup(func() { runtime.GOMAXPROCS(processors) })
	coordinator.PaceProcess() // as a coordinator does
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	logger := slog.New(slog.NewTextHandler(log, nil))
	l := &loaded{b: b, dir: dir, address: ln.Addr().String()}
	l.farm, err = coordinator.Open(b.Context(), coordinator.Config{DataDir: dir, PublicAddress: "http://" + l.address, Logger: logger, DescribeJob: public.DescribeJob})
	if err != nil {
		b.Fatal(err)
	}
	if l.token, err = l.farm.NewAdminToken(b.Context(), func(string) error { return nil }); err != nil {
		b.Fatal(err)
	}
	app := api.NewApp(logger)
	stop := api.Mount(app, api.Config{Farm: l.farm, Version: "0.0.0-bench", Logger: logger})
	served := make(chan error, 1)
	go func() { served <- app.Listener(ln) }()
	l.stop = sync.OnceFunc(func() {
		stop()
		if err := app.ShutdownWithTimeout(patience); err != nil {
			b.Error(err)
		}
		if err := <-served; err != nil {
			b.Error(err)
		}
		if err := l.farm.Close(); err != nil {
			b.Error(err)
		}
		_ = log.Close()
	})
	b.Cleanup(l.stop)
	for deadline := time.Now().Add(patience); l.farm.Ready() != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			b.Fatal(l.farm.Ready())
		}
	}
	l.template = l.uploadTemplate()
	return l
}

// uploadTemplate registers a project with one composition and waits until the farm has read it.
func (l *loaded) uploadTemplate() string {
	l.b.Helper()
	file := project(l.b, 40)
	who, err := l.farm.Authenticate(l.b.Context(), l.token)
	if err != nil {
		l.b.Fatal(err)
	}
	t, err := l.farm.Templates().Create(l.b.Context(), who, templates.New{Type: "aep", DisplayName: "bench"})
	if err != nil {
		l.b.Fatal(err)
	}
	_, query, _ := strings.Cut(l.farm.Templates().UploadAddress(t), "?")
	if err := l.farm.Templates().Receive(l.b.Context(), t.ID, query, bytes.NewReader(file), int64(len(file))); err != nil {
		l.b.Fatal(err)
	}
	for deadline := time.Now().Add(patience); t.Status != farm.TemplateUploaded; time.Sleep(time.Millisecond) {
		if t, err = l.farm.Templates().Get(l.b.Context(), who, t.ID); err != nil || time.Now().After(deadline) {
			l.b.Fatalf("the template is %s %s, %v", t.Status, t.Error, err)
		}
	}
	return t.ID
}

// loadWords are what titles in the benchmarks are made of.
const loadWords = `autumn sale begins on friday with prices that nobody has seen before and a film for every product in the shop which
shows its colour size name and the new logo of our house while music plays under it until the end card appears with address and date`

// loadJob is a job of 2 KB with 6 assets, another one for each n.
func (l *loaded) loadJob(n int) json.RawMessage {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	words := strings.Fields(loadWords)
	sentence := func(size int) string {
		var text strings.Builder
		for text.Len() < size {
			text.WriteString(words[random.IntN(len(words))])
			text.WriteByte(' ')
		}
		return text.String()[:size]
	}
	job := map[string]any{
		"template": map[string]any{"id": l.template, "composition": "main"},
		"name":     fmt.Sprintf("variant %d", n),
		"tags":     []string{"campaign-" + strconv.Itoa(n%50)},
		"priority": n%3 - 1,
		"settings": map[string]any{"codec": "video_h264_vbr_15mbps", "quality": "full"},
		"assets": []any{
			map[string]any{"type": "text", "layerName": "title", "value": sentence(120)},
			map[string]any{"type": "text", "layerName": "terms", "value": sentence(1060)},
			map[string]any{"type": "image", "layerName": "product", "src": fmt.Sprintf("https://cdn.shop.example/products/2026/autumn/%d/front-1920.png", random.Uint64())},
			map[string]any{"type": "data", "layerName": "price", "property": "Source Text.fontSize", "value": 48 + n%9},
			map[string]any{"type": "data", "layerName": "backdrop", "property": "Effects.Fill.Color", "value": []float64{random.Float64(), 0.5, 0.25}},
			map[string]any{"type": "function", "name": "nx:layer-state-set", "params": map[string]any{"layerName": "badge", "visible": n%2 == 0}},
		},
	}
	if n%100 == 77 {
		job["tags"] = append(job["tags"].([]string), "shop-"+strconv.Itoa(n%10_000))
	}
	body, err := json.Marshal(job)
	if err != nil {
		l.b.Fatal(err)
	}
	return body
}

// request is a whole HTTP request as it goes over the wire.
func (l *loaded) request(method, path string, body []byte) []byte {
	head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n", method, path, l.address, l.token)
	if body != nil {
		head += fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	return append([]byte(head+"\r\n"), body...)
}

// run sends total requests over that many connections; next makes the n-th. It reports the rate, the median and the
// 99th percentile of the times, and the processor time of each request, the load generator's share included. The answers
// go to see, which may be nil.
func (l *loaded) run(b *testing.B, connections, total, status int, next func(n int) []byte, see func(n int, body []byte)) {
	b.Helper()
	took := make([]time.Duration, total)
	var sent atomic.Int64
	var group sync.WaitGroup
	processor := processorTime()
	began := time.Now()
	for range min(connections, total) {
		group.Go(func() {
			conn, err := net.Dial("tcp", l.address)
			if err != nil {
				b.Error(err)
				return
			}
			defer conn.Close()
			answers := bufio.NewReaderSize(conn, 64<<10)
			var body []byte
			for {
				n := int(sent.Add(1)) - 1
				if n >= total {
					return
				}
				request := next(n)
				at := time.Now()
				if _, err := conn.Write(request); err != nil {
					b.Error(err)
					return
				}
				var got int
				if got, body, err = readAnswer(answers, body); err != nil || got != status {
					b.Errorf("%v, %d %.300s", err, got, body)
					return
				}
				took[n] = time.Since(at)
				if see != nil {
					see(n, body)
				}
			}
		})
	}
	group.Wait()
	elapsed := time.Since(began)
	slices.Sort(took)
	milliseconds := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(total)/elapsed.Seconds(), "requests/s")
	b.ReportMetric(milliseconds(took[total/2]), "p50-ms")
	b.ReportMetric(milliseconds(took[total*99/100]), "p99-ms")
	b.ReportMetric(float64((processorTime()-processor).Microseconds())/float64(total), "cpu-µs/op")
}

// readAnswer reads an answer that says how long it is, and puts its body into the room of the one before.
func readAnswer(r *bufio.Reader, room []byte) (status int, body []byte, err error) {
	size := 0
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return status, nil, err
		}
		line = bytes.TrimSpace(line)
		switch name, value, _ := bytes.Cut(line, []byte(":")); {
		case len(line) == 0:
			body = slices.Grow(room[:0], size)[:size]
			_, err := io.ReadFull(r, body)
			return status, body, err
		case status == 0 && len(line) > 12:
			status, err = strconv.Atoi(string(line[9:12]))
		case string(name) == fiber.HeaderContentLength:
			size, err = strconv.Atoi(string(bytes.TrimSpace(value)))
		}
		if err != nil {
			return status, nil, err
		}
	}
}

// BenchmarkSubmit submits jobs of 2 KB with 6 assets from 64 connections; each is answered when it is on the disk.
func BenchmarkSubmit(b *testing.B) { startLoaded(b, b.TempDir()).benchmarkSubmit(b) }

func (l *loaded) benchmarkSubmit(b *testing.B) {
	jobs := make([][]byte, 1000)
	for n := range jobs {
		jobs[n] = l.request(fiber.MethodPost, "/api/v2/jobs", l.loadJob(n))
	}
	b.ResetTimer()
	l.run(b, loadConnections, b.N, fiber.StatusCreated, func(n int) []byte { return jobs[n%len(jobs)] }, nil)
}

// BenchmarkGetJob reads jobs one by one from 64 connections.
func BenchmarkGetJob(b *testing.B) {
	l := startLoaded(b, b.TempDir())
	l.benchmarkGet(b, l.fill(b, 20_000))
}

func (l *loaded) benchmarkGet(b *testing.B, ids []string) {
	requests := make([][]byte, len(ids))
	for n, id := range ids {
		requests[n] = l.request(fiber.MethodGet, "/api/v2/jobs/"+id, nil)
	}
	b.ResetTimer()
	l.run(b, loadConnections, b.N, fiber.StatusOK, func(n int) []byte { return requests[n%len(requests)] }, nil)
}

// BenchmarkBatch submits 1,000 jobs in one request, one request after the other.
func BenchmarkBatch(b *testing.B) {
	l := startLoaded(b, b.TempDir())
	requests := [][]byte{l.batch(0), l.batch(1), l.batch(2)}
	b.ResetTimer()
	l.run(b, 1, b.N, fiber.StatusCreated, func(n int) []byte { return requests[n%len(requests)] }, nil)
}

// batchSize is how many jobs one request submits at most.
const batchSize = 1000

// batch is the n-th request that submits batchSize jobs.
func (l *loaded) batch(n int) []byte {
	jobs := make([]json.RawMessage, batchSize)
	for i := range jobs {
		jobs[i] = l.loadJob(n*batchSize + i)
	}
	body, err := json.Marshal(map[string]any{"jobs": jobs})
	if err != nil {
		l.b.Fatal(err)
	}
	return l.request(fiber.MethodPost, "/api/v2/batches", body)
}

// fill submits that many jobs, a thousand at least, in batches, and gives the ids of some of them.
func (l *loaded) fill(b *testing.B, total int) []string {
	b.Helper()
	const some = 10 // of each batch
	batches := total / batchSize
	ids := make([]string, some*batches)
	l.run(b, 2, batches, fiber.StatusCreated, l.batch, func(n int, body []byte) {
		var answer struct{ Jobs []struct{ ID string } }
		if err := json.Unmarshal(body, &answer); err != nil || len(answer.Jobs) != batchSize {
			b.Errorf("%v, %d jobs", err, len(answer.Jobs))
			return
		}
		for i := range some {
			ids[n*some+i] = answer.Jobs[i*batchSize/some].ID
		}
	})
	return ids
}

// loadLists are queries of GET /jobs.
func loadLists() []string {
	day := time.Now().UTC()
	from, to := day.Add(-time.Hour).Format(time.RFC3339), day.Add(time.Hour).Format(time.RFC3339)
	return []string{
		"", "minimal=true", "from=1000", "sort=newest_first&from=1000", "sort=priority&from=1000", "sort=random",
		"states=queued,error&tags=campaign-7&from=1000", "states=queued&tags=shop-777", "tags=campaign-1,shop-177&from=1000", "tags=nobody&sort=priority",
		"states=finished&tags=campaign-7", "from_date=" + from + "&to_date=" + to + "&tags=campaign-9", "from_date=" + from + "&states=queued&sort=priority&from=1000",
		"from=10000",
	}
}

// list asks for 100 jobs, one request after the other.
func (l *loaded) list(b *testing.B) {
	for _, query := range loadLists() {
		b.Run(cmp.Or(query, "no filter"), func(b *testing.B) {
			request := l.request(fiber.MethodGet, "/api/v2/jobs?limit=100&"+query, nil)
			l.run(b, 1, b.N, fiber.StatusOK, func(int) []byte { return request }, nil)
		})
	}
}

// BenchmarkListJobs lists pages of a farm of 20,000 jobs.
func BenchmarkListJobs(b *testing.B) {
	l := startLoaded(b, b.TempDir())
	l.fill(b, 20_000)
	l.list(b)
}

// BenchmarkLarge fills a farm with as many jobs as OVERCRANK_BENCH_JOBS says, and measures it then: memory, submitting,
// reading, listing, and starting again.
func BenchmarkLarge(b *testing.B) {
	jobs, err := strconv.Atoi(os.Getenv(largeVariable))
	if err != nil || jobs < batchSize {
		b.Skipf("make bench BENCH=million, or %s=1000000, runs it", largeVariable)
	}
	dir := b.TempDir()
	l := startLoaded(b, dir)
	var ids []string
	b.Run("fill", func(b *testing.B) {
		if ids == nil {
			ids = l.fill(b, jobs)
		}
	})
	b.Run("submit", func(b *testing.B) { l.benchmarkSubmit(b) })
	b.Run("get", func(b *testing.B) { l.benchmarkGet(b, ids) })
	b.Run("list", l.list)
	b.Run("memory", func(b *testing.B) { // behind the others: whoever allocates next waits for the system to give the memory back
		for b.Loop() {
			l.reportMemory(b)
		}
	})
	b.Run("restart", func(b *testing.B) {
		for b.Loop() {
			l.stop()
			l = startLoaded(b, dir)
		}
	})
	b.Run("restart after a loss of power", func(b *testing.B) {
		for b.Loop() {
			l.stop()
			l.losePower(b)
			l = startLoaded(b, dir)
		}
	})
}

// losePower makes a farm that has stopped look as if its machine had gone down meanwhile: its state file is not believed any more,
// and is made again from the newest snapshot and the log.
func (l *loaded) losePower(b *testing.B) {
	b.Helper()
	if err := os.WriteFile(filepath.Join(l.dir, "state", "state.mark"), []byte("running since boot of another day\n"), 0o600); err != nil {
		b.Fatal(err)
	}
}

// reportMemory reports what the process has in memory after a collection, in MB: all of it, and what of it is its own rather
// than pages of files, which the system takes back when it needs them.
func (l *loaded) reportMemory(b *testing.B) {
	b.Helper()
	debug.FreeOSMemory()
	resident, own, ok := residentMemory()
	if ok {
		b.ReportMetric(float64(resident)/(1<<20), "resident-MB")
		b.ReportMetric(float64(own)/(1<<20), "own-MB")
	}
	if state, err := os.Stat(filepath.Join(l.dir, "state", "state.db")); err == nil {
		b.ReportMetric(float64(state.Size())/(1<<20), "state-MB")
	}
}
