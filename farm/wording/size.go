package wording

import (
	"fmt"
	"strconv"
	"strings"
)

// Size is a number of bytes in binary units: "512 bytes", "40 KiB", "1.5 MiB", "32 GiB".
func Size(n int64) string {
	const kilo, mega, giga = 1 << 10, 1 << 20, 1 << 30
	switch {
	case n < kilo:
		return fmt.Sprintf("%d bytes", n)
	case n < mega:
		return fmt.Sprintf("%d KiB", n/kilo)
	case n < giga:
		return oneDecimal(float64(n)/mega) + " MiB"
	}
	return oneDecimal(float64(n)/giga) + " GiB"
}

// oneDecimal leaves out a decimal that says nothing.
func oneDecimal(f float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
}
