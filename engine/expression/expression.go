// Package expression runs After Effects expressions in goja.
//
// The language is that of Adobe's After Effects expression reference. It combines After Effects' two engines: arithmetic
// with arrays works as in the older one, everything else as in the newer.
package expression

import (
	"time"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/text"
)

// Host is what expressions have access to.
type Host struct {
	Project *aep.Project
	Eval    *eval.Evaluator
	Fonts   *text.Book // for sourceRectAtTime; may be nil
	// ReadData reads data footage (JSON, CSV); nil refuses.
	ReadData func(f *aep.Item) ([]byte, error)
	// ReadFile reads a file that an expression names in $.evalFile; nil refuses.
	ReadFile func(path string) ([]byte, error)
	// TimeLimit is how long one evaluation may take of a processor, 0 for two seconds. A longer one ends with an *eval.TimeoutError.
	TimeLimit time.Duration
	// Together is how many frames this process may be working on at once, 0 for one (sandbox.Clock).
	Together int
}

// Error is why an expression has no value.
type Error struct {
	Line    int // 1-based, 0 when unknown
	Message string
}

// Error is the message in the words in which the farm reports it.
func (e *Error) Error() string {
	if e.Line == 0 {
		return "After Effects expression error: " + e.Message
	}
	return "After Effects expression error at line " + itoa(e.Line) + ": " + e.Message
}
