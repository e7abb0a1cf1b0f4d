package inventory

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overcrank/farm"
	"overcrank/fontfile"
)

const (
	maxFiles = 50_000  // that one look at fonts, or at plug-ins, takes in
	maxWalk  = 400_000 // files and folders that it passes
)

// fontFolder is a folder with fonts.
type fontFolder struct {
	path   string // as the machine writes it
	hidden bool   // its files have no extension that would tell fonts
}

// fontFolders are where the machine keeps fonts: the system, this account, and Adobe's programs, whose cloud keeps those that were
// activated in hidden files.
func (s System) fontFolders() []fontFolder {
	var folders []fontFolder
	add := func(path string) {
		if path != "" {
			folders = append(folders, fontFolder{path: path})
		}
	}
	addHidden := func(path string) {
		if path != "" {
			folders = append(folders, fontFolder{path: path, hidden: true})
		}
	}
	switch s.OS {
	case "windows":
		add(s.join(s.Env("WINDIR"), "Fonts"))
		add(s.join(s.Env("LOCALAPPDATA"), "Microsoft", "Windows", "Fonts"))
		add(`C:\Program Files\Common Files\Adobe\Fonts`)
		addHidden(s.join(s.Env("APPDATA"), "Adobe", "CoreSync", "plugins", "livetype"))
		addHidden(s.join(s.Env("APPDATA"), "Adobe", "User Owned Fonts"))
	case "darwin":
		library := s.join(s.Home, "Library")
		add("/System/Library/Fonts")
		add("/Library/Fonts")
		add(s.join(library, "Fonts"))
		add("/Library/Application Support/Adobe/Fonts")
		addHidden(s.join(library, "Application Support", "Adobe", "CoreSync", "plugins", "livetype"))
		addHidden(s.join(library, "Application Support", "Adobe", ".User Owned Fonts"))
	default:
		add("/usr/share/fonts")
		add("/usr/local/share/fonts")
		add(s.join(s.Home, ".fonts"))
		add(s.join(s.Home, ".local/share/fonts"))
	}
	return folders
}

// found is what a look at fonts found.
type found struct {
	fonts  []farm.FontUse // by PostScript name, each once
	mute   []string       // font files that tell no names
	whole  bool           // there was time for all
	passed int
}

// fonts reads the names of the machine's fonts until ctx ends.
func (s System) fonts(ctx context.Context, memory *seen) found {
	out := found{whole: true}
	byName := map[string]farm.FontUse{}
	files := 0
	for _, folder := range s.fontFolders() {
		err := filepath.WalkDir(s.at(folder.path), func(path string, d fs.DirEntry, err error) error {
			if out.passed++; ctx.Err() != nil || out.passed > maxWalk || files >= maxFiles {
				return errEnough
			}
			if err != nil || d.IsDir() || !folder.hidden && !isFont(path) {
				return nil // a folder that cannot be read has no fonts to offer
			}
			info, err := os.Stat(path) // also behind a link
			if err != nil || !info.Mode().IsRegular() {
				return nil
			}
			files++
			sight := memory.look(path, info, readFonts)
			if sight.Mute && !folder.hidden {
				out.mute = append(out.mute, path)
			}
			for _, face := range sight.Fonts {
				if _, twice := byName[face.PostScript]; !twice {
					byName[face.PostScript] = face
				}
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			out.whole = false
			break
		}
	}
	for _, face := range byName {
		out.fonts = append(out.fonts, face)
	}
	slices.SortFunc(out.fonts, func(a, b farm.FontUse) int { return strings.Compare(a.PostScript, b.PostScript) })
	return out
}

func isFont(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".ttf", ".otf", ".ttc", ".otc":
		return true
	}
	return false
}

// readFonts reads the names of a font file, or of each font of a collection.
func readFonts(path string, sight *sight) {
	f, err := os.Open(path)
	if err != nil {
		sight.Mute = true
		return
	}
	defer f.Close()
	sight.Fonts = fontfile.Names(f, sight.Size)
	sight.Mute = len(sight.Fonts) == 0
}
