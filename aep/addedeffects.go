package aep

import (
	"maps"
	"slices"
	"strings"
)

// ownPrefixes begin the match names of effects that come with After Effects: Adobe's, Cycore's under two of its names,
// and those of Atomic Power and Visual Infinity. They also begin those of pseudo effects, of Animation Composer and
// others, which consist of controls that the project itself contains. The match names are those of
// https://ae-scripting.docsforadobe.dev/matchnames/effects/firstparty/.
var ownPrefixes = []string{"ADBE ", "CC ", "CS ", "APC ", "VISINF Grain ", "Pseudo/"}

// ownEffects are the match names of the other effects that come, or came, with After Effects.
var ownEffects = map[string]bool{
	"CSRainfall": true, "CSSnowfall": true, "CINEMA 4D Effect": true, "Keylight 906": true, "mochaAECC": true, "ISL MochaShapeImporter": true,
	"EXtractoR": true, "IDentifier": true, "Cryptomatte": true, "SYNTHAP CF Color Finesse 2": true,
}

// OwnEffect tells whether an effect comes with After Effects. Some other plug-ins also use Adobe's prefix, against its
// rules, and cannot be told apart.
func OwnEffect(match string) bool {
	return ownEffects[match] || slices.ContainsFunc(ownPrefixes, func(p string) bool { return strings.HasPrefix(match, p) })
}

// AddedEffects are the match names, sorted, of the effects on the project's layers that do not come with After Effects.
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
