package record

import (
	"testing"

	"overcrank/farm"
)

func TestTheHeadOfABatchIsReadWithoutTheRest(t *testing.T) {
	for name, batch := range map[string]farm.Batch{
		"jobs":           {ID: "b", Team: "t", Jobs: []farm.BatchJob{{ID: "j0"}, {Index: 1, ID: "j1"}}, Total: 2},
		"jobs, an owner": {ID: "b", By: "mia", Jobs: []farm.BatchJob{{ID: "j0"}}, BatchLabel: farm.BatchLabel{Name: "Spring"}},
		"no jobs":        {ID: "b", By: "mia"},
	} {
		data, err := Encode(batch)
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		if len(batch.Jobs) > 0 {
			want = batch.Jobs[0].ID
		}
		if by, first, err := HeadOfBatch(data); err != nil || by != batch.By || first != want {
			t.Errorf("%s: by %q, first %q, %v", name, by, first, err)
		}
	}
	if _, _, err := HeadOfBatch([]byte(`{"id": "b", "by": 7`)); err == nil {
		t.Error("a damaged batch is read")
	}
}
