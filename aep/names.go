package aep

import (
	"strings"
	"sync"
)

// entry describes a property of a match name: its display name, and its value when a file leaves it out. Source: the
// match-name tables of the After Effects scripting guide, checked against exports of real projects.
type entry struct {
	match, name string
	def         Value // nil for groups, and when there is no single default
	group       bool
	spatial     bool
	color       bool
	rare        bool // not added when a file leaves it out
}

func group(match, name string) entry { return entry{match: match, name: name, group: true} }

func number(match, name string, def ...float64) entry {
	return entry{match: match, name: name, def: Numbers(def)}
}

func point(match, name string, def ...float64) entry {
	return entry{match: match, name: name, def: Numbers(def), spatial: true}
}

func rgb(match, name string, r, g, b float64) entry {
	return entry{match: match, name: name, def: Numbers{r, g, b, 1}, color: true}
}

func named(match, name string) entry { return entry{match: match, name: name, rare: true} }

func namedGroup(match, name string) entry {
	return entry{match: match, name: name, group: true, rare: true}
}

// Match names that code uses.
const (
	matchTransform   = "ADBE Transform Group"
	matchAnchor      = "ADBE Anchor Point"
	matchPosition    = "ADBE Position"
	matchRotateZ     = "ADBE Rotate Z"
	matchEffects     = "ADBE Effect Parade"
	matchMasks       = "ADBE Mask Parade"
	matchMaskShape   = "ADBE Mask Shape"
	matchText        = "ADBE Text Properties"
	matchDocument    = "ADBE Text Document"
	matchContents    = "ADBE Root Vectors Group"
	matchTimeRemap   = "ADBE Time Remapping"
	matchGradient    = "ADBE Vector Grad Colors"
	matchBuiltIn     = "ADBE Effect Built In Params"
	matchLayerStyles = "ADBE Layer Styles"
)

// groupEntries lists the properties of groups with fixed members, in After Effects' order. Groups to which people add
// members, such as masks, effects or the contents of a shape, are not included.
func groupEntries(match string) []entry {
	return tables().groups[match]
}

type nameTables struct {
	groups map[string][]entry
	byName map[string]entry
}

var tables = sync.OnceValue(func() nameTables {
	t := nameTables{groups: map[string][]entry{}, byName: map[string]entry{}}
	for _, part := range []map[string][]entry{layerGroups(), textGroups(), shapeGroups(), styleGroups()} {
		for match, entries := range part {
			t.groups[match] = entries
			for _, e := range entries {
				if _, known := t.byName[e.match]; !known {
					t.byName[e.match] = e
				}
			}
		}
	}
	return t
})

// displayName is the English name that After Effects shows for a property without a name of its own.
func displayName(match string, scope *layerScope) string {
	if scope != nil {
		if d := scope.effect.param(match); d != nil && strings.TrimSpace(d.name) != "" {
			return d.name
		}
		switch {
		case match == matchRotateZ && scope.layer.ThreeD:
			return "Z Rotation"
		case match == matchAnchor && (scope.layer.Kind == LayerCamera || scope.layer.Kind == LayerLight):
			return "Point of Interest"
		}
	}
	if e, ok := tables().byName[match]; ok {
		return e.name
	}
	return match
}
