package farm

import (
	"path"
	"strings"
	"time"
	"unicode"
)

// Font is a font file of a team's library.
type Font struct {
	ID         string    `json:"id"`
	Team       string    `json:"team"`
	FamilyName string    `json:"familyName"` // of the first face, unless whoever uploaded it gave another
	FileName   string    `json:"fileName"`   // by which jobs name it; unique within the team, whatever its case
	Faces      []FontUse `json:"faces"`      // at least one; a collection has several
	File       FileRef   `json:"file"`
	CreatedAt  time.Time `json:"createdAt"`
	// CopyOf is the PostScript name of the font of the library that stands in for another one here: the file is a copy of it under the other's name.
	// "" for a font that somebody brought.
	CopyOf string `json:"copyOf,omitempty"`
}

// FontKey is the form in which names of fonts are compared: letters and digits, in lower case. "Open Sans Bold",
// "OpenSans-Bold" and "opensans_bold" have the same key.
func FontKey(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// FontRanks is the number of kinds of names that a font is matched by: PostScript name, family with style, file name.
const FontRanks = 3

// Keys are the font's names as FontKey makes them, by kind, the best kind first.
func (f Font) Keys() [FontRanks][]string {
	var keys [FontRanks][]string
	add := func(rank int, name string) {
		if key := FontKey(name); key != "" {
			keys[rank] = append(keys[rank], key)
		}
	}
	for _, face := range f.Faces {
		add(0, face.PostScript)
		for _, family := range []string{face.Family, f.FamilyName} {
			add(1, family+face.Style)
			if plainStyle(face.Style) {
				add(1, family)
			}
		}
	}
	add(2, strings.TrimSuffix(f.FileName, path.Ext(f.FileName)))
	return keys
}

// plainStyle tells whether a style is the regular one, which the family's name alone means.
func plainStyle(style string) bool {
	switch FontKey(style) {
	case "", "regular", "normal", "roman", "book":
		return true
	}
	return false
}

// Keys are the names to look the font up by, as FontKey makes them.
func (u FontUse) Keys() []string {
	var keys []string
	for _, name := range []string{u.PostScript, u.Family + u.Style} {
		if key := FontKey(name); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}
