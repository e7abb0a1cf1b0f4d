// Package leaktest makes sure that a package's tests leave no goroutine behind.
package leaktest

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience is how long goroutines have to end that nothing holds any more: on a busy machine they do not run at once.
const patience = time.Minute

// Main runs the tests of a package and ends the process, with an error if they failed or left goroutines. A TestMain calls it.
func Main(m *testing.M, options ...goleak.Option) {
	goleak.VerifyTestMain(&patient{m, options}, options...)
}

// patient lets goroutines end before they are counted.
type patient struct {
	m       *testing.M
	options []goleak.Option
}

func (p *patient) Run() int {
	code := p.m.Run()
	if code != 0 {
		return code
	}
	for end := time.Now().Add(patience); goleak.Find(p.options...) != nil && time.Now().Before(end); { // which takes half a second
	}
	return code
}
