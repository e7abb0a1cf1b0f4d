package digest_test

import (
	"crypto/sha256"
	"strings"
	"testing"

	"overcrank/engine/digest"
)

type leaf struct {
	Name   string
	Number float64
	Inner  *leaf
	Any    any
	Table  map[string]int
	hidden bool
}

func TestWhatDiffersHasAnotherDigest(t *testing.T) {
	base := func() leaf {
		return leaf{Name: "a", Number: 1, Inner: &leaf{Name: "b"}, Any: []byte("c"), Table: map[string]int{"x": 1, "y": 2, "z": 3}}
	}
	want := digest.Of(base())
	if digest.Of(base()) != want {
		t.Error("the same values have another digest")
	}
	for name, change := range map[string]func(*leaf){
		"a text": func(l *leaf) { l.Name = "ab" }, "a number": func(l *leaf) { l.Number = -1 }, "what a pointer shows": func(l *leaf) { l.Inner.Name = "" },
		"no pointer": func(l *leaf) { l.Inner = nil }, "another type": func(l *leaf) { l.Any = "c" }, "a map": func(l *leaf) { l.Table["x"] = 2 },
		"a field that is not exported": func(l *leaf) { l.hidden = true },
	} {
		v := base()
		change(&v)
		if digest.Of(v) == want {
			t.Errorf("%s makes no difference", name)
		}
	}
	if digest.Of("ab", "c") == digest.Of("a", "bc") || digest.Of([]int{1}, []int{}) == digest.Of([]int{}, []int{1}) {
		t.Error("where a value ends makes no difference")
	}
}

func TestBytesAreHashedAsTheyAreHoweverManyAreWritten(t *testing.T) {
	text := strings.Repeat("0123456789", 2000)
	for _, size := range []int{1, 7, 4095, 4096, 4097, len(text)} {
		d := digest.New()
		for at := 0; at < len(text); at += size {
			part := text[at:min(at+size, len(text))]
			if n, err := d.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if d.Sum() != sha256.Sum256([]byte(text)) {
			t.Errorf("in parts of %d bytes it is another digest", size)
		}
	}
}
