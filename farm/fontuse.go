package farm

import (
	"encoding/json"
	"strings"
)

// FontUses are the fonts that a job's own assets name, by PostScript name: those of text-params-set, and those that data
// assets set as a text's font.
func (j Job) FontUses() []FontUse {
	var uses []FontUse
	for _, a := range j.Assets {
		if name := a.fontName(); name != "" && len(SecretRefs(name)) == 0 {
			uses = append(uses, FontUse{PostScript: name})
		}
	}
	return uses
}

func (a Asset) fontName() string {
	switch {
	case a.Type == "function" && strings.HasSuffix(a.Name, "text-params-set"):
		return fontIn(a.Params)
	case a.Type != "data":
		return ""
	}
	property := strings.ReplaceAll(strings.ToLower(a.Property), "->", ".")
	switch {
	case strings.HasSuffix(property, "source text.font") || strings.HasSuffix(property, "adbe text document.font"):
		var name string
		_ = json.Unmarshal(a.Value, &name) // a value that is not a string names no font
		return name
	case strings.HasSuffix(property, "source text") || strings.HasSuffix(property, "adbe text document"):
		return fontIn(a.Value)
	}
	return ""
}

// fontIn is the font that parameters of text name, "" for none.
func fontIn(parameters json.RawMessage) string {
	var given struct {
		Font string `json:"font"`
	}
	_ = json.Unmarshal(parameters, &given)
	return given.Font
}
