package page

import (
	"strings"

	"github.com/a-h/templ"
)

// Wrong is what is wrong with fields of a form, by their names.
type Wrong map[string]string

// flagged are the attributes of an input that holds something wrong: it is where the reader goes on.
func (w Wrong) flagged(field string) templ.Attributes {
	if w[field] == "" {
		return nil
	}
	return templ.Attributes{"aria-invalid": "true", "aria-describedby": wrongID(field), "autofocus": true}
}

// wrongID is the id of what is said to be wrong with a field.
func wrongID(field string) string { return strings.ReplaceAll(field, ".", "-") + "-wrong" }
