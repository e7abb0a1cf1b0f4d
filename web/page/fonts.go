package page

import (
	"net/url"
	"strconv"

	"overcrank/coordinator/machines"
	"overcrank/farm"
)

// Fonts is the page of a team's fonts.
type Fonts struct {
	All       []farm.Font
	Uses      map[string]Usage // by id
	Missing   []MissingFont
	Installed map[string]int // machines that have a font, by its PostScript name
	Machines  int            // of the farm
}

// FontPageValues is the page of one font.
type FontPageValues struct {
	Name          string // PostScript
	Library       *farm.Font
	Face          int // of Library, from 0
	StandIns      StandIns
	Templates     []FontTemplate
	MoreTemplates int
	Machines      machines.FontHolders
}

// FontTemplate is a template whose text uses a font, with the first of its compositions that show it.
type FontTemplate struct {
	ID, Name     string
	Compositions []string
	More         int
}

// facesShown is how many faces of a collection the library's list draws.
const facesShown = 4

// specimenAt is the address of a picture of a font's face.
func specimenAt(f farm.Font, face int) string {
	return "/settings/fonts/" + f.ID + "/faces/" + strconv.Itoa(face)
}

// fontAt is the address of the page of a font.
func fontAt(name string) string { return "/settings/fonts/named?font=" + url.QueryEscape(name) }
