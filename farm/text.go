package farm

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Text is something told to people that is not yet in the words of a language: an English text with verbs as of package fmt, and what they
// stand for. The command line and the interfaces say it in English, by String; pages say it in the language of their reader. The zero Text
// says nothing. In JSON, a plain string is a text without verbs that is the same in each language.
type Text struct {
	// Key is the text, and what its translations are found by. That of a text about an amount is for any amount but 1.
	Key string `json:"key"`
	// One is the text for an amount of 1; "" for a text that is not about an amount. The amount is the first of Args.
	One string `json:"one,omitempty"`
	// Args are what the verbs stand for: strings, whole numbers (int), decimals (float64, or Decimal, whose verb is %s), and other texts, whose
	// verb is %s too.
	Args []any `json:"args,omitempty"`
}

// Say is a text with what its verbs stand for: strings, numbers, texts, and whatever else fmt can print, which is the same in each language.
func Say(text string, args ...any) Text {
	return Text{Key: strings.ReplaceAll(text, "%w", "%v"), Args: plainArgs(args)}
}

// Count is a text about an amount: one for a single thing, many for any other number. The amount is its first verb; args are for those
// behind it.
func Count(n int, one, many string, args ...any) Text {
	return Text{Key: many, One: one, Args: append([]any{n}, plainArgs(args)...)}
}

// AsIs is a text that is the same in each language: a name, or a sentence of which no more is known than its words.
func AsIs(words string) Text {
	if words == "" {
		return Text{}
	}
	return Text{Key: "%s", Args: []any{words}}
}

// ListOf are some texts in a row: "a, b and c".
func ListOf(parts []Text) Text {
	if len(parts) == 0 {
		return Text{}
	}
	list := parts[0]
	for i, part := range parts[1:] {
		if i == len(parts)-2 {
			return Say("%s and %s", list, part)
		}
		list = Say("%s, %s", list, part)
	}
	return list
}

// IsZero tells whether the text says nothing.
func (t Text) IsZero() bool { return t.Key == "" }

// String is the text in English.
func (t Text) String() string {
	if name, ok := t.Field(); ok {
		return name
	}
	text := t.Key
	if n, ok := t.Amount(); ok && n == 1 {
		text = t.One
	}
	args := make([]any, len(t.Args))
	for i, arg := range t.Args {
		args[i] = arg
		switch arg := arg.(type) {
		case Text:
			args[i] = arg.String()
		case Decimal:
			args[i] = arg.String()
		}
	}
	if len(args) == 0 {
		return strings.ReplaceAll(text, "%%", "%")
	}
	return fmt.Sprintf(text, args...)
}

// Amount is what a text about an amount counts; ok is false for other texts.
func (t Text) Amount() (n int, ok bool) {
	if t.One == "" || len(t.Args) == 0 {
		return 0, false
	}
	n, ok = t.Args[0].(int)
	return n, ok
}

// deepest bounds how far texts that come from elsewhere may stand within each other.
const deepest = 40

// UnmarshalJSON implements json.Unmarshaler.
func (t *Text) UnmarshalJSON(data []byte) error {
	read, err := textOf(data, deepest)
	if err != nil {
		return fmt.Errorf("reading a text: %w", err)
	}
	*t = read
	return nil
}

func textOf(data []byte, depth int) (Text, error) {
	if depth == 0 {
		return Text{}, errors.New("too many texts stand within each other")
	}
	var words string
	if json.Unmarshal(data, &words) == nil {
		return AsIs(words), nil
	}
	var in struct {
		Key  string            `json:"key"`
		One  string            `json:"one"`
		Args []json.RawMessage `json:"args"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return Text{}, err
	}
	t := Text{Key: in.Key, One: in.One}
	for _, arg := range in.Args {
		read, err := argOf(arg, depth)
		if err != nil {
			return Text{}, err
		}
		t.Args = append(t.Args, read)
	}
	return t, nil
}

func argOf(data []byte, depth int) (any, error) {
	var words string
	if json.Unmarshal(data, &words) == nil {
		return words, nil
	}
	var number json.Number
	if json.Unmarshal(data, &number) == nil && number != "" {
		if whole, err := number.Int64(); err == nil {
			return int(whole), nil
		}
	}
	var decimal struct {
		Value  *float64 `json:"decimal"`
		Places *int     `json:"places"`
	}
	if err := json.Unmarshal(data, &decimal); err == nil && decimal.Value != nil {
		if decimal.Places == nil {
			return *decimal.Value, nil
		}
		return Decimal{*decimal.Value, min(max(*decimal.Places, 0), 9)}, nil
	}
	return textOf(data, depth-1)
}

// MarshalJSON implements json.Marshaler. Decimals are marked, since those of whole numbers would come back as such.
func (t Text) MarshalJSON() ([]byte, error) {
	type plain Text
	out := plain{Key: t.Key, One: t.One}
	for _, arg := range t.Args {
		if f, ok := arg.(float64); ok {
			arg = map[string]float64{"decimal": f}
		}
		out.Args = append(out.Args, arg)
	}
	return json.Marshal(out)
}

// Decimal is a number with as many places behind its point, thousands set apart: "1,200.5".
type Decimal struct {
	Value  float64 `json:"decimal"`
	Places int     `json:"places"`
}

// String is the number as English writes it.
func (d Decimal) String() string {
	whole, part, broken := strings.Cut(strconv.FormatFloat(d.Value, 'f', d.Places, 64), ".")
	first := len(whole) - len(strings.TrimPrefix(whole, "-"))
	for i := len(whole) - 3; i > first; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if broken {
		return whole + "." + part
	}
	return whole
}

// plainArgs are args as texts keep them.
func plainArgs(args []any) []any {
	if len(args) == 0 {
		return nil
	}
	plain := make([]any, len(args))
	for i, arg := range args {
		plain[i] = plainArg(arg)
	}
	return plain
}

func plainArg(arg any) any {
	switch arg := arg.(type) {
	case Text, Decimal, string, int:
		return arg
	case float64:
		if math.IsNaN(arg) || math.IsInf(arg, 0) {
			return fmt.Sprint(arg)
		}
		return arg
	case []byte:
		return string(arg)
	case interface{ Text() Text }:
		return arg.Text()
	case error:
		var known interface{ Text() Text }
		if errors.As(arg, &known) {
			return known.Text() // without what others have wrapped around it, which is for the log
		}
		return arg.Error()
	case fmt.Stringer:
		return fmt.Sprint(arg)
	}
	switch v := reflect.ValueOf(arg); {
	case v.CanInt():
		return int(v.Int())
	case v.CanUint():
		return int(v.Uint())
	}
	return fmt.Sprint(arg)
}
