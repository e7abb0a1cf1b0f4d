package film

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"overcrank/ffmpeg/encoding"
	"overcrank/frames"
)

// How a proxy is written: small enough for any line, large enough to judge a picture by.
const (
	proxyWidth  = 1280 // pixels, at most
	proxyHeight = 720
	proxyCodec  = "video_h264_vbr_5mbps"
	checkSide   = 12 // pixels of a square of the checkerboard
)

// Shown is what a proxy is made of: a film, or the pictures of a sequence.
type Shown struct {
	Path   string   // of a film; "" for a sequence
	Stills []string // of a sequence, all in one folder
	Info   Info     // of the film, or of a picture
	Rate   float64  // pictures in a second, of a sequence
	// Encoders are those of this machine; nil when ffmpeg is to be asked.
	Encoders []string
}

// Proxy writes a small film that every browser plays, H.264 in 4:2:0 and BT.709, frame for frame that of what is shown. Transparency is drawn
// over a checkerboard. The folder dir is for what ffmpeg is told.
func Proxy(ctx context.Context, s Shown, dir, out string) error {
	way, err := wayOf(ctx, proxyCodec, s.Encoders)
	if err != nil {
		return err
	}
	args := reading(s.Path)
	rate := s.Info.FrameRate
	if s.Path == "" {
		list, err := listStills(dir, s.Stills)
		if err != nil {
			return err
		}
		rate = s.Rate
		args = []string{"-v", "error", "-nostdin", "-y", "-protocol_whitelist", "file,pipe", "-f", "concat", "-safe", "0", "-i", local(list)}
	}
	num, den := frames.Rate(rate, 0, 0)
	if num < 1 || den < 1 {
		return fmt.Errorf("making a proxy: nobody knows how many frames there are in a second")
	}
	w, h := proxySize(s.Info.Width, s.Info.Height)
	args = append(args, "-filter_complex", proxyFilter(s.Info, way, w, h, num, den), "-map", "[shown]", "-map", "0:a?")
	args = append(append(args, way.Video(encoding.InHaste)...), way.Sound()...)
	args = append(args, "-r", fmt.Sprintf("%d/%d", num, den), "-movflags", "+faststart", "-f", "mp4", local(out))
	if err := Convert(ctx, io.Discard, args...); err != nil {
		return fmt.Errorf("making a proxy: %w", err)
	}
	return nil
}

// proxyFilter draws what is shown at the size of its proxy, each frame at its own time whatever the file says.
func proxyFilter(info Info, way encoding.Way, w, h int, num, den int64) string {
	onTime := fmt.Sprintf("settb=%d/%d,setpts=N", den, num)
	size := fmt.Sprintf("scale=%d:%d:flags=area", w, h)
	from := encoding.AssumedMatrix(info.Matrix, info.Height)
	if !info.Alpha {
		return fmt.Sprintf("[0:v:0]%s,%s,setsar=1,%s[shown]", onTime, size, way.FilterFrom(from))
	}
	if from != "" {
		size += ":in_color_matrix=" + from
	}
	square := fmt.Sprintf(`if(mod(floor(X/%d)+floor(Y/%d)\,2)\,58\,44)`, checkSide, checkSide)
	return fmt.Sprintf("color=c=black:s=%dx%d:r=%d/%d,trim=end_frame=1,format=gbrp,geq=r='%s':g='%s':b='%s',loop=loop=-1:size=1:start=0,%s[board];"+
		"[0:v:0]%s,%s,format=rgba,setsar=1[over];[board][over]overlay=shortest=1:format=gbrp,setsar=1,%s[shown]",
		w, h, num, den, square, square, square, onTime, onTime, size, way.Filter())
}

// proxySize is the largest size, with even sides as 4:2:0 needs them, that fits.
func proxySize(width, height int) (w, h int) {
	if width < 1 || height < 1 {
		return proxyWidth, proxyHeight
	}
	scale := min(1, float64(proxyWidth)/float64(width), float64(proxyHeight)/float64(height))
	even := func(side int) int { return max(16, int(float64(side)*scale/2+0.5)*2) }
	return even(width), even(height)
}

// listStills writes the list of pictures that ffmpeg reads one after the other.
func listStills(dir string, files []string) (string, error) {
	list := filepath.Join(dir, ".shown.txt")
	var b strings.Builder
	for _, f := range files {
		way, err := filepath.Rel(dir, f)
		if err != nil {
			return "", fmt.Errorf("listing the pictures: %w", err)
		}
		b.WriteString("file '" + strings.ReplaceAll(filepath.ToSlash(way), "'", `'\''`) + "'\nduration " + strconv.Itoa(1) + "\n")
	}
	if err := os.WriteFile(list, []byte(b.String()), 0o600); err != nil {
		return "", fmt.Errorf("listing the pictures: %w", err)
	}
	return list, nil
}
