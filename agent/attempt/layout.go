package attempt

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

// scene is a project that is ready to be rendered.
type scene struct {
	engine  farm.EngineInfo
	project *project.Project
	assets  []script.Asset
	script  string // applies the assets; it holds the values of secrets, so no file does
}

// layout makes what was fetched ready to be rendered.
type layout struct{ *attempt }

// scene lays the project out, puts static files beside it, and writes the script that applies the assets.
func (l layout) scene(ctx context.Context, engine farm.EngineInfo, files fetched) (s scene, err error) {
	l.feed.at("preparing", 0, 0, 0)
	s = scene{engine: engine, assets: files.assets}
	if s.project, err = l.openProject(ctx, files.project); err != nil {
		return scene{}, err
	}
	for i, a := range s.assets {
		if s.assets[i], err = l.placeAsset(ctx, s.project, i, a); err != nil {
			return scene{}, err
		}
	}
	if l.lease.Settings.Type == "aep" {
		if err := l.moveAssets(s); err != nil {
			return scene{}, err
		}
	}
	if err := tooDeep(runtime.GOOS, l.dir); err != nil {
		return scene{}, err
	}
	p := s.project
	if s.script, err = script.Build(script.Input{Composition: p.Composition, Assets: s.assets}); err != nil {
		return scene{}, err
	}
	comp := p.Settings
	l.say("composition '%s', %d×%d pixels, %.5g frames/s, %.5g s, %d assets",
		p.Composition, comp.Width, comp.Height, comp.FrameRate, comp.Duration, len(s.assets))
	l.feed.at("preparing", 1, 0, 0)
	return s, nil
}

// maxUnpacked is how many bytes of an unpacked project are kept in the cache.
const maxUnpacked = 512 << 20

// openProject makes the fetched project ready to be opened, and keeps it so for later jobs when it had to be unpacked.
func (l layout) openProject(ctx context.Context, file fetchedFile) (*project.Project, error) {
	dir := filepath.Join(l.dir, projectFolder)
	if file.layout != nil {
		return project.Reopen(ctx, dir, *file.layout, l.lease.Composition)
	}
	p, err := project.Prepare(ctx, file.path, file.name, l.lease.Project.Type, dir, l.lease.Composition, l.machine.Readiness.TakesBytes)
	kept := l.lease.Project.File
	if err != nil || kept == nil || l.lease.Discard {
		return p, err
	}
	l.machine.Templates.Used(kept.SHA256)
	if p.Layout == nil {
		return p, nil
	}
	note, err := json.Marshal(p.Layout)
	if err == nil {
		err = l.machine.Cache.KeepUnpacked(ctx, kept.SHA256, dir, note, maxUnpacked)
	}
	if err != nil {
		l.log.Warn("the project is unpacked again next time", "error", err)
	}
	return p, nil
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

// moveAssets moves the files of the assets into the project's folder, which is the job's result.
func (l layout) moveAssets(s scene) error {
	from, to := filepath.Join(l.dir, assetsFolder), filepath.Join(s.project.Dir, "(Assets)")
	if err := os.Rename(from, to); err != nil {
		return fmt.Errorf("taking the assets along: %w", err)
	}
	for i := range s.assets {
		if rel, err := filepath.Rel(from, s.assets[i].File); err == nil && filepath.IsLocal(rel) {
			s.assets[i].File = filepath.Join(to, rel)
		}
	}
	return nil
}

// placeAsset puts the file of a static asset beside the project, and finds what a field of the Essential Graphics panel drives.
func (l layout) placeAsset(ctx context.Context, p *project.Project, i int, a script.Asset) (script.Asset, error) {
	switch a.Type {
	case "essential":
		return l.essentialAsset(ctx, p, i, a)
	case "static":
		return a, placeStatic(p, i, a)
	}
	return a, nil
}

func placeStatic(p *project.Project, i int, a script.Asset) error {
	name := a.Name
	if name == "" {
		name = filepath.Base(a.File)
	}
	place, err := p.Place(name)
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
	return nil
}

// essentialAsset finds what a field of the panel drives, and fetches the file of one that takes a picture or a film: its value is an
// address, unless the asset has a src. Only the project says which fields these are, so this fetch comes after the others.
func (l layout) essentialAsset(ctx context.Context, p *project.Project, i int, a script.Asset) (script.Asset, error) {
	a.Controls = p.Controls(a.Composition, a.LayerName)
	var address string
	if a.File != "" || !slices.ContainsFunc(a.Controls, script.Control.TakesFile) || json.Unmarshal(a.Value, &address) != nil {
		return a, nil
	}
	asset := a.Asset
	asset.Src = address
	with, err := sources(l).asset(ctx, i, asset)
	with.Controls = a.Controls
	return with, err
}
