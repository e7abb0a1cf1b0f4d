package api_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"overcrank/api"
	"overcrank/inbound"
)

// TestOneWhoSendsLargeRequestsLeavesOthersRoom has one caller begin requests as large as memory bears, and end none of them.
func TestOneWhoSendsLargeRequestsLeavesOthersRoom(t *testing.T) {
	bodies := inbound.NewGate(3<<20, 0)
	r := start(t, func(cfg *api.Config) { cfg.Bodies = bodies })
	const part = 600 << 10
	begun := []*io.PipeWriter{}
	var ended []chan int
	begin := func() {
		sent, body := io.Pipe()
		answered := make(chan int, 1)
		go func() {
			req, err := http.NewRequest(http.MethodPost, r.base+"/api/v2/jobs", sent)
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Authorization", "Bearer "+r.token)
			res, err := (&http.Client{Transport: plainTransport, Timeout: patience}).Do(req)
			if err != nil {
				answered <- 0
				return
			}
			res.Body.Close()
			answered <- res.StatusCode
		}()
		if _, err := io.WriteString(body, strings.Repeat(" ", part)); err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
		begun, ended = append(begun, body), append(ended, answered)
	}
	r.undisturbed(func() {
		for range 4 {
			begin()
		}
		r.eventually("memory is taken", func() bool { return bodies.Open() >= 2<<20 })
		r.send(http.MethodPost, "/api/v2/jobs", strings.Repeat(" ", 4<<20)+srcJob).refused(http.StatusTooManyRequests, "send it again in a moment")
	}, func() bool { return bodies.Open() >= 2<<20 }, "/api/v2/jobs")
	r.submit(srcJob) // a small one has room
	for i, body := range begun {
		body.Close()
		<-ended[i]
	}
	r.eventually("memory is free again", func() bool { return bodies.Open() == 0 })
	r.send(http.MethodPost, "/api/v2/jobs", strings.Repeat(" ", 1<<20)+srcJob).into(http.StatusCreated, nil)
}
