package language

import (
	"context"
	"slices"
	"strings"
	"testing"
)

func TestLanguageOfAReader(t *testing.T) {
	for name, c := range map[string]struct {
		chosen, accepted string
		want             Language
	}{
		"nothing asked":                {"", "", English},
		"German of Austria":            {"", "de-AT,de;q=0.9,en;q=0.8", German},
		"French of Canada":             {"", "fr-CA", French},
		"the first that there is":      {"", "it,fr;q=0.8,de;q=0.7", French},
		"none that there is":           {"", "ja,zh;q=0.5", English},
		"what was chosen":              {"en", "de", English},
		"a choice that is no language": {"xx", "de", German},
		"no header at all":             {"", "\x00;;q=9,,,", English},
		"a header without end":         {"", strings.Repeat("de,", 100_000), German},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Of(c.chosen, c.accepted); got != c.want {
				t.Errorf("is %s, want %s", got, c.want)
			}
		})
	}
}

func TestTextsAreSaidInTheLanguageOfTheContext(t *testing.T) {
	catalogues()[German]["%s of %d frames"] = entry{other: "von %[2]d Bildern %[1]s"}
	catalogues()[German]["%d machines in %s"] = entry{one: "%d Rechner in %s", other: "%d Rechner in %s zusammen"}
	catalogues()[French]["%d machines in %s"] = entry{one: "%d machine à %s", other: "%d machines à %s"}
	t.Cleanup(func() {
		delete(catalogues()[German], "%s of %d frames")
		delete(catalogues()[German], "%d machines in %s")
		delete(catalogues()[French], "%d machines in %s")
	})
	de, fr := With(context.Background(), German), With(context.Background(), French)
	machines := func(ctx context.Context, n int) string {
		return Count(ctx, n, "%d machine in %s", "%d machines in %s", "Wien")
	}
	for _, c := range []struct{ got, want string }{
		{Say(context.Background(), "%s of %d frames", "half", 12345), "half of 12,345 frames"},
		{Say(de, "%s of %d frames", "half", 12345), "von 12.345 Bildern half"},
		{Say(de, "nothing translates 100%% of this"), "nothing translates 100% of this"},
		{machines(context.Background(), 1), "1 machine in Wien"},
		{machines(context.Background(), 0), "0 machines in Wien"},
		{machines(de, 1), "1 Rechner in Wien"},
		{machines(de, 2000), "2.000 Rechner in Wien zusammen"},
		{machines(fr, 0), "0 machine à Wien"},
		{machines(fr, 2), "2 machines à Wien"},
		{Number(de, 1234567), "1.234.567"},
	} {
		if c.got != c.want {
			t.Errorf("said %q, want %q", c.got, c.want)
		}
	}
}

func TestPiecesFollowTheOrderOfTheLanguage(t *testing.T) {
	const text = "%s signs you in as %s."
	catalogues()[German][text] = entry{other: "Als %[2]s meldet dich %[1]s an."}
	t.Cleanup(func() { delete(catalogues()[German], text) })
	words, order := Pieces(context.Background(), text, 2)
	if !slices.Equal(words, []string{"", " signs you in as ", "."}) || !slices.Equal(order, []int{0, 1}) {
		t.Errorf("English is %q in order %v", words, order)
	}
	words, order = Pieces(With(context.Background(), German), text, 2)
	if !slices.Equal(words, []string{"Als ", " meldet dich ", " an."}) || !slices.Equal(order, []int{1, 0}) {
		t.Errorf("German is %q in order %v", words, order)
	}
}
