package answer

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"

	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator/preview"
)

// The headers of a preview: which frame it is, of how many, at how many in a second; and notes on it.
const (
	HeaderFrame  = "Preview-Frame"
	HeaderFrames = "Preview-Frames"
	HeaderRate   = "Preview-Rate"
	HeaderNotes  = "Preview-Notes"
)

// Preview answers with a preview: its picture as the body, what is known of it as headers. Notes are a JSON list in ASCII, since headers
// have no other letters.
func Preview(c *fiber.Ctx, p preview.Picture) error {
	notes, err := json.Marshal(p.Notes)
	if err != nil {
		return fmt.Errorf("encoding the notes of a preview: %w", err)
	}
	c.Set(HeaderFrame, strconv.Itoa(p.Frame))
	c.Set(HeaderFrames, strconv.Itoa(p.Frames))
	c.Set(HeaderRate, strconv.FormatFloat(p.Rate, 'f', -1, 64))
	c.Set(HeaderNotes, ascii(string(notes)))
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderContentType, "image/jpeg")
	return c.Send(p.JPEG)
}

// ascii writes the letters of a JSON text that are beyond ASCII as their numbers.
func ascii(text string) string {
	out := make([]byte, 0, len(text))
	for _, r := range text {
		if r < 0x7f {
			out = append(out, byte(r))
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return string(out)
}
