package page

import (
	"context"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/a-h/templ"

	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/web/language"
)

// say is a text in the reader's language; see package language.
func say(ctx context.Context, text string, args ...any) string {
	return language.Say(ctx, text, args...)
}

// many is a text about an amount in the reader's language.
func many(ctx context.Context, n int, one, more string, args ...any) string {
	return language.Count(ctx, n, one, more, args...)
}

// told is a text of the farm in the reader's language.
func told(ctx context.Context, text farm.Text) string { return language.Told(ctx, text) }

// heard is what a machine or an engine has said, in the reader's language as far as it is known.
func heard(ctx context.Context, words string) string { return language.Heard(ctx, words) }

// failure is why a job or an attempt failed, in the reader's language, where the page says already that it did.
func failure(ctx context.Context, message string) string {
	return heard(ctx, strings.TrimPrefix(message, "Render failed: "))
}

// toldEach are some texts of the farm in the reader's language.
func toldEach(ctx context.Context, texts []farm.Text) []string {
	words := make([]string, len(texts))
	for i, text := range texts {
		words[i] = told(ctx, text)
	}
	return words
}

// inWords are the words of package wording in the reader’s language; sizes and lengths of time stay beside their units.
func inWords(ctx context.Context) wording.Words {
	return func(text string, args ...any) string { return unitsKept(language.Say(ctx, text, args...)) }
}

// grouped is a number for people, as the reader's language writes it.
func grouped(ctx context.Context, n int) string { return language.Number(ctx, n) }

// atLeast is a number, with a plus where there are more than were counted.
func atLeast(ctx context.Context, n int, more bool) string {
	if more {
		return grouped(ctx, n) + "+"
	}
	return grouped(ctx, n)
}

// phrase is a text in the reader's language with parts of the page between its words: text has a verb %s for each.
func phrase(text string, parts ...templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		words, order := language.Pieces(ctx, text, len(parts))
		return interleave(ctx, w, words, order, parts)
	})
}

// manyOf is a phrase about an amount, which is its first part, drawn bold.
func manyOf(n int, one, more string, parts ...templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		words, order := language.CountedPieces(ctx, n, one, more, len(parts)+1)
		return interleave(ctx, w, words, order, append([]templ.Component{bold(grouped(ctx, n))}, parts...))
	})
}

func interleave(ctx context.Context, w io.Writer, words []string, order []int, parts []templ.Component) error {
	for i, text := range words {
		if _, err := io.WriteString(w, html.EscapeString(text)); err != nil {
			return fmt.Errorf("writing a text: %w", err)
		}
		if i < len(order) {
			if err := parts[order[i]].Render(ctx, w); err != nil {
				return err
			}
		}
	}
	return nil
}
