package language

import (
	"cmp"
	"context"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Language is one that pages are written in, by its tag of BCP 47.
type Language string

// The languages of the pages.
const (
	English Language = "en"
	German  Language = "de"
	French  Language = "fr"
)

// All are the languages, the first of them for whoever asks for none of these.
func All() []Language { return []Language{English, German, French} }

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

// Known is a language by its tag, "" when pages are not written in it.
func Known(tag string) Language {
	for _, l := range All() {
		if tag == string(l) {
			return l
		}
	}
	return ""
}

// Of is the language for a reader: the one that they have chosen, or else the first that their browser prefers (a header Accept-Language,
// RFC 9110, section 12.5.4) and that there is.
func Of(chosen, accepted string) Language {
	if l := Known(chosen); l != "" {
		return l
	}
	wanted, _, err := language.ParseAcceptLanguage(clip(accepted))
	if err != nil || len(wanted) == 0 {
		return English
	}
	_, place, _ := offered.Match(wanted...)
	return All()[place]
}

// mostAccepted is how many bytes of a header are looked at.
const mostAccepted = 500

func clip(header string) string { return header[:min(len(header), mostAccepted)] }

var offered = func() language.Matcher {
	var tags []language.Tag
	for _, l := range All() {
		tags = append(tags, language.MustParse(string(l)))
	}
	return language.NewMatcher(tags)
}()

// printers write numbers as each language does.
var printers = func() map[Language]*message.Printer {
	all := map[Language]*message.Printer{}
	for _, l := range All() {
		all[l] = message.NewPrinter(language.MustParse(string(l)))
	}
	return all
}()

type key struct{}

// With is a context whose pages are in a language.
func With(ctx context.Context, l Language) context.Context { return context.WithValue(ctx, key{}, l) }

// In is the language of a context, English where none is named.
func In(ctx context.Context) Language {
	l, _ := ctx.Value(key{}).(Language)
	return cmp.Or(l, English)
}
