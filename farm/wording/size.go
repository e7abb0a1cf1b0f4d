package wording

import "math"

// Size is a number of bytes in binary units: "512 bytes", "40 KiB", "1.5 MiB", "32 GiB".
func Size(n int64) string { return English.Size(n) }

// Size is Size in other words.
func (w Words) Size(n int64) string {
	const kilo, mega, giga = 1 << 10, 1 << 20, 1 << 30
	switch {
	case n < kilo:
		return w("%d bytes", n)
	case n < mega:
		return w("%d KiB", n/kilo)
	case n < giga:
		return w("%s MiB", w.oneDecimal(float64(n)/mega))
	}
	return w("%s GiB", w.oneDecimal(float64(n)/giga))
}

// oneDecimal leaves out a decimal that says nothing.
func (w Words) oneDecimal(f float64) string {
	if math.Round(f*10) == math.Round(f)*10 {
		return w("%d", int(math.Round(f)))
	}
	return w("%.1f", f)
}
