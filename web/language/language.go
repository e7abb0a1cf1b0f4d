package language

import (
	"cmp"
	"context"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"overcrank/farm"
)

// Of is the language for a reader: the one that they have chosen, or else the first that their browser prefers (a header Accept-Language,
// RFC 9110, section 12.5.4) and that there is.
func Of(chosen, accepted string) farm.Language {
	if l := farm.KnownLanguage(chosen); l != "" {
		return l
	}
	wanted, _, err := language.ParseAcceptLanguage(clip(accepted))
	if err != nil || len(wanted) == 0 {
		return farm.English
	}
	_, place, _ := offered.Match(wanted...)
	return farm.Languages()[place]
}

// mostAccepted is how many bytes of a header are looked at.
const mostAccepted = 500

func clip(header string) string { return header[:min(len(header), mostAccepted)] }

var offered = func() language.Matcher {
	var tags []language.Tag
	for _, l := range farm.Languages() {
		tags = append(tags, language.MustParse(string(l)))
	}
	return language.NewMatcher(tags)
}()

// printers write numbers as each language does.
var printers = func() map[farm.Language]*message.Printer {
	all := map[farm.Language]*message.Printer{}
	for _, l := range farm.Languages() {
		all[l] = message.NewPrinter(language.MustParse(string(l)))
	}
	return all
}()

type key struct{}

// With is a context whose pages are in a language.
func With(ctx context.Context, l farm.Language) context.Context {
	return context.WithValue(ctx, key{}, l)
}

// In is the language of a context, English where none is named.
func In(ctx context.Context) farm.Language {
	l, _ := ctx.Value(key{}).(farm.Language)
	return cmp.Or(l, farm.English)
}
