package farm

import "testing"

func TestADeskIsSaidInOneWord(t *testing.T) {
	for want, all := range map[Desk][]Availability{
		DeskUnknown: {{}},
		DeskNobody:  {{SignedIn: SignedInNobody}, {SignedIn: SignedInNobody, InUse: true}},
		DeskLocked:  {{SignedIn: SignedInLocked}, {SignedIn: SignedInLocked, InUse: true}}, // with a program left open
		DeskArtist:  {{SignedIn: SignedInActive, InUse: true}, {InUse: true}},
		DeskFree:    {{SignedIn: SignedInActive}},
	} {
		for _, a := range all {
			if got := a.Desk(); got != want {
				t.Errorf("%+v is %q, want %q", a, got, want)
			}
		}
	}
}
