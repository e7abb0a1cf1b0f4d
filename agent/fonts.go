package agent

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/font/opentype/tables"

	"overcrank/farm"
)

// scanTime and maxFonts bound the look at a machine's fonts, which must not delay an agent's start.
const (
	scanTime = 2 * time.Second
	maxFonts = 5000
)

// The entries of a font's name table that are wanted.
const (
	nameFamily       tables.NameID = 1
	nameStyle        tables.NameID = 2
	namePostScript   tables.NameID = 6
	nameTypographic  tables.NameID = 16
	nameTypoSubStyle tables.NameID = 17
)

// fontFolders are where this system keeps fonts.
func fontFolders() []string {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	switch runtime.GOOS {
	case "windows":
		return []string{filepath.Join(os.Getenv("WINDIR"), "Fonts"), filepath.Join(os.Getenv("LOCALAPPDATA"), "Microsoft", "Windows", "Fonts"), `C:\Program Files\Common Files\Adobe\Fonts`}
	case "darwin":
		return []string{"/System/Library/Fonts", "/Library/Fonts", filepath.Join(home, "Library", "Fonts"), "/Library/Application Support/Adobe/Fonts"}
	}
	return []string{"/usr/share/fonts", "/usr/local/share/fonts", filepath.Join(home, ".fonts"), filepath.Join(home, ".local", "share", "fonts")}
}

// scanFonts reads the names of the fonts in folders. What it cannot read or has no time for it leaves out.
func scanFonts(ctx context.Context, folders []string) []farm.FontUse {
	ctx, cancel := context.WithTimeout(ctx, scanTime)
	defer cancel()
	seen := make(map[string]farm.FontUse)
	for _, folder := range folders {
		if !filepath.IsAbs(folder) {
			continue
		}
		// A folder that cannot be read has no fonts to offer.
		_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if ctx.Err() != nil || len(seen) >= maxFonts {
				return fs.SkipAll
			}
			if err == nil && d.Type().IsRegular() && isFont(path) {
				for _, f := range fontNames(path) {
					seen[f.PostScript] = f
				}
			}
			return nil
		})
	}
	fonts := make([]farm.FontUse, 0, len(seen))
	for _, f := range seen {
		fonts = append(fonts, f)
	}
	slices.SortFunc(fonts, func(a, b farm.FontUse) int { return strings.Compare(a.PostScript, b.PostScript) })
	return fonts
}

func isFont(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".ttf", ".otf", ".ttc", ".otc":
		return true
	}
	return false
}

// fontNames reads the names of a font file, or of each font of a collection.
func fontNames(path string) []farm.FontUse {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	loaders, err := opentype.NewLoaders(f)
	if err != nil {
		return nil
	}
	var fonts []farm.FontUse
	for _, l := range loaders {
		raw, err := l.RawTable(opentype.MustNewTag("name"))
		if err != nil {
			continue
		}
		names, _, err := tables.ParseName(raw)
		if err != nil {
			continue
		}
		font := farm.FontUse{PostScript: names.Name(namePostScript), Family: names.Name(nameTypographic), Style: names.Name(nameTypoSubStyle)}
		if font.Family == "" {
			font.Family = names.Name(nameFamily)
		}
		if font.Style == "" {
			font.Style = names.Name(nameStyle)
		}
		if font.PostScript != "" {
			fonts = append(fonts, font)
		}
	}
	return fonts
}
