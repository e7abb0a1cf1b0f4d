package cos

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"unicode/utf16"
)

// Append appends the keys and values of d to b, without brackets around them, in the form that Parse reads. Strings are
// written as UTF-16.
func Append(b []byte, d Dict) ([]byte, error) {
	keys := make([]string, 0, len(d))
	for k := range d {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if len(keys[i]) != len(keys[j]) {
			return len(keys[i]) < len(keys[j])
		}
		return keys[i] < keys[j]
	})
	var err error
	for _, k := range keys {
		b = append(append(b, " /"...), k...)
		if b, err = appendValue(append(b, ' '), d[k]); err != nil {
			return nil, fmt.Errorf("key %s: %w", k, err)
		}
	}
	return b, nil
}

func appendValue(b []byte, v Value) ([]byte, error) {
	var err error
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case int:
		return strconv.AppendInt(b, int64(v), 10), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%v is not a number", v)
		}
		return strconv.AppendFloat(b, v, 'f', -1, 64), nil
	case Name:
		return append(append(b, '/'), v...), nil
	case String:
		return appendText(b, string(v)), nil
	case Array:
		b = append(b, '[')
		for _, e := range v {
			if b, err = appendValue(append(b, ' '), e); err != nil {
				return nil, err
			}
		}
		return append(b, " ]"...), nil
	case Dict:
		if b, err = Append(append(b, "<<"...), v); err != nil {
			return nil, err
		}
		return append(b, " >>"...), nil
	}
	return nil, fmt.Errorf("a text document cannot contain a %T", v)
}

func appendText(b []byte, s string) []byte {
	b = append(b, '(', 0xFE, 0xFF)
	for _, u := range utf16.Encode([]rune(s)) {
		for _, c := range [2]byte{byte(u >> 8), byte(u)} {
			if c == '(' || c == ')' || c == '\\' || c == '\r' {
				b = append(b, '\\')
				if c == '\r' {
					c = 'r'
				}
			}
			b = append(b, c)
		}
	}
	return append(b, ')')
}
