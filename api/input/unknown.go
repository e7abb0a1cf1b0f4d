package input

import (
	"slices"
	"strings"

	"overcrank/farm"
	"overcrank/farm/names"
)

// WarningLimit is how many warnings one request gets.
const WarningLimit = 20

// Warn keeps a warning of something that is accepted but probably a mistake; the job keeps it.
func (p *Problems) Warn(text string) {
	if len(p.Warnings) < WarningLimit && !slices.Contains(p.Warnings, text) {
		p.Warnings = append(p.Warnings, text)
	}
}

// PassOver tells of fields that nobody reads: clients of other farms may send more than this one knows, and a misspelt one would be
// left out in silence. A strict request has none of them.
func (o Object) PassOver(known []string) {
	for _, key := range o.others(known) {
		hint := ""
		if near := names.Near(key, known); len(near) > 0 {
			hint = "; " + names.DidYouMean(key, known)
		}
		switch {
		case o.Wrong.Strict && hint != "":
			o.Problem(key, "is not known here; %s", farm.AsIs(strings.TrimPrefix(hint, "; ")))
			continue
		case o.Wrong.Strict:
			o.Problem(key, "is not known here")
			continue
		}
		o.Wrong.Warn("The field '" + clipped(o.Field(key)) + "' is not known here and was left out" + hint)
	}
}

// Only refuses fields with other names.
func (o Object) Only(keys ...string) {
	for _, key := range o.others(keys) {
		o.Problem(key, "is not known here; known are %s", strings.Join(keys, ", "))
	}
}

// others are the names of the fields that are not among known, in the order of the alphabet: what is said of a request does not depend on the
// order of its fields.
func (o Object) others(known []string) (others []string) {
	for _, field := range o.fields {
		if !slices.ContainsFunc(known, func(k string) bool { return k == string(field.key) }) {
			others = append(others, string(field.key))
		}
	}
	slices.Sort(others)
	return others
}

// clipped is as much of a name as a sentence has room for.
func clipped(name string) string {
	const most = 100
	if letters := []rune(name); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return name
}
