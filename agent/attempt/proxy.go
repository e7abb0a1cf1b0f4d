package attempt

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"overcrank/agent/farmclient"
	"overcrank/agent/film"
	"overcrank/farm/wire"
)

// proxyPatience is how long a proxy may take, until it is with the farm. The result waits for it no longer.
const proxyPatience = 20 * time.Minute

// beginProxy makes a small film of a result that browsers do not play, and hands it over, while the result is on its way. done waits for it, unless
// the result could not be delivered. A result is delivered without one rather than not at all.
func (t *attempt) beginProxy(ctx context.Context, r result) (done func(delivered error)) {
	if !t.lease.Proxy || t.machine.Farm == nil || r.path == "" || r.info.Frames < 2 && len(r.stills) < 2 {
		return func(error) {}
	}
	ctx, cancel := context.WithTimeout(ctx, proxyPatience)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := t.safely(func() error { return t.handOverProxy(ctx, r) }); err != nil && ctx.Err() == nil {
			t.say("there is no small film to look at: browsers will show single frames")
			t.log.Info("no proxy was made", "error", err)
		}
	}()
	return func(delivered error) {
		if delivered != nil {
			cancel()
		}
		<-ended
		cancel()
	}
}

func (t *attempt) handOverProxy(ctx context.Context, r result) error {
	shown := film.Shown{Path: r.path, Info: r.info}
	if len(r.stills) > 0 {
		shown = film.Shown{Stills: r.stills, Info: r.info, Rate: r.rate}
	}
	shown.Encoders = t.machine.Inventory().Encoders
	dir := filepath.Join(t.dir, "tmp")
	path := filepath.Join(dir, "proxy.mp4")
	if err := film.Proxy(ctx, shown, dir, path); err != nil {
		return err
	}
	in, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("opening the proxy: %w", err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return fmt.Errorf("opening the proxy: %w", err)
	}
	at := wire.PathProxy + farmclient.Escape(t.lease.Task) + "/" + strconv.Itoa(t.lease.Attempt.Attempt)
	res, err := t.machine.Farm.Do(ctx, http.MethodPut, at, "video/mp4", in, info.Size())
	if err != nil {
		return fmt.Errorf("handing the proxy over: %w", err)
	}
	t.say("a small film to look at is with the farm: %d KiB", info.Size()>>10)
	return res.Body.Close()
}
