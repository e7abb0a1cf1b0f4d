package join

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"overcrank/agent/film"
	"overcrank/faults/leaktest"
	"overcrank/ffmpeg"
	"overcrank/ffmpeg/encoding"
	"overcrank/ffmpeg/encoding/encodingtest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// makeClip runs ffmpeg, whose last argument is the name of the file to be made in dir.
func makeClip(t *testing.T, dir string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("ffmpeg is not installed")
	}
	path := filepath.Join(dir, args[len(args)-1])
	out, err := exec.Command("ffmpeg", append(append([]string{"-v", "error", "-y"}, args[:len(args)-1]...), path)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// coloured is a clip of one colour with so many frames, with a tone unless tone is 0.
func coloured(t *testing.T, dir, name, color, size, rate string, frames, tone int, more ...string) string {
	t.Helper()
	r := ratioOf(rate).value()
	args := []string{"-f", "lavfi", "-i", fmt.Sprintf("color=%s:s=%s:r=%s:d=%.4f", color, size, rate, (float64(frames)-0.5)/r)}
	if tone > 0 {
		args = append(args, "-f", "lavfi", "-i", fmt.Sprintf("sine=%d:r=48000:d=%.4f", tone, float64(frames)/r), "-c:a", "aac", "-ac", "2")
	}
	args = append(args, "-pix_fmt", "yuv420p")
	return makeClip(t, dir, append(append(args, more...), name)...)
}

// available are the encoders of this machine, which is asked once.
var available = sync.OnceValues(func() ([]string, error) { return encoding.Available(context.Background()) })

func encoders(t *testing.T) []string {
	t.Helper()
	have, err := available()
	if err != nil {
		t.Fatal(err)
	}
	return have
}

// stitched joins clips and returns the film with what was said.
func stitched(t *testing.T, clips ...string) (path string, result Result, said string) {
	t.Helper()
	dir := t.TempDir()
	var log strings.Builder
	last := 0.0
	path = filepath.Join(t.TempDir(), "out.mp4")
	result, err := Join(t.Context(), Request{
		Clips: clips, Out: path, Dir: dir, Encoders: encoders(t), OnProgress: func(f float64) { last = f }, Say: func(line string) { log.WriteString(line + "\n") },
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != 1 {
		t.Errorf("the progress ended at %v", last)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind %v, %v", left, err)
	}
	return path, result, log.String()
}

// streams is what ffprobe says of the streams of a film.
func streams(t *testing.T, path string) map[string]map[string]any {
	t.Helper()
	out, err := exec.Command("ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var said struct {
		Streams []map[string]any `json:"streams"`
	}
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatal(err)
	}
	byType := map[string]map[string]any{}
	for _, s := range said.Streams {
		byType[s["codec_type"].(string)] = s
	}
	return byType
}

// lasts wants a stream of a film to last so many seconds, to a packet of sound.
func lasts(t *testing.T, stream map[string]any, want float64) {
	t.Helper()
	if got := seconds(fmt.Sprint(stream["duration"])); math.Abs(got-want) > 1.1*aacPacket/44100 {
		t.Errorf("the %s lasts %v s, want %v", stream["codec_type"], got, want)
	}
}

// colours names the colour of the middle of every frame.
func colours(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command("ffmpeg", "-v", "error", "-i", path, "-vf", "crop=2:2,scale=1:1", "-vsync", "0", "-f", "rawvideo", "-pix_fmt", "rgb24", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for ; len(out) >= 3; out = out[3:] {
		switch r, g, bl := out[0], out[1], out[2]; {
		case r > 150 && g < 100 && bl < 100:
			b.WriteByte('r')
		case g > 80 && r < 100 && bl < 100:
			b.WriteByte('g')
		case bl > 150 && r < 100:
			b.WriteByte('b')
		default:
			fmt.Fprintf(&b, "<%d,%d,%d>", r, g, bl)
		}
	}
	return b.String()
}

func in(r, g, b int) string {
	return strings.Repeat("r", r) + strings.Repeat("g", g) + strings.Repeat("b", b)
}

// packetsOf are the bytes of every packet of a stream, hashed.
func packetsOf(t *testing.T, path, stream string) []string {
	t.Helper()
	out, err := exec.Command("ffprobe", "-v", "error", "-select_streams", stream, "-show_packets", "-show_data_hash", "md5", "-show_entries", "packet=data_hash", "-of", "csv=p=0", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`MD5:[0-9a-f]+`).FindAllString(string(out), -1)
}

func TestClipsThatAgreeAreCopiedPacketByPacket(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	clips := []string{
		coloured(t, dir, "1.mp4", "red", "128x96", "30000/1001", 31, 440), coloured(t, dir, "2.mp4", "green", "128x96", "30000/1001", 20, 880),
		// The same stream in another container, behind another clock, with its streams in another order.
		makeClip(t, dir, "-i", coloured(t, dir, "b.mp4", "blue", "128x96", "30000/1001", 25, 220), "-map", "0:a", "-map", "0:v", "-c", "copy", "-video_track_timescale", "90000", "3.mov"),
	}
	path, result, said := stitched(t, clips...)
	if !result.Copied || result.Frames != 76 || !strings.Contains(said, "copied") {
		t.Fatalf("%+v\n%s", result, said)
	}
	var want, heard []string
	for _, c := range clips {
		want = append(want, packetsOf(t, c, "v:0")...)
		heard = append(heard, packetsOf(t, c, "a:0")...)
	}
	if got := packetsOf(t, path, "v:0"); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the packets are others: %d, want %d", len(got), len(want))
	}
	// Of the sound, packets at the end of a clip give way to the first of the next one.
	got := packetsOf(t, path, "a:0")
	for _, packet := range got {
		for len(heard) > 0 && heard[0] != packet {
			heard = heard[1:]
		}
		if len(heard) == 0 {
			t.Errorf("a packet of the sound is none of the clips'")
			break
		}
		heard = heard[1:]
	}
	if seconds := float64(len(got)-1) * aacPacket / 48000; math.Abs(seconds-76*1001/30000.0) > 0.03 {
		t.Errorf("%d packets of sound", len(got))
	}
	if got := colours(t, path); got != in(31, 20, 25) {
		t.Errorf("the frames are %s", got)
	}
	all := streams(t, path)
	if all["video"]["nb_read_frames"] != "76" || all["video"]["r_frame_rate"] != "30000/1001" || all["video"]["start_time"] != "0.000000" {
		t.Errorf("the picture is %v", all["video"])
	}
	lasts(t, all["video"], 76*1001/30000.0)
	lasts(t, all["audio"], 76*1001/30000.0)
}

func TestClipsThatDifferAreConformedToTheFirst(t *testing.T) {
	first := []any{"red", "128x96", "25", 25, 440}
	cases := map[string]struct {
		args []any // of the second clip
		more []string
		name string
		want int // frames of it in the film
		said string
	}{
		"size":   {[]any{"green", "64x96", "25", 25, 440}, nil, "2.mp4", 25, "64×96 instead of 128×96 pixels"},
		"rate":   {[]any{"green", "128x96", "50", 30, 440}, nil, "2.mp4", 15, "50/1 instead of 25/1 frames/s"},
		"codec":  {[]any{"green", "128x96", "25", 25, 440}, []string{"-c:v", "mpeg4"}, "2.mp4", 25, "mpeg4 instead of h264"},
		"webm":   {[]any{"green", "128x96", "25", 25, 0}, []string{"-c:v", "libvpx", "-deadline", "realtime"}, "2.webm", 25, "vp8"},
		"pixels": {[]any{"green", "128x96", "25", 25, 440}, []string{"-pix_fmt", "yuv444p"}, "2.mp4", 25, "yuv444p instead of yuv420p"},
		"aspect": {[]any{"green", "128x96", "25", 25, 440}, []string{"-vf", "setsar=2/1"}, "2.mp4", 25, "pixels of 2/1 instead of 1/1"},
		"header": {[]any{"green", "128x96", "25", 25, 440}, []string{"-profile:v", "baseline"}, "2.mp4", 25, "set up otherwise"},
		"odd":    {[]any{"green", "77x33", "30000/1001", 30, 440}, []string{"-pix_fmt", "yuv444p"}, "2.mp4", 25, "76×32"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			clip := func(name string, a []any, more ...string) string {
				return coloured(t, dir, name, a[0].(string), a[1].(string), a[2].(string), a[3].(int), a[4].(int), more...)
			}
			path, result, said := stitched(t, clip("1.mp4", first), clip(c.name, c.args, c.more...))
			if result.Copied || !strings.Contains(said, c.said) {
				t.Errorf("said %q, copied %t; want %s", said, result.Copied, c.said)
			}
			if got := colours(t, path); got != in(25, c.want, 0) {
				t.Errorf("the frames are %s", got)
			}
			all := streams(t, path)
			if v := all["video"]; v["width"] != 128.0 || v["height"] != 96.0 || v["r_frame_rate"] != "25/1" || v["codec_name"] != "h264" || v["pix_fmt"] != "yuv420p" {
				t.Errorf("the picture is %v", v)
			}
			lasts(t, all["video"], float64(25+c.want)/25)
			lasts(t, all["audio"], float64(25+c.want)/25)
		})
	}
}

// A narrow clip stands in the middle of the picture, with black beside it.
// TestAClipOfOneFrameIsAFirstOneToo covers clips that are too short for their pictures to be encoded out of their order, as those of
// all others are.
func TestAClipOfOneFrameIsAFirstOneToo(t *testing.T) {
	dir := t.TempDir()
	one := coloured(t, dir, "one.mp4", "red", "160x90", "25", 1, 0)
	alike := coloured(t, dir, "alike.mp4", "blue", "160x90", "25", 10, 0)
	unlike := coloured(t, dir, "unlike.mp4", "green", "96x96", "50", 20, 440)
	for want, clips := range map[string][]string{
		in(1, 0, 10): {one, alike}, in(1, 10, 0): {one, unlike}, in(1, 0, 0) + in(0, 10, 0) + in(1, 0, 10): {one, unlike, one, alike},
	} {
		path, result, _ := stitched(t, clips...)
		if got := colours(t, path); got != want || result.Frames != len(want) {
			t.Errorf("%d frames: %s, want %s", result.Frames, got, want)
		}
		if rate := streams(t, path)["video"]["avg_frame_rate"]; rate != "25/1" {
			t.Errorf("%s runs at %v", want, rate)
		}
	}
}

func TestSmallerClipsAreLetterboxed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, _, _ := stitched(t, coloured(t, dir, "1.mp4", "red", "128x96", "25", 2, 0), coloured(t, dir, "2.mp4", "green", "32x96", "25", 2, 0))
	out, err := exec.Command("ffmpeg", "-v", "error", "-i", path, "-vf", `select=eq(n\,3),scale=8:1:flags=area`, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "gray", "-").Output()
	if err != nil || len(out) != 8 {
		t.Fatalf("%v, %v", out, err)
	}
	for i, v := range out {
		if inside := i >= 3 && i <= 4; inside != (v > 40) {
			t.Errorf("the row is %v", out)
			break
		}
	}
	if all := streams(t, path); all["audio"] != nil {
		t.Error("silent clips got sound")
	}
}

// loudness is the peak of each tenth of a second of a film's sound.
func loudness(t *testing.T, path string) []int {
	t.Helper()
	out, err := exec.Command("ffmpeg", "-v", "error", "-i", path, "-ac", "1", "-ar", "10000", "-f", "s16le", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	var peaks []int
	for ; len(out) >= 2000; out = out[2000:] {
		peak := 0
		for i := 0; i < 2000; i += 2 {
			peak = max(peak, int(math.Abs(float64(int16(uint16(out[i])|uint16(out[i+1])<<8)))))
		}
		peaks = append(peaks, peak)
	}
	return peaks
}

func TestSilenceStandsWhereAClipHasNoSound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, clips := range map[string][]string{
		"copied":    {coloured(t, dir, "a1.mp4", "red", "64x48", "25", 25, 0), coloured(t, dir, "a2.mp4", "green", "64x48", "25", 25, 440), coloured(t, dir, "a3.mp4", "blue", "64x48", "25", 25, 0)},
		"conformed": {coloured(t, dir, "b1.mp4", "red", "64x48", "25", 25, 0), coloured(t, dir, "b2.mp4", "green", "32x48", "50", 50, 440, "-ar", "22050"), coloured(t, dir, "b3.mp4", "blue", "64x48", "25", 25, 0)},
	} {
		path, result, said := stitched(t, clips...)
		if result.Copied != (name == "copied") || !result.Audio {
			t.Errorf("%s: %+v\n%s", name, result, said)
		}
		peaks := loudness(t, path)
		if len(peaks) < 29 {
			t.Fatalf("%s: only %d tenths of a second", name, len(peaks))
		}
		for i, p := range peaks[:29] {
			if i == 9 || i == 10 || i == 19 || i == 20 {
				continue // the encoder's own softness at the edges
			}
			if loud := i > 9 && i < 20; loud != (p > 1000) {
				t.Errorf("%s: the loudness of tenth %d is %d: %v", name, i, p, peaks)
			}
		}
	}
}

// The clips are loud and silent in turn, and their packets are taken over: every change is heard where it is seen.
func TestSoundThatIsTakenOverStaysWithItsPicture(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	loud := coloured(t, dir, "1.mp4", "red", "64x48", "30000/1001", 15, 440)
	quiet := coloured(t, dir, "2.mp4", "blue", "64x48", "30000/1001", 15, 440, "-af", "volume=0")
	var clips []string
	for range 6 {
		clips = append(clips, loud, quiet)
	}
	path, result, said := stitched(t, clips...)
	if !result.Copied || result.Frames != 180 || !strings.Contains(said, "sound") {
		t.Fatalf("%+v\n%s", result, said)
	}
	all := streams(t, path)
	lasts(t, all["video"], 180*1001/30000.0)
	lasts(t, all["audio"], 180*1001/30000.0)
	for i, peak := range loudness(t, path) {
		from, to := float64(i)/10, float64(i+1)/10
		clip := func(at float64) int { return int(at / (15 * 1001 / 30000.0)) }
		if clip(from-0.03) != clip(to+0.03) || clip(to) > 11 {
			continue // too near to a change
		}
		if wants := clip(from)%2 == 0; wants != (peak > 1000) {
			t.Errorf("the loudness at %.1f s, in clip %d, is %d", from, clip(from), peak)
		}
	}
}

func TestSoundIsCutAndFilledToThePicture(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	long := makeClip(t, dir, "-f", "lavfi", "-i", "color=red:s=64x48:r=25:d=1", "-f", "lavfi", "-i", "sine=440:r=44100:d=3", "-pix_fmt", "yuv420p", "-c:a", "aac", "1.mp4")
	short := makeClip(t, dir, "-f", "lavfi", "-i", "color=green:s=64x48:r=25:d=1", "-f", "lavfi", "-i", "sine=440:r=44100:d=0.3", "-pix_fmt", "yuv420p", "-c:a", "aac", "2.mp4")
	path, result, said := stitched(t, long, short, long)
	if !result.Copied || result.Frames != 75 {
		t.Fatalf("%+v\n%s", result, said)
	}
	all := streams(t, path)
	lasts(t, all["video"], 3)
	lasts(t, all["audio"], 3)
	if all["audio"]["sample_rate"] != "44100" {
		t.Errorf("the sound is %v", all["audio"])
	}
}

func TestAPictureThatIsTurnedIsConformed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	turned := makeClip(t, dir, "-i", coloured(t, dir, "0.mp4", "red", "128x96", "25", 5, 0), "-c", "copy", "-metadata:s:v", "rotate=90", "1.mp4")
	if streams(t, turned)["video"]["side_data_list"] == nil {
		t.Skip("this ffmpeg cannot mark a film as turned")
	}
	path, _, said := stitched(t, turned, coloured(t, dir, "2.mp4", "green", "96x128", "25", 5, 0))
	if v := streams(t, path)["video"]; v["width"] != 96.0 || v["height"] != 128.0 {
		t.Errorf("%v\n%s", v, said)
	}
	if got := colours(t, path); got != in(5, 5, 0) {
		t.Errorf("the frames are %s", got)
	}
}

// refused joins a good clip, the bad one, and a good one, and wants the bad one to be named.
func refused(t *testing.T, good, bad, want string) {
	t.Helper()
	_, err := Join(t.Context(), Request{Clips: []string{good, bad, good}, Out: filepath.Join(t.TempDir(), "out.mp4"), Dir: t.TempDir()})
	var clip *ClipError
	if !errors.As(err, &clip) || clip.Clip != 1 || !strings.HasPrefix(err.Error(), "Asset cannot be read: "+want) || !strings.HasSuffix(err.Error(), " (asset 1)") {
		t.Errorf("got %v, want %s", err, want)
	}
	if err != nil && strings.Contains(err.Error(), filepath.Dir(bad)) {
		t.Errorf("%v tells a folder of this machine", err)
	}
}

func TestAClipThatCannotBeReadNamesItself(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	whole, err := os.ReadFile(coloured(t, dir, "w.mp4", "red", "64x48", "25", 50, 440, "-movflags", "+faststart", "-g", "1", "-vf", "noise=alls=100:allf=t"))
	if err != nil {
		t.Fatal(err)
	}
	broken := bytes.Clone(whole)
	for i := len(broken) / 2; i < len(broken)/2+4000; i++ {
		broken[i] ^= 0xa5
	}
	good := coloured(t, dir, "good.mp4", "red", "64x48", "25", 5, 440)
	secret := write("secret.txt", []byte("the farm's key"))
	refused(t, good, write("empty.mp4", nil), "it is empty")
	refused(t, good, write("text.mp4", []byte("this is no film")), "")
	refused(t, good, write("cut.mp4", whole[:len(whole)*2/3]), "")
	refused(t, good, write("broken.mp4", broken), "")
	refused(t, good, write("list.mp4", []byte("ffconcat version 1.0\nfile "+secret+"\n")), "")
	refused(t, good, write("list.m3u8", []byte("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n"+secret+"\n#EXT-X-ENDLIST\n")), "")
	refused(t, good, makeClip(t, dir, "-f", "lavfi", "-i", "sine=440:d=1", "tone.wav"), "it holds no picture")
}

// A few bytes can promise a frame that lasts for years.
func TestAFilmWithoutEndIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	endless := makeClip(t, dir, "-f", "lavfi", "-i", "color=red:s=16x16:r=1:d=4", "-vf", "setpts=N*50000/TB", "-vsync", "passthrough", "-enc_time_base", "1", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "1.mkv")
	_, err := Join(t.Context(), Request{Clips: []string{endless}, Out: filepath.Join(dir, "out.mp4"), Dir: dir})
	if want := "Asset makes the film longer than 24 hours (asset 0)"; err == nil || err.Error() != want {
		t.Fatalf("got %v, want %s", err, want)
	}
}

func TestClipsThatAgreeAndDoNotFitAreConformed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// The header of this one is the other's, so that its packets cannot be decoded by it.
	one := coloured(t, dir, "1.mp4", "red", "64x48", "25", 10, 0)
	clips := []clip{}
	for _, path := range []string{one, coloured(t, dir, "2.mp4", "green", "64x48", "25", 10, 0, "-c:v", "mpeg4")} {
		c, err := survey(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		clips = append(clips, c)
	}
	req := Request{Out: filepath.Join(dir, "out.mp4"), Dir: dir, OnProgress: func(float64) {}, Say: func(string) {}}
	_, err := stitch(t.Context(), req, clips, true)
	if unfit := new(misfit); !errors.As(err, &unfit) {
		t.Fatalf("got %v", err)
	}
	if _, err := stitch(t.Context(), req, clips, false); err != nil {
		t.Fatal(err)
	}
}

func TestCancellingKillsFFmpeg(t *testing.T) {
	dir := t.TempDir()
	large := coloured(t, dir, "1.mp4", "red", "640x480", "25", 250, 0, "-preset", "ultrafast")
	other := coloured(t, dir, "2.mp4", "green", "64x48", "25", 5, 0)
	stop := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	work := t.TempDir()
	ended := make(chan error, 1)
	go func() {
		_, err := Join(ctx, Request{Clips: []string{large, large, large, other}, Out: filepath.Join(dir, "out.mp4"), Dir: work, Say: func(string) { cancel(stop) }})
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, stop) {
			t.Fatalf("got %v", err)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("it went on")
	}
	if left, err := os.ReadDir(work); err != nil || len(left) != 0 {
		t.Errorf("left behind %v, %v", left, err)
	}
	var wrong *film.Wrong
	if _, err := film.CheckFilm(t.Context(), filepath.Join(dir, "out.mp4"), film.Want{}); !errors.As(err, &wrong) {
		t.Errorf("a film was left: %v", err)
	}
}

// barsClip writes colour bars as a film of high definition whose matrix is said, or not.
func barsClip(t *testing.T, name, matrix string, tags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	args := append([]string{"-f", "rawvideo", "-pix_fmt", "rgba", "-s", fmt.Sprintf("%dx%d", encodingtest.Width, encodingtest.Height), "-framerate", "25",
		"-i", "pipe:0", "-vf", "scale=out_color_matrix=" + matrix + ":out_range=tv,format=yuv420p", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "10"}, tags...)
	cmd, said := ffmpeg.Command(t.Context(), "ffmpeg", append(args, path)...)
	cmd.Stdin = bytes.NewReader(encodingtest.Raw(false, 3))
	if err := cmd.Run(); err != nil {
		t.Fatal(err, said)
	}
	return path
}

func TestClipsOfAnyMatrixKeepTheirColours(t *testing.T) {
	silent := barsClip(t, "silent.mp4", "bt709")
	older := barsClip(t, "older.mp4", "bt601", "-colorspace", "smpte170m", "-color_primaries", "smpte170m", "-color_trc", "smpte170m", "-color_range", "tv")
	for _, clips := range [][]string{{silent, older}, {older, silent}} {
		out := filepath.Join(t.TempDir(), "out.mp4")
		made, err := Join(t.Context(), Request{Clips: clips, Out: out, Dir: t.TempDir()})
		if err != nil || made.Copied {
			t.Fatalf("%+v, %v", made, err)
		}
		encodingtest.Check(t, out, false)
	}
}
