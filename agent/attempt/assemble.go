package attempt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"overcrank/agent/aerender"
	"overcrank/agent/cache"
	"overcrank/agent/farmclient"
	"overcrank/agent/film"
	"overcrank/agent/parts"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/frames"
)

// assembleStall is how long an encoder may wait for frames: a part may have far to come.
const assembleStall = 2 * time.Hour

// assembleParts puts the frames and the sound that several machines made together, by the encoder that would have encoded them had one
// machine made all. Parts are read one after the other, so that disk and memory do not grow with the film.
func (t *attempt) assembleParts(ctx context.Context) (product, error) {
	p, want := formOf(t.lease), t.lease.Settings.Frames
	if want == nil || want.Count() < 1 {
		return product{}, &failure{message: "Render failed: the farm did not say which frames the film has", retry: true}
	}
	p.first, p.frames = want.Start, want.Count()
	t.feed.at("fetching", 0, 0, 0)
	began := time.Now()
	from := sources{t}
	sound, err := from.sound(ctx, p)
	if err != nil {
		return product{}, err
	}
	t.watch.fetched(time.Since(began))
	t.say("putting %d frames of %d parts together", p.frames, len(t.lease.Parts))
	made, err := t.assemble(ctx, p, from.parts(), sound)
	return product{result: made}, err
}

// assemble makes a film of frames and of sound, which is "" for none.
func (t *attempt) assemble(ctx context.Context, p plan, list []parts.Part, sound string) (result, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	a := &assembly{t: t, ctx: ctx, stop: stop, p: p, sound: sound}
	err := parts.Read(ctx, p.all(), list, a)
	if err := a.end(err); err != nil {
		return result{}, err
	}
	p = a.p // with the size of the frames
	p.audio = sound != ""
	t.feed.at("checking", 0, 0, 0)
	made, err := t.check(ctx, p)
	if err != nil {
		return result{}, err
	}
	if a.head.Engine != farm.EngineEmbedded {
		t.makeThumbnails(ctx, made, p) // the embedded engine gave some with each range
	}
	return made, nil
}

// parts are the files of frames, each of which is fetched when its turn comes.
func (t sources) parts() []parts.Part {
	var list []parts.Part
	for i, part := range t.lease.Parts {
		if part.Kind != farm.TaskSound {
			list = append(list, parts.Part{Frames: part.Frames, Open: func(ctx context.Context) (io.ReadCloser, error) { return t.part(ctx, i, part) }})
		}
	}
	return list
}

// part brings a part, which goes when it has been read: nobody else asks for it, and a film's parts are many times its size. One
// whose content is not what its hash says is fetched as it is: most of its frames may be whole, and those that are not will be named.
func (t sources) part(ctx context.Context, i int, part wire.Part) (io.ReadCloser, error) {
	ref, known := t.lease.Files[part.Src]
	if !known {
		return nil, parts.ErrGone
	}
	path := filepath.Join(t.dir, "in", fmt.Sprintf("part%d", i))
	tries := 0
	err := farmclient.UntilRight(ctx, func() error {
		err := t.bring(ctx, ref, path)
		if tries++; tries > 1 && errors.Is(err, cache.ErrContent) {
			return &damagedPart{err} // twice is no accident of the way
		}
		return err
	})
	var status *farmclient.StatusError
	switch {
	case errors.As(err, new(*damagedPart)):
		t.say("the part with the frames %d to %d is damaged; looking which of them", part.Frames.Start, part.Frames.End)
		err = t.downloadAsItIs(ctx, ref, path)
	case errors.As(err, &status) && !farmclient.Passing(err):
		return nil, parts.ErrGone
	}
	if err != nil {
		return nil, notFetched(err, "Part", fmt.Sprintf(" (frames %d to %d)", part.Frames.Start, part.Frames.End))
	}
	return openOnce(path)
}

// damagedPart is a part that the farm keeps otherwise than it came.
type damagedPart struct{ error }

// downloadAsItIs fetches a file that is not believed, and no more than it should have.
func (t sources) downloadAsItIs(ctx context.Context, ref farm.FileRef, path string) error {
	out, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("making a file: %w", err)
	}
	err = t.machine.Farm.Download(ctx, ref.SHA256, &bounded{w: out, left: ref.Size})
	if errors.Is(err, errTooLong) {
		err = nil
	}
	return errors.Join(err, out.Close())
}

var errTooLong = errors.New("the file is longer than it should be")

// bounded takes so many bytes and refuses more.
type bounded struct {
	w    io.Writer
	left int64
}

func (b *bounded) Write(p []byte) (int, error) {
	n, err := b.w.Write(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err == nil && n < len(p) {
		err = errTooLong
	}
	return n, err
}

// onceFile goes when it is closed.
type onceFile struct{ *os.File }

func openOnce(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening a part: %w", err)
	}
	return onceFile{f}, nil
}

func (f onceFile) Close() error { return errors.Join(f.File.Close(), os.Remove(f.Name())) }

// sound fetches the sound; "" when there is none.
func (t sources) sound(ctx context.Context, p plan) (string, error) {
	for _, part := range t.lease.Parts {
		if part.Kind != farm.TaskSound || p.stills {
			continue
		}
		ref, known := t.lease.Files[part.Src]
		if !known {
			return "", &failure{message: "Render failed: the sound of the film is missing", retry: true}
		}
		path := filepath.Join(t.dir, "in", soundName)
		if err := farmclient.UntilRight(ctx, func() error { return t.bring(ctx, ref, path) }); err != nil {
			return "", notFetched(err, "Sound", "")
		}
		seconds, err := soundLength(path)
		if err != nil || seconds == 0 {
			return "", err
		}
		return path, nil
	}
	return "", nil
}

// assembly feeds an encoder with frames.
type assembly struct {
	t     *attempt
	ctx   context.Context
	stop  context.CancelCauseFunc
	p     plan // without the size of the frames, before Begin
	sound string

	head  frames.Head
	in    *io.PipeWriter
	ended chan error // of the encoder; nil before it was started
	done  int
}

// Begin implements parts.Sink: it starts the encoder.
func (a *assembly) Begin(head frames.Head) error {
	a.head = head
	a.p.want = film.Want{Width: head.Width, Height: head.Height, Frames: a.p.frames, FrameRate: float64(head.RateNum) / float64(head.RateDen)}
	if err := a.fits(); err != nil {
		return err
	}
	encode := a.encodeAdobe
	if head.Engine == farm.EngineEmbedded {
		encode = a.encodeEmbedded
	}
	if a.measured() {
		a.t.watch.engineStarts()
	}
	out, in := io.Pipe()
	a.in, a.ended = in, make(chan error, 1)
	go func() {
		err := a.t.safely(func() error { return encode(out) })
		// Whoever still writes is told; nil stands for the end of reading.
		_ = out.CloseWithError(errors.Join(err, errEncoderEnded))
		a.ended <- err
	}()
	if head.Engine != farm.EngineEmbedded {
		return nil
	}
	begin, err := head.Begin()
	if err == nil {
		_, err = in.Write(begin)
	}
	return err
}

// measured says whether the attempt only puts together, so that its pace tells what that costs, and not what rendering does.
func (a *assembly) measured() bool { return a.t.lease.Kind == farm.TaskAssemble }

// errEncoderEnded is what a frame meets whose encoder has ended; the encoder's own error says why.
var errEncoderEnded = errors.New("the encoder has ended")

// fits compares the sound with the frames: half a second apart, one of them is of another range.
func (a *assembly) fits() error {
	if a.sound == "" {
		return nil
	}
	seconds, err := soundLength(a.sound)
	if err != nil {
		return err
	}
	if frames := float64(a.p.frames) / a.p.want.FrameRate; math.Abs(seconds-frames) > 0.5 {
		return &film.Wrong{Message: fmt.Sprintf("the sound lasts %.2f s, the frames %.2f s", seconds, frames)}
	}
	return nil
}

// Frame implements parts.Sink.
func (a *assembly) Frame(number int, pix, record []byte) error {
	b := pix
	if a.head.Engine == farm.EngineEmbedded {
		b = record // unpacked and checked again where it is encoded
	}
	if _, err := a.in.Write(b); err != nil {
		return err
	}
	a.done++
	if a.measured() {
		a.t.watch.rendered(a.done, number)
	}
	a.t.feed.at("assembling", float64(a.done)/float64(a.p.frames), number, a.p.frames)
	return nil
}

// end waits for the encoder once all frames were read, or ends it when they were not.
func (a *assembly) end(read error) error {
	if a.ended == nil {
		return read
	}
	if read != nil && !errors.Is(read, errEncoderEnded) {
		a.stop(read)
		_ = a.in.CloseWithError(read) // a pipe's end cannot fail
		if err := <-a.ended; err != nil {
			a.t.log.Debug("the encoder was stopped", "error", err)
		}
		return read
	}
	_ = a.in.Close()
	if err := <-a.ended; err != nil {
		return err
	}
	return read
}

// encodeEmbedded has the embedded engine encode what it drew.
func (a *assembly) encodeEmbedded(in io.Reader) error {
	t, p := a.t, a.p
	engine, ok := chooseEngine(t.machine.Inventory(), "", farm.EngineEmbedded, true)
	if !ok {
		return &failure{message: "This machine has no embedded engine", retry: true, class: farm.FailureWorker}
	}
	last := p.first + p.frames - 1
	ran, err := aerender.Run(a.ctx, aerender.Request{
		Engine: embeddedWords, Program: t.embeddedProgram(engine.Path), Dir: t.dir, Env: t.embeddedEnvironment(), Assemble: in, Audio: a.sound,
		Output: t.output(p), OutputModule: p.codec, Start: &p.first, End: &last, Frames: p.frames,
		Limits: aerender.Limits{Open: assembleStall, Stall: assembleStall}, Lower: t.machine.Lowered(),
		OnLine: func(line string) {
			if !strings.HasPrefix(line, "PROGRESS:") {
				t.hear(line)
			}
		},
	})
	t.warnOf(ran.Warnings)
	return err
}

// encodeAdobe has ffmpeg encode what After Effects drew.
func (a *assembly) encodeAdobe(in io.Reader) error {
	out := strings.Replace(a.t.output(a.p), "[#####]", "%05d", 1)
	err := film.EncodeFrames(a.ctx, in, a.head, a.p.first, a.sound, out, a.p.codec, a.t.machine.Inventory().Encoders)
	var u *film.Unreadable
	if errors.As(err, &u) {
		return &film.Wrong{Message: "the film could not be encoded: " + u.Detail}
	}
	return err
}
