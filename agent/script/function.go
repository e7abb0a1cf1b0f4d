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

// function is a built-in function: it gives the call that the script makes of it, "" when there is nothing for a script to
// do. A new one is a line in functions, a function beside the others here, and its work in library.jsx.
type function func(c call) (string, error)

// call is a use of a built-in function.
type call struct {
	asset  Asset
	name   string // without its prefix
	params params
	i      int    // place of the asset
	filter string // of compositions, quoted
}

// functions is the table of the built-in functions.
func functions() map[string]function {
	return map[string]function{
		"comp-duration-set":  compDurationSet,
		"layer-autoscale":    onLayers(layerAutoscale),
		"layer-duration-set": onLayers(layerDurationSet),
		"layer-remove":       onLayers(layerRemove),
		"layer-start-set":    onLayers(layerStartSet),
		"layer-state-set":    onLayers(layerStateSet),
		"preview":            preview,
		"solid-color-set":    onLayers(solidColorSet),
		"text-params-set":    onLayers(textParamsSet),
	}
}

func functionCall(i int, _ string, a Asset) (string, error) {
	c := call{asset: a, name: FunctionName(a.Name), i: i}
	f, known := functions()[c.name]
	if !known {
		return "", complain("Function '%s' is not known", a.Name)
	}
	if len(bytes.TrimSpace(a.Params)) > 0 {
		if err := json.Unmarshal(a.Params, &c.params); err != nil {
			return "", complain("The arguments of function '%s' cannot be read: %v", c.name, err)
		}
	}
	if c.params.Composition == "" {
		c.params.Composition = a.Composition
	}
	c.filter = Quote(scope(c.params.Composition))
	return f(c)
}

// onLayers makes a function of one that works on layers; it gets the arguments that they all begin with.
func onLayers(f func(c call, first string) (string, error)) function {
	return func(c call) (string, error) {
		targets, err := targetsOf(c.asset, c.params)
		if err != nil {
			return "", complain("Function '%s' %v", c.name, err)
		}
		return f(c, fmt.Sprintf("%d, %s, %s", c.i, c.filter, targets))
	}
}

// preview asks for a quality, which the agent chooses the engine's settings by.
func preview(c call) (string, error) {
	if c.params.Quality != "draft" && c.params.Quality != "best" {
		return "", complain("Function 'preview' needs a quality of draft or best")
	}
	return "", nil
}

func compDurationSet(c call) (string, error) {
	seconds, err := c.seconds()
	if err != nil {
		return "", err
	}
	if c.params.Composition == "" {
		c.filter = "JOB_COMPOSITION"
	}
	return fmt.Sprintf("compDurationSet(%d, %s, %g)", c.i, c.filter, seconds), nil
}

// seconds is the value of a function that takes a duration.
func (c call) seconds() (float64, error) {
	if c.params.Value == nil || *c.params.Value <= 0 {
		return 0, complain("Function '%s' needs a value in seconds, above 0", c.name)
	}
	return *c.params.Value, nil
}

func layerDurationSet(c call, first string) (string, error) {
	seconds, err := c.seconds()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("layerDurationSet(%s, %g)", first, seconds), nil
}

func layerStartSet(c call, first string) (string, error) {
	if c.params.Value == nil {
		return "", complain("Function 'layer-start-set' needs a value in seconds")
	}
	return fmt.Sprintf("layerStartSet(%s, (%g))", first, *c.params.Value), nil
}

func layerAutoscale(c call, first string) (string, error) {
	if t := c.params.Type; t != "" && t != "fit" && t != "fill" {
		return "", complain("Function 'layer-autoscale' knows the types fit and fill, not '%s'", t)
	}
	return fmt.Sprintf("layerAutoscale(%s, %t)", first, c.params.Type == "fill"), nil
}

func layerRemove(_ call, first string) (string, error) { return "layerRemove(" + first + ")", nil }

func layerStateSet(c call, first string) (string, error) {
	switch p := c.params; {
	case p.Visible != nil:
		return fmt.Sprintf("layerStateSet(%s, %t)", first, *p.Visible), nil
	case p.State == "visible" || p.State == "hidden":
		return fmt.Sprintf("layerStateSet(%s, %t)", first, p.State == "visible"), nil
	default:
		return "", complain("Function 'layer-state-set' needs visible as true or false, or state as visible or hidden")
	}
}

func solidColorSet(c call, first string) (string, error) {
	rgb := c.params.Color
	if len(rgb) != 3 {
		return "", complain("Function 'solid-color-set' needs a color of three numbers from 0 to 1")
	}
	return fmt.Sprintf("solidColorSet(%s, [%g, %g, %g])", first, rgb[0], rgb[1], rgb[2]), nil
}

func textParamsSet(c call, first string) (string, error) {
	fields, err := textFields(c.asset.Params)
	if err != nil {
		return "", err
	}
	return "textParamsSet(" + first + ", " + fields + ")", nil
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
