package preflight

import (
	"overcrank/aep"
	"overcrank/engine/scene"
)

// maxText limits names and errors, in runes: files may hold any.
const maxText = 200

// findings is a list in which nothing is told twice, and a font once whichever layers use it.
type findings struct {
	list []aep.Finding
	told map[aep.Finding]bool
}

func newFindings() *findings {
	return &findings{list: []aep.Finding{}, told: make(map[aep.Finding]bool)}
}

func (f *findings) add(finding aep.Finding) {
	finding.Composition, finding.Layer, finding.What = short(finding.Composition), short(finding.Layer), short(finding.What)
	known := finding
	if finding.Kind == aep.FontFinding {
		known.Composition, known.Layer = "", ""
	}
	if !f.told[known] {
		f.told[known] = true
		f.list = append(f.list, finding)
	}
}

// lack adds what of a layer, or of the composition where there is none, is not drawn.
func (f *findings) lack(p *aep.Project, lack scene.Lack) {
	finding := aep.Finding{Kind: aep.FeatureFinding, Composition: lack.Comp.Name, What: lack.What, Detail: lack.Detail}
	if lack.Layer != nil {
		finding.Layer = p.DisplayName(lack.Layer)
	}
	f.add(finding)
}

func short(s string) string {
	n := 0
	for i := range s {
		if n == maxText {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
