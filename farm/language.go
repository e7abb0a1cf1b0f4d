package farm

// Language is one that people read pages and messages in, by its tag of BCP 47.
type Language string

// The languages that there are.
const (
	English Language = "en"
	German  Language = "de"
	French  Language = "fr"
)

// Languages are all of them, the first for whoever asks for none of these.
func Languages() []Language { return []Language{English, German, French} }

// Name is what those who speak a language call it.
func (l Language) Name() string {
	switch l {
	case German:
		return "Deutsch"
	case French:
		return "Français"
	}
	return "English"
}

// KnownLanguage is a language by its tag, "" when there is none of that tag.
func KnownLanguage(tag string) Language {
	for _, l := range Languages() {
		if tag == string(l) {
			return l
		}
	}
	return ""
}
