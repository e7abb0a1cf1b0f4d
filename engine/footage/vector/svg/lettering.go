package svg

import (
	"maps"
	"strconv"
	"strings"
)

// lettering is how text is set; the size of its font belongs to style, since lengths refer to it.
type lettering struct {
	families             []string
	weight               float64
	italic               bool
	spacing, wordSpacing float64 // pixels between characters, and more where there is a space
	anchor               string
	leftward             bool // the direction is from right to left
	preserve             bool // spaces stay as they are
	baseline             string
	raised               float64 // pixels above it
	lined, vertical      bool
}

const (
	regular = 400
	bold    = 700
	// maxFamilies limits the families of one list.
	maxFamilies = 20
)

// unfolded are properties with the parts of the property font, which stands for several, beside it.
func unfolded(v map[string]string) map[string]string {
	words := strings.Fields(v["font"])
	for i, word := range words {
		size, _, _ := strings.Cut(word, "/")
		if n, ok := length(size, 16, 16); !ok || n <= 0 || i+1 == len(words) || plainNumber(size) {
			continue
		}
		out := maps.Clone(v)
		out["font-size"], out["font-family"] = size, strings.Join(words[i+1:], " ")
		out["font-weight"], out["font-style"] = "normal", "normal"
		for _, before := range words[:i] {
			switch before {
			case "italic", "oblique":
				out["font-style"] = before
			default:
				out["font-weight"] = before
			}
		}
		return out
	}
	return v
}

// plainNumber tells whether a word is a number without a unit, such as a weight.
func plainNumber(v string) bool {
	_, err := strconv.ParseFloat(v, 64)
	return err == nil
}

// within is the lettering of an element with properties, whose font has a size, within one of lettering l.
func (l lettering) within(v map[string]string, size float64) lettering {
	if f := strings.TrimSpace(v["font-family"]); f != "" && f != "inherit" {
		l.families = families(f)
	}
	l.weight = weight(strings.TrimSpace(v["font-weight"]), l.weight)
	switch style := strings.TrimSpace(v["font-style"]); {
	case style == "normal":
		l.italic = false
	case style == "italic", strings.HasPrefix(style, "oblique"):
		l.italic = true
	}
	space := func(to *float64, name string) {
		if got := strings.TrimSpace(v[name]); got == "normal" {
			*to = 0
		} else if n, ok := length(got, size, size); ok {
			*to = n
		}
	}
	space(&l.spacing, "letter-spacing")
	space(&l.wordSpacing, "word-spacing")
	if a := strings.TrimSpace(v["text-anchor"]); a == "start" || a == "middle" || a == "end" {
		l.anchor = a
	}
	if d := strings.TrimSpace(v["direction"]); d == "ltr" || d == "rtl" {
		l.leftward = d == "rtl"
	}
	switch kept := v["xml:space"]; {
	case strings.HasPrefix(v["white-space"], "pre") && v["white-space"] != "pre-line", kept == "preserve":
		l.preserve = true
	case kept == "default", v["white-space"] == "normal":
		l.preserve = false
	}
	return l.beside(v)
}

// beside takes the properties that concern what lies beside the letters and along which line they stand.
func (l lettering) beside(v map[string]string) lettering {
	if b := strings.TrimSpace(v["dominant-baseline"]); b != "" && b != "inherit" {
		l.baseline = b
	}
	for _, name := range []string{"text-decoration", "text-decoration-line"} {
		if d := strings.TrimSpace(v[name]); d != "" && !strings.HasPrefix(d, "none") && d != "inherit" {
			l.lined = true
		}
	}
	switch strings.TrimSpace(v["writing-mode"]) {
	case "tb", "tb-rl", "vertical-rl", "vertical-lr":
		l.vertical = true
	case "lr", "lr-tb", "rl", "horizontal-tb":
		l.vertical = false
	}
	return l
}

// families reads a list of families.
func families(v string) (out []string) {
	for one := range strings.SplitSeq(v, ",") {
		one = strings.TrimSpace(strings.Trim(strings.TrimSpace(one), `'"`))
		if one != "" && len(out) < maxFamilies && len(one) < 200 {
			out = append(out, one)
		}
	}
	return out
}

// weight reads a weight, within one of another.
func weight(v string, outer float64) float64 {
	switch v {
	case "normal":
		return regular
	case "bold":
		return bold
	case "bolder":
		switch {
		case outer < 350:
			return regular
		case outer < 550:
			return bold
		}
		return max(outer, 900)
	case "lighter":
		switch {
		case outer < 550:
			return 100
		case outer < 750:
			return regular
		}
		return bold
	}
	if n, err := strconv.ParseFloat(v, 64); err == nil && n >= 1 && n <= 1000 {
		return max(100, n)
	}
	return outer
}
