package aep

import (
	"fmt"
	"slices"
	"strings"
)

// Preflight is what the embedded engine would draw differently from After Effects, found without drawing a frame. It is stored as JSON in
// the Summary of a template, and bounded.
type Preflight struct {
	Compositions []Forecast `json:"compositions"` // in the project's order
	// Stopped says why the compositions that are not listed were not looked at; "" when all were.
	Stopped Stopped `json:"stopped,omitempty"`
}

// Stopped is why a preflight is not complete.
type Stopped string

// The reasons to stop.
const (
	StoppedByTime    Stopped = "time"    // it took too long
	StoppedByMemory  Stopped = "memory"  // it took too much memory
	StoppedByNumber  Stopped = "number"  // there are too many compositions
	StoppedByFailure Stopped = "failure" // a fault of the engine
)

// Verdict is how near to After Effects' picture a composition would be drawn.
type Verdict string

// The verdicts.
const (
	DrawsExactly Verdict = "exact"  // nothing is missing
	DrawsNearly  Verdict = "nearly" // what is missing changes details: a stand-in for a font, the pattern of a noise
	DrawsNot     Verdict = "not"    // something that is meant to be seen is missing
)

// Forecast is what is known of one composition with those that it shows.
type Forecast struct {
	ID          uint32    `json:"id"`
	Composition string    `json:"composition"`
	Verdict     Verdict   `json:"verdict"`
	Findings    []Finding `json:"findings"`       // those that count most first
	More        int       `json:"more,omitempty"` // findings that were left out
	// Needs are the features that it uses, those first that count most. Preflights of earlier versions have none.
	Needs     []Need `json:"needs,omitempty"`
	MoreNeeds int    `json:"moreNeeds,omitempty"` // features that were left out
}

// FindingKind is what a Finding is about.
type FindingKind string

// The kinds of findings.
const (
	FeatureFinding    FindingKind = "feature"    // something is not drawn
	FontFinding       FindingKind = "font"       // a font is not there
	FootageFinding    FindingKind = "footage"    // a file is not there
	ExpressionFinding FindingKind = "expression" // an expression fails
)

// Finding is something that would be drawn otherwise.
type Finding struct {
	Kind        FindingKind `json:"kind"`
	Composition string      `json:"composition,omitempty"` // that holds the layer
	Layer       string      `json:"layer,omitempty"`       // the first of several; "" for what is the whole composition's
	What        string      `json:"what"`                  // such as "effect 'Glow'", the font's name, the file's name, the error
	// Detail tells whether only a detail of the picture is concerned.
	Detail bool `json:"detail"`
}

// Words says the finding to a person, as a sentence without its end.
func (f Finding) Words() string {
	switch {
	case f.Kind == FontFinding:
		return f.Subject() + " is not there; a similar one stands in for it"
	case f.Kind == FootageFinding:
		return f.Subject() + " is missing"
	case f.Kind == FeatureFinding && f.Layer != "":
		return f.What + " is not drawn"
	}
	return f.What
}

// Subject is what the finding is about, in a few words: "font 'Lora'".
func (f Finding) Subject() string {
	switch f.Kind {
	case FontFinding:
		return "font '" + f.What + "'"
	case FootageFinding:
		return "file '" + f.What + "'"
	case ExpressionFinding:
		property, _, _ := strings.Cut(f.What, "': ")
		return strings.TrimSuffix(property, "'") + "'"
	case FeatureFinding:
	}
	return f.What
}

// Where says where the finding is: its layer, and its composition when that is not the one that was looked at; "" for the whole of it.
func (f Finding) Where(composition string) string {
	where := ""
	if f.Layer != "" {
		where = "layer '" + f.Layer + "'"
	}
	if f.Composition == "" || f.Composition == composition {
		return where
	}
	if where != "" {
		where += " of "
	}
	return where + "composition '" + f.Composition + "'"
}

// Judge is the verdict that follows from a forecast's findings. What was left out counts as a detail, as it does not come first.
func (f Forecast) Judge() Verdict {
	switch {
	case slices.ContainsFunc(f.Findings, func(f Finding) bool { return !f.Detail }):
		return DrawsNot
	case len(f.Findings) > 0 || f.More > 0:
		return DrawsNearly
	}
	return DrawsExactly
}

// fewNamed is how many findings the words of a forecast name.
const fewNamed = 2

// Named are the findings that the words of a forecast name, of those for which the composition cannot be drawn.
func (f Forecast) Named() (named []Finding) {
	for _, finding := range f.Findings[:min(len(f.Findings), fewNamed)] {
		if !finding.Detail {
			named = append(named, finding)
		}
	}
	return named
}

// Words says the forecast to a person, in a few words.
func (f Forecast) Words() string {
	all := len(f.Findings) + f.More
	switch f.Verdict {
	case DrawsExactly:
		return "Draws exactly"
	case DrawsNearly:
		if all == 1 {
			return "Draws nearly: 1 thing differs"
		}
		return fmt.Sprintf("Draws nearly: %d things differ", all)
	case DrawsNot:
	}
	var named []string
	for _, finding := range f.Named() {
		named = append(named, finding.Subject())
	}
	switch more := all - len(named); {
	case len(named) == 0:
		return fmt.Sprintf("Cannot draw: %d things", more)
	case more > 0:
		return fmt.Sprintf("Cannot draw: %s and %d more", strings.Join(named, ", "), more)
	}
	return "Cannot draw: " + strings.Join(named, " and ")
}

// Of is the forecast of the composition with an id; nil when it was not looked at.
func (p *Preflight) Of(id uint32) *Forecast {
	if p == nil {
		return nil
	}
	for i := range p.Compositions {
		if p.Compositions[i].ID == id {
			return &p.Compositions[i]
		}
	}
	return nil
}

// Fonts are the names of the fonts that are not there.
func (p *Preflight) Fonts() (names []string) {
	for _, c := range p.Compositions {
		for _, f := range c.Findings {
			if f.Kind == FontFinding && !slices.Contains(names, f.What) {
				names = append(names, f.What)
			}
		}
	}
	return names
}

// WithFonts is the preflight where some of those fonts are there.
func (p *Preflight) WithFonts(has func(name string) bool) *Preflight {
	out := &Preflight{Compositions: slices.Clone(p.Compositions), Stopped: p.Stopped}
	for i := range out.Compositions {
		c := &out.Compositions[i]
		all := len(c.Findings)
		c.Findings = slices.DeleteFunc(slices.Clone(c.Findings), func(f Finding) bool { return f.Kind == FontFinding && has(f.What) })
		if len(c.Findings) < all && c.More == 0 {
			c.Verdict = c.Judge()
		}
	}
	return out
}
