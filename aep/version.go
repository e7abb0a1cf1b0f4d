package aep

import "fmt"

// String is the version as After Effects shows it, such as "17.0.2".
func (v Version) String() string {
	s := fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch)
	if v.Beta {
		s += " beta"
	}
	return s
}

// The offset and the bits of the version in the "head" chunk. The highest of the major version's five bits means
// something else in some files of version 17, hence four.
const (
	headSize    = 20
	headVersion = 4

	headMajorHigh = 26 // 4 bits, times 8
	headOS        = 22 // 4 bits
	headMajorLow  = 19 // 3 bits
	headMinor     = 15 // 4 bits
	headPatch     = 11 // 4 bits
	headRelease   = 9  // 1 bit
)

const (
	osWindows  = 12
	osMacIntel = 13
	osMacARM   = 14
)

func decodeVersion(head body) Version {
	v := head.u32(headVersion)
	out := Version{
		Major: int(v>>headMajorHigh&0xF)*8 + int(v>>headMajorLow&7),
		Minor: int(v >> headMinor & 0xF),
		Patch: int(v >> headPatch & 0xF),
		Build: int(v & 0xFF),
		Beta:  v>>headRelease&1 == 0,
	}
	switch v >> headOS & 0xF {
	case 11, osWindows:
		out.OS = "windows"
	case osMacIntel, osMacARM:
		out.OS = "macos"
	}
	return out
}

// nnhdDepth is the offset of the colour depth in the "nnhd" chunk: 0, 1 or 2 for 8, 16 or 32 bits.
const nnhdDepth = 24

func decodeDepth(nnhd body) int {
	switch nnhd.u8(nnhdDepth) {
	case 1:
		return 16
	case 2:
		return 32
	}
	return 8
}
