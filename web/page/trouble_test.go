package page

import (
	"strings"
	"testing"

	"overcrank/farm"
)

func TestEachTroubleHasAPageOfItsOwn(t *testing.T) {
	t.Parallel()
	shell := Shell{Title: "Trouble", Reader: farm.Principal{Name: "ada", Role: farm.RoleAdmin, TokenID: "t"}}
	drawings := map[string]TroubleKind{}
	for kind, want := range map[TroubleKind][]string{
		TroubleRefused:    {"The name is taken."},
		TroubleMissing:    {`href="/search"`},
		TroubleForbidden:  {"Ask an administrator"},
		TroubleLeaderless: {"This page opens by itself", `href="/jobs?state=failed"`},
		TroubleBusy:       {"Try again", `href="/jobs?state=failed"`},
		TroubleFailed:     {"GET /jobs", "For whoever looks into it"},
	} {
		v := Trouble{Kind: kind, Message: "the name is taken", What: "GET /jobs"}
		if kind == TroubleLeaderless || kind == TroubleBusy {
			v.Again = "/jobs?state=failed"
		}
		var b strings.Builder
		if err := TroublePage(shell, v).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		_, drawing, _ := strings.Cut(b.String(), `class="trouble"`)
		drawing, _, _ = strings.Cut(drawing, "</svg>")
		if other, known := drawings[drawing]; known {
			t.Errorf("troubles %d and %d are drawn alike", kind, other)
		}
		drawings[drawing] = kind
		for _, words := range want {
			if !strings.Contains(b.String(), words) {
				t.Errorf("trouble %d does not say %q", kind, words)
			}
		}
	}
}

func TestAFormThatWasNotTakenLeadsBackToItsPage(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	v := Trouble{Kind: TroubleLeaderless, Sent: true, Back: "/settings/sharing"}
	if err := TroublePage(Shell{}, v).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if said := b.String(); !strings.Contains(said, `href="/settings/sharing"`) || !strings.Contains(said, "Nothing was changed") || strings.Contains(said, "opens by itself") {
		t.Errorf("the page says %s", said)
	}
}

func TestEveryPageSaysThatNobodyLeads(t *testing.T) {
	t.Parallel()
	for leaderless, want := range map[bool]string{true: "The coordinators are choosing a leader.", false: " hidden>"} {
		var b strings.Builder
		if err := LeaderBanner(Pulse{Leaderless: leaderless}).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) || leaderless && strings.Contains(b.String(), " hidden>") {
			t.Errorf("with leaderless %v it is %s", leaderless, b.String())
		}
	}
}
