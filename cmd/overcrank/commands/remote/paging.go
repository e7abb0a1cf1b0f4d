package remote

import "overcrank/cmd/overcrank/exit"

// Paging are the flags that say how much of a long list is wanted.
type Paging struct {
	Limit int  `help:"Maximum number to list." default:"20"`
	All   bool `help:"List all of them."`
}

// Most is how many records are wanted, 0 for all.
func (p Paging) Most() (int, error) {
	switch {
	case p.Limit < 1:
		return 0, exit.Usagef("--limit is %d: it has to be 1 at least; for all there are, give --all", p.Limit)
	case p.All:
		return 0, nil
	}
	return p.Limit, nil
}
