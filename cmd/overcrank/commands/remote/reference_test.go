package remote

import (
	"strings"
	"testing"
)

type record struct{ id, name string }

func (r record) IDAndName() (id, name string) { return r.id, r.name }

func TestOneRecordIsPickedByItsNameOrID(t *testing.T) {
	list := []record{{"A1", "spring"}, {"B2", ""}, {"C3", "autumn"}, {"D4", "autumn"}}
	for ref, want := range map[string]string{
		"spring": "A1",
		"B2":     "B2",
		"sprng":  "there is no job 'sprng': did you mean 'spring'?",
		"xxxxxx": "there is no job 'xxxxxx': there are 'spring', 'B2', 'autumn', 'autumn'",
		"autumn": "2 jobs are called 'autumn'; say which by its id: C3, D4",
	} {
		found, err := Pick(list, "job", ref)
		if got := found.id; err == nil && got != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %q, %v; want %q", ref, got, err, want)
		}
	}
}
