package api_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"overcrank/aep"
	"overcrank/api"
	"overcrank/coordinator"
	"overcrank/farm"
)

// loadConnections is how many callers ask at the same time.
const loadConnections = 64

// millionVariable is the environment variable that makes the benchmarks of large farms run, and says with how many jobs.
const millionVariable = "OVERCRANK_BENCH_JOBS"

// loaded is a farm under load: a coordinator with its interface on a real port, as the program runs it, with its log in
// a file.
type loaded struct {
	b        *testing.B
	farm     *coordinator.Coordinator
	address  string
	token    string
	template string
	stop     func()
}

func startLoaded(b *testing.B, dir string) *loaded {
	b.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	logger := slog.New(slog.NewTextHandler(log, nil))
	l := &loaded{b: b, address: ln.Addr().String()}
	l.farm, err = coordinator.Open(b.Context(), coordinator.Config{DataDir: dir, PublicAddress: "http://" + l.address, Logger: logger})
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
	p := &aep.Project{Version: aep.Version{Major: 24, Minor: 1, OS: "windows"}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8}
	main := &aep.Item{ID: 1, Name: "main", Kind: aep.ItemComposition, Comp: &aep.Composition{
		Width: 1920, Height: 1080, PixelAspect: 1, FrameRate: 25, FrameTicks: 1024, TicksPerSecond: 25600, Duration: 4, WorkAreaDuration: 4,
	}}
	for i := range 40 {
		main.Comp.Layers = append(main.Comp.Layers, &aep.Layer{
			ID: uint32(100 + i), Name: fmt.Sprintf("layer %d", i), Kind: aep.LayerAV, Stretch: 100, Out: 4, Enabled: true,
			Props: &aep.Property{Match: "ADBE AV Layer", Group: true, Enabled: true},
		})
	}
	p.Items = append(p.Items, main)
	var project bytes.Buffer
	if err := aep.Write(&project, p); err != nil {
		l.b.Fatal(err)
	}
	who, err := l.farm.Authenticate(l.b.Context(), l.token)
	if err != nil {
		l.b.Fatal(err)
	}
	t, err := l.farm.CreateTemplate(l.b.Context(), who, coordinator.NewTemplate{Type: "aep", DisplayName: "bench"})
	if err != nil {
		l.b.Fatal(err)
	}
	_, query, _ := strings.Cut(l.farm.UploadAddress(t), "?")
	if err := l.farm.ReceiveTemplate(l.b.Context(), t.ID, query, &project, int64(project.Len())); err != nil {
		l.b.Fatal(err)
	}
	for deadline := time.Now().Add(patience); t.Status != farm.TemplateUploaded; time.Sleep(time.Millisecond) {
		if t, err = l.farm.Template(l.b.Context(), who, t.ID); err != nil || time.Now().After(deadline) {
			l.b.Fatalf("the template is %s %s, %v", t.Status, t.Error, err)
		}
	}
	return t.ID
}

// loadJob is a job of 2 KB with 6 assets.
func (l *loaded) loadJob(n int) []byte {
	text := func(layer, value string) map[string]any {
		return map[string]any{"type": "text", "layerName": layer, "value": value}
	}
	pad := strings.Repeat("words that stand in a title ", 4)
	job := map[string]any{
		"template": map[string]any{"id": l.template, "composition": "main"},
		"name":     fmt.Sprintf("variant %d", n),
		"tags":     []string{"campaign-" + strconv.Itoa(n%50), "shop-" + strconv.Itoa(n%10_000)},
		"settings": map[string]any{"codec": "video_h264_vbr_15mbps", "quality": "full"},
		"assets": []any{
			text("title", fmt.Sprintf("Number %d — %s", n, pad)), text("subtitle", pad+pad),
			map[string]any{"type": "image", "layerName": "product", "src": fmt.Sprintf("https://cdn.shop.example/products/2026/autumn/%d/front-1920.png", n)},
			map[string]any{"type": "data", "layerName": "price", "property": "Source Text.fontSize", "value": 48 + n%9},
			map[string]any{"type": "data", "layerName": "backdrop", "property": "Effects.Fill.Color", "value": []float64{0.1, 0.5, 0.25}},
			map[string]any{"type": "function", "name": "nx:layer-state-set", "params": map[string]any{"layerName": "badge", "visible": n%2 == 0}},
		},
	}
	body, err := json.Marshal(job)
	if err != nil {
		l.b.Fatal(err)
	}
	if missing := 2048 - len(body); missing > 0 {
		job["assets"].([]any)[1].(map[string]any)["value"] = pad + pad + strings.Repeat("x", missing)
		body, _ = json.Marshal(job)
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
			var answer fasthttp.Response
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
				if err := answer.Read(answers); err != nil || answer.StatusCode() != status {
					b.Errorf("%v, %d %.300s", err, answer.StatusCode(), answer.Body())
					return
				}
				took[n] = time.Since(at)
				if see != nil {
					see(n, answer.Body())
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

// BenchmarkSubmit submits jobs of 2 KB with 6 assets from 64 connections; each is answered when it is on the disk.
func BenchmarkSubmit(b *testing.B) {
	l := startLoaded(b, b.TempDir())
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
	ids := l.fill(b, 2000)
	requests := make([][]byte, len(ids))
	for n, id := range ids {
		requests[n] = l.request(fiber.MethodGet, "/api/v2/jobs/"+id, nil)
	}
	b.ResetTimer()
	l.run(b, loadConnections, b.N, fiber.StatusOK, func(n int) []byte { return requests[n%len(requests)] }, nil)
}

// fill submits that many jobs and gives their ids.
func (l *loaded) fill(b *testing.B, total int) []string {
	b.Helper()
	ids := make([]string, total)
	l.run(b, loadConnections, total, fiber.StatusCreated,
		func(n int) []byte { return l.request(fiber.MethodPost, "/api/v2/jobs", l.loadJob(n)) },
		func(n int, body []byte) {
			var job struct{ ID string }
			if err := json.Unmarshal(body, &job); err != nil {
				b.Error(err)
			}
			ids[n] = job.ID
		})
	return ids
}
