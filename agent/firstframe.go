package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"overcrank/agent/farmclient"
	"overcrank/farm/wire"
	"overcrank/interval"
)

// firstFrameMark is the file in the data folder that says that the machine owes the farm its first frame.
const firstFrameMark = "first-frame"

const (
	sendFrameWithin = 20 * time.Second // for one try to send the picture
	frameAgainMost  = time.Hour        // between two tries
)

// oweFirstFrame notes that the farm is to see a frame of this machine: somebody has just installed it, and waits for a proof that it renders.
func (a *agent) oweFirstFrame() {
	if a.cfg.FirstFrame == nil {
		return
	}
	if err := os.WriteFile(filepath.Join(a.cfg.DataDir, firstFrameMark), nil, 0o600); err != nil {
		a.log.Warn("the farm will see no first frame of this machine", "error", err)
	}
}

// showFirstFrame renders the frame that the machine owes and sends a picture of it, until the farm has it. While the machine cannot render, the farm is told
// why.
func (a *agent) showFirstFrame(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-a.welcomed:
	}
	mark := filepath.Join(a.cfg.DataDir, firstFrameMark)
	if _, err := os.Lstat(mark); a.cfg.FirstFrame == nil || errors.Is(err, fs.ErrNotExist) {
		return
	}
	for pause := a.cfg.FrameAgain; a.awaitReady(ctx) == nil; pause = min(2*pause, frameAgainMost) {
		err := a.renderFirstFrame(ctx)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			if err := os.Remove(mark); err != nil {
				a.log.Warn("the first frame will be sent again", "error", err)
			}
			return
		}
		a.log.Warn("the farm has seen no frame of this machine yet", "again", pause, "error", err)
		if interval.Wait(ctx, pause) != nil {
			return
		}
	}
}

// awaitReady waits until the machine has what every task needs, such as an ffmpeg, which the farm may be handing out. Why it has not is told as for any work.
func (a *agent) awaitReady(ctx context.Context) error {
	for a.readiness.Why() != "" {
		if err := interval.Wait(ctx, readyEvery); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (a *agent) renderFirstFrame(ctx context.Context) error {
	began := time.Now()
	picture, err := a.cfg.FirstFrame(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	a.tellNoFrame(err)
	if err != nil {
		return fmt.Errorf("rendering the first frame: %w", err)
	}
	within, cancel := context.WithTimeout(ctx, sendFrameWithin)
	defer cancel()
	var status *farmclient.StatusError
	if err := a.sendFrame(within, picture); errors.As(err, &status) && status.Code == http.StatusNotFound {
		a.log.Info("the coordinator is of a release that takes no first frame")
		return nil
	} else if err != nil {
		return fmt.Errorf("sending the first frame: %w", err)
	}
	a.log.Info("the farm has the first frame of this machine", "took", time.Since(began).Round(time.Millisecond), "bytes", len(picture))
	return nil
}

// tellNoFrame tells the farm why no frame could be rendered; nil when one was.
func (a *agent) tellNoFrame(err error) {
	var why *string
	if err != nil {
		words := strings.ReplaceAll(err.Error(), a.cfg.DataDir, "the agent's folder") // the page is for people who do not know the machine's disk
		why = &words
	}
	if before := a.noFrame.Swap(why); before != nil || why != nil {
		a.link.nudge()
	}
}

func (a *agent) sendFrame(ctx context.Context, picture []byte) error {
	res, err := a.farm.Do(ctx, http.MethodPut, wire.PathFrame, "image/jpeg", bytes.NewReader(picture), int64(len(picture)))
	if err != nil {
		return err
	}
	return res.Body.Close()
}
