// Package fetch brings the files of a job to a workstation: web addresses, data: values and, inside the folders that the
// machine's owner allows, its own files.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"overcrank/farm/address"
	"overcrank/outbound"
)

// Error is a file that did not come. Reason is short and names nothing secret: "403", "timed out", "host not found".
type Error struct {
	Reason string
	Retry  bool // another attempt, later or elsewhere, might go better
	Err    error
	hung   bool // nothing came for too long: it is not worth a slot to wait as long again
}

func (e *Error) Error() string { return "download failed (" + e.Reason + ")" }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Found is what a fetched file told of itself; every field may be "".
type Found struct {
	Name        string // base name of the address
	ContentType string
}

// Fetcher fetches by address. The zero value refuses file: addresses.
type Fetcher struct {
	Roots   []string         // folders that file: addresses may point into
	Limit   int64            // bytes of one file
	Headway outbound.Headway // of a file from the web, also before its first byte; all its tries together
	Tries   int              // of a web address that fails in passing
	Backoff time.Duration    // before the second try, doubled each time
	guard   outbound.Guard
	client  *http.Client
}

// New makes a Fetcher that asks only machines that the guard allows.
func New(roots []string, guard outbound.Guard) *Fetcher {
	transport := guard.Transport()
	transport.Proxy = http.ProxyFromEnvironment
	return &Fetcher{
		Roots: roots, Limit: 20 << 30, Headway: outbound.UsualHeadway(30 * time.Second), Tries: 3, Backoff: time.Second, guard: guard, client: guard.Client(transport),
	}
}

// Close ends idle connections.
func (f *Fetcher) Close() { f.client.CloseIdleConnections() }

// Get writes the file at src into dst, which appears only when it is whole.
func (f *Fetcher) Get(ctx context.Context, src, dst string) (Found, error) {
	scheme, _, ok := strings.Cut(src, ":")
	if !ok {
		return Found{}, &Error{Reason: "the address has no scheme such as https:"}
	}
	switch strings.ToLower(scheme) {
	case "http", "https":
		return f.web(ctx, src, dst)
	case "s3":
		object, err := address.Bucket(src)
		if err != nil {
			return Found{}, &Error{Reason: err.Error(), Err: err}
		}
		return f.web(ctx, object, dst)
	case "data":
		return f.data(src, dst)
	case "file":
		return f.local(src, dst)
	default:
		return Found{}, &Error{Reason: fmt.Sprintf("addresses of kind %.20s: are not known", scheme)}
	}
}

func (f *Fetcher) data(src, dst string) (Found, error) {
	content, mediaType, err := address.Data(src)
	if err != nil {
		return Found{}, &Error{Reason: err.Error(), Err: err}
	}
	if err := write(dst, func(w io.Writer) error { _, err := w.Write(content); return err }); err != nil {
		return Found{}, err
	}
	return Found{ContentType: mediaType}, nil
}

// local copies a file of this machine. Links are followed before the folder is compared, so that none leads out.
func (f *Fetcher) local(src, dst string) (Found, error) {
	u, err := url.Parse(src)
	if err != nil || u.Host != "" && u.Host != "localhost" {
		return Found{}, &Error{Reason: "the file: address is not one of this machine", Err: err}
	}
	name := filepath.FromSlash(u.Path)
	if filepath.VolumeName(strings.TrimPrefix(name, `\`)) != "" {
		name = strings.TrimPrefix(name, `\`)
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil || !f.allowed(real) {
		return Found{}, &Error{Reason: "the file is not there, or not in a folder that this farm allows", Err: err}
	}
	in, err := os.Open(real)
	if err != nil {
		return Found{}, &Error{Reason: "the file cannot be read", Retry: true, Err: err}
	}
	defer in.Close()
	if info, err := in.Stat(); err != nil || !info.Mode().IsRegular() {
		return Found{}, &Error{Reason: "the file is not a plain file", Err: err}
	}
	if err := write(dst, func(w io.Writer) error { return f.copy(w, in, nil) }); err != nil {
		return Found{}, err
	}
	return Found{Name: filepath.Base(real)}, nil
}

func (f *Fetcher) allowed(real string) bool {
	for _, root := range f.Roots {
		realRoot, err := filepath.EvalSymlinks(root)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(realRoot, real); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// web downloads, and tries again what failed in passing. One watch is over all tries: together they hold a slot no longer than one.
func (f *Fetcher) web(parent context.Context, src, dst string) (Found, error) {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	watch := f.Headway.Watch(func(why error) { cancel(&Error{Reason: why.Error(), Retry: true, Err: why, hung: true}) })
	defer watch.Stop()
	pause := f.Backoff
	for try := 1; ; try++ {
		found, err := f.once(ctx, src, dst, watch)
		var failed *Error
		if err == nil || !errors.As(err, &failed) || !failed.Retry || failed.hung || try >= f.Tries {
			return found, err
		}
		select {
		case <-time.After(pause):
		case <-parent.Done():
			return Found{}, context.Cause(parent)
		case <-ctx.Done():
			return Found{}, err
		}
		pause *= 2
	}
}

func (f *Fetcher) once(ctx context.Context, src, dst string, watch *outbound.Watch) (Found, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, src, nil)
	if err != nil {
		return Found{}, &Error{Reason: "the address is not well formed", Err: err}
	}
	if req.URL.Host == "" {
		return Found{}, &Error{Reason: "the address names no host"}
	}
	if err := f.guard.Check(req.URL); err != nil {
		return Found{}, reason(ctx, err)
	}
	res, err := f.client.Do(req)
	if err != nil {
		return Found{}, reason(ctx, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		s := res.StatusCode
		return Found{}, &Error{Reason: fmt.Sprint(s), Retry: s >= 500 || s == http.StatusRequestTimeout || s == http.StatusTooManyRequests}
	}
	if res.ContentLength > f.Limit {
		return Found{}, tooLarge(f.Limit)
	}
	err = write(dst, func(w io.Writer) error { return f.copy(w, res.Body, watch) })
	if err != nil {
		return Found{}, reason(ctx, err)
	}
	return Found{Name: nameOf(res), ContentType: mediaType(res.Header)}, nil
}

func mediaType(h http.Header) string {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return kind
}

// nameOf is the base name that a server gives a file, or else that of its address.
func nameOf(res *http.Response) string {
	if _, params, err := mime.ParseMediaType(res.Header.Get("Content-Disposition")); err == nil && params["filename"] != "" {
		return path.Base(strings.ReplaceAll(params["filename"], `\`, "/"))
	}
	if name := path.Base(res.Request.URL.Path); name != "/" && name != "." {
		return name
	}
	return ""
}
