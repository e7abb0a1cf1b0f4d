package language

import (
	"context"
	"math"
	"strconv"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"

	"overcrank/farm"
)

// Say is a text in the language of a context. Numbers among args (%d) are written as the language does; what is no amount, such as a year,
// is given as a string.
func Say(ctx context.Context, text string, args ...any) string {
	l := In(ctx)
	return written(l, translated(l, text, plural.Other), args)
}

// Count is a text about an amount, which is the first of its verbs: one for a single thing, many else. args are for the verbs behind it.
func Count(ctx context.Context, n int, one, many string, args ...any) string {
	l := In(ctx)
	return written(l, counted(l, n, one, many), append([]any{n}, args...))
}

// counted is the form of a text for an amount.
func counted(l farm.Language, n int, one, many string) string {
	if l == farm.English && n == 1 {
		return one
	}
	return translated(l, many, formOf(l, n))
}

// Number is an amount as the language of a context writes it.
func Number(ctx context.Context, n int) string { return printers[In(ctx)].Sprintf("%d", n) }

// Decimal is a number with some places behind its point, as the language of a context writes it.
func Decimal(ctx context.Context, n float64, places int) string {
	whole, rest, broken := strings.Cut(strconv.FormatFloat(math.Abs(n), 'f', places, 64), ".")
	text := whole
	if amount, err := strconv.Atoi(whole); err == nil {
		text = Number(ctx, amount)
	}
	if n < 0 {
		text = "-" + text
	}
	if !broken {
		return text
	}
	if In(ctx) == farm.English {
		return text + "." + rest
	}
	return text + "," + rest
}

// Text marks a text of the code that is said elsewhere, such as one of a table, and gives it back.
func Text(text string) string { return text }

// Pieces are a text with holes where parts of a page stand between its words, such as names that are drawn bold: what stands before,
// between and behind the parts, and which part each hole is for, from 0. The text has a verb %s for each part.
func Pieces(ctx context.Context, text string, parts int) (words []string, order []int) {
	return taken(Say(ctx, text, holes(parts)...))
}

// CountedPieces are the pieces of a text about an amount, which is the part 0; see Count.
func CountedPieces(ctx context.Context, n int, one, many string, parts int) (words []string, order []int) {
	l := In(ctx)
	return taken(written(l, counted(l, n, one, many), holes(parts)))
}

func holes(parts int) []any {
	marks := make([]any, parts)
	for i := range marks {
		marks[i] = mark + string(rune('0'+i)) + mark
	}
	return marks
}

func taken(text string) (words []string, order []int) {
	for i, piece := range strings.Split(text, mark) {
		if i%2 == 0 {
			words = append(words, piece)
		} else {
			order = append(order, int(piece[0]-'0'))
		}
	}
	return words, order
}

// mark stands around the number of a part. It is a character that no text has (Unicode: a noncharacter, for use within a program).
const mark = "\uFDD0"

func written(l farm.Language, text string, args []any) string {
	if len(args) == 0 {
		return strings.ReplaceAll(text, "%%", "%")
	}
	return printers[l].Sprintf(text, args...)
}

// formOf is which form of a text an amount takes.
func formOf(l farm.Language, n int) plural.Form {
	if n < 0 {
		n = -n
	}
	return plural.Cardinal.MatchPlural(language.Make(string(l)), n%1_000_000, 0, 0, 0, 0)
}
