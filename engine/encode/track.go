package encode

import (
	"encoding/binary"
	"io"
	"os"
	"slices"
)

// track is a film of MP4 with one track, of pictures that all last equally long.
type track struct {
	file      *os.File
	kind      []byte // the box ftyp
	moov      []byte // what the box moov contains
	scale     uint32 // ticks a second
	each      uint32 // ticks of a picture
	sizes     []uint32
	late      int64   // ticks from when the first picture is decoded to when it shows
	offsets   []int64 // ticks from when a picture is decoded to when it shows, less late
	keys      []bool
	at, bytes int64 // where in the file the pictures lie, one after the other
}

// maxMoov bounds the tables of a film, in bytes: ten hours at 120 pictures a second have less.
const maxMoov = 128 << 20

// maxPictures bounds the pictures of a film, as its tables have them.
const maxPictures = 1 << 24

// openTrack reads the tables of a film. Its file must be closed, also after an error.
func openTrack(path string) (t *track, err error) {
	t = &track{}
	if t.file, err = os.Open(path); err != nil {
		return t, err
	}
	if err := t.readBoxes(); err != nil {
		return t, err
	}
	if err := t.readHeaders(); err != nil {
		return t, err
	}
	tables := boxIn(t.moov, "trak", "mdia", "minf", "stbl")
	for _, read := range []func(tables []byte) error{t.readSizes, t.readTimes, t.readKeys, t.readPlaces} {
		if err := read(tables); err != nil {
			return t, err
		}
	}
	return t, nil
}

func (t *track) readBoxes() error {
	info, err := t.file.Stat()
	if err != nil {
		return err
	}
	var head [8]byte
	for at := int64(0); at < info.Size(); {
		if _, err := t.file.ReadAt(head[:], at); err != nil {
			return errUnfamiliar
		}
		size := int64(binary.BigEndian.Uint32(head[:]))
		keep := map[string]*[]byte{"ftyp": &t.kind, "moov": &t.moov}[string(head[4:])]
		switch {
		case size == 1 && string(head[4:]) == "mdat": // a large one, whose size follows
			if _, err := t.file.ReadAt(head[:], at+8); err != nil {
				return errUnfamiliar
			}
			size = int64(binary.BigEndian.Uint64(head[:]))
		case size >= 8 && keep != nil:
			if size > maxMoov {
				return errUnfamiliar
			}
			*keep = make([]byte, size-8)
			if _, err := t.file.ReadAt(*keep, at+8); err != nil {
				return errUnfamiliar
			}
		}
		if size < 8 || size > info.Size()-at {
			return errUnfamiliar
		}
		at += size
	}
	return nil
}

// readHeaders reads how times are counted.
func (t *track) readHeaders() error {
	film, shown, media := boxIn(t.moov, "mvhd"), boxIn(t.moov, "trak", "tkhd"), boxIn(t.moov, "trak", "mdia", "mdhd")
	if len(film) != 100 || len(shown) != 84 || len(media) != 24 || film[0]|shown[0]|media[0] != 0 || binary.BigEndian.Uint32(film[12:]) != 1000 {
		return errUnfamiliar
	}
	tracks := 0
	err := eachBox(t.moov, func(kind string, _ []byte) {
		if kind == "trak" {
			tracks++
		}
	})
	if t.scale = binary.BigEndian.Uint32(media[12:]); t.scale == 0 || tracks != 1 {
		return errUnfamiliar
	}
	return err
}

func (t *track) readSizes(tables []byte) error {
	b := boxIn(tables, "stsz")
	same, err := word(b, 4)
	if err != nil {
		return err
	}
	if n, err := word(b, 8); same != 0 { // all have this size
		if err != nil || n == 0 || n > maxPictures {
			return errUnfamiliar
		}
		t.sizes, t.bytes = slices.Repeat([]uint32{same}, int(n)), int64(n)*int64(same)
		return nil
	}
	sizes, err := rows(b[4:], 1)
	if err != nil || len(sizes) == 0 {
		return errUnfamiliar
	}
	for _, s := range sizes {
		t.sizes, t.bytes = append(t.sizes, s[0]), t.bytes+int64(s[0])
	}
	return nil
}

// readTimes reads when pictures are decoded and when they show.
func (t *track) readTimes(tables []byte) error {
	lasting, err := rows(boxIn(tables, "stts"), 2)
	if err != nil || len(lasting) == 0 {
		return errUnfamiliar
	}
	n := 0
	for _, run := range lasting {
		if n += int(run[0]); run[1] != lasting[0][1] {
			return errUnfamiliar
		}
	}
	if n != len(t.sizes) || lasting[0][1] == 0 {
		return errUnfamiliar
	}
	t.each = lasting[0][1]
	if t.late, err = t.begins(); err != nil {
		return err
	}
	t.offsets = make([]int64, 0, len(t.sizes))
	if b := boxIn(tables, "ctts"); b != nil {
		runs, err := rows(b, 2)
		if err != nil {
			return err
		}
		for _, run := range runs {
			if int(run[0]) > len(t.sizes)-len(t.offsets) {
				return errUnfamiliar
			}
			for range run[0] {
				t.offsets = append(t.offsets, int64(int32(run[1]))-t.late)
			}
		}
	} else {
		for range t.sizes {
			t.offsets = append(t.offsets, -t.late)
		}
	}
	if len(t.offsets) != len(t.sizes) {
		return errUnfamiliar
	}
	first := t.offsets[0]
	for i, o := range t.offsets {
		first = min(first, o+int64(i)*int64(t.each))
	}
	if first != 0 {
		return errUnfamiliar
	}
	return nil
}

// begins is when the film begins in the time of its track, by its list of edits.
func (t *track) begins() (int64, error) {
	b := boxIn(t.moov, "trak", "edts", "elst")
	if b == nil {
		return 0, nil
	}
	edits, err := rows(b, 3)
	if err != nil || len(edits) != 1 || b[0] != 0 {
		return 0, errUnfamiliar
	}
	return int64(int32(edits[0][1])), nil
}

func (t *track) readKeys(tables []byte) error {
	t.keys = make([]bool, len(t.sizes))
	b := boxIn(tables, "stss")
	if b == nil { // all are
		for i := range t.keys {
			t.keys[i] = true
		}
		return nil
	}
	list, err := rows(b, 1)
	for _, k := range list {
		if k[0] < 1 || int(k[0]) > len(t.keys) {
			return errUnfamiliar
		}
		t.keys[k[0]-1] = true
	}
	return err
}

// readPlaces finds where the pictures lie, which must be one after the other.
func (t *track) readPlaces(tables []byte) error {
	places, err := chunks(tables)
	if err != nil {
		return err
	}
	many, err := rows(boxIn(tables, "stsc"), 3)
	if err != nil || len(many) == 0 || len(places) == 0 {
		return errUnfamiliar
	}
	next, run := 0, 0
	t.at = places[0]
	end := t.at
	for i, at := range places {
		for run+1 < len(many) && int(many[run+1][0]) <= i+1 {
			run++
		}
		if at != end || int(many[run][1]) > len(t.sizes)-next {
			return errUnfamiliar
		}
		for range many[run][1] {
			end += int64(t.sizes[next])
			next++
		}
	}
	if next != len(t.sizes) {
		return errUnfamiliar
	}
	return nil
}

// chunks are where the groups of pictures begin that a film's tables know.
func chunks(tables []byte) (out []int64, err error) {
	if b := boxIn(tables, "co64"); b != nil {
		wide, err := rows(b, 2)
		for _, w := range wide {
			out = append(out, int64(w[0])<<32|int64(w[1]))
		}
		return out, err
	}
	list, err := rows(boxIn(tables, "stco"), 1)
	for _, c := range list {
		out = append(out, int64(c[0]))
	}
	return out, err
}

// decoding is what a decoder of H.264 has to know beforehand (the box avcC).
func (t *track) decoding() []byte {
	return boxIn(box("stsd", boxIn(t.moov, "trak", "mdia", "minf", "stbl", "stsd")), "stsd", "avc1", "avcC")
}

// pictures are the bytes of the pictures.
func (t *track) pictures() io.Reader { return io.NewSectionReader(t.file, t.at, t.bytes) }

// close closes the file; it was only read.
func (t *track) close() {
	if t.file != nil {
		_ = t.file.Close()
	}
}
