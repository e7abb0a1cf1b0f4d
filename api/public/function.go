package public

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"overcrank/api/input"
	"overcrank/farm"
)

// argumentKind is what a function's argument may be.
type argumentKind int

const (
	argText    argumentKind = iota
	argNames                // a string or a list of strings
	argNumber               // any finite number
	argSeconds              // a number above 0
	argWhole                // 1 or more
	argBoolean              // true or false
	argColor                // [r, g, b], each 0 to 1
	argChoice               // one of values
)

// argument is one argument of a built-in function.
type argument struct {
	name   string
	kind   argumentKind
	needed bool
	values []string // of argChoice
}

// functions are the built-in functions with their arguments.
var functions = map[string][]argument{
	"comp-duration-set": {
		{name: "composition", kind: argText}, {name: "value", kind: argSeconds, needed: true}},
	"layer-duration-set": {
		{name: "layerName", kind: argNames, needed: true}, {name: "value", kind: argSeconds, needed: true}, {name: "composition", kind: argText}},
	"layer-start-set": {
		{name: "layerName", kind: argNames, needed: true}, {name: "value", kind: argNumber, needed: true}, {name: "composition", kind: argText}},
	"layer-autoscale": {
		{name: "layerName", kind: argNames, needed: true}, {name: "composition", kind: argText},
		{name: "type", kind: argChoice, values: []string{"fit", "fill"}}},
	"layer-state-set": {
		{name: "layerName", kind: argNames, needed: true}, {name: "composition", kind: argText},
		{name: "visible", kind: argBoolean}, {name: "state", kind: argChoice, values: []string{"visible", "hidden"}}},
	"layer-remove": {
		{name: "composition", kind: argText}, {name: "layerIndex", kind: argWhole}, {name: "layerName", kind: argNames}},
	"solid-color-set": {
		{name: "layerName", kind: argNames, needed: true}, {name: "color", kind: argColor, needed: true}, {name: "composition", kind: argText}},
	"text-params-set": {
		{name: "layerName", kind: argNames, needed: true}, {name: "composition", kind: argText},
		{name: "textValue", kind: argText}, {name: "font", kind: argText}, {name: "fontSize", kind: argNumber},
		{name: "fillColor", kind: argColor}, {name: "strokeColor", kind: argColor}, {name: "strokeWidth", kind: argNumber},
		{name: "tracking", kind: argNumber}, {name: "leading", kind: argNumber}, {name: "justification", kind: argText},
		{name: "allCaps", kind: argBoolean}},
	"preview": {{name: "quality", kind: argChoice, values: []string{"draft", "best"}, needed: true}},
	"genai":   {{name: "layerName", kind: argNames}},
	"gen-ai":  {{name: "layerName", kind: argNames}}, // as some clients spell it
}

// readFunctionAsset reads a built-in function. Its arguments stand in params or beside name; they all end in Params,
// and the name loses its other spelling.
func readFunctionAsset(o input.Object, a *farm.Asset) {
	given := o.NeedText("name", input.NameLimit)
	if given == "" {
		return
	}
	name, prefixed := strings.CutPrefix(given, "nx:")
	if !prefixed {
		name, prefixed = strings.CutPrefix(given, "nx-")
	}
	arguments, known := functions[name]
	if !prefixed || !known {
		o.Problem("name", "is not a built-in function; these are: nx:%s", strings.Join(slices.Sorted(maps.Keys(functions)), ", nx:"))
		return
	}
	if name == "genai" || name == "gen-ai" {
		o.Problem("name", "nx:genai needs a provider, and this farm has none")
		return
	}
	a.Name = "nx:" + name
	args, valid := gatherArguments(o, arguments)
	if !valid {
		return
	}
	for _, arg := range arguments {
		checkArgument(args, arg)
	}
	checkAlternatives(args, name)
	params, err := args.Encode()
	if err != nil {
		o.Problem("params", "cannot be kept: %s", err)
		return
	}
	a.Params = params
}

// gatherArguments merges params with the arguments beside name; params wins. Problems are reported where a field stood.
func gatherArguments(o input.Object, arguments []argument) (input.Object, bool) {
	args := o.Bare()
	if o.Has("params") {
		params, isObject := o.Child("params")
		if !isObject {
			return args, false
		}
		args = params
	}
	for _, arg := range arguments {
		// "type" beside name is the asset's own.
		if o.Raw(arg.name) != nil && arg.name != "type" && !args.Has(arg.name) {
			args.Take(arg.name, o)
		}
	}
	return args, true
}

func checkArgument(args input.Object, arg argument) {
	if !args.Has(arg.name) {
		if arg.needed {
			args.Need(arg.name)
		}
		return
	}
	switch arg.kind {
	case argText:
		args.CheckText(arg.name, input.TextLimit)
	case argNames:
		checkNames(args, arg.name)
	case argNumber:
		args.Number(arg.name)
	case argSeconds:
		if n, valid := args.Number(arg.name); valid && n <= 0 {
			args.Problem(arg.name, "has to be above 0 seconds")
		}
	case argWhole:
		args.Whole(arg.name, 1, frameLimit)
	case argBoolean:
		args.Boolean(arg.name)
	case argColor:
		checkColor(args, arg.name)
	case argChoice:
		args.Choice(arg.name, arg.values...)
	}
}

func checkNames(args input.Object, key string) {
	switch input.KindOf(args.Raw(key)) {
	case input.KindString:
		args.NeedText(key, input.AddressLimit)
	case input.KindList:
		if names := args.List(key); len(names) == 0 || len(names) > assetLimit {
			args.Problem(key, "has to hold between 1 and %d names", assetLimit)
			return
		}
		args.Texts(key, input.AddressLimit)
	default:
		args.Mistyped(key, "a name or a list of names")
	}
}

func checkColor(args input.Object, key string) {
	var channels []float64
	if json.Unmarshal(args.Raw(key), &channels) != nil || len(channels) != 3 {
		args.Problem(key, "has to be a colour [red, green, blue], each from 0 to 1")
		return
	}
	for i, channel := range channels {
		if channel < 0 || channel > 1 {
			args.Wrong.Add(input.ElementPath(args.Field(key), i), "has to be from 0 to 1")
		}
	}
}

// checkAlternatives covers the arguments of which one is enough.
func checkAlternatives(args input.Object, name string) {
	switch name {
	case "layer-remove":
		if !args.Has("layerIndex") && !args.Has("layerName") {
			args.Problem("layerIndex", "is missing; give the layer's number or its layerName")
		}
	case "layer-state-set":
		if !args.Has("visible") && !args.Has("state") {
			args.Problem("visible", "is missing; give visible as true or false, or state as visible or hidden")
		}
	case "text-params-set":
		if !slices.ContainsFunc(functions[name][2:], func(arg argument) bool { return args.Has(arg.name) }) {
			args.Problem("textValue", "is missing; give at least one thing to set, such as textValue, font or fontSize")
		}
	}
}
