package aep

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"

	"overcrank/aep/rifx"
)

// Offsets in the "sspc" chunk of a footage.
const (
	sspcSize        = 150
	sspcFormat      = 22 // four-character code
	sspcWidth       = 32 // u16
	sspcHeight      = 36 // u16
	sspcDuration    = 38 // ratio
	sspcFrameRate   = 56 // u32, then u16 in 1/65536
	sspcAlphaFlags  = 69
	sspcMatte       = 70  // three times u8
	sspcAlphaMode   = 73  // sspcNoAlpha: the source has none
	sspcFields      = 83  // u8, whether fields are separated
	sspcFieldOrder  = 87  // u8, 1 when the lower field comes first
	sspcPulldown    = 147 // u8, the phase of the pulldown that is removed
	sspcMissing     = 115 // u8
	sspcLoop        = 129 // u8
	sspcPixelAspect = 136 // ratio
	sspcConform     = 148 // u16, then u16 in 1/65536; overrides the frame rate
	sspcAudioRate   = 160 // f64

	sspcPremultipliedBit = 0
	sspcInvertBit        = 1
	sspcIgnoreAlpha      = 2
	sspcNoAlpha          = 3
)

// Offsets in the "opti" chunk of a footage.
const (
	optiFormat      = 0 // four-character code, "Soli" for solids
	optiType        = 4 // u16
	optiColor       = 10
	optiName        = 26 // of a solid
	optiHolderName  = 10 // of a placeholder
	optiNameLength  = 256
	optiPlaceholder = 2
	optiLayer       = 16  // u16, of a Photoshop file: optiMerged for all its layers together
	optiLayerName   = 344 // of a Photoshop file
	optiMerged      = 0xFFFF

	formatSolid     = "Soli"
	formatPhotoshop = "8BPS"
)

func (r *reader) footageItem(it *Item, c *rifx.Chunk) error {
	pin := c.Find("Pin ")
	head := body(pin.Find("sspc").Bytes())
	if len(head) < sspcSize {
		return fmt.Errorf("%w: the header of footage %q has %d bytes", ErrBroken, it.Name, len(head))
	}
	f := decodeFootage(head)
	opti := body(pin.Find("opti").Bytes())
	f.File, f.Profile = r.fileReference(pin), footageProfile(pin)
	var own string
	switch {
	case opti.fourCC(optiFormat) == formatSolid:
		f.Kind, f.Still = FootageSolid, true
		for i := range f.Color {
			f.Color[i] = opti.f32(optiColor + 4 + 4*i)
		}
		own = r.string(opti.cstring(optiName, optiNameLength))
	case opti.u16(optiType) == optiPlaceholder && f.File.FullPath == "":
		f.Kind = FootagePlaceholder
		own = r.string(opti.cstring(optiHolderName, optiNameLength))
	default:
		f.Kind = FootageFile
		f.Sequence = f.File.TargetIsFolder
		own = f.File.Base()
		if opti.fourCC(optiFormat) == formatPhotoshop && opti.u16(optiLayer) != optiMerged {
			f.Layer, f.LayerNumber = r.string(opti.cstring(optiLayerName, optiNameLength)), int(opti.u16(optiLayer))
		}
		if f.Layer != "" {
			own = f.Layer + "/" + own
		}
	}
	if it.Name == "" {
		it.Name = own
	}
	it.Footage = f
	return nil
}

func decodeFootage(b body) *Footage {
	f := &Footage{
		Format:        b.fourCC(sspcFormat),
		Width:         int(b.u16(sspcWidth)),
		Height:        int(b.u16(sspcHeight)),
		Duration:      b.ratio(sspcDuration, 0),
		FrameRate:     float64(b.u32(sspcFrameRate)) + float64(b.u16(sspcFrameRate+4))/65536,
		PixelAspect:   b.ratio(sspcPixelAspect, 1),
		Premultiplied: b.bit(sspcAlphaFlags, sspcPremultipliedBit) && b.u8(sspcAlphaMode) != sspcNoAlpha,
		InvertAlpha:   b.bit(sspcAlphaFlags, sspcInvertBit),
		IgnoreAlpha:   b.u8(sspcAlphaMode) == sspcIgnoreAlpha,
		Matte:         [3]uint8{b.u8(sspcMatte), b.u8(sspcMatte + 1), b.u8(sspcMatte + 2)},
		Pulldown:      b.u8(sspcPulldown) != 0,
		Missing:       b.u8(sspcMissing) != 0,
		Loop:          max(1, int(b.u8(sspcLoop))),
		HasAudio:      b.f64(sspcAudioRate) > 0,
	}
	if b.u8(sspcFields) != 0 {
		f.Fields = UpperFirst + FieldOrder(min(1, b.u8(sspcFieldOrder)))
	}
	f.HasVideo = f.Width > 0 && f.Height > 0
	f.Still = f.HasVideo && f.Duration == 0
	if f.PixelAspect <= 0 {
		f.PixelAspect = 1
	}
	if rate := float64(b.u16(sspcConform)) + float64(b.u16(sspcConform+2))/65536; rate > 0 && f.FrameRate > 0 && !f.Still {
		f.Duration *= f.FrameRate / rate
		f.FrameRate = rate
	}
	return f
}

// fileReference reads the reference to a footage's file: JSON since After Effects 12, before that a binary alias of the
// system.
func (r *reader) fileReference(pin *rifx.Chunk) FileReference {
	if c := pin.Find("Als2").Find("alas"); c != nil {
		return decodeReference(c.Data)
	}
	if c := pin.Find("Alas").Find("alas"); c != nil {
		return r.decodeAlias(c.Data)
	}
	return FileReference{}
}

// reference is the JSON of an "alas" chunk; in .aepx files all its values are strings.
type reference struct {
	FullPath       string          `json:"fullpath"`
	Platform       json.RawMessage `json:"platform"`
	AscendBase     json.RawMessage `json:"ascendcount_base"`
	AscendTarget   json.RawMessage `json:"ascendcount_target"`
	TargetIsFolder json.RawMessage `json:"target_is_folder"`
}

func decodeReference(data []byte) FileReference {
	var ref reference
	if json.Unmarshal(data, &ref) != nil {
		return FileReference{}
	}
	f := FileReference{
		FullPath:       ref.FullPath,
		AscendBase:     looseInt(ref.AscendBase),
		AscendTarget:   looseInt(ref.AscendTarget),
		TargetIsFolder: looseWord(ref.TargetIsFolder) == "true" || looseInt(ref.TargetIsFolder) != 0,
		Platform:       platformOf(ref.FullPath),
	}
	switch word := strings.ToLower(looseWord(ref.Platform)); {
	case strings.HasPrefix(word, "win"):
		f.Platform = "windows"
	case strings.HasPrefix(word, "mac"):
		f.Platform = "macos"
	}
	return f
}

func looseWord(raw json.RawMessage) string { return strings.Trim(string(raw), `"`) }

// looseInt reads a small number that may be in quotes; it is 0 when there is none, or when it is too large to be a
// number of folders.
func looseInt(raw json.RawMessage) int {
	n := 0
	for _, c := range looseWord(raw) {
		if c < '0' || c > '9' || n > 1000 {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}

func platformOf(path string) string {
	switch {
	case len(path) > 2 && path[1] == ':' || strings.HasPrefix(path, `\\`):
		return "windows"
	case strings.HasPrefix(path, "/"):
		return "macos"
	}
	return ""
}

// decodeAlias finds the path in a binary alias: the longest run of text that starts like a path.
func (r *reader) decodeAlias(data []byte) FileReference {
	best := ""
	for _, run := range strings.FieldsFunc(r.string(data), func(c rune) bool { return c < ' ' }) {
		best = longerPath(best, run)
	}
	best = longerPath(best, widePath(data, 0))
	best = longerPath(best, widePath(data, 1))
	return FileReference{FullPath: best, Platform: platformOf(best)}
}

// longerPath is the longer of best and the path that candidate ends with.
func longerPath(best, candidate string) string {
	for i := range candidate {
		rest := candidate[i:]
		drive := len(rest) > 3 && rest[1] == ':' && rest[2] == '\\'
		share := strings.HasPrefix(rest, `\\`)
		posix := strings.HasPrefix(rest, "/") && strings.Count(rest, "/") > 1
		if drive || share || posix {
			if len(rest) > len(best) {
				return rest
			}
			return best
		}
	}
	return best
}

// widePath is the longest printable run of little-endian UTF-16 in data from offset.
func widePath(data []byte, offset int) string {
	best := ""
	var run []uint16
	for i := offset; i+1 < len(data); i += 2 {
		u := uint16(data[i]) | uint16(data[i+1])<<8
		if u >= ' ' && u < 0x3000 {
			run = append(run, u)
			continue
		}
		best, run = longerPath(best, string(utf16.Decode(run))), run[:0]
	}
	return longerPath(best, string(utf16.Decode(run)))
}

// Base is the name of the file without its folders, whichever platform saved it.
func (f FileReference) Base() string {
	parts := f.parts()
	if len(parts) == 0 {
		return ""
	}
	return parts[len(parts)-1]
}

// parts are the steps of the path, without "." and "..".
func (f FileReference) parts() []string {
	separators := "/"
	if f.Platform == "windows" {
		separators = `/\`
	}
	steps := strings.FieldsFunc(f.FullPath, func(c rune) bool { return strings.ContainsRune(separators, c) })
	kept := steps[:0]
	for _, s := range steps {
		if s != "." && s != ".." {
			kept = append(kept, s)
		}
	}
	return kept
}
