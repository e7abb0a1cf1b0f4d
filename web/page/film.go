package page

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"overcrank/farm"
)

// Slot is one cell of a film strip: a stretch of frames, and the frame of it that has a picture.
type Slot struct {
	First, Last int
	Thumb       int  // -1 while there is none
	Now         bool // a machine renders it
	Done        bool // all of it is rendered
}

func (s Slot) class() string {
	switch {
	case s.Now:
		return "now"
	case s.Done:
		return "done"
	}
	return ""
}

// stripSlots is how many cells a film strip has: as many as stand side by side with pictures that can be made out.
const stripSlots = 12

// Frames are the job's first frame and how many it has; 0 while that is not known.
func (j Job) Frames() (first, total int) {
	first, total = j.FrameRange()
	if total == 0 && j.Job.Output != nil {
		total = j.Job.Output.Frames // its length is known by its film, when its template was not read yet as it was submitted
	}
	if n := len(j.Thumbs); j.Settings.Frames == nil && first == 0 && n > 0 && (total == 0 || j.Thumbs[n-1] >= total) {
		first = j.Thumbs[0] // the template was not read yet when it was submitted, or the job is older than this release
	}
	for _, f := range j.Thumbs {
		total = max(total, f-first+1)
	}
	return first, max(total, 0)
}

// FirstFrame is the number of the job's first frame.
func (j Job) FirstFrame() int {
	first, _ := j.Frames()
	return first
}

// LastFrame is the number of the job's last frame; the first one's while the length is not known.
func (j Job) LastFrame() int {
	first, total := j.Frames()
	return first + max(total, 1) - 1
}

// shownFrame is the frame that the page shows.
func (j Job) shownFrame() int {
	switch {
	case j.Watchable():
		return j.FirstFrame()
	case len(j.Thumbs) > 0:
		return j.pictured()
	}
	return j.FirstFrame()
}

// pictured is the frame that stands for the job where it can't be played: the latest one while it renders, and one from its middle
// afterwards, since films begin and end in black. The job has thumbnails.
func (j Job) pictured() int {
	if j.Status.Ended() {
		return j.Thumbs[len(j.Thumbs)/2]
	}
	return j.Thumbs[len(j.Thumbs)-1]
}

// proxyWords say what is shown in place of the result.
func (j Job) proxyWords(ctx context.Context) string {
	if path.Ext(j.OutputName) == ".mov" {
		return say(ctx, "This is a small H.264 copy for browsers. Download has the ProRes film.")
	}
	return say(ctx, "This is a small H.264 copy for browsers. Download has the frames.")
}

// unplayable says why the result is not shown, and what is instead.
func (j Job) unplayable(ctx context.Context) string {
	if path.Ext(j.OutputName) == ".mov" {
		return say(ctx, "ProRes does not play in browsers. Point at the strip above to see its frames, or download the result.")
	}
	return say(ctx, "This kind of file does not play in browsers. Point at the strip above to see its frames, or download the result.")
}

// cellPicture is the address of the picture of a cell. A strip of many cells has narrow ones.
func (j Job) cellPicture(cell Slot) string {
	full := thumbPath(j.Job, cell.Thumb)
	if _, total := j.Frames(); total > 0 && total < stripSlots {
		return full
	}
	return small(full)
}

// Slots is the job as a strip of cells.
func (j Job) Slots() []Slot {
	first, total := j.Frames()
	cells := min(stripSlots, total)
	if total == 0 {
		cells, total = stripSlots, stripSlots
	}
	slots := make([]Slot, cells)
	for i := range slots {
		s := Slot{First: first + i*total/cells, Last: first + (i+1)*total/cells - 1, Thumb: -1}
		rendering := j.Status == farm.JobRendering
		s.Now = rendering && j.FramesTotal > 0 && j.worksOn(s)
		s.Done = j.Status == farm.JobFinished || rendering && len(j.Working) <= 1 && j.Frame > s.Last
		slots[i] = s
	}
	for _, f := range j.Thumbs {
		i := (f - first) * cells / total
		for i+1 < cells && f > slots[i].Last {
			i++
		}
		if f >= first && i < cells && slots[i].Thumb < 0 {
			slots[i].Thumb = f
		}
	}
	return slots
}

// worksOn tells whether a machine is within a cell of the strip.
func (j Job) worksOn(s Slot) bool {
	within := func(frame int) bool { return frame >= s.First && frame <= s.Last }
	return within(j.Frame) || slices.ContainsFunc(j.Working, func(r farm.RunningTask) bool { return within(r.Frame) })
}

// FilmWords says what the strip shows.
func (j Job) FilmWords(ctx context.Context) string {
	_, total := j.Frames()
	switch {
	case total == 0:
		return say(ctx, "No frame rendered yet")
	case j.Status == farm.JobFinished:
		return many(ctx, total, "%d frame", "%d frames")
	}
	return many(ctx, total, "%[2]s %% of %[1]d frame rendered", "%[2]s %% of %[1]d frames rendered", j.Percent())
}

// filmData is what the page's script needs for showing the frame under the pointer.
func (j Job) filmData() templ.Attributes {
	first, total := j.Frames()
	frames := make([]string, len(j.Thumbs))
	for i, f := range j.Thumbs {
		frames[i] = strconv.Itoa(f)
	}
	return templ.Attributes{
		"data-pictures": jobPath(j.Job) + "/thumbnails/", "data-frames": strings.Join(frames, " "),
		"data-first": count(first), "data-total": count(total),
	}
}
