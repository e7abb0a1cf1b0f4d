package page

import (
	"reflect"
	"testing"
)

func TestProseIsRead(t *testing.T) {
	got := prose("**Roots.** Below `/api` and\n[here](/api/reference).\n\n- one `a`\n  goes on\n- two\n\n[no](javascript:x) `")
	want := []paragraph{
		{Words: []word{
			{Text: "Roots.", Strong: true}, {Text: " Below "}, {Text: "/api", Code: true}, {Text: " and "}, {Text: "here", Link: "/api/reference"}, {Text: ". "},
		}},
		{Items: [][]word{{{Text: "one "}, {Text: "a", Code: true}, {Text: " goes on"}}, {{Text: "two"}}}},
		{Words: []word{{Text: "[no](javascript:x) ` "}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("prose reads\n%+v, want\n%+v", got, want)
	}
}
