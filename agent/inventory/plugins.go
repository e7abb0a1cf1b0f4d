package inventory

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overcrank/aep"
)

// plugins are what was added to After Effects.
type plugins struct {
	effects []string // match names
	mute    []string // files that do not say which effects they hold, by their names
	whole   bool
}

// ownFolders are the folders of After Effects' own plug-ins within its Plug-ins folder, in lower case. What lies there and does not
// describe itself is Adobe's.
var ownFolders = []string{"effects", "extensions", "format", "keyframe", "cineware by maxon", "maxon cineware ae", "mochaae", "cycorefxhd", "keylight"}

// pluginFolders are where After Effects looks for plug-ins: in each build's own folder, and in the one that Adobe's programs share.
func (s System) pluginFolders(builds []build) (own, shared []string) {
	for _, b := range builds {
		own = append(own, filepath.Join(b.folder, "Plug-ins"))
	}
	switch s.OS {
	case "windows":
		shared = append(shared, s.at(`C:\Program Files\Adobe\Common\Plug-ins\7.0\MediaCore`))
	case "darwin":
		shared = append(shared, s.at("/Library/Application Support/Adobe/Common/Plug-ins/7.0/MediaCore"))
	}
	return own, shared
}

// plugins reads which effects the machine's plug-ins hold, without running any, until ctx ends.
func (s System) plugins(ctx context.Context, builds []build, memory *seen) plugins {
	effects, mute := map[string]bool{}, map[string]bool{}
	out := plugins{whole: true}
	passed := 0
	look := func(root string, own bool) {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if passed++; ctx.Err() != nil || passed > maxWalk {
				return errEnough
			}
			if err != nil {
				return nil // what cannot be read, After Effects does not read either
			}
			if passedOver(d.Name()) {
				return skip(d)
			}
			file := s.pluginFile(path, d)
			if file == "" {
				return nil
			}
			info, err := os.Stat(file)
			sight := sight{Mute: true}
			if err == nil && info.Mode().IsRegular() {
				sight = memory.look(file, info, readPlugin)
			}
			for _, match := range sight.Effects {
				if !aep.OwnEffect(match) {
					effects[match] = true
				}
			}
			if sight.Mute && (!own || !inOwnFolder(root, path)) {
				mute[strings.ToValidUTF8(strings.TrimSuffix(d.Name(), filepath.Ext(d.Name())), "_")] = true
			}
			return skip(d)
		})
		if errors.Is(err, errEnough) {
			out.whole = false
		}
	}
	own, shared := s.pluginFolders(builds)
	for _, folder := range own {
		look(folder, true)
	}
	for _, folder := range shared {
		look(folder, false)
	}
	out.effects, out.mute = slices.Sorted(maps.Keys(effects)), slices.Sorted(maps.Keys(mute))
	return out
}

// skip goes past a folder.
func skip(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// passedOver tells whether After Effects leaves a file or folder alone: those in brackets, and those behind a ¬.
func passedOver(name string) bool {
	return strings.HasPrefix(name, "(") && strings.HasSuffix(name, ")") || strings.HasPrefix(name, "¬")
}

func inOwnFolder(root, path string) bool {
	below, err := filepath.Rel(root, path)
	if err != nil {
		return false
	}
	first, _, _ := strings.Cut(filepath.ToSlash(strings.ToLower(below)), "/")
	return slices.ContainsFunc(ownFolders, func(own string) bool { return strings.HasPrefix(first, own) })
}

// pluginFile is the file in which a plug-in describes itself: itself on Windows, its resources in a bundle on macOS. It is "" for
// what is no plug-in.
func (s System) pluginFile(path string, d fs.DirEntry) string {
	switch extension := strings.ToLower(filepath.Ext(path)); {
	case s.OS == "windows" && extension == ".aex" && !d.IsDir():
		return path
	case s.OS == "darwin" && extension == ".plugin":
		resources := filepath.Join(path, "Contents", "Resources")
		entries, err := os.ReadDir(resources)
		if err != nil {
			return path
		}
		for _, e := range entries {
			if strings.ToLower(filepath.Ext(e.Name())) == ".rsrc" {
				return filepath.Join(resources, e.Name())
			}
		}
		return path
	}
	return ""
}

// maxFork is how large a bundle's resources may be, in bytes.
const maxFork = 64 << 20

// readPlugin reads the match names of a plug-in's effects.
func readPlugin(path string, sight *sight) {
	var pipls [][]byte
	var err error
	if strings.EqualFold(filepath.Ext(path), ".rsrc") {
		pipls, err = forkResources(path, sight.Size)
	} else {
		pipls, err = readResources(path, func(kind resourceName) bool { return strings.EqualFold(kind.text, piplType) })
	}
	if err == nil {
		sight.Effects, err = effectsIn(pipls)
	}
	sight.Mute = err != nil
}

func forkResources(path string, size int64) ([][]byte, error) {
	if size > maxFork {
		return nil, errNoFork
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return readFork(content, piplType)
}
