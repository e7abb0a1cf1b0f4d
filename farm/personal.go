package farm

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// MostViews is how many views a person may have.
	MostViews = 30
	// MostViewName is how many characters the name of one may have.
	MostViewName = 40
	// MostViewQuery is how many bytes its query may have.
	MostViewQuery = 2000
)

// Personal is what the holder of a token has chosen for themselves.
type Personal struct {
	Token string    `json:"token"`
	Views []JobView `json:"views,omitempty"` // by name
	// KeysOff says that keys of one letter or character do nothing on the dashboard.
	KeysOff bool `json:"keysOff,omitempty"`
	// Language is the one that they have chosen, "" for the one that their browsers prefer.
	Language Language `json:"language,omitempty"`
	// BrowserLanguage is the one that a browser of theirs preferred when they signed in, or said what to be told of, last.
	BrowserLanguage Language `json:"browserLanguage,omitempty"`
}

// Reads is the language that messages to them are in: the one that they have chosen, or else the one that their browser preferred.
func (p Personal) Reads() Language {
	return cmp.Or(KnownLanguage(string(p.Language)), KnownLanguage(string(p.BrowserLanguage)), English)
}

// JobView is a look at the list of jobs that somebody has given a name.
type JobView struct {
	Name string `json:"name"`
	// Query is the filters and the order, as they stand in the address of the list.
	Query string `json:"query"`
}

// View is the place of a view by its name, in whatever case, and whether there is one.
func (p Personal) View(name string) (int, bool) {
	return slices.BinarySearchFunc(p.Views, viewKey(name), func(v JobView, key string) int { return strings.Compare(viewKey(v.Name), key) })
}

func viewKey(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// IsViewName tells whether a view may have a name.
func IsViewName(name string) bool {
	return viewKey(name) != "" && utf8.ValidString(name) && utf8.RuneCountInString(name) <= MostViewName && name == oneLine(name, 4*MostViewName)
}
