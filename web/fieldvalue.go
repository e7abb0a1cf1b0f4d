package web

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"overcrank/farm"
	"overcrank/web/page"
)

// shownValue is how a form shows a value of a template, as read from its summary; "" for one that it cannot show.
func shownValue(kind string, value any) string {
	switch v := value.(type) {
	case string:
		return v
	case bool:
		if v {
			return "1"
		}
	case float64:
		return page.Number(v)
	case []float64:
		return shownNumbers(kind, v)
	case []any: // read from JSON
		numbers := make([]float64, 0, len(v))
		for _, each := range v {
			n, ok := each.(float64)
			if !ok {
				return ""
			}
			numbers = append(numbers, n)
		}
		return shownNumbers(kind, numbers)
	}
	return ""
}

func shownNumbers(kind string, numbers []float64) string {
	if kind != page.FieldColour {
		words := make([]string, len(numbers))
		for i, n := range numbers {
			words[i] = page.Number(n)
		}
		return strings.Join(words, " ")
	}
	if len(numbers) < 3 {
		return ""
	}
	hex := "#"
	for _, n := range numbers[:3] {
		hex += fmt.Sprintf("%02x", int(math.Round(255*min(max(n, 0), 1))))
	}
	return hex
}

// valueGiven is what a field shows of a value that a job was given; false for one that it cannot show.
func valueGiven(f page.Field, raw json.RawMessage) (string, bool) {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return "", false
	}
	shown := shownValue(f.Kind, value)
	if shown == "" && f.Kind != "text" && f.Kind != page.FieldSwitch {
		return "", false
	}
	if _, isWords := value.(string); isWords != (f.Kind == "text") {
		return "", false
	}
	_, err := typedValue(f, shown)
	return shown, err == nil
}

var hexColour = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// assetOf is the asset that a filled-in field stands for; not changed when the template has the same.
func assetOf(f page.Field, value string) (a farm.Asset, changed bool, err error) {
	if f.TakesFile() {
		value = strings.TrimSpace(value)
		if f.Kind != "media" {
			return farm.Asset{Type: f.Kind, LayerName: f.Layer, Src: value}, value != "", nil
		}
	}
	if f.Kind == page.FieldComment || f.Kind == "media" && value == "" || f.Kind != "media" && value == f.Value {
		return a, false, nil
	}
	given, err := typedValue(f, value)
	if err != nil {
		return a, false, err
	}
	raw, err := json.Marshal(given)
	switch {
	case f.Panel:
		a = farm.Asset{Type: "essential", LayerName: f.Layer, Composition: f.Composition, Value: raw}
	case f.Property != "":
		a = farm.Asset{Type: "data", LayerName: f.Layer, Property: f.Property, Value: raw}
	default:
		a = farm.Asset{Type: "text", LayerName: f.Layer, Value: raw}
	}
	return a, true, err
}

// typedValue is what a field holds as the interface takes it. Its error says what the field takes.
func typedValue(f page.Field, text string) (any, error) {
	switch f.Kind {
	case page.FieldSwitch:
		return text == "1", nil
	case page.FieldColour:
		return colourOf(strings.TrimSpace(text))
	case page.FieldNumber, page.FieldAngle:
		return numberWithin(f, text)
	case page.FieldChoice:
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > len(f.Options) {
			return nil, farm.Errorf(farm.CodeInvalid, "is not one of the choices")
		}
		return n, nil
	case page.FieldPoint:
		parts := strings.Fields(text)
		if len(parts) != len(f.Parts()) {
			return nil, farm.Errorf(farm.CodeInvalid, "needs a number in each of its boxes")
		}
		numbers := make([]float64, len(parts))
		for i, part := range parts {
			n, err := numberOfText(part)
			if err != nil {
				return nil, err
			}
			numbers[i] = n
		}
		return numbers, nil
	}
	return text, nil
}

func colourOf(text string) ([]float64, error) {
	if !hexColour.MatchString(text) {
		return nil, farm.Errorf(farm.CodeInvalid, "has to be a colour such as #ffb000")
	}
	numbers := make([]float64, 3)
	for i := range numbers {
		n, err := strconv.ParseUint(text[1+2*i:3+2*i], 16, 8)
		if err != nil {
			return nil, farm.Errorf(farm.CodeInvalid, "has to be a colour such as #ffb000")
		}
		numbers[i] = math.Round(float64(n)/255*10000) / 10000
	}
	return numbers, nil
}

func numberWithin(f page.Field, text string) (float64, error) {
	n, err := numberOfText(strings.TrimSpace(text))
	if err == nil && f.Least != nil && f.Most != nil && (n < *f.Least || n > *f.Most) {
		err = farm.Errorf(farm.CodeInvalid, "has to be from %s to %s", page.Number(*f.Least), page.Number(*f.Most))
	}
	return n, err
}

func numberOfText(text string) (float64, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, farm.Errorf(farm.CodeInvalid, "has to be a number")
	}
	return n, nil
}
