package farm

import "testing"

// TestAPlainLineIsOneAlready has texts about which plainLine may not be wrong: what it passes is what the long way makes of it.
func TestAPlainLineIsOneAlready(t *testing.T) {
	plain := map[string]bool{
		"": true, "a": true, "nm.png": true, "the logo is missing": true, "~!\"#": true,
		" ": false, " a": false, "a ": false, "a  b": false, "a\tb": false, "a\nb": false, "a\x7f": false, "é": false, "\xff": false, "a\u00a0b": false,
	}
	for text, want := range plain {
		if got := plainLine(text); got != want {
			t.Errorf("plainLine(%q) is %t", text, got)
		}
		if want && oneLine(text+" ", len(text)+1) != text {
			t.Errorf("%q is plain, and the long way makes %q of it", text, oneLine(text+" ", len(text)+1))
		}
	}
}
