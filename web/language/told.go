package language

import (
	"context"
	"errors"

	"golang.org/x/text/feature/plural"

	"overcrank/farm"
)

// Told is a text of the farm in the language of a context. What has no translation stays as it is in English. Words that
// stand for themselves are known again where a machine says them (Heard).
func Told(ctx context.Context, t farm.Text) string {
	if t.IsZero() {
		return ""
	}
	return told(ctx, named(ctx, t))
}

func told(ctx context.Context, t farm.Text) string {
	l := In(ctx)
	if words, ok := asIs(t); ok {
		return Heard(ctx, words) // why a machine takes no work stands in a text as it came
	}
	args := make([]any, len(t.Args))
	for i, arg := range t.Args {
		switch arg := arg.(type) {
		case farm.Text:
			args[i] = told(ctx, arg)
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
	return written(l, typeset(l, text), args)
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

// ToldError is what an error says to people in the language of a context, without the words for the log that others have wrapped around it. Errors
// that the farm does not say to people stay as they are.
func ToldError(ctx context.Context, err error) string {
	var known interface{ Text() farm.Text }
	if !errors.As(err, &known) {
		return err.Error()
	}
	return Told(ctx, known.Text())
}
