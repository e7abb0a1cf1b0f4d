package input

import (
	"runtime"
	"sync"
)

// Spread does n independent pieces of work on all processors.
func Spread(n int, do func(i int)) {
	workers := runtime.GOMAXPROCS(0)
	var work sync.WaitGroup
	for w := range workers {
		work.Go(func() {
			for i := w; i < n; i += workers {
				do(i)
			}
		})
	}
	work.Wait()
}
