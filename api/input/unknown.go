package input

import (
	"slices"

	"overcrank/farm/names"
)

// WarningLimit is how many warnings one request gets.
const WarningLimit = 20

// Warn keeps something that is taken though it is hardly meant, for the job to keep.
func (p *Problems) Warn(text string) {
	if len(p.Warnings) < WarningLimit && !slices.Contains(p.Warnings, text) {
		p.Warnings = append(p.Warnings, text)
	}
}

// PassOver tells of fields that nobody reads: clients of other farms may send more than this one knows, and a misspelt one would be
// left out in silence. A strict request has none of them.
func (o Object) PassOver(known []string) {
	for _, field := range o.fields {
		if slices.ContainsFunc(known, func(k string) bool { return k == string(field.key) }) {
			continue
		}
		key := string(field.key)
		hint := ""
		if near := names.Near(key, known); len(near) > 0 {
			hint = "; " + names.DidYouMean(key, known)
		}
		if o.Wrong.Strict {
			o.Problem(key, "is not known here%s", hint)
			continue
		}
		o.Wrong.Warn("The field '" + clipped(o.Field(key)) + "' is not known here and was left out" + hint)
	}
}

// clipped is as much of a name as a sentence has room for.
func clipped(name string) string {
	const most = 100
	if letters := []rune(name); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return name
}
