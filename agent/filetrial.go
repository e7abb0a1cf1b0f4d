package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"

	"overcrank/farm/wire"
)

// trialWithin is how long a file that the farm tries its storage with may take.
const trialWithin = 30 * time.Second

// trials fetch the files that the farm tries its storage with, one at a time, beside the session that it asked in.
type trials struct {
	a       *agent
	ctx     context.Context // ends with the session
	results chan wire.Tried
	work    sync.WaitGroup
}

// begin fetches a file as a task would, and has the session tell what came.
func (t *trials) begin(asked wire.Trial) {
	t.work.Go(func() {
		ctx, cancel := context.WithTimeout(t.ctx, trialWithin)
		defer cancel()
		hash := sha256.New()
		told := wire.Tried{Asked: asked.SHA256}
		if err := t.a.farm.DownloadOnce(ctx, asked.SHA256, hash); err != nil {
			told.Error = err.Error()
		} else {
			told.SHA256 = hex.EncodeToString(hash.Sum(nil))
		}
		select {
		case t.results <- told:
		case <-t.ctx.Done():
		}
	})
}
