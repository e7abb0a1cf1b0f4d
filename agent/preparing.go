package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"unicode/utf16"

	"overcrank/agent/project"
	"overcrank/agent/script"
	"overcrank/farm"
)

// prepare lays the project out, puts static files beside it, and makes the script.
func (t *attempt) prepare(ctx context.Context, file fetched) error {
	t.feed.at("preparing", 0, 0, 0)
	p, err := t.layOut(ctx, file)
	if err != nil {
		return err
	}
	t.project = p
	for i := range t.assets {
		if err := t.prepareAsset(ctx, i); err != nil {
			return err
		}
	}
	if t.lease.Settings.Type == "aep" {
		if err := t.takeAssetsAlong(); err != nil {
			return err
		}
	}
	if err := tooDeep(runtime.GOOS, t.dir); err != nil {
		return err
	}
	if t.script, err = script.Build(script.Input{Composition: p.Composition, Assets: t.assets}); err != nil {
		return err
	}
	t.say("composition '%s', %d×%d pixels, %.5g frames/s, %.5g s, %d assets", p.Composition, p.Settings.Width, p.Settings.Height, p.Settings.FrameRate, p.Settings.Duration, len(t.assets))
	t.feed.at("preparing", 1, 0, 0)
	return nil
}

// longestWindowsPath is how many UTF-16 units a path has at most for programs on Windows that ask for nothing else (MAX_PATH, which counts
// a zero at the end): After Effects is one.
const longestWindowsPath = 259

// tooDeep is a failure where a file below a folder has a path that After Effects cannot open on this system.
func tooDeep(goos, dir string) error {
	if goos != "windows" {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("looking at the project's files: %w", err)
		}
		length := len(utf16.Encode([]rune(path)))
		if length <= longestWindowsPath {
			return nil
		}
		inside, _ := filepath.Rel(dir, path)
		return &failure{message: fmt.Sprintf(
			"The path of '%s' has %d characters on this machine, and programs on Windows open %d at most: shorten names of folders in the project, or give the agent a --data-dir near the drive's root",
			filepath.ToSlash(inside), length, longestWindowsPath), retry: true, class: farm.FailureWorker}
	})
}

// takeAssetsAlong moves the files of the assets into the project's folder, which is the job's result.
func (t *attempt) takeAssetsAlong() error {
	from, to := filepath.Join(t.dir, "a"), filepath.Join(t.project.Dir, "(Assets)")
	if err := os.Rename(from, to); err != nil {
		return fmt.Errorf("taking the assets along: %w", err)
	}
	for i := range t.assets {
		if rel, err := filepath.Rel(from, t.assets[i].File); err == nil && filepath.IsLocal(rel) {
			t.assets[i].File = filepath.Join(to, rel)
		}
	}
	return nil
}

func (t *attempt) prepareAsset(ctx context.Context, i int) error {
	a := &t.assets[i]
	switch a.Type {
	case "essential":
		return t.prepareField(ctx, i)
	case "static":
		name := a.Name
		if name == "" {
			name = filepath.Base(a.File)
		}
		place, err := t.project.Place(name)
		var refused *project.Refused
		if errors.As(err, &refused) {
			return &script.Error{Asset: i, Message: refused.Message}
		}
		if err != nil {
			return err
		}
		if a.File == "" {
			return &script.Error{Asset: i, Message: "A static asset needs a src"}
		}
		if err := os.Rename(a.File, place); err != nil {
			return fmt.Errorf("placing a static asset: %w", err)
		}
	}
	return nil
}

// prepareField finds what a field of the panel drives, and brings the file of one that takes a picture or a film: its
// value is an address, unless the asset has a src.
func (t *attempt) prepareField(ctx context.Context, i int) error {
	a := &t.assets[i]
	a.Controls = t.project.Controls(a.Composition, a.LayerName)
	var address string
	if a.File != "" || !slices.ContainsFunc(a.Controls, script.Control.TakesFile) || json.Unmarshal(a.Value, &address) != nil {
		return nil
	}
	asset := a.Asset
	asset.Src = address
	controls := a.Controls
	if err := t.fetchAsset(ctx, i, asset); err != nil {
		return err
	}
	a.Controls = controls
	return nil
}
