package effect

// lattice is a coordinate as a place of a lattice; far beyond every picture all are the same place.
func lattice(v float64) int {
	const far = 1 << 30
	if !(v > -far) {
		return -far
	}
	return int(min(v, far))
}
