package page

import (
	"cmp"
	"slices"
	"strings"

	"overcrank/farm"
)

// StandIns are the fonts of a library of which one can stand in for a font that it lacks, by name.
type StandIns []farm.FontUse

// StandInsOf are the faces of a library's fonts, each name once. Copies that stand in for others are left out: what they are copies of is there.
func StandInsOf(list []farm.Font) (faces StandIns) {
	for _, font := range list {
		if font.CopyOf == "" {
			faces = append(faces, font.Faces...)
		}
	}
	slices.SortStableFunc(faces, func(a, b farm.FontUse) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.PostScript), strings.ToLower(b.PostScript)), strings.Compare(a.PostScript, b.PostScript))
	})
	return slices.CompactFunc(faces, func(a, b farm.FontUse) bool { return a.PostScript == b.PostScript })
}

// standInForm is a form that has a font stand in for a missing one.
type standInForm struct {
	ID      string // of its field on the page
	Missing string
	Action  string
	Fields  []formField // that are sent along
	Button  string
	Primary bool // it is what the page is for
}

type formField struct{ name, value string }

// standInFor is the form for a missing font anywhere but on the page of failures. template is the page that it comes back to, "" for that of fonts.
func standInFor(id, missing, template, button string) standInForm {
	return standInForm{
		ID: id, Missing: missing, Action: "/settings/fonts/stand-ins", Button: button,
		Fields: []formField{{"name", missing}, {"template", template}},
	}
}
