package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

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

// fetched is a file on this machine, with the name it had.
type fetched struct {
	path string
	name string
	kind string // media type, "" when not known
	// layout is set for a project that the cache had unpacked: it is laid out already, and has no path.
	layout *project.Layout
}

// fetch brings the project, the assets and the fonts. It returns the project's file.
func (t *attempt) fetch(ctx context.Context) (projectFile fetched, err error) {
	t.assets = make([]script.Asset, len(t.lease.Assets))
	fetches := []func(context.Context) error{func(ctx context.Context) (err error) {
		projectFile, err = t.fetchProject(ctx)
		return err
	}}
	for i, a := range t.lease.Assets {
		fetches = append(fetches, func(ctx context.Context) error { return t.fetchAsset(ctx, i, a) })
	}
	for _, font := range t.lease.Fonts {
		fetches = append(fetches, func(ctx context.Context) error { return t.fetchFont(ctx, font) })
	}
	return projectFile, t.fetchAll(ctx, fetches)
}

// fetchAll runs some of the fetches at once, until all are done or one has failed.
func (t *attempt) fetchAll(ctx context.Context, fetches []func(context.Context) error) error {
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

func (t *attempt) fetchProject(ctx context.Context) (fetched, error) {
	p := t.lease.Project
	dst := filepath.Join(t.dir, "in", "project")
	if p.File != nil {
		layout, err := t.unpacked(ctx, p.File.SHA256)
		if layout != nil || err != nil {
			return fetched{name: p.File.Name, layout: layout}, err
		}
		t.say("fetching the project, %d KiB", p.File.Size>>10)
		if err := t.stored(ctx, *p.File, dst); err != nil {
			return fetched{}, t.notFetched(err, "Project", "")
		}
		return fetched{path: dst, name: p.File.Name}, nil
	}
	t.say("fetching the project from its address")
	f, err := t.get(ctx, p.Src, dst)
	if err != nil {
		return fetched{}, t.notFetched(err, "Project", "")
	}
	return f, nil
}

// fetchAsset brings the file of an asset and makes it what engines read.
func (t *attempt) fetchAsset(ctx context.Context, i int, a farm.Asset) error {
	t.assets[i] = script.Asset{Asset: a}
	if a.Src == "" || a.Type == "job" {
		return nil
	}
	file, err := t.fetchSource(ctx, i, a)
	if err != nil {
		return err
	}
	if conforms(a, file) {
		t.say("converting %s to what After Effects reads", filepath.Base(file))
		if file, err = film.Conform(ctx, file); err != nil {
			var u *film.Unreadable
			if errors.As(err, &u) {
				return &failure{message: fmt.Sprintf("Asset %v (asset %d)", u, i), err: err}
			}
			return err
		}
	}
	t.assets[i].File = file
	if a.Type == "script" {
		t.assets[i].Source, err = readScript(file, i)
	}
	return err
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

// fetchSource brings the file of an asset as it is, under a name of its own.
func (t *attempt) fetchSource(ctx context.Context, i int, a farm.Asset) (string, error) {
	dir := filepath.Join(t.dir, "a", fmt.Sprint(i))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", fmt.Errorf("making the folder of an asset: %w", err)
	}
	f, err := t.get(ctx, a.Src, filepath.Join(dir, "file"))
	if err != nil {
		return "", t.notFetched(err, "Asset", fmt.Sprintf(" (asset %d)", i))
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

func (t *attempt) fetchFont(ctx context.Context, font farm.FileRef) error {
	dst := filepath.Join(t.dir, "fonts", names.Element(font.Name, "font.ttf"))
	err := t.stored(ctx, font, dst)
	var status *farmclient.StatusError
	if errors.As(err, &status) && !farmclient.Passing(err) {
		// It was deleted since the lease was granted. The next lease goes without it, or says that it may not.
		return &failure{message: fmt.Sprintf("Font '%s' not available", font.Name), retry: true, err: err}
	}
	return err
}

// get brings a file by address: the farm's own by content, others from where they are.
func (t *attempt) get(ctx context.Context, src, dst string) (fetched, error) {
	if ref, ok := t.lease.Files[src]; ok {
		return fetched{path: dst, name: ref.Name}, t.stored(ctx, ref, dst)
	}
	if strings.HasPrefix(src, farm.KeptScheme) {
		return fetched{}, &fetch.Error{Reason: "the farm no longer has the file"}
	}
	found, err := t.a.fetcher.Get(ctx, src, dst)
	// The name becomes that of a file and of a layer's source, and the address may have ended in a secret.
	return fetched{path: dst, name: t.secrets.String(found.Name), kind: found.ContentType}, err
}

// stored brings a file of the farm's store: a copy of the cache's, so that nothing a job does to it can reach other jobs. What
// is to be discarded never enters the cache.
func (t *attempt) stored(ctx context.Context, ref farm.FileRef, dst string) error {
	if t.lease.Discard {
		return farmclient.UntilRight(ctx, func() error { return t.bring(ctx, ref, dst) })
	}
	fetch := func(ctx context.Context, w io.Writer) error { return t.a.farm.Download(ctx, ref.SHA256, w) }
	return farmclient.UntilRight(ctx, func() error { return t.a.cache.Copy(ctx, ref.SHA256, ref.Size, dst, fetch) })
}

// bring fetches a file of the farm's store past the cache.
func (t *attempt) bring(ctx context.Context, ref farm.FileRef, dst string) error {
	return t.a.cache.Bring(ctx, ref.SHA256, ref.Size, dst, func(ctx context.Context, w io.Writer) error { return t.a.farm.Download(ctx, ref.SHA256, w) })
}

// notFetched words a download that failed.
func (t *attempt) notFetched(err error, what, which string) error {
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

// rename gives a fetched file the name it should have, with an extension that fits what is in it: programs go by that.
func rename(f fetched, wanted string) (string, error) {
	name := wanted
	if name == "" {
		name = f.name
	}
	name = names.Element(name, "file")
	ext, err := trueExtension(f, filepath.Ext(name))
	if err != nil {
		return "", err
	}
	name = strings.TrimSuffix(name, filepath.Ext(name)) + ext
	to := filepath.Join(filepath.Dir(f.path), name)
	if err := os.Rename(f.path, to); err != nil {
		return "", fmt.Errorf("naming an asset: %w", err)
	}
	return to, nil
}

// extensions are those of the media types that a sniff can tell.
var extensions = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/bmp": ".bmp", "image/tiff": ".tif",
	"image/svg+xml": ".svg", "video/mp4": ".mp4", "video/webm": ".webm", "video/quicktime": ".mov", "video/avi": ".avi", "video/x-matroska": ".mkv",
	"audio/mpeg": ".mp3", "audio/wave": ".wav", "audio/x-wav": ".wav", "audio/wav": ".wav", "audio/aiff": ".aif", "audio/aac": ".aac", "audio/mp4": ".m4a",
	"application/ogg": ".ogg", "audio/ogg": ".ogg", "text/csv": ".csv", "application/json": ".json",
}

// trueExtension keeps a name's extension, unless the content is a picture, film or sound of another kind.
func trueExtension(f fetched, has string) (string, error) {
	in, err := os.Open(f.path)
	if err != nil {
		return "", fmt.Errorf("looking at an asset: %w", err)
	}
	defer in.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", fmt.Errorf("looking at an asset: %w", err)
	}
	sniffed := extensions[http.DetectContentType(head[:n])]
	switch {
	case sniffed == ".mp4" && (has == ".mov" || has == ".m4a" || has == ".m4v"), sniffed == ".ogg" && (has == ".oga" || has == ".ogv" || has == ".opus"),
		sniffed == ".jpg" && has == ".jpeg", sniffed == ".webm" && has == ".mkv":
		return has, nil
	case sniffed != "":
		return sniffed, nil
	case has != "":
		return has, nil
	}
	return extensions[f.kind], nil
}
