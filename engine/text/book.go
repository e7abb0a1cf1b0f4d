package text

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"sync"
	"unicode"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
)

// Book is the fonts of a render: first the job's own folder, then the machine's fonts. It is safe for concurrent use.
type Book struct {
	folders []string
	system  func() []string // the machine's folders
	own     *index
	machine func() *index // read when a font is first needed that the job does not have
	setters sync.Pool     // of *setter

	mu       sync.Mutex
	asked    map[string]match     // by the name in the text
	loaded   map[*entry]*typeface // nil for a broken font
	covers   map[rune]*typeface   // replacements for single characters
	notes    []string
	notesFor map[string]bool

	replacements map[replacement]*Glyph
}

// OpenBook indexes the fonts of the folders, in order of preference, and the machine's own. A folder that does not exist
// has no fonts. The machine's fonts are searched only when they are needed.
func OpenBook(folders ...string) (*Book, error) {
	return openBook(folders, systemFolders)
}

func openBook(folders []string, system func() []string) (*Book, error) {
	b := &Book{
		folders: folders, system: system, own: newIndex(),
		asked: map[string]match{}, loaded: map[*entry]*typeface{}, covers: map[rune]*typeface{}, notesFor: map[string]bool{},
	}
	for _, dir := range folders {
		info, err := os.Stat(dir)
		switch {
		case os.IsNotExist(err):
			continue
		case err != nil:
			return nil, fmt.Errorf("reading the folder of fonts: %w", err)
		case !info.IsDir():
			return nil, fmt.Errorf("reading the folder of fonts: %s is not a folder", dir)
		}
		b.own.addFolder(dir)
	}
	b.machine = sync.OnceValue(func() *index { return machineIndex(system()) })
	b.setters.New = func() any { return newSetter(b) }
	return b, nil
}

// machineIndex is the machine's fonts followed by the Go fonts, so that text can be drawn on a machine without any.
func machineIndex(folders []string) *index {
	x := newIndex()
	for _, dir := range folders {
		x.addFolder(dir)
	}
	fonts, err := unpackGoFonts()
	if err != nil {
		panic(err) // the program was built with a file that a test holds to be right
	}
	for _, data := range fonts {
		x.addFonts("", data, bytes.NewReader(data))
	}
	return x
}

// Substitutes lists, in words, the missing fonts and what replaced each.
func (b *Book) Substitutes() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.notes)
}

// Has tells whether the job or the machine has the font with a PostScript name, so that nothing stands in for it.
func (b *Book) Has(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.own.find(name) != nil || b.machine().find(name) != nil
}

// match is the font to draw with for a name in the text.
type match struct {
	*typeface
	fit float64 // horizontal scale, 1 unless it replaces a font of another width
}

func (b *Book) match(name string) (match, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m, ok := b.asked[name]; ok {
		return m, nil
	}
	m := b.find(name)
	if m.typeface == nil {
		return m, fmt.Errorf("no font can be read to draw text in %q with", name)
	}
	b.asked[name] = m
	return m, nil
}

func (b *Book) find(name string) match {
	if e := b.own.find(name); e != nil {
		if tf := b.load(e); tf != nil {
			return match{tf, 1}
		}
	}
	if e := b.machine().find(name); e != nil {
		if tf := b.load(e); tf != nil {
			return match{tf, 1}
		}
	}
	m := b.standIn(name)
	if m.typeface != nil && name != "" {
		b.replacedBy(name, m.typeface)
	}
	return m
}

// standIn looks for another style of the family first, then for similar families.
func (b *Book) standIn(name string) match {
	family, want := parseName(name)
	for _, f := range append([]string{family}, standIns(family, want)...) {
		for _, x := range []*index{b.own, b.machine()} {
			if e := x.nearest(f, want); e != nil {
				if tf := b.load(e); tf != nil {
					return match{tf, fit(family, e)}
				}
			}
		}
	}
	for _, x := range []*index{b.machine(), b.own} {
		for _, e := range x.entries {
			if tf := b.load(e); tf != nil {
				return match{tf, 1}
			}
		}
	}
	return match{}
}

// cover is the font for a character that tf lacks, tf itself when no font has it.
func (b *Book) cover(tf *typeface, r rune) *typeface {
	b.mu.Lock()
	defer b.mu.Unlock()
	got, known := b.covers[r]
	if !known {
		got = b.search(r, tf.look)
		b.covers[r] = got
	}
	if got == nil {
		b.note(tf.name+string(r), fmt.Sprintf("font '%s' has no '%c', and no other font here has it", tf.name, r))
		return tf
	}
	b.note(tf.name+"\x00"+got.name, fmt.Sprintf("font '%s' has no '%c': drawn with '%s'", tf.name, r, got.name))
	return got
}

// undrawn records a glyph without an outline for a visible character, such as a picture of an emoji.
func (b *Book) undrawn(g *glyph, r rune) {
	if !unicode.IsGraphic(r) || unicode.IsSpace(r) || unicode.Is(unicode.Mn, r) {
		return
	}
	switch g.face.GlyphData(g.id).(type) {
	case font.GlyphBitmap, font.GlyphSVG, font.GlyphColor:
		b.mu.Lock()
		defer b.mu.Unlock()
		b.note("picture\x00"+g.tf.name, fmt.Sprintf("font '%s' has a picture for '%c', which is not drawn", g.tf.name, r))
	}
}

func (b *Book) search(r rune, want look) *typeface {
	for _, f := range covering {
		if e := b.machine().nearest(f, want); e != nil {
			if tf := b.load(e); tf != nil && tf.has(r) {
				return tf
			}
		}
	}
	for _, x := range []*index{b.own, b.machine()} {
		for _, e := range x.entries {
			if e.covers(r) {
				if tf := b.load(e); tf != nil {
					return tf
				}
			}
		}
	}
	return nil
}

func (b *Book) note(id, text string) {
	if !b.notesFor[id] {
		b.notesFor[id] = true
		b.notes = append(b.notes, text)
	}
}

// load reads a font; nil when it is broken, which is recorded.
func (b *Book) load(e *entry) *typeface {
	if tf, ok := b.loaded[e]; ok {
		return tf
	}
	tf, err := e.open()
	if err != nil {
		b.note("broken "+e.path, fmt.Sprintf("font '%s' can't be read: %v", e.name(), err))
	}
	b.loaded[e] = tf
	return tf
}

// open reads the font of an entry.
func (e *entry) open() (tf *typeface, err error) {
	defer func() {
		if r := recover(); r != nil {
			tf, err = nil, fmt.Errorf("the file is broken: %v", r)
		}
	}()
	err = e.withLoader(func(ld *opentype.Loader) error {
		if err := bounded(ld); err != nil {
			return err
		}
		f, err := font.NewFont(ld)
		if err != nil {
			return err
		}
		tf = newTypeface(e, f)
		return nil
	})
	return tf, err
}

// covers says whether the font has r. It reads no more of the font than it needs to.
func (e *entry) covers(r rune) (ok bool) {
	defer func() { _ = recover() }()
	_ = e.withLoader(func(ld *opentype.Loader) error {
		cmap, err := loadCmap(ld)
		if err == nil {
			_, ok = cmap.Lookup(r)
		}
		return err
	})
	return ok
}

func (e *entry) withLoader(do func(*opentype.Loader) error) error {
	var res opentype.Resource
	if e.data != nil {
		res = bytes.NewReader(e.data)
	} else {
		f, err := os.Open(e.path)
		if err != nil {
			return err
		}
		defer f.Close()
		res = f
	}
	loaders, err := opentype.NewLoaders(res)
	if err != nil {
		return err
	}
	if e.number >= len(loaders) {
		return fmt.Errorf("the collection holds %d fonts, not %d", len(loaders), e.number+1)
	}
	return do(loaders[e.number])
}
