package expression

import (
	"strings"
	"unicode"

	"github.com/dop251/goja"
)

// groupNames are the names, in small letters, by which expressions call the groups of a layer.
func groupNames() map[string]string {
	return map[string]string{"effects": "ADBE Effect Parade", "masks": "ADBE Mask Parade", "transform": "ADBE Transform Group",
		"text": "ADBE Text Properties", "contents": "ADBE Root Vectors Group", "content": "ADBE Root Vectors Group",
		"audio": "ADBE Audio Group", "timeremap": "ADBE Time Remapping", "cameraoption": "ADBE Camera Options Group",
		"lightoption": "ADBE Light Options Group", "materialoption": "ADBE Material Options Group",
		"layerstyle": "ADBE Layer Styles", "layerstyles": "ADBE Layer Styles", "essentialproperties": "ADBE Layer Overrides",
		"geometryoption": "ADBE Extrsn Options Group"}
}

// memberNames are the names of members of groups that do not follow from their display names, by the group's match name.
func memberNames() map[string]map[string]string {
	return map[string]map[string]string{
		"ADBE Text Properties":        {"pathOption": "ADBE Text Path Options", "moreOption": "ADBE Text More Options"},
		"ADBE Material Options Group": {"specular": "ADBE Specular Coefficient", "shininess": "ADBE Shininess Coefficient"},
		"ADBE Camera Options Group":   {"irisHighlightGain": "ADBE Iris Highlight Gain"},
		"ADBE Audio Group":            {"audioLevels": "ADBE Audio Levels"},
	}
}

// openGroups are the groups whose members are also attributes of the layer.
func openGroups() []string {
	return []string{"ADBE Transform Group", "ADBE Text Properties", "ADBE Audio Group", "ADBE Camera Options Group", "ADBE Light Options Group", "ADBE Material Options Group"}
}

// defineOldSpellings defines the spelling of After Effects 5 for each name of several words: this_comp for thisComp.
func (m *Machine) defineOldSpellings() {
	c := m.classes
	for _, proto := range []*goja.Object{m.rt.GlobalObject(), c.layer, c.group, c.property, c.text, c.path, c.comp, c.footage} {
		for _, name := range proto.GetOwnPropertyNames() {
			if old := spelled(name); old != name {
				m.copyMember(proto, proto, name, old)
			}
		}
	}
}

// spelled is the old spelling of a name; names of classes have none.
func spelled(name string) string {
	if name == "" || !unicode.IsLower(rune(name[0])) {
		return name
	}
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// modern is the spelling of today of a name of After Effects 5.
func modern(name string) string {
	var b strings.Builder
	for i, part := range strings.Split(name, "_") {
		if i > 0 && part != "" {
			part = strings.ToUpper(part[:1]) + part[1:]
		}
		b.WriteString(part)
	}
	return b.String()
}
