package record

import (
	"runtime"
	"sync"
)

// FewJobs are done sooner by one processor than they are spread.
const FewJobs = 16

// Spread does n independent pieces of work on all processors, unless they are no more than few. What they come to must not
// depend on their order.
func Spread(n, few int, do func(i int)) {
	if n <= few {
		for i := range n {
			do(i)
		}
		return
	}
	workers := min(n, runtime.GOMAXPROCS(0))
	work := func(from int) {
		for i := from; i < n; i += workers {
			do(i)
		}
	}
	var others sync.WaitGroup
	for w := 1; w < workers; w++ {
		others.Go(func() { work(w) })
	}
	work(0)
	others.Wait()
}
