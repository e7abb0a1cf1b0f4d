package language

import (
	"embed"
	"encoding/json"
	"fmt"
	"sync"

	"golang.org/x/text/feature/plural"

	"overcrank/farm"
)

//go:embed *.json
var files embed.FS

// entry is a text in a language: one form for all amounts, or one for each that the language tells apart.
type entry struct {
	other, one string
}

// UnmarshalJSON implements json.Unmarshaler: a string, or an object with the members "one" and "other".
func (e *entry) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &e.other); err == nil {
		return nil
	}
	var forms struct{ One, Other string }
	if err := json.Unmarshal(data, &forms); err != nil {
		return err
	}
	e.one, e.other = forms.One, forms.Other
	return nil
}

// catalogues are the translations by language and English text. They are read when the first page is drawn: most processes of this program,
// such as engines, readers of templates and commands, draw none.
var catalogues = sync.OnceValue(func() map[farm.Language]map[string]entry {
	all := map[farm.Language]map[string]entry{}
	for _, l := range farm.Languages() {
		if l == farm.English {
			continue
		}
		data, err := files.ReadFile(string(l) + ".json")
		read := map[string]entry{}
		if err == nil {
			err = json.Unmarshal(data, &read)
		}
		if err != nil { // the file is part of the program
			panic(fmt.Sprintf("the texts in %s: %v", l.Name(), err))
		}
		all[l] = read
	}
	return all
})

// translated is a text in a language, in the form for an amount; the text itself where there is no translation.
func translated(l farm.Language, text string, form plural.Form) string {
	found, ok := catalogues()[l][text]
	switch {
	case !ok:
		return text
	case form == plural.One && found.one != "":
		return found.one
	}
	return found.other
}

// Texts are what some texts are in a language: a string, or for one that counts the form for a single thing and that for others. Texts
// without a translation are left out.
func Texts(l farm.Language, texts map[string]bool) map[string]any {
	all := map[string]any{}
	for text, counts := range texts {
		switch found, ok := catalogues()[l][text]; {
		case !ok:
		case counts:
			all[text] = []string{found.one, found.other}
		default:
			all[text] = found.other
		}
	}
	return all
}
