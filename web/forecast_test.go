package web

import (
	"context"
	"testing"

	"overcrank/farm"
	"overcrank/web/page"
)

// soothsayer says of each job that it is asked about that it is done in ten seconds.
type soothsayer struct{ queue }

func (soothsayer) FinishEach(_ context.Context, _ farm.Principal, ids []string) (map[string]farm.Span, error) {
	finish := map[string]farm.Span{}
	for _, id := range ids {
		finish[id] = farm.Span{Low: 10, High: 10}
	}
	return finish, nil
}

// TestEachRowThatIsOpenHasAForecast: those that wait as well, and not only the first that render.
func TestEachRowThatIsOpenHasAForecast(t *testing.T) {
	s := &server{farm: parts{queue: soothsayer{}}}
	jobs := make([]page.Job, jobsOnPage)
	for i := range jobs {
		jobs[i].ID = string(rune('A' + i))
		jobs[i].Status = []farm.JobStatus{farm.JobRendering, farm.JobQueued, farm.JobPending, farm.JobFinished}[i%4]
	}
	if err := s.forecast(t.Context(), farm.Principal{}, jobs); err != nil {
		t.Fatal(err)
	}
	for i, j := range jobs {
		if told := j.Finish != nil; told == j.Status.Ended() {
			t.Errorf("row %d, %s: is it told when it is done? %t", i, j.Status, told)
		}
	}
}
