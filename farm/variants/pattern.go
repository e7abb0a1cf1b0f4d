package variants

import (
	"regexp"
	"slices"
	"strconv"

	"overcrank/farm"
)

// placeholder is a part of a pattern that a value replaces.
var placeholder = regexp.MustCompile(`\{([^{}]+)\}`)

// lineWord is replaced by the number of the row's line, unless a column has that name.
const lineWord = "line"

// CheckPattern refuses a pattern with a placeholder that is neither a heading of the rows, nor "line", nor one of
// others.
func CheckPattern(pattern string, list []Variant, others ...string) error {
	for _, m := range placeholder.FindAllStringSubmatch(pattern, -1) {
		if _, ok := list[0].Cells[m[1]]; !ok && m[1] != lineWord && !slices.Contains(others, m[1]) {
			return farm.Errorf(farm.CodeInvalid, "there is no column '%s'", m[1])
		}
	}
	return nil
}

// Fill makes a name from a pattern: "{heading}" becomes the row's cell, "{line}" the number of its line, and the keys of
// others their values.
func (v Variant) Fill(pattern string, others map[string]string) string {
	return placeholder.ReplaceAllStringFunc(pattern, func(m string) string {
		key := m[1 : len(m)-1]
		cell, isColumn := v.Cells[key]
		if other, ok := others[key]; ok && !isColumn {
			return other
		}
		if key == lineWord && !isColumn {
			return strconv.Itoa(v.Number)
		}
		return cell
	})
}
