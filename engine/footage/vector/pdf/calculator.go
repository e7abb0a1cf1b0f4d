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
			case unary[v] != nil || binary[v] != nil || moving(v):
				out = append(out, word{op: v})
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

// Operators by their names. Whole numbers and truths are numbers too.
var (
	unary = map[operator]func(a float64) float64{
		"abs": math.Abs, "neg": func(a float64) float64 { return -a }, "ceiling": math.Ceil, "floor": math.Floor,
		"round": func(a float64) float64 { return math.Floor(a + 0.5) }, "truncate": math.Trunc, "cvi": math.Trunc, "cvr": func(a float64) float64 { return a },
		"sqrt": math.Sqrt, "sin": func(a float64) float64 { return math.Sin(a * degree) }, "cos": func(a float64) float64 { return math.Cos(a * degree) },
		"ln": math.Log, "log": math.Log10, "not": func(a float64) float64 { return truth(a == 0) },
	}
	binary = map[operator]func(a, b float64) float64{
		"add": func(a, b float64) float64 { return a + b }, "sub": func(a, b float64) float64 { return a - b }, "mul": func(a, b float64) float64 { return a * b },
		"div": func(a, b float64) float64 { return a / b }, "idiv": func(a, b float64) float64 { return math.Trunc(a / b) }, "mod": math.Mod, "exp": math.Pow,
		"atan": func(a, b float64) float64 { return math.Mod(math.Atan2(a, b)/degree+360, 360) },
		"eq":   func(a, b float64) float64 { return truth(a == b) }, "ne": func(a, b float64) float64 { return truth(a != b) },
		"gt": func(a, b float64) float64 { return truth(a > b) }, "ge": func(a, b float64) float64 { return truth(a >= b) },
		"lt": func(a, b float64) float64 { return truth(a < b) }, "le": func(a, b float64) float64 { return truth(a <= b) },
		"and": func(a, b float64) float64 { return float64(int64(a) & int64(b)) }, "or": func(a, b float64) float64 { return float64(int64(a) | int64(b)) },
		"xor": func(a, b float64) float64 { return float64(int64(a) ^ int64(b)) }, "bitshift": shifted,
	}
)

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
		one, two := unary[w.op], binary[w.op]
		switch {
		case w.op == "":
			c.stack = append(c.stack, w.number)
		case one != nil:
			if v := c.take(1); v != nil {
				c.stack = append(c.stack, one(v[0]))
			}
		case two != nil:
			if v := c.take(2); v != nil {
				c.stack = append(c.stack, two(v[0], v[1]))
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
