// Package encodingtest checks what encoders wrote independently of them: it decodes colour bars without ffmpeg's
// conversion of colours, and applies the matrix that the file's tags name itself.
package encodingtest

import (
	"encoding/json"
	"image"
	"image/color"
	"math"
	"strconv"
	"testing"

	"overcrank/ffmpeg"
)

// The bars are as large as the smallest film of high definition, for which players assume BT.709 when there are no tags.
const (
	Width, Height = 1280, 720
	barWidth      = Width / 8
)

// bars are white, yellow, cyan, green, magenta, red, blue and black, none of them at the ends of the scale, where a
// wrong range would not be noticed.
var bars = [8]color.NRGBA{
	{235, 235, 235, 255}, {191, 191, 20, 255}, {20, 191, 191, 255}, {20, 191, 20, 255},
	{191, 20, 191, 255}, {191, 20, 20, 255}, {20, 20, 191, 255}, {20, 20, 20, 255},
}

// halfAlpha is the alpha of the lower half of the bars.
const halfAlpha = 128

// Bars is the picture; with alpha its lower half is half transparent.
func Bars(alpha bool) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, Width, Height))
	for y := range Height {
		for x := range Width {
			img.SetNRGBA(x, y, bar(x, y, alpha))
		}
	}
	return img
}

func bar(x, y int, alpha bool) color.NRGBA {
	c := bars[x/barWidth]
	if alpha && y >= Height/2 {
		c.A = halfAlpha
	}
	return c
}

// Stream is ffprobe's description of a film's or picture's stream.
type Stream struct {
	Codec     string `json:"codec_name"`
	Profile   string `json:"profile"`
	PixFmt    string `json:"pix_fmt"`
	Matrix    string `json:"color_space"`
	Primaries string `json:"color_primaries"`
	Transfer  string `json:"color_transfer"`
	Range     string `json:"color_range"`
	Rate      string `json:"bit_rate"`
}

// Bits is the stream's rate in bits per second.
func (s Stream) Bits() float64 {
	rate, err := strconv.ParseFloat(s.Rate, 64)
	if err != nil {
		return 0
	}
	return rate
}

// Look is the file's stream of pictures.
func Look(t testing.TB, path string) Stream {
	t.Helper()
	out, err := ffmpeg.Run(t.Context(), "ffprobe", append([]string{"-select_streams", "v:0", "-show_streams", "-of", "json"}, ffmpeg.ProbeInput(path)...)...)
	if err != nil {
		t.Fatal(err)
	}
	var p struct{ Streams []Stream }
	if err := json.Unmarshal(out, &p); err != nil || len(p.Streams) != 1 {
		t.Fatalf("%s: %s, %v", path, out, err)
	}
	return p.Streams[0]
}

// tolerance is the largest difference of a channel, of 255: the loss of 8-bit YUV at the lowest quality.
const tolerance = 5

// Check fails the test unless the file contains the bars, in the colours of its tags and format, and with alpha if asked
// for. Films in YUV have to be BT.709 and tagged so.
func Check(t testing.TB, path string, alpha bool) {
	t.Helper()
	s := Look(t, path)
	pix, spread := "rgba64le", "tv"
	toRGB := func(a, b, c float64) (float64, float64, float64) { return a, b, c }
	switch s.PixFmt {
	case "yuvj420p", "yuvj444p": // JFIF: BT.601 in the full range
		pix, spread = "yuva444p16le", "pc"
		toRGB = func(y, u, v float64) (float64, float64, float64) {
			return matrix(0.299, 0.114, y, u-32768.0/65535, v-32768.0/65535)
		}
	case "yuv420p", "yuv422p10le", "yuva444p10le", "yuva444p12le":
		pix, toRGB = "yuva444p16le", func(y, u, v float64) (float64, float64, float64) {
			const white, black, span = 235.0 / 256, 16.0 / 256, 224.0 / 256
			return matrix(0.2126, 0.0722, (y-black)/(white-black), (u-0.5)/span, (v-0.5)/span)
		}
		if s.Matrix != "bt709" || s.Primaries != "bt709" || s.Transfer != "bt709" || s.Range != "tv" {
			t.Errorf("%s: its colours are tagged %q, %q, %q, %q", s.Codec, s.Matrix, s.Primaries, s.Transfer, s.Range)
		}
	}
	samples := decode(t, path, pix, spread)
	for y := Height / 4; y < Height; y += Height / 2 {
		for x := barWidth / 2; x < Width; x += barWidth {
			a, b, c, d := samples(x, y)
			r, g, bl := toRGB(a, b, c)
			want := bar(x, y, alpha)
			got := [4]float64{255 * r, 255 * g, 255 * bl, 255 * d}
			for i, w := range []uint8{want.R, want.G, want.B, want.A} {
				if math.Abs(got[i]-float64(w)) > tolerance {
					t.Errorf("%s (%s): the bar at %d,%d is %.0f, want %v", s.Codec, s.PixFmt, x, y, got, want)
					break
				}
			}
		}
	}
}

// matrix converts luma and chroma to RGB, with a matrix of these weights of red and blue.
func matrix(kr, kb, y, u, v float64) (r, g, b float64) {
	r = y + 2*(1-kr)*v
	b = y + 2*(1-kb)*u
	return r, (y - kr*r - kb*b) / (1 - kr - kb), b
}

// decode returns the four samples of each pixel of the first frame, as 0 to 1, in the order of the pixel format pix,
// planar or packed. YUV keeps the file's range.
func decode(t testing.TB, path, pix, spread string) func(x, y int) (a, b, c, d float64) {
	t.Helper()
	args := append(ffmpeg.Input(path), "-frames:v", "1", "-vf", "scale=in_range="+spread+":out_range="+spread+",format="+pix, "-f", "rawvideo", "pipe:1")
	raw, err := ffmpeg.Run(t.Context(), "ffmpeg", args...)
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) != 8*Width*Height {
		t.Fatalf("%s: a frame of %d bytes", path, len(raw))
	}
	one := func(i int) float64 { return float64(int(raw[2*i])|int(raw[2*i+1])<<8) / 65535 }
	if pix == "rgba64le" {
		return func(x, y int) (a, b, c, d float64) {
			i := 4 * (y*Width + x)
			return one(i), one(i + 1), one(i + 2), one(i + 3)
		}
	}
	return func(x, y int) (a, b, c, d float64) {
		i := y*Width + x
		return one(i), one(Width*Height + i), one(2*Width*Height + i), one(3*Width*Height + i)
	}
}

// Raw writes the bars as rgba, frames times.
func Raw(alpha bool, frames int) []byte {
	pix := Bars(alpha).Pix
	out := make([]byte, 0, frames*len(pix))
	for range frames {
		out = append(out, pix...)
	}
	return out
}
