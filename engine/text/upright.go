package text

import "unicode"

// standing are the characters that stand upright in vertical lines: those of the values U, Tu and Tr of Unicode's annex 50, Vertical Text Layout. Of the
// last two kinds fonts have other glyphs for vertical lines.
var standing = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00A7, Hi: 0x00A7, Stride: 1}, {Lo: 0x00A9, Hi: 0x00A9, Stride: 1}, {Lo: 0x00AE, Hi: 0x00AE, Stride: 1}, {Lo: 0x00B1, Hi: 0x00B1, Stride: 1},
		{Lo: 0x00BC, Hi: 0x00BE, Stride: 1}, {Lo: 0x00D7, Hi: 0x00D7, Stride: 1}, {Lo: 0x00F7, Hi: 0x00F7, Stride: 1}, {Lo: 0x02EA, Hi: 0x02EB, Stride: 1},
		{Lo: 0x1100, Hi: 0x11FF, Stride: 1}, {Lo: 0x1401, Hi: 0x167F, Stride: 1}, {Lo: 0x18B0, Hi: 0x18FF, Stride: 1}, {Lo: 0x2016, Hi: 0x2016, Stride: 1},
		{Lo: 0x2020, Hi: 0x2021, Stride: 1}, {Lo: 0x2030, Hi: 0x2031, Stride: 1}, {Lo: 0x203B, Hi: 0x203C, Stride: 1}, {Lo: 0x2042, Hi: 0x2042, Stride: 1},
		{Lo: 0x2047, Hi: 0x2049, Stride: 1}, {Lo: 0x2051, Hi: 0x2051, Stride: 1}, {Lo: 0x20DD, Hi: 0x20E0, Stride: 1}, {Lo: 0x20E2, Hi: 0x20E4, Stride: 1},
		{Lo: 0x2100, Hi: 0x2101, Stride: 1}, {Lo: 0x2103, Hi: 0x2109, Stride: 1}, {Lo: 0x210F, Hi: 0x210F, Stride: 1}, {Lo: 0x2113, Hi: 0x2114, Stride: 1},
		{Lo: 0x2116, Hi: 0x2117, Stride: 1}, {Lo: 0x211E, Hi: 0x2123, Stride: 1}, {Lo: 0x2125, Hi: 0x2125, Stride: 1}, {Lo: 0x2127, Hi: 0x2127, Stride: 1},
		{Lo: 0x2129, Hi: 0x2129, Stride: 1}, {Lo: 0x212E, Hi: 0x212E, Stride: 1}, {Lo: 0x2135, Hi: 0x213F, Stride: 1}, {Lo: 0x2145, Hi: 0x214A, Stride: 1},
		{Lo: 0x214C, Hi: 0x214D, Stride: 1}, {Lo: 0x214F, Hi: 0x218B, Stride: 1}, {Lo: 0x221E, Hi: 0x221E, Stride: 1}, {Lo: 0x2234, Hi: 0x2235, Stride: 1},
		{Lo: 0x2300, Hi: 0x2307, Stride: 1}, {Lo: 0x230C, Hi: 0x231F, Stride: 1}, {Lo: 0x2324, Hi: 0x2328, Stride: 1}, {Lo: 0x232B, Hi: 0x232B, Stride: 1},
		{Lo: 0x237D, Hi: 0x239A, Stride: 1}, {Lo: 0x23BE, Hi: 0x23CD, Stride: 1}, {Lo: 0x23CF, Hi: 0x23CF, Stride: 1}, {Lo: 0x23D1, Hi: 0x23DB, Stride: 1},
		{Lo: 0x23E2, Hi: 0x2422, Stride: 1}, {Lo: 0x2424, Hi: 0x24FF, Stride: 1}, {Lo: 0x25A0, Hi: 0x2619, Stride: 1}, {Lo: 0x2620, Hi: 0x2767, Stride: 1},
		{Lo: 0x2776, Hi: 0x2793, Stride: 1}, {Lo: 0x2B12, Hi: 0x2B2F, Stride: 1}, {Lo: 0x2B50, Hi: 0x2B59, Stride: 1}, {Lo: 0x2BB8, Hi: 0x2BEB, Stride: 1},
		{Lo: 0x2E80, Hi: 0xA4CF, Stride: 1}, {Lo: 0xA960, Hi: 0xA97F, Stride: 1}, {Lo: 0xAC00, Hi: 0xD7FF, Stride: 1}, {Lo: 0xE000, Hi: 0xFAFF, Stride: 1},
		{Lo: 0xFE10, Hi: 0xFE1F, Stride: 1}, {Lo: 0xFE30, Hi: 0xFE48, Stride: 1}, {Lo: 0xFE50, Hi: 0xFE57, Stride: 1}, {Lo: 0xFE59, Hi: 0xFE62, Stride: 1},
		{Lo: 0xFE67, Hi: 0xFE6F, Stride: 1}, {Lo: 0xFF01, Hi: 0xFF0C, Stride: 1}, {Lo: 0xFF0E, Hi: 0xFF1B, Stride: 1}, {Lo: 0xFF1F, Hi: 0xFF60, Stride: 1},
		{Lo: 0xFFE0, Hi: 0xFFE7, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x11580, Hi: 0x115FF, Stride: 1}, {Lo: 0x11A00, Hi: 0x11AAF, Stride: 1}, {Lo: 0x13000, Hi: 0x1345F, Stride: 1}, {Lo: 0x14400, Hi: 0x1467F, Stride: 1},
		{Lo: 0x16FE0, Hi: 0x18D7F, Stride: 1}, {Lo: 0x1AFF0, Hi: 0x1B2FF, Stride: 1}, {Lo: 0x1CF00, Hi: 0x1CFCF, Stride: 1}, {Lo: 0x1D000, Hi: 0x1D1FF, Stride: 1},
		{Lo: 0x1D2E0, Hi: 0x1D37F, Stride: 1}, {Lo: 0x1D800, Hi: 0x1DAAF, Stride: 1}, {Lo: 0x1F000, Hi: 0x1F7FF, Stride: 1}, {Lo: 0x1F900, Hi: 0x1FAFF, Stride: 1},
		{Lo: 0x20000, Hi: 0x2FFFD, Stride: 1}, {Lo: 0x30000, Hi: 0x3FFFD, Stride: 1},
	},
	LatinOffset: 7,
}

// stands tells which of the characters stand upright in vertical lines; those that are set on another character do as that.
func stands(text []rune) []bool {
	out := make([]bool, len(text))
	for i, r := range text {
		if i > 0 && (unicode.Is(unicode.M, r) || unicode.Is(unicode.Cf, r)) {
			out[i] = out[i-1]
			continue
		}
		out[i] = unicode.Is(standing, r)
	}
	return out
}
