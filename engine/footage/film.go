package footage

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"sync/atomic"

	"overcrank/engine/raster"
	"overcrank/ffmpeg"
)

const (
	windowMost  = 16 // frames kept behind each decoder, for workers that draw neighbouring frames
	windowLeast = 4  // the same for the largest frames
	skipAtMost  = 90 // frames read and dropped rather than skipped by seeking
	fewPlaces   = 4  // places at which one film is read at once, until layers turn out to play it at more
	coarseAfter = 64 // frames that were asked for smaller than they are kept before they are kept smaller
	maxHalvings = 16 // of a frame, more than any needs
)

// decoderFrames is how many frames a decoder holds: those that others refer to, and those that its threads work on.
const decoderFrames = 20

// film reads a film through several ffmpeg processes, one for each place at which layers play it. A frame comes from the
// process with the fewest frames to skip. The library keeps the frames read last, for workers that ask for them in any
// order, no larger than they were asked for of late.
type film struct {
	lib    *Library
	path   string
	info   Info
	stream stream
	in     Interpretation

	lock    chan struct{} // holds one token; a channel, so that waiting ends with a context
	cursors []*cursor     // the most recently used one last
	places  int           // how many cursors there may be
	left    []int         // next frames of the cursors that made room for others, the latest last
	running atomic.Int32  // number of cursors, to be read without the lock
	starts  atomic.Int64  // how often ffmpeg was started
	used    atomic.Int64  // when a frame was last asked for, by the library's count
	kept    []shot        // the frames in the library, oldest first
	halved  int           // how often frames are halved before they are kept
	coarser int           // how many frames were asked for smaller than that since one was not
	whole   *raster.Image // for a frame that is halved
	last    int           // last frame, once the film turned out to be shorter than it says; -1 until then
	done    bool

	smaller smallerFilms
}

// shot is a frame in the library.
type shot struct{ n, halved int }

// cursor is a place at which a film is read.
type cursor struct {
	run  *decoder
	next int    // number of the frame that run gives next
	raw  []byte // for that frame as it comes; nil before the first, and where the last one became a picture
}

func newFilm(lib *Library, path string, info Info, st stream, in Interpretation) *film {
	f := &film{lib: lib, path: path, info: info, stream: st, in: in, lock: make(chan struct{}, 1), places: fewPlaces, halved: maxHalvings, last: -1}
	f.lock <- struct{}{}
	return f
}

var errClosed = errors.New("it has been closed")

func (f *film) frame(ctx context.Context, n, halvings, always int) (*raster.Image, error) {
	if times := f.decodable(min(halvings, always)); times > 0 {
		return f.decodedSmaller(times).frame(ctx, n, halvings-times, 0)
	}
	select {
	case <-f.lock:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { f.lock <- struct{}{} }()
	if f.done {
		return nil, unreadable(f.path, errClosed)
	}
	f.used.Store(f.lib.clock.Add(1))
	f.size(halvings)
	img, err := f.read(ctx, n, halvings)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	} else if err != nil {
		return nil, unreadable(f.path, err)
	}
	return img, nil
}

// size has frames be kept as large as they are asked for. One film may be seen in several sizes at once: the largest counts.
func (f *film) size(halvings int) {
	switch {
	case halvings <= f.halved:
		f.halved, f.coarser = halvings, 0
	case f.coarser >= coarseAfter:
		f.halved, f.coarser = f.halved+1, 0
	default:
		f.coarser++
	}
}

// find is a frame in the library, halved so many times; nil when it has none as large.
func (f *film) find(n, halvings int) *raster.Image {
	for h := halvings; h >= 0; h-- {
		if img := f.lib.get(picture{f, n, h}); img != nil {
			return halve(img, halvings-h)
		}
	}
	return nil
}

// read returns frame n, or the last frame when the film is shorter, halved so many times.
func (f *film) read(ctx context.Context, n, halvings int) (*raster.Image, error) {
	for tries := 0; ; tries++ {
		if f.last >= 0 {
			n = min(n, f.last)
		}
		if img := f.find(n, halvings); img != nil {
			return img, nil
		}
		c, once, err := f.cursorFor(n)
		if err != nil {
			return nil, err
		}
		img, err := f.forward(ctx, c, n)
		switch {
		case err == nil:
			if once {
				f.stop(c)
			}
			return halve(img, halvings-f.halved), nil
		case !errors.Is(err, io.EOF) || tries > 3:
			return nil, err
		}
		if err := f.ended(c, n); err != nil {
			return nil, err
		}
	}
}

// cursorFor is the cursor with the fewest frames to skip before frame n, or a new one. When the film is read backwards
// the new one starts early enough that the frames before n are read too; it is not needed afterwards (once).
func (f *film) cursorFor(n int) (c *cursor, once bool, err error) {
	for _, other := range f.cursors {
		if other.next <= n && n <= other.next+skipAtMost && (c == nil || other.next > c.next) {
			c = other
		}
	}
	if c != nil {
		f.cursors = append(slices.DeleteFunc(f.cursors, func(other *cursor) bool { return other == c }), c)
		return c, false, nil
	}
	first := n
	if once = f.backwards(n); once {
		first = max(0, n-f.window()+1)
	}
	c, err = f.start(first)
	return c, once, err
}

// backwards tells whether frames after n were asked for recently, and n was not.
func (f *film) backwards(n int) bool {
	for _, k := range f.kept {
		if k.n > n && k.n <= n+windowLeast {
			return true
		}
	}
	return false
}

func (f *film) window() int { return f.lib.share(f.bytes() >> (2 * f.halved)) }

// cost is about how many bytes the decoders take, which are other programs.
func (f *film) cost() int64 { return int64(f.running.Load()) * f.decoderCost() }

// decoderCost is cost for one decoder, which has frames of full size even if it gives smaller ones.
func (f *film) decoderCost() int64 {
	w, h := f.info.Width<<f.stream.halved, f.info.Height<<f.stream.halved
	if f.stream.i420 != nil {
		return decoderFrames * int64(i420Size(w, h))
	}
	return decoderFrames * 4 * int64(w) * int64(h)
}

func (f *film) bytes() int { return 4 * f.info.Width * f.info.Height }

// rawBytes is the size of a frame as it comes from ffmpeg.
func (f *film) rawBytes() int {
	switch {
	case f.stream.halved > 0:
		return 3 * f.info.Width * f.info.Height
	case f.stream.i420 != nil:
		return i420Size(f.info.Width, f.info.Height)
	}
	return f.bytes()
}

// picture is the frame that c has read, as small as it is kept.
func (f *film) picture(c *cursor) *raster.Image {
	w, h := f.info.Width, f.info.Height
	m := f.stream.planes()
	switch {
	case m == nil && f.halved > 0:
		return halve(interpret(c.raw, w, h, f.info.Alpha, f.in), f.halved)
	case m == nil:
		img := interpret(c.raw, w, h, f.info.Alpha, f.in)
		c.raw = nil
		return img
	case f.halved > 0:
		if f.whole == nil {
			f.whole = image.NewRGBA(image.Rect(0, 0, w, h))
		}
		m.draw(f.whole, c.raw)
		return halve(f.whole, f.halved)
	}
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	m.draw(img, c.raw)
	return img
}

// forward reads up to frame n.
func (f *film) forward(ctx context.Context, c *cursor, n int) (*raster.Image, error) {
	stop := context.AfterFunc(ctx, c.run.kill)
	defer stop()
	window := f.window()
	for {
		if c.raw == nil {
			c.raw = make([]byte, f.rawBytes())
		}
		if err := c.run.read(c.raw); err != nil {
			f.stop(c)
			return nil, err
		}
		at := c.next
		c.next++
		if at <= n-window { // too early to be needed
			continue
		}
		img := f.picture(c)
		f.keep(at, img)
		if at >= n {
			return img, nil
		}
	}
}

// ended finds the true length of a film that ended early.
func (f *film) ended(c *cursor, n int) error {
	switch {
	case c.run.over:
		f.last = c.next - 1
	case n == 0:
		return errors.New("it has no frame that can be decoded")
	default: // seeking went beyond the end: find the end from an earlier frame
		f.last = max(0, n-int(f.info.FrameRate)-1)
		if last, err := f.tail(f.last); err == nil {
			f.last = last
		}
	}
	return nil
}

// tail reads from frame n to the end and returns the number of the last frame.
func (f *film) tail(n int) (int, error) {
	c, err := f.start(n)
	if err != nil {
		return 0, err
	}
	for {
		if _, err := f.forward(context.Background(), c, c.next); err != nil {
			if !c.run.over {
				return 0, err
			}
			return c.next - 1, nil
		}
	}
}

// keep adds a frame to the library, and drops the oldest when there are too many.
func (f *film) keep(n int, img *raster.Image) {
	f.lib.put(picture{f, n, f.halved}, img)
	f.kept = append(f.kept, shot{n, f.halved})
	for most := f.window() * max(1, len(f.cursors)); len(f.kept) > most; {
		if old := f.kept[0]; !slices.Contains(f.kept[1:], old) {
			f.lib.drop(picture{f, old.n, old.halved})
		}
		f.kept = slices.Delete(f.kept, 0, 1)
	}
}

// start starts an ffmpeg whose first frame is n.
func (f *film) start(n int) (*cursor, error) {
	if len(f.cursors) >= f.mayRead(n) {
		f.left = append(f.left[max(0, len(f.left)+1-maxDecoders):], f.cursors[0].next)
		f.stop(f.cursors[0])
	}
	f.lib.reads(f)
	run, err := startDecoder(f.path, f.stream, f.info, n)
	if err != nil {
		return nil, err
	}
	c := &cursor{run: run, next: n}
	f.cursors = append(f.cursors, c)
	f.running.Store(int32(len(f.cursors)))
	f.starts.Add(1)
	return c, nil
}

// mayRead is at how many places the film may be read. Each start that goes on where a cursor had to make room shows that one more layer plays
// the film; the budget of the library has to take their decoders.
func (f *film) mayRead(n int) int {
	missed := slices.IndexFunc(f.left, func(next int) bool { return next <= n && n <= next+skipAtMost })
	if missed < 0 {
		return f.places
	}
	f.left = slices.Delete(f.left, missed, missed+1)
	if most := f.lib.budget / f.decoderCost(); f.places < int(min(most, maxDecoders)) {
		f.places++
	}
	return f.places
}

func (f *film) stop(c *cursor) {
	c.run.kill()
	c.run.wait()
	f.cursors = slices.DeleteFunc(f.cursors, func(other *cursor) bool { return other == c })
	f.running.Store(int32(len(f.cursors)))
}

// stopIdle stops the decoders; false when one is in use. The library, which calls it, is locked.
func (f *film) stopIdle() bool {
	select {
	case <-f.lock:
	default:
		return false
	}
	defer func() { f.lock <- struct{}{} }()
	f.stopAll()
	return true
}

func (f *film) rest() bool {
	resting := true
	for _, s := range f.smaller.all(false) {
		resting = s.rest() && resting
	}
	select {
	case <-f.lock:
	default:
		return false
	}
	defer func() { f.lock <- struct{}{} }()
	f.letGo()
	return resting
}

// letGo stops the decoders and drops the frames.
func (f *film) letGo() {
	f.stopAll()
	f.kept, f.whole, f.halved, f.coarser, f.places, f.left = nil, nil, maxHalvings, 0, fewPlaces, nil
	f.lib.ended(f)
	f.lib.dropAll(f)
}

func (f *film) stopAll() {
	for len(f.cursors) > 0 {
		f.stop(f.cursors[0])
	}
}

func (f *film) close() error {
	for _, s := range f.smaller.all(true) {
		_ = s.close() // which always succeeds, as this does
	}
	<-f.lock
	defer func() { f.lock <- struct{}{} }()
	f.letGo()
	f.done = true
	return nil
}

// decoder is a running ffmpeg that writes raw frames.
type decoder struct {
	cmd  *exec.Cmd
	out  io.ReadCloser
	tail *ffmpeg.Tail
	ctx  context.Context
	kill context.CancelFunc
	err  error
	over bool
}

func startDecoder(path string, st stream, info Info, n int) (*decoder, error) {
	var args []string
	if n > 0 {
		// A quarter of a frame early, so that rounding neither skips frame n nor includes the one before.
		args = append(args, "-ss", strconv.FormatFloat((float64(n)-0.25)/info.FrameRate, 'f', 6, 64))
	}
	args = append(args, decodeInput(path, st)...)
	args = append(args, filmOutput(st, info, "fps=fps="+st.rate+":start_time=0:round=near")...)
	ctx, cancel := context.WithCancel(context.Background()) // ended by kill; it outlives the caller's context
	cmd, tail := ffmpeg.Command(ctx, "ffmpeg", args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	if err := ffmpeg.Start(cmd, ffmpeg.MaxMemory); err != nil {
		cancel()
		return nil, ffmpeg.Failure(context.Background(), err, tail)
	}
	return &decoder{cmd: cmd, out: out, tail: tail, ctx: ctx, kill: cancel}, nil
}

// read fills pix with the next frame. It returns io.EOF at the end of the film. A damaged film ends where the damage
// begins, unless that is at its beginning.
func (d *decoder) read(pix []byte) error {
	_, err := io.ReadFull(d.out, pix)
	if err == nil {
		d.over = true // something was read
		return nil
	}
	d.wait()
	if d.ctx.Err() != nil {
		return d.ctx.Err()
	}
	if d.err != nil && !d.over {
		return plainer(ffmpeg.Failure(d.ctx, d.err, d.tail))
	}
	return io.EOF
}

func (d *decoder) wait() {
	if d.cmd == nil {
		return
	}
	d.err = d.cmd.Wait()
	d.cmd = nil
}

func decodeInput(path string, st stream) []string {
	var args []string
	if st.decoder != "" {
		args = append(args, "-c:v", st.decoder)
	}
	return append(args, ffmpeg.Input(path)...)
}

// filmOutput is the output of a film's frames, whose size info has: with planes where they are converted here.
func filmOutput(st stream, info Info, filter string) []string {
	switch {
	case st.halved > 0:
		return rawOutput(filter+","+st.halving(info.Width, info.Height), "yuv444p")
	case st.i420 != nil:
		return rawOutput(filter, "yuv420p")
	}
	return decodeOutput(st, filter)
}

func decodeOutput(st stream, filter string) []string {
	scale := "scale=flags=bilinear"
	if st.matrix != "" {
		scale += ":in_color_matrix=" + st.matrix
	}
	if filter != "" {
		scale = filter + "," + scale
	}
	return rawOutput(scale, "rgba")
}

func rawOutput(filter, pixels string) []string {
	return []string{"-map", "0:V:0", "-an", "-sn", "-dn", "-vf", filter + ",format=" + pixels, "-f", "rawvideo", "-pix_fmt", pixels, "pipe:1"}
}

func probeByFFmpeg(ctx context.Context, path string) (Info, stream, error) {
	info, st, err := askFFprobe(ctx, path)
	if err == nil && !info.Video {
		err = fmt.Errorf("it has no pictures")
	}
	return info, st, err
}
