package language

import (
	"context"
	"slices"
	"strings"
	"testing"

	"overcrank/farm"
)

func TestLanguageOfAReader(t *testing.T) {
	for name, c := range map[string]struct {
		chosen, accepted string
		want             farm.Language
	}{
		"nothing asked":                {"", "", farm.English},
		"German of Austria":            {"", "de-AT,de;q=0.9,en;q=0.8", farm.German},
		"French of Canada":             {"", "fr-CA", farm.French},
		"the first that there is":      {"", "it,fr;q=0.8,de;q=0.7", farm.French},
		"none that there is":           {"", "ja,zh;q=0.5", farm.English},
		"what was chosen":              {"en", "de", farm.English},
		"a choice that is no language": {"xx", "de", farm.German},
		"no header at all":             {"", "\x00;;q=9,,,", farm.English},
		"a header without end":         {"", strings.Repeat("de,", 100_000), farm.German},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Of(c.chosen, c.accepted); got != c.want {
				t.Errorf("is %s, want %s", got, c.want)
			}
		})
	}
}

func TestTextsAreSaidInTheLanguageOfTheContext(t *testing.T) {
	catalogues()[farm.German]["%s of %d frames"] = entry{other: "von %[2]d Bildern %[1]s"}
	catalogues()[farm.German]["%d machines in %s"] = entry{one: "%d Rechner in %s", other: "%d Rechner in %s zusammen"}
	catalogues()[farm.French]["%d machines in %s"] = entry{one: "%d machine à %s", other: "%d machines à %s"}
	t.Cleanup(func() {
		delete(catalogues()[farm.German], "%s of %d frames")
		delete(catalogues()[farm.German], "%d machines in %s")
		delete(catalogues()[farm.French], "%d machines in %s")
	})
	de, fr := With(context.Background(), farm.German), With(context.Background(), farm.French)
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
	catalogues()[farm.German][text] = entry{other: "Als %[2]s meldet dich %[1]s an."}
	t.Cleanup(func() { delete(catalogues()[farm.German], text) })
	words, order := Pieces(context.Background(), text, 2)
	if !slices.Equal(words, []string{"", " signs you in as ", "."}) || !slices.Equal(order, []int{0, 1}) {
		t.Errorf("English is %q in order %v", words, order)
	}
	words, order = Pieces(With(context.Background(), farm.German), text, 2)
	if !slices.Equal(words, []string{"Als ", " meldet dich ", " an."}) || !slices.Equal(order, []int{1, 0}) {
		t.Errorf("German is %q in order %v", words, order)
	}
}
