package schedule

import "math/bits"

// set is a set of small numbers, one bit each. One that is too short holds nothing behind its end.
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

// unite adds what other holds.
func (s *set) unite(other set) {
	for len(*s) < len(other) {
		*s = append(*s, 0)
	}
	for i, word := range other {
		(*s)[i] |= word
	}
}

// lessen takes out what other holds.
func (s set) lessen(other set) {
	for i := range min(len(s), len(other)) {
		s[i] &^= other[i]
	}
}

// meet leaves only what other holds too.
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

// each hands the numbers on in order until visit says that it is enough; false when it did.
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

// numbers hands out small numbers, and those again that were given back.
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
