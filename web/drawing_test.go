package web

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/a-h/templ"

	"overcrank/farm"
)

func TestAPartIsDrawnOnceForAllWhoWatch(t *testing.T) {
	drawings, times, frame := drawings{}, 0, 1
	p := piece{id: "jobs", draw: func(context.Context) (templ.Component, error) {
		times++
		return templ.Raw(fmt.Sprintf(`<table><tr id="a">frame %d</tr><tr id="b">waits</tr></table>`, frame)), nil
	}}
	producers := audience{topic: "jobs:", piece: "jobs", role: farm.RoleProducer}
	d, leave := drawings.watch(producers)
	again, leaveAgain := drawings.watch(producers)
	viewers, leaveViewers := drawings.watch(audience{topic: "jobs:", piece: "jobs", role: farm.RoleViewer})
	if d != again || d == viewers {
		t.Fatal("a part is not shared by those who may do the same, and by them alone")
	}

	update := func(was *drawn) (*drawn, bool) {
		t.Helper()
		message, now, _, err := d.update(t.Context(), p, was)
		if err != nil {
			t.Fatal(err)
		}
		return now, message != nil
	}
	first, sent := update(nil)
	second, sentAgain := update(nil)
	if !sent || !sentAgain || first != second || times != 1 {
		t.Errorf("two pages that open: drawn %d times", times)
	}
	d.began = time.Time{} // long ago
	if now, sent := update(first); sent || now != first || times != 2 {
		t.Error("a part that is as it was is sent")
	}
	d.began, frame = time.Time{}, 2
	whole, _, _, err := d.update(t.Context(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows, now, _, err := d.update(t.Context(), p, first)
	if err != nil {
		t.Fatal(err)
	}
	other, _, _, err := d.update(t.Context(), p, second)
	if err != nil || rows == nil || rows == whole || rows != other || now == first || times != 3 {
		t.Errorf("pages that show the part as it was do not get one message with its changed rows: %v", err)
	}

	leave()
	if kept, leave := drawings.watch(producers); kept != d {
		t.Error("a part is dropped while somebody watches")
	} else {
		leave()
	}
	leaveAgain()
	leaveViewers()
	if len(drawings.of) != 0 {
		t.Error("parts are kept that nobody watches")
	}
}

// TestAPartIsDrawnAgainWhenWhatItIsDrawnOfHasChanged has much happen that a part shows nothing of.
func TestAPartIsDrawnAgainWhenWhatItIsDrawnOfHasChanged(t *testing.T) {
	of, times, d := "one", 0, newDrawing()
	p := piece{id: "failures", of: func(context.Context) (string, error) { return of, nil }, draw: func(context.Context) (templ.Component, error) {
		times++
		return templ.Raw(fmt.Sprintf("<p>%s, %d</p>", of, times)), nil
	}}
	update := func(was *drawn) (*drawn, bool) {
		t.Helper()
		d.began = time.Time{} // long ago
		message, now, _, err := d.update(t.Context(), p, was)
		if err != nil {
			t.Fatal(err)
		}
		return now, message != nil
	}
	first, sent := update(nil)
	if again, sentAgain := update(first); !sent || sentAgain || again != first || times != 1 {
		t.Errorf("drawn %d times though nothing has changed", times)
	}
	of = "two"
	if now, sent := update(first); !sent || now == first || times != 2 {
		t.Errorf("what has changed is drawn %d times", times)
	}
}

// TestAPartThatCannotBeDrawn has a farm without a leader asked once for all who watch, and again later.
func TestAPartThatCannotBeDrawn(t *testing.T) {
	times, d := 0, newDrawing()
	p := piece{id: "jobs", draw: func(context.Context) (templ.Component, error) {
		if times++; times < 2 {
			return nil, farm.Errorf(farm.CodeUnavailable, "no coordinator leads")
		}
		return templ.Raw("<p>as it is</p>"), nil
	}}
	for range 3 {
		if _, _, _, err := d.update(t.Context(), p, nil); farm.CodeOf(err) != farm.CodeUnavailable || times != 1 {
			t.Fatalf("asked %d times: %v", times, err)
		}
	}
	d.failedAt = time.Time{} // long ago
	if message, _, _, err := d.update(t.Context(), p, nil); err != nil || message == nil {
		t.Errorf("the part is not drawn once the farm can say how it is: %v", err)
	}
}

// TestAPartIsSharedByThoseOfWhomItShowsTheSame has two readers share a part until it shows something of one of them alone, and again once it does not.
func TestAPartIsSharedByThoseOfWhomItShowsTheSame(t *testing.T) {
	s := &server{}
	opened := func(own *string) (*liveSession, func()) {
		l := &liveSession{server: s, reader: farm.Principal{Team: "team", Role: farm.RoleArtist}, pieces: []piece{{id: "job", common: true, own: func(context.Context) (string, error) { return *own, nil }}}}
		return l, l.watch("job:J", farm.English, nil)
	}
	mias, adas := "watches", "watches"
	mia, miaLeaves := opened(&mias)
	ada, adaLeaves := opened(&adas)
	share := func() bool {
		t.Helper()
		a, err := mia.drawingOf(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		b, err := ada.drawingOf(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		return a == b
	}
	if !share() {
		t.Error("two readers who both watch the job do not share its part")
	}
	if mias = "does not"; share() {
		t.Error("a part that shows whether its reader watches the job is shared by one who does and one who does not")
	}
	if mias = "watches"; !share() {
		t.Error("a reader who watches the job again does not share its part again")
	}
	miaLeaves()
	adaLeaves()
	if n := len(s.drawings.of); n != 0 {
		t.Errorf("%d drawings are kept of parts that nobody watches", n)
	}
}
