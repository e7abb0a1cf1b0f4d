package page

import "testing"

func TestANumberStaysBesideItsUnit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0 h": "0\u00a0h", "4.2 s": "4.2\u00a0s", "3 min 9 s": "3\u00a0min 9\u00a0s", "1,234.00 EUR": "1,234.00\u00a0EUR", "no number": "no number",
	} {
		if got := unitsKept(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
