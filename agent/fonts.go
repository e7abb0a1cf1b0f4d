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

	"overcrank/farm"
	"overcrank/fontfile"
)

// scanTime and maxFonts bound the look at a machine's fonts, which must not delay an agent's start.
const (
	scanTime = 2 * time.Second
	maxFonts = 5000
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
	return fontfile.Names(f)
}
