package cos_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"overcrank/aep/cos"
)

func TestObjectsAreRead(t *testing.T) {
	got, err := cos.Parse([]byte(` /0 << /1 [ 1 -2.5 .5 true null /Name ] /99 /CoolTypeFont >> /1 (\376\377\000H\000i) /2 (a\(b\)\\\n(c)) /3 <FEFF00E9> /4 (x\
y)`))
	if err != nil {
		t.Fatal(err)
	}
	want := cos.Dict{
		"0": cos.Dict{"1": cos.Array{1.0, -2.5, 0.5, true, nil, cos.Name("Name")}, "99": cos.Name("CoolTypeFont")},
		"1": cos.String("Hi"), "2": cos.String("a(b)\\\n(c)"), "3": cos.String("é"), "4": cos.String("xy"),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v\nwant %#v", got, want)
	}
}

func TestPathsLeadToValues(t *testing.T) {
	d := cos.Dict{"1": cos.Array{cos.Dict{"5": 2.5, "6": true, "7": cos.String("t")}}}
	if got := cos.Float(d, 0, 1, 0, 5); got != 2.5 {
		t.Errorf("number %v", got)
	}
	if !cos.Bool(d, false, 1, 0, 6) || cos.Text(d, 1, 0, "7") != "t" || len(cos.List(d, 1)) != 1 {
		t.Error("a value was not found")
	}
	if got := cos.Int(d, 7, 1, 3, 5); got != 7 {
		t.Errorf("beyond the end: %v", got)
	}
	if got := cos.Int(cos.Dict{"0": 1e300}, 7, 0); got != 7 {
		t.Errorf("a huge number became %v", got)
	}
}

func TestDisorderIsRefused(t *testing.T) {
	for _, bad := range []string{"/0", "/0 <<", "/0 [1", "/0 (x", "/0 <4", "/0 <zz>", "0 1", "/0 what", "/0 NaN", "/0 )", "<< /0 1"} {
		if _, err := cos.Parse([]byte(bad)); !errors.Is(err, cos.ErrSyntax) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := cos.Parse([]byte("/0 " + strings.Repeat("[", 100_000))); !errors.Is(err, cos.ErrLimit) {
		t.Errorf("deep arrays: %v", err)
	}
	if _, err := cos.Parse([]byte(strings.Repeat("/0 <<", 100_000))); !errors.Is(err, cos.ErrLimit) {
		t.Errorf("deep dictionaries: %v", err)
	}
}

func TestWhatIsWrittenReadsBack(t *testing.T) {
	want := cos.Dict{
		"0": cos.Array{1.0, -0.125, true, false, nil}, "10": cos.Dict{"1": cos.String("(\\)\r\x03 é 🎬")}, "2": cos.Name("x"),
	}
	data, err := cos.Append(nil, want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := cos.Parse(data)
	if err != nil {
		t.Fatalf("%v in %q", err, data)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v\nwant %#v", got, want)
	}
	if _, err := cos.Append(nil, cos.Dict{"0": struct{}{}}); err == nil {
		t.Error("a strange value was written")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(` /0 << /1 [ 1 -2.5 true ] >> /1 (\376\377\000H) /2 <FEFF00E9>`))
	f.Add([]byte("<< /0 (a\\"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := cos.Parse(data)
		if err != nil {
			return
		}
		if hasOddName(d) {
			return
		}
		again, err := cos.Append(nil, d)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		back, err := cos.Parse(again)
		if err != nil {
			t.Fatalf("what was written does not read: %v", err)
		}
		if len(back) != len(d) {
			t.Errorf("%d keys became %d", len(d), len(back))
		}
	})
}

// hasOddName tells whether a key or a name is empty: the writer is only for what After Effects writes.
func hasOddName(v cos.Value) bool {
	switch v := v.(type) {
	case cos.Name:
		return v == ""
	case cos.Array:
		for _, e := range v {
			if hasOddName(e) {
				return true
			}
		}
	case cos.Dict:
		for k, e := range v {
			if k == "" || hasOddName(e) {
				return true
			}
		}
	}
	return false
}
