package farm

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestTextsAreSaidInEnglish(t *testing.T) {
	for _, c := range []struct {
		text Text
		want string
	}{
		{Text{}, ""},
		{AsIs("100 % of %s"), "100 % of %s"},
		{Say("uses 5 %% of it"), "uses 5 % of it"},
		{Say("%d of %s, %q", 1200, AsIs("m1"), "a b"), `1200 of m1, "a b"`},
		{Count(1, "%d machine of %s", "%d machines of %s", "x"), "1 machine of x"},
		{Count(0, "%d machine of %s", "%d machines of %s", "x"), "0 machines of x"},
		{ListOf(nil), ""},
		{ListOf([]Text{AsIs("a")}), "a"},
		{ListOf([]Text{AsIs("a"), AsIs("b"), AsIs("c")}), "a, b and c"},
		{Say("%s left", Decimal{Value: -1234567.25, Places: 1}), "-1,234,567.2 left"},
		{Say("%s", Decimal{Value: 123, Places: 0}), "123"},
	} {
		if got := c.text.String(); got != c.want {
			t.Errorf("said as %q, want %q", got, c.want)
		}
	}
}

func TestTextsComeBackFromJSON(t *testing.T) {
	text := Count(3, "%d machine; %s", "%d machines; %s", Say("%.1f and %s of %q", 20.0, Decimal{Value: 2, Places: 2}, "x"))
	data, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	var back Text
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, text) {
		t.Errorf("%s came back as %#v, %v; want %#v", data, back, err, text)
	}
	if err := json.Unmarshal([]byte(`"a sentence of an earlier release, 5 %d"`), &back); err != nil || back.String() != "a sentence of an earlier release, 5 %d" {
		t.Errorf("a sentence came back as %q, %v", back, err)
	}
	deep := strings.Repeat(`{"key":"%s","args":[`, 10_000) + `"x"` + strings.Repeat("]}", 10_000)
	if err := json.Unmarshal([]byte(deep), &back); err == nil {
		t.Error("texts may stand within each other without end")
	}
}

func TestErrorsKeepTheirWordsForPages(t *testing.T) {
	inner := Errorf(CodeNotFound, "there is no job %q", "j1")
	err := Errorf(CodeConflict, "cannot be done: %w", inner)
	if err.Error() != `cannot be done: there is no job "j1"` || err.Text().String() != err.Error() || !errors.Is(err, inner) {
		t.Errorf("says %q, and to pages %q", err, err.Text())
	}
	if says := err.Text(); says.Key != "cannot be done: %v" || !reflect.DeepEqual(says.Args[0], inner.Text()) {
		t.Errorf("is kept as %#v", says)
	}
	wrong := Invalid("some fields are wrong", Field("name", "has more than %d characters", 80), FieldError{Field: "tags", Message: "are too many"})
	if wrong.Error() != "some fields are wrong (name: has more than 80 characters; tags: are too many)" || wrong.Text().String() != wrong.Error() {
		t.Errorf("says %q, and to pages %q", wrong, wrong.Text())
	}
}
