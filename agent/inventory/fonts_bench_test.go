package inventory

import (
	"fmt"
	"testing"

	"golang.org/x/image/font/gofont/goregular"
)

// BenchmarkLookAt5000Fonts is a look at a machine with 5,000 fonts: one that has never been looked at, and one after a restart.
func BenchmarkLookAt5000Fonts(b *testing.B) {
	m := newTree(b, "linux", "/home/ann")
	for i := range 5000 {
		m.put(fmt.Sprintf("/usr/share/fonts/%d/%d.ttf", i%50, i), goregular.TTF)
	}
	taker := m.taker()
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			clear(taker.seen.files)
			taker.Take(b.Context(), maxPatience)
		}
	})
	b.Run("restarted", func(b *testing.B) {
		for b.Loop() {
			if got := New(taker.cfg).Take(b.Context(), maxPatience); !got.Whole {
				b.Fatal("not everything was looked at")
			}
		}
	})
}
