package profile

// matrix maps three numbers to three.
type matrix [3][3]float64

func (m *matrix) of(v [3]float64) (out [3]float64) {
	for i := range out {
		out[i] = m[i][0]*v[0] + m[i][1]*v[1] + m[i][2]*v[2]
	}
	return out
}

func (m *matrix) times(n *matrix) (out matrix) {
	for i := range out {
		for j := range out[i] {
			for k := range 3 {
				out[i][j] += m[i][k] * n[k][j]
			}
		}
	}
	return out
}

// inverse is by cofactors; false for a matrix that has none.
func (m *matrix) inverse() (out matrix, ok bool) {
	at := func(i, j int) float64 { return m[(i+3)%3][(j+3)%3] }
	det := 0.0
	for j := range 3 {
		det += m[0][j] * (at(1, j+1)*at(2, j+2) - at(1, j+2)*at(2, j+1))
	}
	if !(det > 1e-12 || det < -1e-12) {
		return out, false
	}
	for i := range 3 {
		for j := range 3 {
			out[j][i] = (at(i+1, j+1)*at(i+2, j+2) - at(i+1, j+2)*at(i+2, j+1)) / det
		}
	}
	return out, true
}

// xyz is the colour of a chromaticity with a luminance of 1.
func xyz(c [2]float64) [3]float64 { return [3]float64{c[0] / c[1], 1, (1 - c[0] - c[1]) / c[1]} }

// toXYZ maps light of primaries to XYZ, so that their white is that of ICC profiles.
func (p primaries) toXYZ() matrix {
	var m matrix
	for i, c := range [3][2]float64{p.red, p.green, p.blue} {
		v := xyz(c)
		for j := range v {
			m[j][i] = v[j]
		}
	}
	inv, _ := m.inverse()
	white := xyz(p.white)
	share := inv.of(white)
	for i := range m {
		for j := range m[i] {
			m[i][j] *= share[j]
		}
	}
	adapt := bradford(white, whiteD50)
	return adapt.times(&m)
}

// bradford adapts colours from one white to another, by the cones of the Bradford transformation (ICC.1:2022, annex E).
func bradford(from, to [3]float64) matrix {
	cones := matrix{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}
	back, _ := cones.inverse()
	a, b := cones.of(from), cones.of(to)
	scale := matrix{{b[0] / a[0]}, {0, b[1] / a[1]}, {0, 0, b[2] / a[2]}}
	m := scale.times(&cones)
	return back.times(&m)
}
