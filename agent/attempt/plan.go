package attempt

import (
	"cmp"
	"math"

	"overcrank/agent/film"
	"overcrank/agent/script"
	"overcrank/farm"
	"overcrank/farm/codec"
	"overcrank/farm/wire"
	"overcrank/ffmpeg/encoding"
)

// plan is what is to be written: which frames, in which form. Stages take a plan and may derive another one from it; none changes it.
type plan struct {
	codec  string
	ext    string // with which the engine writes, without the dot
	stills bool
	zipped bool // stills are delivered in one archive
	ranged bool // start and end are given; else the composition's work area is rendered
	start  int  // as the composition's timecode counts, as engines do
	end    int
	frames int         // expected, 0 when not known
	first  int         // that is rendered, counted from the composition's first as 0
	only   []int       // frames as the composition's timecode counts, instead of a range
	places []int       // the same frames counted from the composition's first
	span   farm.Frames // from which these were chosen; of no length when nobody knows it
	shown  int         // the number of the composition's first frame for an engine
	part   bool        // frames as the engine draws them, to be encoded later
	sound  bool        // the sound alone
	audio  bool        // the film has to have sound
	sounds bool        // a layer of the composition sounds, so that a film without sound is worth a hint
	want   film.Want
}

// formOf is the part of a plan that says what kind of file the job gives.
func formOf(lease wire.Lease) plan {
	s := lease.Settings
	p := plan{codec: s.Codec, ext: lease.Ext, stills: s.Type == "image" && !lease.Preview, zipped: lease.Ext == "zip"}
	if p.stills {
		p.codec = cmp.Or(p.codec, codec.DefaultStill)
		if c, known := codec.Find(p.codec); known {
			p.ext = c.Ext
		}
	}
	p.codec = cmp.Or(p.codec, codec.DefaultFilm)
	p.ext = cmp.Or(p.ext, "mp4")
	return p
}

// planOf is what a lease asks for of a project.
func planOf(lease wire.Lease, s scene) plan {
	p := formOf(lease)
	p.part, p.sound = lease.Part && lease.Kind == farm.TaskRender, lease.Kind == farm.TaskSound
	comp := s.project.Settings
	length := int(comp.Duration*comp.FrameRate + 0.5)
	p.frames = length
	if comp.WorkAreaDuration > 0 {
		p.frames = int(comp.WorkAreaDuration*comp.FrameRate + 0.5)
		p.first = int(comp.WorkAreaStart*comp.FrameRate + 0.5)
	}
	shown := int(math.Round(comp.DisplayStart * comp.FrameRate)) // the number of the composition's first frame for an engine
	p.start, p.end = shown+p.first, shown+p.first+p.frames-1
	switch asked := lease.Settings.Frames; {
	case asked != nil:
		p.ranged, p.start, p.end, p.first = true, shown+asked.Start, shown+asked.End, asked.Start
		p.frames = max(0, min(asked.End, length-1)-asked.Start+1)
	case p.stills:
		p.ranged, p.start, p.end, p.frames, p.first = true, shown, shown, 1, 0
	}
	if s.changesLength() {
		p.frames = 0
	}
	if lease.Kind == farm.TaskSample {
		p = p.samples(lease.Stills, shown)
	}
	p.sounds = s.project.Sounds()
	p.want = film.Want{Frames: p.frames}
	if !lease.Preview {
		p.want.Width, p.want.Height, p.want.FrameRate = comp.Width, comp.Height, comp.FrameRate
	}
	return p
}

// changesLength tells whether only the script knows how long the composition is.
func (s scene) changesLength() bool {
	for _, a := range s.assets {
		if a.Type == "script" || a.Type == "function" && script.FunctionName(a.Name) == "comp-duration-set" {
			return true
		}
	}
	return false
}

// samples are single frames, to be looked at before the rest: transparent where the result is.
func (p plan) samples(places []int, shown int) plan {
	p.span = farm.Frames{Start: p.first, End: p.first + p.frames - 1}
	still := encoding.OpaquePNG
	if c, _ := codec.Find(p.codec); c.Alpha {
		still = codec.DefaultStill
	}
	p.stills, p.codec, p.ext = true, still, "png"
	p.ranged, p.zipped, p.shown = false, true, shown
	return p.at(places)
}

// at is a plan of samples for other frames.
func (p plan) at(places []int) plan {
	p.frames, p.want.Frames, p.places, p.only = len(places), len(places), places, nil
	for _, n := range places {
		p.only = append(p.only, p.shown+n)
	}
	return p
}

// drawn is a plan for the frames of p alone, as the engine draws them.
func (p plan) drawn() plan {
	p.ranged, p.part = true, true
	return p
}

// heard is a plan for the sound of p alone.
func (p plan) heard() plan {
	p.ranged, p.part, p.sound = true, false, true
	return p
}

// bounds are the first and the last frame for an engine; nil for the composition's work area.
func (p plan) bounds() (start, end *int) {
	if !p.ranged {
		return nil, nil
	}
	return &p.start, &p.end
}

// expecting is p with the number of frames that the engine said it would render, if it said one.
func (p plan) expecting(frames int) plan {
	if frames > 0 && p.only == nil {
		p.frames, p.want.Frames = frames, frames
	}
	return p
}

// all are the frames of the plan.
func (p plan) all() farm.Frames { return farm.Frames{Start: p.first, End: p.first + p.frames - 1} }

// place is the number in the composition of the i-th frame that is written.
func (p plan) place(i int) int {
	if p.only != nil {
		return p.places[i]
	}
	return p.first + i
}
