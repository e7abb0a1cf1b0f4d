package text

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/font/opentype/tables"
	"github.com/go-text/typesetting/fontscan"
)

const (
	maxFontFiles = 20000     // in one set of folders; more would be a whole disk
	maxFontSize  = 512 << 20 // bytes; the largest collections that ship with systems stay under 250 MB
)

// entry is one font of the index. Its file is opened when text uses it.
type entry struct {
	path       string
	number     int // within a collection
	data       []byte
	postScript string
	family     string
	style      string
	full       string
	look       look
	variations []font.Variation // of an instance of a variable font
}

// name is the font's name in messages.
func (e *entry) name() string {
	if e.full != "" {
		return e.full
	}
	if e.family != "" {
		return strings.TrimSpace(e.family + " " + e.style)
	}
	return e.postScript
}

// index is the fonts of some folders, found by their names.
type index struct {
	entries  []*entry
	names    [4]map[string]*entry // by PostScript name, full name, family and style, file name
	families map[string][]*entry
}

func newIndex() *index {
	x := &index{families: map[string][]*entry{}}
	for i := range x.names {
		x.names[i] = map[string]*entry{}
	}
	return x
}

// find looks up a name, PostScript names first.
func (x *index) find(name string) *entry {
	k := key(name)
	for _, names := range x.names {
		if e := names[k]; e != nil {
			return e
		}
	}
	return nil
}

// nearest is the member of a family, named as key returns it, that looks most like want.
func (x *index) nearest(family string, want look) *entry {
	var best *entry
	for _, e := range x.families[family] {
		if best == nil || want.distance(e.look) < want.distance(best.look) {
			best = e
		}
	}
	return best
}

func (x *index) add(e *entry, legacyFamily, legacyStyle string) {
	x.entries = append(x.entries, e)
	file := strings.TrimSuffix(filepath.Base(e.path), filepath.Ext(e.path))
	for i, name := range [...]string{e.postScript, e.full, e.family + e.style, file} {
		x.name(i, name, e)
	}
	x.name(2, legacyFamily+legacyStyle, e)
	x.families[key(e.family)] = append(x.families[key(e.family)], e)
	if k := key(legacyFamily); k != "" && k != key(e.family) {
		x.families[k] = append(x.families[k], e)
	}
}

func (x *index) name(kind int, name string, e *entry) {
	if k := key(name); k != "" && x.names[kind][k] == nil {
		x.names[kind][k] = e
	}
}

// addFolder indexes the fonts under dir. Files that cannot be read are left out: a broken font must not stop a render
// that does not use it.
func (x *index) addFolder(dir string) { eachFont(dir, x.addFile) }

// eachFont calls do for each file under dir whose name is a font's.
func eachFont(dir string, do func(path string)) {
	left := maxFontFiles
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if left--; left < 0 {
			return fs.SkipAll
		}
		switch strings.ToLower(filepath.Ext(path)) {
		case ".ttf", ".otf", ".ttc", ".otc":
			do(path)
		}
		return nil
	})
}

func (x *index) addFile(path string) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFontSize {
		return
	}
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	x.addFonts(path, nil, f)
}

// addFonts indexes every font in a file, or in data when it is not a file.
func (x *index) addFonts(path string, data []byte, res opentype.Resource) {
	defer func() { _ = recover() }() // a hostile font that crashes the parser loses only itself
	loaders, err := opentype.NewLoaders(res)
	if err != nil {
		return
	}
	for i, ld := range loaders {
		raw, err := ld.RawTable(opentype.MustNewTag("name"))
		if err != nil {
			continue
		}
		names, _, err := tables.ParseName(raw)
		if err != nil {
			continue
		}
		desc, _ := font.Describe(ld, nil)
		e := entry{
			path: path, number: i, data: data,
			postScript: names.Name(6),
			family:     names.Name(16), style: names.Name(17),
			full: names.Name(4),
			look: lookOf(desc.Aspect),
		}
		legacyFamily, legacyStyle := names.Name(1), names.Name(2)
		if e.family == "" {
			e.family = legacyFamily
		}
		if e.style == "" {
			e.style = legacyStyle
		}
		x.add(&e, legacyFamily, legacyStyle)
		for _, instance := range instances(ld, names, e) {
			x.add(instance, instance.family, instance.style)
		}
	}
}

// systemFolders are the machine's folders of fonts, including After Effects' own.
func systemFolders() []string {
	dirs, err := fontscan.DefaultFontDirectories(quiet{})
	if err != nil {
		dirs = nil
	}
	switch runtime.GOOS {
	case "windows":
		dirs = append(dirs, filepath.Join(os.Getenv("CommonProgramFiles"), "Adobe", "Fonts"))
	case "darwin":
		dirs = append(dirs, "/Library/Application Support/Adobe/Fonts")
	}
	return dirs
}

// quiet discards the log of the search for folders.
type quiet struct{}

func (quiet) Printf(string, ...any) {}
