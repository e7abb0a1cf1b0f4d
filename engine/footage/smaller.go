package footage

import (
	"strconv"
	"strings"
	"sync"
)

// A film of which all pictures are wanted halved is halved by ffmpeg, which then has fewer bytes to give, and they are fewer to convert. It takes the mean of
// two by two pixels, as halve does, but before the conversion to RGB, which is linear: so the pictures are the same but for rounding, and
// for colours outside of what RGB has. Its colours come as large as its luma, since a film with a colour for four pixels has them at half size anyway.

// smallerFilms are the same film as others see it whose decoders halve its pictures.
type smallerFilms struct {
	mu    sync.Mutex
	films []*film
	over  bool // the film has been closed
}

// all are those that there are; where the film ends, those that are asked for later are closed.
func (s *smallerFilms) all(end bool) []*film {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = s.over || end
	return s.films
}

// decodable is how often ffmpeg halves pictures that are always halved so many times: as often as no pixel is left over.
func (f *film) decodable(times int) (n int) {
	if f.stream.small == nil {
		return 0
	}
	for n < times && (f.info.Width|f.info.Height)>>n&1 == 0 {
		n++
	}
	return n
}

// decodedSmaller is the film with pictures that ffmpeg has halved so many times.
func (f *film) decodedSmaller(times int) *film {
	s := &f.smaller
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, known := range s.films {
		if known.stream.halved == times {
			return known
		}
	}
	info, st := f.info, f.stream
	info.Width, info.Height, st.halved = info.Width>>times, info.Height>>times, times
	small := newFilm(f.lib, f.path, info, st, f.in)
	small.done = s.over
	s.films = append(s.films, small)
	return small
}

// planes is how pictures are converted that come in planes; nil for those that come in RGBA.
func (st *stream) planes() *matrix {
	if st.halved > 0 {
		return st.small
	}
	return st.i420
}

// halving is the filter that gives pictures a size that is a half, a quarter … of theirs.
func (st *stream) halving(w, h int) string {
	return "scale=w=" + strconv.Itoa(w) + ":h=" + strconv.Itoa(h) + ":flags=area+accurate_rnd:out_h_chr_pos=0:out_v_chr_pos=0" + st.position
}

// chromaPosition has ffmpeg take the colours of a picture to lie in the middle of the pixels that have them, whatever its file says, as they are
// taken to lie at full size; in 1/256 of a pixel. It knows the formats whose colours ffmpeg gives as they are.
func (s *probedStream) chromaPosition() (position string, known bool) {
	switch {
	case strings.HasPrefix(s.PixFmt, "yuv420p"):
		return ":in_h_chr_pos=128:in_v_chr_pos=128", true
	case strings.HasPrefix(s.PixFmt, "yuv422p"):
		return ":in_h_chr_pos=128:in_v_chr_pos=0", true
	}
	return ":in_h_chr_pos=0:in_v_chr_pos=0", strings.HasPrefix(s.PixFmt, "yuv444p")
}
