package aep

import (
	"encoding/json"
	"fmt"
	"sort"
)

// Definition is the definition.json of a .mogrt.
type Definition struct {
	Name        string
	CapsuleID   string
	Composition string // name of the composition to render
	Fields      []DefinitionField
}

// DefinitionField is one field of a .mogrt's panel.
type DefinitionField struct {
	ID       string
	Name     string
	Type     int // as Controller.Type
	Value    any // bool, float64, []float64, string, or []string for groups: the ids of their members
	Min, Max *float64
	Options  []string // labels of a dropdown
}

// preferred is the language that names are shown in, where a template has it.
const preferred = "en_US"

// localized is text in several languages.
type localized struct {
	StrDB []struct {
		Locale string `json:"localeString"`
		Str    string `json:"str"`
	} `json:"strDB"`
}

// text is the English text, or else the first.
func (l localized) text() string {
	for _, s := range l.StrDB {
		if s.Locale == preferred {
			return s.Str
		}
	}
	if len(l.StrDB) > 0 {
		return l.StrDB[0].Str
	}
	return ""
}

type definitionJSON struct {
	CapsuleID   string    `json:"capsuleID"`
	CapsuleName string    `json:"capsuleName"`
	Localized   localized `json:"capsuleNameLocalized"`
	Controls    []struct {
		ID    string          `json:"id"`
		Type  int             `json:"type"`
		Name  localized       `json:"uiName"`
		Value json.RawMessage `json:"value"`
		Min   *float64        `json:"min"`
		Max   *float64        `json:"max"`
		Menu  []localized     `json:"menucontent"`
	} `json:"clientControls"`
	Source map[string]struct {
		Name string `json:"name"`
	} `json:"sourceInfoLocalized"`
}

func parseDefinition(data []byte) (*Definition, error) {
	var raw definitionJSON
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("%w: its %s: %w", ErrBroken, definitionFile, err)
	}
	d := &Definition{Name: raw.CapsuleName, CapsuleID: raw.CapsuleID}
	if s := raw.Localized.text(); s != "" {
		d.Name = s
	}
	d.Composition = raw.Source[preferred].Name
	locales := make([]string, 0, len(raw.Source))
	for l := range raw.Source {
		locales = append(locales, l)
	}
	sort.Strings(locales)
	for _, l := range locales {
		if d.Composition == "" {
			d.Composition = raw.Source[l].Name
		}
	}
	for _, c := range raw.Controls {
		f := DefinitionField{ID: c.ID, Name: c.Name.text(), Type: c.Type, Min: c.Min, Max: c.Max}
		for _, o := range c.Menu {
			f.Options = append(f.Options, o.text())
		}
		f.Value = fieldValue(c.Type, c.Value)
		d.Fields = append(d.Fields, f)
	}
	return d, nil
}

// fieldValue reads a field's value in the type of the field; nil when it is of another type.
func fieldValue(typ int, raw json.RawMessage) any {
	switch typ {
	case fieldCheckbox:
		return decodeAs[bool](raw)
	case fieldSlider, fieldAngle, fieldDropdown:
		return decodeAs[float64](raw)
	case fieldColor, fieldScale:
		return decodeAs[[]float64](raw)
	case fieldPoint:
		var p struct{ X, Y float64 }
		if json.Unmarshal(raw, &p) == nil {
			return []float64{p.X, p.Y}
		}
	case fieldText, fieldComment:
		var l localized
		if json.Unmarshal(raw, &l) == nil {
			return l.text()
		}
		return decodeAs[string](raw)
	case fieldGroup:
		return decodeAs[[]string](raw)
	}
	return nil
}

func decodeAs[T any](raw json.RawMessage) any {
	var v T
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	return v
}

// fieldWord is the name of a type of field.
func fieldWord(typ int) string {
	switch typ {
	case fieldCheckbox:
		return "checkbox"
	case fieldSlider:
		return "slider"
	case fieldAngle:
		return "angle"
	case fieldColor:
		return "color"
	case fieldPoint:
		return "point"
	case fieldText:
		return "text"
	case fieldComment:
		return "comment"
	case fieldScale:
		return "scale"
	case fieldGroup:
		return "group"
	case fieldDropdown:
		return "dropdown"
	case fieldMedia:
		return "media"
	}
	return "other"
}
