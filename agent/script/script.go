// Package script turns a job's assets into one ExtendScript, the same for After Effects and for the embedded engine.
package script

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"overcrank/farm"
)

//go:embed library.jsx
var library string

// Input is what a script is made of.
type Input struct {
	Composition string // that is rendered
	Assets      []Asset
}

// Asset is one asset of the job, in the caller's order, with what the agent found out about it.
type Asset struct {
	farm.Asset
	File     string    // absolute path of the fetched and converted Src, for image, video, audio and essential
	Source   string    // text of a script asset
	Controls []Control // what an essential asset's field drives
}

// Control is a property that a field of the Essential Graphics panel drives.
type Control struct {
	Composition uint32   // item id
	Layer       int      // 1-based, in the project as it was saved
	Path        []string // match names below the layer
	Places      []int    // beside Path: the 1-based place among siblings, 0 where the match name suffices
}

// TakesFile tells whether the field replaces the layer's source.
func (c Control) TakesFile() bool {
	return len(c.Path) > 0 && c.Path[len(c.Path)-1] == "ADBE Layer Source Alternate"
}

// Error says which asset cannot become a script, in words for who submitted the job.
type Error struct {
	Asset   int // 0-based
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("%s (asset %d)", e.Message, e.Asset) }

// Build writes the script. Its errors are of type *Error.
func Build(in Input) (string, error) {
	var b strings.Builder
	b.WriteString("(function () {\nvar JOB_COMPOSITION = " + Quote(in.Composition) + ";\n")
	b.WriteString(library)
	for i, a := range in.Assets {
		for k, c := range a.Controls {
			fmt.Fprintf(&b, "var control_%d_%d = controlled(%d, %d, %s, %s);\n", i, k, c.Composition, c.Layer, quoteList(c.Path), numberList(c.Places))
		}
	}
	for i, a := range in.Assets {
		call, err := callOf(i, a)
		if err != nil {
			return "", &Error{Asset: i, Message: err.Error()}
		}
		if call != "" {
			fmt.Fprintf(&b, "step(%d, %s, function () { return %s; });\n", i, Quote(title(a)), call)
		}
	}
	b.WriteString("})();\n")
	return b.String(), nil
}

// title names an asset in the log without telling its value.
func title(a Asset) string {
	switch {
	case a.Type == "function":
		return "function " + FunctionName(a.Name)
	case a.Type == "script" && a.Name != "":
		return "script " + a.Name
	case a.LayerName != "":
		return a.Type + " '" + a.LayerName + "'"
	default:
		return a.Type
	}
}

// kinds is the table of the types of assets: each gives the call that applies one, "" when there is nothing for a script
// to do. A new type is a line here, a function beside the others, and its work in library.jsx. filter is the quoted
// filter of compositions.
func kinds() map[string]func(i int, filter string, a Asset) (string, error) {
	return map[string]func(i int, filter string, a Asset) (string, error){
		"audio":     mediaCall,
		"data":      dataCall,
		"essential": essentialCall,
		"function":  functionCall,
		"image":     mediaCall,
		"script":    scriptCall,
		"static":    func(int, string, Asset) (string, error) { return "", nil },
		"text":      textCall,
		"video":     mediaCall,
	}
}

// callOf is the call that applies an asset.
func callOf(i int, a Asset) (string, error) {
	kind, known := kinds()[a.Type]
	if !known {
		return "", complain("Assets of type '%s' cannot be rendered by this version", a.Type)
	}
	return kind(i, Quote(scope(a.Composition)), a)
}

// scope is the composition filter of an asset.
func scope(composition string) string {
	if composition == "" {
		return "*"
	}
	return composition
}

func textCall(i int, filter string, a Asset) (string, error) {
	if a.LayerName == "" {
		return "", complain("A text asset needs a layerName")
	}
	value, err := Literal(a.Value)
	if err != nil {
		return "", err
	}
	if value == "null" {
		value = `""`
	}
	return fmt.Sprintf("setText(%d, %s, %s, %s)", i, filter, Quote(a.LayerName), value), nil
}

func dataCall(i int, filter string, a Asset) (string, error) {
	if a.Property == "" {
		return "", complain("A data asset needs a property")
	}
	target, err := target(a)
	if err != nil {
		return "", err
	}
	if len(a.Value) == 0 && a.Expression == "" {
		return "", complain("A data asset needs a value or an expression")
	}
	value, err := Literal(a.Value)
	if err != nil {
		return "", err
	}
	expression := "null"
	if a.Expression != "" {
		expression = Quote(a.Expression)
	}
	return fmt.Sprintf("setData(%d, %s, %s, %s, %s, %s)", i, filter, target, Quote(a.Property), value, expression), nil
}

func mediaCall(i int, filter string, a Asset) (string, error) {
	target, err := target(a)
	if err != nil {
		return "", err
	}
	if a.File == "" {
		return "", complain("The file of the %s asset is not there", a.Type)
	}
	return fmt.Sprintf("setMedia(%d, %s, %s, %s)", i, filter, target, quotePath(a.File)), nil
}

func target(a Asset) (string, error) {
	switch {
	case a.LayerName != "":
		return Quote(a.LayerName), nil
	case a.LayerIndex > 0:
		return fmt.Sprint(a.LayerIndex), nil
	default:
		return "", complain("A %s asset needs a layerName or a layerIndex from 1", a.Type)
	}
}

func essentialCall(i int, filter string, a Asset) (string, error) {
	if a.LayerName == "" {
		return "", complain("An essential asset needs the name of the panel's field as layerName")
	}
	value, err := Literal(a.Value)
	if err != nil {
		return "", err
	}
	controls := make([]string, len(a.Controls))
	for k := range a.Controls {
		controls[k] = fmt.Sprintf("control_%d_%d", i, k)
	}
	file := "null"
	if a.File != "" {
		file = quotePath(a.File)
	}
	return fmt.Sprintf("setEssential(%d, %s, %s, [%s], %s, %s)", i, filter, Quote(a.LayerName), strings.Join(controls, ", "), value, file), nil
}

func scriptCall(_ int, _ string, a Asset) (string, error) {
	parameters := make(map[string]json.RawMessage, len(a.Parameters))
	for _, p := range a.Parameters {
		parameters[p.Key] = p.Value
		if len(p.Value) == 0 {
			parameters[p.Key] = json.RawMessage("null")
		}
	}
	raw, err := json.Marshal(parameters)
	if err != nil {
		return "", complain("The parameters of the script cannot be read: %v", err)
	}
	literal, err := Literal(raw)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("runScript(%s, %s)", Quote(strings.TrimPrefix(a.Source, "\ufeff")), literal), nil
}

func quoteList(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = Quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

func numberList(list []int) string {
	numbers := make([]string, len(list))
	for i, n := range list {
		numbers[i] = fmt.Sprint(n)
	}
	return "[" + strings.Join(numbers, ", ") + "]"
}
