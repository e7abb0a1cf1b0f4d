package schedule

import "math/bits"

// set is a bit set of small numbers. Numbers beyond its end are not in it.
type set []uint64

func (s set) has(i int) bool { return i>>6 < len(s) && s[i>>6]&(1<<(i&63)) != 0 }

func (s *set) add(i int) {
	for i>>6 >= len(*s) {
		*s = append(*s, 0)
	}
	(*s)[i>>6] |= 1 << (i & 63)
}

func (s set) remove(i int) {
	if i>>6 < len(s) {
		s[i>>6] &^= 1 << (i & 63)
	}
}

// unite adds the members of other.
func (s *set) unite(other set) {
	for len(*s) < len(other) {
		*s = append(*s, 0)
	}
	for i, word := range other {
		(*s)[i] |= word
	}
}

// lessen removes the members of other.
func (s set) lessen(other set) {
	for i := range min(len(s), len(other)) {
		s[i] &^= other[i]
	}
}

// meet keeps only members of other.
func (s set) meet(other set) {
	for i := range s {
		if i < len(other) {
			s[i] &= other[i]
		} else {
			s[i] = 0
		}
	}
}

func (s set) clear() {
	for i := range s {
		s[i] = 0
	}
}

// each calls visit with each member in order until visit returns false; it returns false in that case.
func (s set) each(visit func(i int) bool) bool {
	for w, word := range s {
		for ; word != 0; word &= word - 1 {
			if !visit(w<<6 + bits.TrailingZeros64(word)) {
				return false
			}
		}
	}
	return true
}

// numbers allocates small numbers, and reuses those that were given back.
type numbers struct {
	next int
	back []int
}

func (n *numbers) take() int {
	if last := len(n.back) - 1; last >= 0 {
		i := n.back[last]
		n.back = n.back[:last]
		return i
	}
	n.next++
	return n.next - 1
}

func (n *numbers) giveBack(i int) { n.back = append(n.back, i) }
