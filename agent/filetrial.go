package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"

	"overcrank/farm/wire"
)

// trialWithin is how long fetching such a file may take.
const trialWithin = 30 * time.Second

// trials fetch the files with which the farm tests its storage, and report within the session in which they were asked for.
type trials struct {
	a       *agent
	ctx     context.Context // ends with the session
	results chan wire.Tried
	work    sync.WaitGroup
}

// begin fetches a file as a task would, and reports the hash of what came.
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
