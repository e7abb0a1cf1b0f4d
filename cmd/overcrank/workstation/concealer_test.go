package workstation

import (
	"strings"
	"testing"
)

// TestASecretAcrossTheEndOfWhatIsReadAtOnce must not come through in two halves.
func TestASecretAcrossTheEndOfWhatIsReadAtOnce(t *testing.T) {
	const secret = "ocj_0123456789abcdefghijklmnop"
	t.Setenv("OVERCRANK_TEST_TOKEN", "correct horse battery staple")
	c := newConcealer(Settings{DataDir: t.TempDir()})
	for _, before := range []int{0, 100, lineBytes - len(secret) - 1, lineBytes - 10, lineBytes, lineBytes + 5, 2*lineBytes - 10} {
		for _, hidden := range []string{secret, "correct horse battery staple"} {
			text := strings.Repeat("x ", (before+1)/2)[:before] + hidden + " end\nthe next line\n"
			var out strings.Builder
			if err := c.copy(&out, strings.NewReader(text)); err != nil {
				t.Fatal(err)
			}
			for cut := 8; cut <= len(hidden); cut++ {
				if strings.Contains(out.String(), hidden[:cut]) || strings.Contains(out.String(), hidden[len(hidden)-cut:]) {
					t.Errorf("after %d bytes, %d of the secret come through", before, cut)
					break
				}
			}
			if !strings.HasSuffix(out.String(), "\nthe next line\n") {
				t.Errorf("after %d bytes, the next line is lost", before)
			}
		}
	}
}
