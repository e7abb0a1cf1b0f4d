package tables

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"overcrank/farm"
)

// What the rules take from package farm is a part of them: were it to change, nodes of two releases would come to different rows from
// one log. When a test here fails, do not change what it wants. Keep what was as the rule below a new level, and ask tables.since which
// of them holds; or have the command carry what came of it.

func TestNumbersOfTheRulesStay(t *testing.T) {
	t.Parallel()
	got := fmt.Sprint(farm.MaxAttempts, farm.MostAttempts, farm.MaxRedos, farm.FontRanks, farm.DeliveryRetries, farm.SetAsideFor, farm.MostNotices, farm.MostWatchers, farm.MostOpenFailures, farm.MostCauses, farm.MostCauseSubject, farm.SumDays, farm.MostSubjects, farm.MostRateTags, " "+farm.Redacted,
		farm.MostReviewLinks, farm.MostRemarks, farm.MostRemarksOfLink, farm.MostStrokes, farm.MostPoints, farm.MostRemark, farm.MostReviewName, farm.MostLogo, farm.DrawingSide, farm.StrokeColours(), farm.MostGroupRules, farm.MostGroupName, farm.MostPasskeys, " ", farm.MostProjects, farm.MostProjectName, farm.MostBudgetHours, farm.BudgetShares())
	if want := "3 20 3 3 3 30m0s 50 100 1000 200 160 400 200 10 [redacted]20 400 200 60 1200 2000 100 65536 10000 [amber red green blue white] 200 300 20 2000 80 10000000 [80 100]"; got != want {
		t.Errorf("the rules lean on %q, and leaned on %q", got, want)
	}
}

// TestFontsAreComparedAsEver takes the key of every character: Go's tables grow with each version of Unicode.
func TestFontsAreComparedAsEver(t *testing.T) {
	t.Parallel()
	hash := fnv.New64a()
	for r := range rune(utf8.MaxRune + 1) {
		if utf8.ValidRune(r) {
			fmt.Fprintln(hash, farm.FontKey(string(r)))
		}
	}
	const want = "de71916eefdcf57"
	if got := fmt.Sprintf("%x", hash.Sum64()); got != want {
		t.Errorf("the keys of all characters have the hash %s, and had %s", got, want)
	}
	font := farm.Font{FamilyName: "Open Sans", FileName: "OpenSans-Bd.ttf", Faces: []farm.FontUse{
		{PostScript: "OpenSans-Bold", Family: "Open Sans", Style: "Bold"}, {PostScript: "OpenSans", Family: "Open Sans", Style: "Regular"},
	}}
	keys := font.Keys()
	if got, want := fmt.Sprint(keys), "[[opensansbold opensans] [opensansbold opensansbold opensansregular opensans opensansregular opensans] [opensansbd]]"; got != want {
		t.Errorf("a font answers to %s, and answered to %s", got, want)
	}
}

func TestFilesOfAJobAreCountedAsEver(t *testing.T) {
	t.Parallel()
	job := farm.Job{
		Template: farm.JobTemplate{Src: "farm://aa"},
		Assets: []farm.Asset{
			{Type: "image", Src: "farm://bb"},
			{Type: "essential", Value: json.RawMessage(`"farm://dd"`)},
			{Type: "essential", Value: json.RawMessage(`["farm://ee"]`)},
			{Type: "text", Value: json.RawMessage(`"farm://ff"`)},
			{Type: "script", Src: "farm://gg", Parameters: []farm.AssetParameter{{Key: "k", Value: json.RawMessage(`"farm://hh"`)}}, Params: json.RawMessage(`"farm://ii"`)},
			{Type: "audio", Src: "farm://bb"},
		},
	}
	if got, want := job.KeptFiles(), strings.Fields("aa bb dd gg bb"); !slices.Equal(got, want) {
		t.Errorf("the job holds %v, and held %v", got, want)
	}
}
