package command

import "overcrank/farm"

// PutRates says what an hour of a machine costs. Its revision is one more than the one before, so that nobody overwrites what another has just
// changed.
type PutRates struct{ Rates farm.Rates }

func (PutRates) Needs() int { return ReportsLevel }
