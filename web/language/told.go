package language

import (
	"context"

	"golang.org/x/text/feature/plural"

	"overcrank/farm"
)

// Told is a text of the farm in the language of a context. What has no translation stays as it is in English. Words that
// stand for themselves are known again where a machine says them (Heard).
func Told(ctx context.Context, t farm.Text) string {
	l := In(ctx)
	if l == farm.English || t.IsZero() {
		return t.String()
	}
	if words, ok := asIs(t); ok {
		return Heard(ctx, words) // why a machine takes no work stands in a text as it came
	}
	args := make([]any, len(t.Args))
	for i, arg := range t.Args {
		switch arg := arg.(type) {
		case farm.Text:
			args[i] = Told(ctx, arg)
		case farm.Decimal:
			args[i] = Decimal(ctx, arg.Value, arg.Places)
		default:
			args[i] = arg
		}
	}
	text := t.Key
	if n, ok := t.Amount(); !ok {
		text = translated(l, text, plural.Other)
	} else if text = counted(l, n, t.One, t.Key); text == t.Key && n == 1 {
		text = t.One
	}
	return written(l, text, args)
}

// Teller says texts of the farm in the languages of people who are told of things away from pages.
type Teller struct{}

// Told is a text of the farm in a language.
func (Teller) Told(l farm.Language, t farm.Text) string {
	return Told(With(context.Background(), l), t)
}

// asIs are the words of a text that stand for themselves (farm.AsIs).
func asIs(t farm.Text) (words string, ok bool) {
	if t.Key != "%s" || len(t.Args) != 1 {
		return "", false
	}
	words, ok = t.Args[0].(string)
	return words, ok
}

// ToldError is what an error says in the language of a context. Errors that the farm does not say to people stay as they are, and so does one that is
// wrapped, which has more words around it.
func ToldError(ctx context.Context, err error) string {
	known, ok := err.(interface{ Text() farm.Text })
	if !ok || In(ctx) == farm.English {
		return err.Error()
	}
	return Told(ctx, known.Text())
}
