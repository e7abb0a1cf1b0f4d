package panel_test

import (
	"log/slog"
	"net"
	"testing"
	"time"

	"go.uber.org/goleak"

	"overcrank/aep"
	"overcrank/api"
	"overcrank/api/public"
	"overcrank/coordinator"
	"overcrank/faults/leaktest"
	"overcrank/inbound"
)

func TestMain(m *testing.M) {
	// fasthttp keeps one goroutine for the Date header, and each server's cleaner sleeps up to 10 s past its end.
	leaktest.Main(m, goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
		goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock")) // ends by itself a while after the last expression
}

const patience = 2 * time.Minute

// farm is a real coordinator on a real port, which takes http: and https: alike.
type farm struct {
	*coordinator.Coordinator
	http, https, token, authority string
}

func startFarm(t *testing.T) *farm {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	logger := slog.New(slog.DiscardHandler)
	f := &farm{http: "http://" + ln.Addr().String(), https: "https://" + ln.Addr().String()}
	f.Coordinator, err = coordinator.Open(t.Context(), coordinator.Config{DataDir: t.TempDir(), DescribeJob: public.DescribeJob, PublicAddress: f.http, MinFree: 1})
	if err != nil {
		t.Fatal(err)
	}
	if f.token, err = f.FirstToken(t.Context(), func(string) error { return nil }); err != nil {
		t.Fatal(err)
	}
	who, err := f.Authenticate(t.Context(), f.token)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Authority(t.Context(), who)
	if err != nil {
		t.Fatal(err)
	}
	f.authority = info.PEM
	app := api.NewApp(logger)
	stop := api.Mount(app, api.Config{Farm: f.Coordinator, Version: "0.1.0-test", Logger: logger})
	served := make(chan error, 1)
	go func() {
		served <- app.Listener(api.TLS(inbound.Listen(ln, inbound.Bounds{Total: 1 << 10}, logger), f.TLS([]string{"127.0.0.1"}, nil), logger))
	}()
	t.Cleanup(func() {
		stop()
		if err := app.ShutdownWithTimeout(patience); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// footage is an item that shows a file.
func footage(id uint32, path string) *aep.Item {
	return &aep.Item{ID: id, Name: "plate", Kind: aep.ItemFootage, Footage: &aep.Footage{Kind: aep.FootageFile, Width: 32, Height: 48, PixelAspect: 1, Still: true,
		HasVideo: true, Format: "png!", File: aep.FileReference{FullPath: path, Resolved: path}}}
}

// layerOf shows an item.
func layerOf(id, source uint32) *aep.Layer {
	return &aep.Layer{ID: id, Kind: aep.LayerAV, Source: source, Out: 2, Stretch: 100, Blend: aep.BlendNormal, Enabled: true, Quality: 2,
		Props: &aep.Property{Match: "ADBE AV Layer", Group: true, Enabled: true}}
}

func composition(id uint32, name string, layers ...*aep.Layer) *aep.Item {
	return &aep.Item{ID: id, Name: name, Kind: aep.ItemComposition, Comp: &aep.Composition{Width: 64, Height: 48, PixelAspect: 1, FrameRate: 25,
		FrameTicks: 1000, TicksPerSecond: 25000, Duration: 2, WorkAreaDuration: 2, Layers: layers}}
}

func projectOf(items ...*aep.Item) *aep.Project {
	return &aep.Project{Version: aep.Version{Major: 24}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8, Items: items}
}
