package web

import (
	"context"
	"strings"
	"sync"

	"overcrank/farm"
)

// workbooksAtOnce is how many workbooks are read at once, in all; of one team it is one. Each may take some hundred megabytes for a moment.
const workbooksAtOnce = 2

// workbookTurns are whose turn it is to have a workbook read.
type workbookTurns struct {
	all chan struct{}

	mu    sync.Mutex
	teams map[string]*teamTurn
}

// teamTurn is the turn of one team.
type teamTurn struct {
	taken chan struct{}
	users int // who have it or wait for it
}

func newWorkbookTurns() *workbookTurns {
	return &workbookTurns{all: make(chan struct{}, workbooksAtOnce), teams: map[string]*teamTurn{}}
}

// await waits for a team's turn; done ends it. CodeUnavailable when it does not come before ctx ends.
func (w *workbookTurns) await(ctx context.Context, team string) (done func(), err error) {
	t := w.enter(team)
	var took []chan struct{}
	done = func() {
		for _, turn := range took {
			<-turn
		}
		w.leave(team, t)
	}
	for _, turn := range []chan struct{}{t.taken, w.all} { // in this order, so that a team waits for itself first
		select {
		case turn <- struct{}{}:
			took = append(took, turn)
		case <-ctx.Done():
			done()
			return nil, farm.Errorf(farm.CodeUnavailable, "other workbooks are being read; try again in a moment")
		}
	}
	return done, nil
}

func (w *workbookTurns) enter(team string) *teamTurn {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.teams[team]
	if t == nil {
		t = &teamTurn{taken: make(chan struct{}, 1)}
		w.teams[team] = t
	}
	t.users++
	return t
}

func (w *workbookTurns) leave(team string, t *teamTurn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.users--; t.users == 0 {
		delete(w.teams, team)
	}
}

// isWorkbook tells whether a table came as a workbook, which takes far more to read than text.
func isWorkbook(text string) bool { return strings.HasPrefix(text, "PK") }
