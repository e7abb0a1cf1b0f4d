// Package texttest has what tests of text share.
package texttest

import (
	"sync"
	"testing"

	"overcrank/engine/text"
)

var book = sync.OnceValues(func() (*text.Book, error) { return text.OpenBook() })

// Book has at least the Go fonts, which the engine brings along. It is the same for all tests of a package.
func Book(t testing.TB) *text.Book {
	t.Helper()
	b, err := book()
	if err != nil {
		t.Fatal(err)
	}
	return b
}
