// Package cos reads and writes the syntax, known from PDF, in which After Effects stores text documents: a sequence of
// objects whose dictionaries have numbers as keys.
package cos

import (
	"errors"
	"strconv"
)

var (
	// ErrSyntax marks bytes that are not valid objects.
	ErrSyntax = errors.New("text document is damaged")
	// ErrLimit marks too many objects, or objects nested too deep.
	ErrLimit = errors.New("text document over the limit")
)

// Value is one object: Dict, Array, String, Name, float64, bool, or nil.
type Value any

// Dict is a dictionary by key, without the slash.
type Dict map[string]Value

// Array is a list of objects.
type Array []Value

// String is decoded text.
type String string

// Name is a name without its slash.
type Name string

// At walks down from v: an int selects from an array, or the key of that number from a dictionary; a string selects from
// a dictionary. It is nil when there is nothing at the path.
func At(v Value, path ...any) Value {
	for _, step := range path {
		switch node := v.(type) {
		case Dict:
			switch s := step.(type) {
			case string:
				v = node[s]
			case int:
				v = node[strconv.Itoa(s)]
			default:
				return nil
			}
		case Array:
			i, ok := step.(int)
			if !ok || i < 0 || i >= len(node) {
				return nil
			}
			v = node[i]
		default:
			return nil
		}
	}
	return v
}

// Float is the number at path, or def.
func Float(v Value, def float64, path ...any) float64 {
	if f, ok := At(v, path...).(float64); ok {
		return f
	}
	return def
}

// Int is the number at path truncated, or def.
func Int(v Value, def int, path ...any) int {
	f := Float(v, float64(def), path...)
	if f > 1<<31 || f < -1<<31 || f != f {
		return def
	}
	return int(f)
}

// Bool is the boolean at path, or def.
func Bool(v Value, def bool, path ...any) bool {
	if b, ok := At(v, path...).(bool); ok {
		return b
	}
	return def
}

// Text is the string at path, or "".
func Text(v Value, path ...any) string {
	s, _ := At(v, path...).(String)
	return string(s)
}

// List is the array at path, or nil.
func List(v Value, path ...any) Array {
	a, _ := At(v, path...).(Array)
	return a
}
