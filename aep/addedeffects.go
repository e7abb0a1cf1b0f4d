package aep

import (
	"maps"
	"slices"
	"strings"
)

// ownPrefixes begin the match names of what After Effects brings itself: Adobe's effects, Cycore's under two of its names, those
// of Atomic Power and of Visual Infinity, and what Animation Composer and others call pseudo effects, which consist of controls
// that the project holds itself. The match names are those of https://ae-scripting.docsforadobe.dev/matchnames/effects/firstparty/.
var ownPrefixes = []string{"ADBE ", "CC ", "CS ", "APC ", "VISINF Grain ", "Pseudo/"}

// ownEffects are the match names of the other effects that After Effects brings, or brought, itself.
var ownEffects = map[string]bool{
	"CSRainfall": true, "CSSnowfall": true, "CINEMA 4D Effect": true, "Keylight 906": true, "mochaAECC": true, "ISL MochaShapeImporter": true,
	"EXtractoR": true, "IDentifier": true, "Cryptomatte": true, "SYNTHAP CF Color Finesse 2": true,
}

// OwnEffect tells whether After Effects itself brings the effect with a match name. Some plug-ins of others take Adobe's prefix
// too, against its rules, and cannot be told from Adobe's own.
func OwnEffect(match string) bool {
	return ownEffects[match] || slices.ContainsFunc(ownPrefixes, func(p string) bool { return strings.HasPrefix(match, p) })
}

// AddedEffects are the match names, in order, of the effects on the project's layers that plug-ins added to After Effects.
func (p *Project) AddedEffects() []string {
	found := map[string]bool{}
	for _, it := range p.Items {
		if it.Comp == nil {
			continue
		}
		for _, l := range it.Comp.Layers {
			for _, match := range l.addedEffects() {
				found[match] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func (l *Layer) addedEffects() []string {
	if l.Props == nil {
		return nil
	}
	var added []string
	for _, child := range l.Props.Children {
		if child.Match != matchEffects {
			continue
		}
		for _, effect := range child.Children {
			if effect.Match != "" && !OwnEffect(effect.Match) {
				added = append(added, effect.Match)
			}
		}
	}
	return added
}
