package pdf

import (
	"math"
)

// The bounds of a function that is a program.
const (
	maxProgram  = 20_000      // words
	maxOperated = 200         // numbers that it holds at once
	maxWords    = 200_000_000 // that run, of all functions of a file together
)

// word is a number, an operator, or a part of the program that runs or not.
type word struct {
	number float64
	op     operator
	inputs int    // of an operator of arithmetic, otherwise 0
	then   []word // of if and ifelse
	other  []word
}

// calculated reads a function that is a program of PostScript's arithmetic; nil for one that is not understood. It has no loops, so it ends.
func (f *file) calculated(s *stream, bounds []float64) function {
	data, err := f.decoded(s)
	if err != nil {
		return nil
	}
	l := lexer{b: data}
	if v, err := l.next(); err != nil || v != operator("{") {
		return nil
	}
	left := maxProgram
	program, ok := l.program(&left, 0)
	if !ok {
		return nil
	}
	return func(in []float64) []float64 {
		c := calculator{stack: in, ran: &f.words}
		c.run(program)
		out := make([]float64, len(bounds)/2)
		if n := len(c.stack) - len(out); !c.failed && n >= 0 {
			copy(out, c.stack[n:])
		}
		return out
	}
}

// program reads up to the brace that closes it.
func (l *lexer) program(left *int, depth int) (out []word, ok bool) {
	var blocks [][]word
	for *left--; *left > 0 && depth < maxNesting; *left-- {
		v, err := l.next()
		if err != nil {
			return nil, false
		}
		switch v := v.(type) {
		case float64:
			out = append(out, word{number: v})
		case bool:
			n := word{}
			if v {
				n.number = 1
			}
			out = append(out, n)
		case operator:
			switch {
			case v == "}":
				return out, len(blocks) == 0
			case v == "{":
				block, ok := l.program(left, depth+1)
				if !ok {
					return nil, false
				}
				blocks = append(blocks, block)
			case v == "if" && len(blocks) == 1:
				out, blocks = append(out, word{op: v, then: blocks[0]}), nil
			case v == "ifelse" && len(blocks) == 2:
				out, blocks = append(out, word{op: v, then: blocks[0], other: blocks[1]}), nil
			case moving(v) || inputs(v) > 0:
				out = append(out, word{op: v, inputs: inputs(v)})
			default:
				return nil, false
			}
		default:
			return nil, false
		}
	}
	return nil, false
}

func moving(op operator) bool {
	switch op {
	case "pop", "exch", "dup", "copy", "index", "roll":
		return true
	}
	return false
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

const degree = math.Pi / 180

// one does the operators of one number; false for others. Whole numbers and truths are numbers too.
func one(op operator, a float64) (float64, bool) {
	switch op {
	case "abs":
		return math.Abs(a), true
	case "neg":
		return -a, true
	case "ceiling":
		return math.Ceil(a), true
	case "floor":
		return math.Floor(a), true
	case "round":
		return math.Floor(a + 0.5), true
	case "truncate", "cvi":
		return math.Trunc(a), true
	case "cvr":
		return a, true
	case "sqrt":
		return math.Sqrt(a), true
	case "sin":
		return math.Sin(a * degree), true
	case "cos":
		return math.Cos(a * degree), true
	case "ln":
		return math.Log(a), true
	case "log":
		return math.Log10(a), true
	case "not":
		return truth(a == 0), true
	}
	return 0, false
}

// two does the operators of two numbers; false for others.
func two(op operator, a, b float64) (float64, bool) {
	switch op {
	case "add":
		return a + b, true
	case "sub":
		return a - b, true
	case "mul":
		return a * b, true
	case "div":
		return a / b, true
	case "idiv":
		return math.Trunc(a / b), true
	case "mod":
		return math.Mod(a, b), true
	case "exp":
		return math.Pow(a, b), true
	case "atan":
		return math.Mod(math.Atan2(a, b)/degree+360, 360), true
	case "and":
		return float64(int64(a) & int64(b)), true
	case "or":
		return float64(int64(a) | int64(b)), true
	case "xor":
		return float64(int64(a) ^ int64(b)), true
	case "bitshift":
		return shifted(a, b), true
	}
	return compared(op, a, b)
}

func compared(op operator, a, b float64) (float64, bool) {
	switch op {
	case "eq":
		return truth(a == b), true
	case "ne":
		return truth(a != b), true
	case "gt":
		return truth(a > b), true
	case "ge":
		return truth(a >= b), true
	case "lt":
		return truth(a < b), true
	case "le":
		return truth(a <= b), true
	}
	return 0, false
}

// inputs is how many numbers an operator of arithmetic takes, 0 for other operators.
func inputs(op operator) int {
	if _, ok := one(op, 1); ok {
		return 1
	}
	if _, ok := two(op, 1, 1); ok {
		return 2
	}
	return 0
}

func shifted(a, b float64) float64 {
	if b < 0 {
		return float64(int64(a) >> uint(min(63, -b)))
	}
	return float64(int64(a) << uint(min(63, b)))
}

// calculator runs a program.
type calculator struct {
	stack  []float64
	ran    *int // words
	failed bool
}

// take takes the last n numbers off the stack; nil when it has fewer.
func (c *calculator) take(n int) []float64 {
	if n < 0 || n > len(c.stack) {
		c.failed = true
		return nil
	}
	out := c.stack[len(c.stack)-n:]
	c.stack = c.stack[:len(c.stack)-n]
	return out
}

func (c *calculator) run(program []word) {
	for i := range program {
		w := &program[i]
		if *c.ran++; c.failed || len(c.stack) > maxOperated || *c.ran > maxWords {
			c.failed = true
			return
		}
		switch {
		case w.op == "":
			c.stack = append(c.stack, w.number)
		case w.inputs == 1:
			if v := c.take(1); v != nil {
				v[0], _ = one(w.op, v[0])
				c.stack = append(c.stack, v[0])
			}
		case w.inputs == 2:
			if v := c.take(2); v != nil {
				v[0], _ = two(w.op, v[0], v[1])
				c.stack = append(c.stack, v[0])
			}
		case w.then != nil || w.other != nil || w.op == "if" || w.op == "ifelse":
			if v := c.take(1); v != nil {
				if v[0] != 0 {
					c.run(w.then)
				} else {
					c.run(w.other)
				}
			}
		default:
			c.move(w.op)
		}
	}
}

// move does the operators that move numbers on the stack.
func (c *calculator) move(op operator) {
	switch op {
	case "pop":
		c.take(1)
	case "dup":
		if v := c.take(1); v != nil {
			c.stack = append(c.stack, v[0], v[0])
		}
	case "exch":
		if v := c.take(2); v != nil {
			c.stack = append(c.stack, v[1], v[0])
		}
	case "copy", "index":
		v := c.take(1)
		if v == nil || v[0] < 0 || v[0] > maxOperated {
			c.failed = true
			return
		}
		n, size := int(v[0]), len(c.stack)
		switch {
		case op == "copy" && n <= size:
			c.stack = append(c.stack, c.stack[size-n:]...)
		case op == "index" && n < size:
			c.stack = append(c.stack, c.stack[size-1-n])
		default:
			c.failed = true
		}
	case "roll":
		c.roll()
	}
}

func (c *calculator) roll() {
	v := c.take(2)
	if v == nil || v[0] < 0 || v[0] > float64(len(c.stack)) || math.Abs(v[1]) > 1e6 {
		c.failed = true
		return
	}
	n, by := int(v[0]), int(v[1])
	if n == 0 {
		return
	}
	part := c.stack[len(c.stack)-n:]
	old := append([]float64(nil), part...)
	for i, x := range old {
		part[((i+by)%n+n)%n] = x
	}
}
