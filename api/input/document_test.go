package input

import "testing"

func TestHalvesOfSurrogatePairsAreReplaced(t *testing.T) {
	for in, want := range map[string]string{
		`"\ud83d"`: `"\ufffd"`, `"a\ude00b"`: `"a\ufffdb"`, `"\ud83d\ude00"`: `"\ud83d\ude00"`, `"\ud83d\ud83d\ude00"`: `"\ufffd\ud83d\ude00"`,
		`"\\ud83d"`: `"\\ud83d"`, `"\\\ud83d"`: `"\\\ufffd"`, `"\uD83Dx"`: `"\ufffdx"`, `"\ud83d\u0041"`: `"\ufffd\u0041"`, `"\ud83`: `"\ud83`, `"\`: `"\`,
	} {
		got := []byte(in)
		mendSurrogates(got)
		if string(got) != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}
