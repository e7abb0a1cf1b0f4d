package attempt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"overcrank/agent/cache"
	"overcrank/agent/farmclient"
	"overcrank/agent/fetch"
	"overcrank/agent/film"
	"overcrank/agent/project"
	"overcrank/agent/script"
	"overcrank/farm"
	"overcrank/farm/names"
)

// fetchesAtOnce is how many files of one attempt come at once.
const fetchesAtOnce = 4

// fetchedFile is a file on this machine, with the name it had.
type fetchedFile struct {
	path string
	name string
	kind string // media type, "" when not known
	// layout is set for a project that the cache had unpacked: it is laid out already, and has no path.
	layout *project.Layout
}

// fetched are the files of a lease.
type fetched struct {
	project fetchedFile
	assets  []script.Asset // in the lease's order
}

// sources fetches what a lease names: files of the farm's store by their content, others from where they are.
type sources struct{ *attempt }

// fetch brings the project, the assets and the fonts.
func (t sources) fetch(ctx context.Context) (fetched, error) {
	began := time.Now()
	files := fetched{assets: make([]script.Asset, len(t.lease.Assets))}
	fetches := []func(context.Context) error{func(ctx context.Context) (err error) {
		files.project, err = t.project(ctx)
		return err
	}}
	for i, a := range t.lease.Assets {
		fetches = append(fetches, func(ctx context.Context) (err error) {
			files.assets[i], err = t.asset(ctx, i, a)
			return err
		})
	}
	for _, font := range t.lease.Fonts {
		fetches = append(fetches, func(ctx context.Context) error { return t.font(ctx, font) })
	}
	err := t.atOnce(ctx, fetches)
	t.watch.fetched(time.Since(began))
	return files, err
}

// atOnce runs some of the fetches at once, until all are done or one has failed.
func (t sources) atOnce(ctx context.Context, fetches []func(context.Context) error) error {
	t.feed.at("fetching", 0, 0, 0)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(fetchesAtOnce)
	var done atomic.Int32
	for _, fetch := range fetches {
		group.Go(func() error {
			if err := t.safely(func() error { return fetch(ctx) }); err != nil {
				return err
			}
			t.feed.at("fetching", float64(done.Add(1))/float64(len(fetches)), 0, 0)
			return nil
		})
	}
	return group.Wait()
}

func (t sources) project(ctx context.Context) (fetchedFile, error) {
	p := t.lease.Project
	dst := filepath.Join(t.dir, "in", "project")
	if p.File != nil {
		layout, err := t.unpacked(ctx, p.File.SHA256)
		if layout != nil || err != nil {
			return fetchedFile{name: p.File.Name, layout: layout}, err
		}
		t.say("fetching the project, %d KiB", p.File.Size>>10)
		if err := t.stored(ctx, *p.File, dst); err != nil {
			return fetchedFile{}, notFetched(err, "Project", "")
		}
		return fetchedFile{path: dst, name: p.File.Name}, nil
	}
	t.say("fetching the project from its address")
	f, err := t.get(ctx, p.Src, dst)
	if err != nil {
		return fetchedFile{}, notFetched(err, "Project", "")
	}
	return f, nil
}

// unpacked lays out a project that the cache holds unpacked; nil when it does not.
func (t sources) unpacked(ctx context.Context, sha string) (*project.Layout, error) {
	if t.lease.Discard {
		return nil, nil
	}
	note, ok, err := t.machine.Cache.Unpack(ctx, sha, filepath.Join(t.dir, "p"))
	if !ok || err != nil {
		return nil, err
	}
	var layout project.Layout
	if err := json.Unmarshal(note, &layout); err != nil {
		return nil, fmt.Errorf("reading how the project was unpacked: %w", err)
	}
	t.say("this machine has the project unpacked")
	t.machine.Templates.Used(sha)
	return &layout, nil
}

// asset brings the file of an asset and makes it what engines read.
func (t sources) asset(ctx context.Context, i int, a farm.Asset) (script.Asset, error) {
	asset := script.Asset{Asset: a}
	if a.Src == "" || a.Type == "job" {
		return asset, nil
	}
	file, err := t.assetFile(ctx, i, a)
	if err != nil {
		return asset, err
	}
	if conforms(a, file) {
		t.say("converting %s to what After Effects reads", filepath.Base(file))
		if file, err = film.Conform(ctx, file); err != nil {
			var u *film.Unreadable
			if errors.As(err, &u) {
				return asset, &failure{message: fmt.Sprintf("Asset %v (asset %d)", u, i), err: err}
			}
			return asset, err
		}
	}
	asset.File = file
	if a.Type == "script" {
		asset.Source, err = readScript(file, i)
	}
	return asset, err
}

// maxScript bounds the text of a script asset, in bytes, since all of it is held in memory.
const maxScript = 16 << 20

func readScript(file string, i int) (string, error) {
	in, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("reading a script: %w", err)
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxScript+1))
	if err != nil {
		return "", fmt.Errorf("reading a script: %w", err)
	}
	if len(text) > maxScript {
		return "", &failure{message: fmt.Sprintf("Asset is a script of more than %d MiB (asset %d)", maxScript>>20, i)}
	}
	return string(text), nil
}

// assetFile brings the file of an asset as it is, under a name of its own.
func (t sources) assetFile(ctx context.Context, i int, a farm.Asset) (string, error) {
	dir := filepath.Join(t.dir, "a", fmt.Sprint(i))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", fmt.Errorf("making the folder of an asset: %w", err)
	}
	f, err := t.get(ctx, a.Src, filepath.Join(dir, "file"))
	if err != nil {
		return "", notFetched(err, "Asset", fmt.Sprintf(" (asset %d)", i))
	}
	return rename(f, a.Name)
}

func conforms(a farm.Asset, file string) bool {
	switch a.Type {
	case "image", "video", "audio", "essential":
	default:
		return false
	}
	if a.Conform != nil {
		return *a.Conform
	}
	return film.NeedsConform(filepath.Ext(file))
}

func (t sources) font(ctx context.Context, font farm.FileRef) error {
	dst := filepath.Join(t.dir, "fonts", names.Element(font.Name, "font.ttf"))
	err := t.stored(ctx, font, dst)
	var status *farmclient.StatusError
	if errors.As(err, &status) && !farmclient.Passing(err) {
		// It was deleted since the lease was granted. The next lease goes without it, or says that it may not.
		return &failure{message: fmt.Sprintf("Font '%s' not available", font.Name), retry: true, err: err, cause: farm.Cause{Kind: farm.CauseFont, Subject: font.Name}}
	}
	return err
}

// get brings a file by address: the farm's own by content, others from where they are.
func (t sources) get(ctx context.Context, src, dst string) (fetchedFile, error) {
	if ref, ok := t.lease.Files[src]; ok {
		return fetchedFile{path: dst, name: ref.Name}, t.stored(ctx, ref, dst)
	}
	if strings.HasPrefix(src, farm.KeptScheme) {
		return fetchedFile{}, &fetch.Error{Reason: "the farm no longer has the file"}
	}
	found, err := t.machine.Fetcher.Get(ctx, src, dst)
	// The name becomes that of a file and of a layer's source, and the address may have ended in a secret.
	return fetchedFile{path: dst, name: t.secrets.String(found.Name), kind: found.ContentType}, err
}

// stored brings a file of the farm's store: a copy of the cache's, so that nothing a job does to it can reach other jobs. What
// is to be discarded never enters the cache.
func (t sources) stored(ctx context.Context, ref farm.FileRef, dst string) error {
	if t.lease.Discard {
		return farmclient.UntilRight(ctx, func() error { return t.bring(ctx, ref, dst) })
	}
	return farmclient.UntilRight(ctx, func() error { return t.machine.Cache.Copy(ctx, ref.SHA256, ref.Size, dst, t.download(ref)) })
}

// download writes a file of the farm's store.
func (t sources) download(ref farm.FileRef) func(context.Context, io.Writer) error {
	return func(ctx context.Context, w io.Writer) error { return t.machine.Farm.Download(ctx, ref.SHA256, w) }
}

// bring fetches a file of the farm's store past the cache.
func (t sources) bring(ctx context.Context, ref farm.FileRef, dst string) error {
	return t.machine.Cache.Bring(ctx, ref.SHA256, ref.Size, dst, t.download(ref))
}

// notFetched words a download that failed.
func notFetched(err error, what, which string) error {
	var failed *fetch.Error
	var status *farmclient.StatusError
	switch {
	case errors.As(err, &failed):
		return &failure{message: fmt.Sprintf("%s failed to download (%s)%s", what, failed.Reason, which), retry: failed.Retry, err: err}
	case errors.As(err, &status):
		return &failure{message: fmt.Sprintf("%s failed to download (%d)%s", what, status.Code, which), retry: farmclient.Passing(err), err: err}
	case errors.Is(err, cache.ErrContent):
		return &failure{message: fmt.Sprintf("%s failed to download (what came was not what was stored)%s", what, which), retry: true, err: err}
	}
	return err
}
