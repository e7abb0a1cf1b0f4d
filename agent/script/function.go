package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// params are the arguments of a function asset.
type params struct {
	Composition string          `json:"composition"`
	LayerName   json.RawMessage `json:"layerName"` // a string or a list of them
	LayerIndex  int             `json:"layerIndex"`
	Value       *float64        `json:"value"`
	Type        string          `json:"type"`
	Visible     *bool           `json:"visible"`
	State       string          `json:"state"`
	Color       []float64       `json:"color"`
	Quality     string          `json:"quality"`
}

// FunctionName is the name of a built-in function without its prefix.
func FunctionName(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, "nx:"), "nx-")
}

// PreviewQuality is what a preview function asks for, draft or best; "" when name is another function.
func PreviewQuality(name string, raw json.RawMessage) string {
	var p params
	if FunctionName(name) != "preview" || json.Unmarshal(raw, &p) != nil {
		return ""
	}
	return p.Quality
}

func functionCall(i int, a Asset) (string, error) {
	name := FunctionName(a.Name)
	var p params
	if len(bytes.TrimSpace(a.Params)) > 0 {
		if err := json.Unmarshal(a.Params, &p); err != nil {
			return "", complain("The arguments of function '%s' cannot be read: %v", name, err)
		}
	}
	if p.Composition == "" {
		p.Composition = a.Composition
	}
	if name == "preview" {
		if p.Quality != "draft" && p.Quality != "best" {
			return "", complain("Function 'preview' needs a quality of draft or best")
		}
		return "", nil
	}
	filter := Quote(scope(p.Composition))
	if name == "comp-duration-set" {
		return compDurationCall(i, filter, p)
	}
	targets, err := targetsOf(a, p)
	if err != nil {
		return "", complain("Function '%s' %v", name, err)
	}
	head := fmt.Sprintf("(%d, %s, %s", i, filter, targets)
	switch name {
	case "layer-duration-set", "layer-start-set":
		return timeCall(name, head, p)
	case "layer-autoscale":
		if p.Type != "" && p.Type != "fit" && p.Type != "fill" {
			return "", complain("Function 'layer-autoscale' knows the types fit and fill, not '%s'", p.Type)
		}
		return fmt.Sprintf("layerAutoscale%s, %t)", head, p.Type == "fill"), nil
	case "layer-state-set":
		return stateCall(head, p)
	case "layer-remove":
		return "layerRemove" + head + ")", nil
	case "solid-color-set":
		if len(p.Color) != 3 {
			return "", complain("Function 'solid-color-set' needs a color of three numbers from 0 to 1")
		}
		return fmt.Sprintf("solidColorSet%s, [%g, %g, %g])", head, p.Color[0], p.Color[1], p.Color[2]), nil
	case "text-params-set":
		fields, err := textFields(a.Params)
		if err != nil {
			return "", err
		}
		return "textParamsSet" + head + ", " + fields + ")", nil
	default:
		return "", complain("Function '%s' is not known", a.Name)
	}
}

func compDurationCall(i int, filter string, p params) (string, error) {
	if p.Value == nil || *p.Value <= 0 {
		return "", complain("Function 'comp-duration-set' needs a value in seconds, above 0")
	}
	if p.Composition == "" {
		filter = "JOB_COMPOSITION"
	}
	return fmt.Sprintf("compDurationSet(%d, %s, %g)", i, filter, *p.Value), nil
}

func timeCall(name, head string, p params) (string, error) {
	if p.Value == nil {
		return "", complain("Function '%s' needs a value in seconds", name)
	}
	if name == "layer-start-set" {
		return fmt.Sprintf("layerStartSet%s, (%g))", head, *p.Value), nil
	}
	if *p.Value <= 0 {
		return "", complain("Function '%s' needs a value in seconds, above 0", name)
	}
	return fmt.Sprintf("layerDurationSet%s, %g)", head, *p.Value), nil
}

func stateCall(head string, p params) (string, error) {
	switch {
	case p.Visible != nil:
		return fmt.Sprintf("layerStateSet%s, %t)", head, *p.Visible), nil
	case p.State == "visible" || p.State == "hidden":
		return fmt.Sprintf("layerStateSet%s, %t)", head, p.State == "visible"), nil
	default:
		return "", complain("Function 'layer-state-set' needs visible as true or false, or state as visible or hidden")
	}
}

// targetsOf is the list of layers a function works on.
func targetsOf(a Asset, p params) (string, error) {
	if len(p.LayerName) > 0 {
		var one string
		var many []string
		if json.Unmarshal(p.LayerName, &one) == nil && one != "" {
			return quoteList([]string{one}), nil
		}
		if json.Unmarshal(p.LayerName, &many) == nil && len(many) > 0 {
			return quoteList(many), nil
		}
		return "", fmt.Errorf("needs layerName as a name or a list of names")
	}
	switch {
	case p.LayerIndex > 0:
		return fmt.Sprintf("[%d]", p.LayerIndex), nil
	case a.LayerName != "":
		return quoteList([]string{a.LayerName}), nil
	case a.LayerIndex > 0:
		return fmt.Sprintf("[%d]", a.LayerIndex), nil
	default:
		return "", fmt.Errorf("needs a layerName")
	}
}

// textFields is the object of the text fields that text-params-set was given.
func textFields(raw json.RawMessage) (string, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return "", complain("The arguments of function 'text-params-set' cannot be read: %v", err)
	}
	names := []struct{ param, field string }{
		{"font", "font"}, {"fontSize", "fontSize"}, {"fillColor", "fillColor"}, {"strokeColor", "strokeColor"},
		{"strokeWidth", "strokeWidth"}, {"tracking", "tracking"}, {"leading", "leading"}, {"justification", "justification"},
		{"textValue", "text"}, {"allCaps", "allCaps"},
	}
	var parts []string
	for _, n := range names {
		value, ok := given[n.param]
		if !ok || string(value) == "null" {
			continue
		}
		literal, err := Literal(value)
		if err != nil {
			return "", err
		}
		parts = append(parts, n.field+": "+literal)
	}
	if len(parts) == 0 {
		return "", complain("Function 'text-params-set' was given nothing to set")
	}
	return "{" + strings.Join(parts, ", ") + "}", nil
}
