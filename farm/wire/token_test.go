package wire_test

import (
	"strings"
	"testing"

	"overcrank/farm/wire"
)

// TestTokensAreReadWhole holds both kinds of token to their form. A part of one, or another kind, is refused without being repeated.
func TestTokensAreReadWhole(t *testing.T) {
	secret, authority := strings.Repeat("a1", 10), strings.Repeat("0f", 32)
	for _, test := range []struct {
		name, text string
		join, node bool
	}{
		{"of an agent", "ocj_" + secret + "." + authority, true, false},
		{"of a coordinator", "occ_" + secret + "." + authority, false, true},
		{"with spaces around it", " ocj_" + secret + "." + authority + "\n", true, false},
		{"with a long secret", "ocj_" + strings.Repeat("z", 200) + "." + authority, true, false},
		{"with a secret too long", "ocj_" + strings.Repeat("z", 201) + "." + authority, false, false},
		{"with a short secret", "ocj_" + secret[1:] + "." + authority, false, false},
		{"without a prefix", secret + "." + authority, false, false},
		{"without its second part", "ocj_" + secret, false, false},
		{"cut in its second part", "ocj_" + secret + "." + authority[1:], false, false},
		{"with a third part", "ocj_" + secret + "." + authority + "." + authority, false, false},
		{"in capitals", "ocj_" + strings.ToUpper(secret) + "." + authority, false, false},
		{"with a letter that hex has not", "ocj_" + secret + "." + authority[1:] + "g", false, false},
		{"with a letter of another alphabet", "ocj_" + secret + "ä." + authority, false, false},
		{"that is empty", "", false, false},
	} {
		join, wrongJoin := wire.ParseJoinToken(test.text)
		node, wrongNode := wire.ParseNodeToken(test.text)
		if (wrongJoin == nil) != test.join || (wrongNode == nil) != test.node {
			t.Errorf("a token %s: as a join token %v, as one of a coordinator %v", test.name, wrongJoin, wrongNode)
		}
		whole := strings.TrimSpace(test.text)
		if test.join && join.String() != whole || test.node && node.String() != whole {
			t.Errorf("a token %s is read as %q and %q", test.name, join, node)
		}
		for _, wrong := range []error{wrongJoin, wrongNode} {
			if wrong != nil && len(secret) > 0 && strings.Contains(wrong.Error(), secret) {
				t.Errorf("a token %s is repeated: %v", test.name, wrong)
			}
		}
	}
}
