package aep

import (
	"strings"
	"unicode/utf16"
)

// Justification is the alignment of a paragraph's lines.
type Justification int

// The justifications, numbered as in the file.
const (
	JustifyLeft Justification = iota
	JustifyRight
	JustifyCenter
	JustifyFullLastLeft
	JustifyFullLastRight
	JustifyFullLastCenter
	JustifyFullAll
)

// LineOrientation is which way the lines of a text run.
type LineOrientation int

// The orientations, numbered as in the file: lines from left to right, or columns from top to bottom, the first one on the right or on the left.
const (
	HorizontalLines LineOrientation = iota
	VerticalRightToLeft
	VerticalLeftToRight
)

// TextDocument is the content of a text layer at one time. Lines end with "\r"; a soft break is "\x03".
type TextDocument struct {
	Text       string
	Runs       []TextRun      // character styles; lengths in UTF-16 units, together the length of Text (plus the closing "\r")
	Paragraphs []ParagraphRun // likewise
	Box        bool           // paragraph text in a box
	BoxPos     [2]float64     // left and top of the box, in pixels of the layer
	BoxSize    [2]float64     // pixels
	Lines      LineOrientation
	Options    TextOptions // those that any of its characters or paragraphs has
}

// TextOptions are options of characters and paragraphs that change how a text is set.
type TextOptions uint

// The options.
const (
	OpticalKerning  TextOptions = 1 << iota
	ManualKerning               // between single characters
	NoBreak                     // characters that stay on one line
	OtherDigits                 // digits of another script
	RotatedBaseline             // the baseline direction: Tate-Chu-Yoko, or upright in vertical lines
	JapaneseLeading             // from the top of one line to that of the next
	Hyphenated                  // words may be divided
	HangingRoman                // punctuation outside of the box
	EveryLine                   // the Every-Line Composer
	RightToLeft
)

// TextRun is a stretch of text of one style.
type TextRun struct {
	Length int
	Style  CharacterStyle
}

// ParagraphRun is a stretch of paragraphs of one style.
type ParagraphRun struct {
	Length int
	Style  ParagraphStyle
}

// CharacterStyle is the style of characters. Sizes are in pixels.
type CharacterStyle struct {
	Font           string // PostScript name
	Size           float64
	FauxBold       bool
	FauxItalic     bool
	HScale, VScale float64 // percent
	Tracking       float64 // thousandths of the size
	BaselineShift  float64
	Leading        float64
	AutoLeading    bool
	AllCaps        bool
	SmallCaps      bool
	Superscript    bool
	Subscript      bool
	Tsume          float64
	Fill           [4]float64 // RGBA 0–1
	Stroke         [4]float64 // RGBA 0–1
	ApplyFill      bool
	ApplyStroke    bool
	StrokeOverFill bool
	StrokeWidth    float64
	StrokeJoin     StrokeJoin
	Unkerned       bool // without the kerning of pairs that the font has
	Unligated      bool // without the font's ligatures
}

// StrokeJoin is how the corners of a stroke are joined.
type StrokeJoin int

// The joins, numbered as in the file.
const (
	MiterStroke StrokeJoin = iota
	RoundStroke
	BevelStroke
)

// ParagraphStyle is the style of paragraphs. Lengths are in pixels.
type ParagraphStyle struct {
	Justification     Justification
	FirstLineIndent   float64
	StartIndent       float64
	EndIndent         float64
	SpaceBefore       float64
	SpaceAfter        float64
	AutoLeadingFactor float64 // 1.2 unless set
}

// Style is the style of the first character.
func (d *TextDocument) Style() CharacterStyle {
	if len(d.Runs) == 0 {
		return CharacterStyle{Size: 36, HScale: 100, VScale: 100, AutoLeading: true, ApplyFill: true, Fill: [4]float64{0, 0, 0, 1}}
	}
	return d.Runs[0].Style
}

// SetText replaces the text and gives all of it the style of its first character and paragraph. Setting the same text
// changes nothing, so that mixed styles survive a script that writes back what it read.
func (d *TextDocument) SetText(text string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\r"), "\n", "\r")
	if text == d.Text && len(d.Runs) > 0 {
		return
	}
	style, para := d.Style(), ParagraphStyle{AutoLeadingFactor: 1.2}
	if len(d.Paragraphs) > 0 {
		para = d.Paragraphs[0].Style
	}
	n := len(utf16.Encode([]rune(text))) + 1
	d.Text = text
	d.Runs = []TextRun{{Length: n, Style: style}}
	d.Paragraphs = []ParagraphRun{{Length: n, Style: para}}
}
