package input

import (
	"overcrank/farm"
)

// ProblemLimit bounds the list of problems in one answer.
const ProblemLimit = 100

// Problems collects what is wrong with a request, so that a caller learns of everything at once.
type Problems struct {
	List []farm.FieldError
	more bool
	// room is for the members of all objects of the request.
	room []member
	// Strict refuses fields that nobody knows; Warnings tell of them, and of whatever else is accepted but probably a mistake.
	Strict   bool
	Warnings []string
}

// Full says that there is no room for another problem, and notes that there is one. Whoever asks before wording a problem spares the work.
func (p *Problems) Full() bool {
	p.more = p.more || len(p.List) == ProblemLimit
	return len(p.List) == ProblemLimit
}

// Add keeps a problem of a field, which is named from the root on.
func (p *Problems) Add(field, format string, args ...any) {
	if !p.Full() {
		p.List = append(p.List, farm.Field(field, format, args...))
	}
}

// Err is nil when nothing is wrong.
func (p *Problems) Err() error {
	switch {
	case len(p.List) == 0:
		return nil
	case p.more:
		return farm.Errorf(farm.CodeInvalid, "the request is not valid; these are the first %d problems", ProblemLimit).With(p.List...)
	case len(p.List) == 1:
		return farm.Errorf(farm.CodeInvalid, "the request is not valid: %s %s", p.List[0].Field, p.List[0].Text()).With(p.List...)
	default:
		return farm.Invalid("the request is not valid", p.List...)
	}
}
