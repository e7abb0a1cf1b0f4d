package answer

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

func TestEveryRangeLiesWithinItsFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(0, 1000).Draw(t, "size")
		edge := rapid.OneOf(rapid.Just(""), rapid.StringMatching(`[0-9]{1,4}`), rapid.StringMatching(`[-+ 0-9a-z,]{0,6}`))
		value := fmt.Sprintf("bytes=%s-%s", edge.Draw(t, "first"), edge.Draw(t, "last"))
		part, understood, satisfiable := parseRange(value, size)
		if understood && satisfiable && (part.first < 0 || part.length < 1 || part.first+part.length > size) {
			t.Fatalf("%s of %d bytes gives %+v", value, size, part)
		}
	})
}

func FuzzParseRange(f *testing.F) {
	f.Add("bytes=0-1", int64(10))
	f.Add("bytes=-5", int64(0))
	f.Add("bytes=9223372036854775807-", int64(5))
	f.Fuzz(func(t *testing.T, value string, size int64) {
		if size < 0 {
			t.Skip("no file has a negative size")
		}
		part, understood, satisfiable := parseRange(value, size)
		if understood && satisfiable && (part.first < 0 || part.length < 1 || part.length > size-part.first) {
			t.Fatalf("%q of %d bytes gives %+v", value, size, part)
		}
	})
}
