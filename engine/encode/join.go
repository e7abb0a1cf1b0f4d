package encode

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
)

// joinTracks writes the film of MP4 that shows films without sound one after the other, at path. They come from the same encoder with the same options, so
// that the headers of the first are those of all. The error is errUnfamiliar when they are such that ffmpeg has to join them. Boxes are as in ISO/IEC 14496-12
// and, of H.264, 14496-15.
//
// It is what ffmpeg does when it copies a list of films, which takes as long to start as it does to encode several frames.
func joinTracks(path string, films []string) (err error) {
	var tracks []*track
	for _, film := range films {
		t, err := openTrack(film)
		defer t.close()
		if err != nil {
			return err
		}
		tracks = append(tracks, t)
	}
	j, err := join(tracks)
	if err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Write(j.head()); err != nil {
		return err
	}
	for _, t := range tracks {
		if n, err := io.Copy(file, t.pictures()); err != nil || n != t.bytes {
			return errors.Join(err, errUnfamiliar)
		}
	}
	return nil
}

// joining is a film of several tracks.
type joining struct {
	first   *track
	sizes   []uint32
	offsets []int64
	keys    []bool
	late    int64 // the first picture shows so many ticks after it is decoded
	bytes   int64
}

func join(tracks []*track) (*joining, error) {
	j := &joining{first: tracks[0]}
	for _, t := range tracks {
		if t.scale != j.first.scale || t.each != j.first.each || len(t.decoding()) == 0 || !bytes.Equal(t.decoding(), j.first.decoding()) {
			return nil, errUnfamiliar
		}
		j.sizes, j.offsets, j.keys = append(j.sizes, t.sizes...), append(j.offsets, t.offsets...), append(j.keys, t.keys...)
		j.bytes, j.late = j.bytes+t.bytes, max(j.late, t.late)
	}
	if j.late > 0 && boxIn(j.first.moov, "trak", "edts", "elst") == nil {
		return nil, errUnfamiliar
	}
	if int64(len(j.sizes))*int64(j.first.each) > math.MaxUint32 || j.milliseconds() > math.MaxUint32 {
		return nil, errUnfamiliar
	}
	return j, nil
}

// milliseconds is how long the film lasts, rounded up, so that its last picture is not cut.
func (j *joining) milliseconds() int64 {
	scale := int64(j.first.scale)
	return (int64(len(j.sizes))*int64(j.first.each)*1000 + scale - 1) / scale
}

// head is the film up to its pictures.
func (j *joining) head() []byte {
	kind := box("ftyp", j.first.kind)
	moov := j.moov(0, false)
	wide := int64(len(kind)+len(moov))+j.bytes > math.MaxUint32-1<<20
	begin := []byte{0, 0, 0, 0, 'm', 'd', 'a', 't'}
	if wide {
		moov = j.moov(0, true)
		binary.BigEndian.PutUint32(begin, 1)
		begin = binary.BigEndian.AppendUint64(begin, uint64(j.bytes+16))
	} else {
		binary.BigEndian.PutUint32(begin, uint32(j.bytes+8))
	}
	moov = j.moov(int64(len(kind)+len(moov)+len(begin)), wide)
	return append(append(kind, moov...), begin...)
}

// moov is the tables of the film whose pictures begin at a place, in the boxes of the first track.
func (j *joining) moov(at int64, wide bool) []byte {
	whole := uint32(j.milliseconds())
	rewrite := map[string]func(content []byte) []byte{
		"mvhd": func(b []byte) []byte { return put(b, 16, whole) },
		"tkhd": func(b []byte) []byte { return put(b, 20, whole) },
		"mdhd": func(b []byte) []byte { return put(b, 16, uint32(len(j.sizes))*j.first.each) },
		"stbl": func(b []byte) []byte { return j.tables(b, at, wide) },
		"elst": func([]byte) []byte { return words(0, 1, whole, uint32(j.late), 1<<16) },
	}
	return box("moov", rewritten(j.first.moov, rewrite))
}

// rewritten is boxes, of which some have other contents.
func rewritten(b []byte, rewrite map[string]func(content []byte) []byte) (out []byte) {
	_ = eachBox(b, func(kind string, content []byte) { // openTrack has found its way through them
		switch change := rewrite[kind]; {
		case change != nil:
			content = change(content)
		case kind == "trak" || kind == "edts" || kind == "mdia" || kind == "minf":
			content = rewritten(content, rewrite)
		}
		out = append(out, box(kind, content)...)
	})
	return out
}

// put is content with another 32-bit number in its place.
func put(content []byte, at int, v uint32) []byte {
	out := append([]byte(nil), content...)
	if at+4 <= len(out) {
		binary.BigEndian.PutUint32(out[at:], v)
	}
	return out
}

// tables are the tables of pictures, of which first is that of the first track.
func (j *joining) tables(first []byte, at int64, wide bool) []byte {
	out := j.rated(first)
	out = append(out, box("stts", words(0, 1, uint32(len(j.sizes)), j.first.each))...)
	keys, moves := []uint32(nil), false
	for i, k := range j.keys {
		if k {
			keys = append(keys, uint32(i+1))
		}
	}
	if len(keys) < len(j.keys) {
		out = append(out, box("stss", words(0, uint32(len(keys))), words(keys...))...)
	}
	var runs []uint32
	for _, o := range j.offsets {
		late := uint32(o + j.late)
		moves = moves || late != 0
		if n := len(runs); n > 0 && runs[n-1] == late {
			runs[n-2]++
			continue
		}
		runs = append(runs, 1, late)
	}
	if moves {
		out = append(out, box("ctts", words(0, uint32(len(runs)/2)), words(runs...))...)
	}
	return append(out, j.places(at, wide)...)
}

// maxChunk is about how many bytes of pictures make a group, of which a film's tables know where it begins.
const maxChunk = 1 << 20

// places are the tables of the sizes of pictures, and of where groups of them lie.
func (j *joining) places(at int64, wide bool) []byte {
	var many, where []uint32
	groups := uint32(0)
	for i := 0; i < len(j.sizes); {
		begin, size := i, int64(0)
		for ; i < len(j.sizes) && (size == 0 || size+int64(j.sizes[i]) <= maxChunk); i++ {
			size += int64(j.sizes[i])
		}
		groups++
		if n := len(many); n == 0 || many[n-2] != uint32(i-begin) {
			many = append(many, groups, uint32(i-begin), 1)
		}
		if wide {
			where = append(where, uint32(at>>32))
		}
		where = append(where, uint32(at))
		at += size
	}
	kind := "stco"
	if wide {
		kind = "co64"
	}
	out := box("stsc", words(0, uint32(len(many)/3)), words(many...))
	out = append(out, box("stsz", words(0, 0, uint32(len(j.sizes))), words(j.sizes...))...)
	return append(out, box(kind, words(0, groups), words(where...))...)
}

// rated is the box that describes the pictures, with the rate of the whole film where it tells that of the first track.
func (j *joining) rated(first []byte) []byte {
	out := box("stsd", boxIn(first, "stsd"))
	if rate := boxIn(out, "stsd", "avc1", "btrt"); len(rate) == 12 {
		mean := j.bytes * 8 * int64(j.first.scale) / (int64(len(j.sizes)) * int64(j.first.each))
		binary.BigEndian.PutUint32(rate[8:], uint32(min(mean, math.MaxUint32)))
	}
	return out
}
