package redact_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overcrank/farm/redact"
)

func TestAValueIsConcealedHoweverItIsWritten(t *testing.T) {
	for _, value := range []string{"s3cr3t-T0ken", `a"b\c/d<e>&'f`, "pa ss+wörd%41", "🔑 key", "x"} {
		r := redact.New(value)
		quoted, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		var every strings.Builder
		for _, c := range []byte(value) {
			fmt.Fprintf(&every, "%%%02x", c)
		}
		for what, written := range map[string]string{
			"as it is": value, "query": url.QueryEscape(value), "path": url.PathEscape(value), "all of it": every.String(), "upper case": strings.ToUpper(every.String()),
			"JSON": string(quoted[1 : len(quoted)-1]), "Go": strings.Trim(strconv.QuoteToASCII(value), `"`), "HTML": html.EscapeString(value),
		} {
			for _, line := range []string{written, "before " + written + " after", "(" + written + ")"} {
				want := strings.Replace(line, written, redact.Mark, 1)
				if value == "x" {
					want = strings.ReplaceAll(line, written, redact.Mark)
				}
				if got := r.String(line); got != want {
					t.Errorf("%q %s: %q became %q", value, what, line, got)
				}
			}
		}
		if len(value) < 6 {
			continue
		}
		for what, written := range map[string]string{
			"hex": hex.EncodeToString([]byte(value)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(value))),
			"base64": base64.StdEncoding.EncodeToString([]byte(value)), "in base64": base64.URLEncoding.EncodeToString([]byte("user:" + value + "!")),
			"in base64 too": base64.StdEncoding.EncodeToString([]byte("me:" + value + "tail")),
		} {
			if got := r.String(written); !strings.Contains(got, redact.Mark) {
				t.Errorf("%q %s: %q became %q", value, what, written, got)
			}
		}
	}
}

func TestPiecesOfAValueThatWasCutAreConcealed(t *testing.T) {
	const value = "0123456789abcdefghij"
	r := redact.New(value)
	for cut := 6; cut <= len(value)-6; cut++ {
		first, second := r.String("the key is "+value[:cut]), r.String(value[cut:]+" it was")
		if first != "the key is "+redact.Mark || second != redact.Mark+" it was" {
			t.Errorf("cut at %d: %q, %q", cut, first, second)
		}
	}
	if got := r.String(value[5:13]); got != redact.Mark {
		t.Errorf("a line within the value became %q", got)
	}
	multi := redact.New("first line\nsecond line")
	if got := multi.String("x second line y"); got != "x "+redact.Mark+" y" {
		t.Errorf("a line of a value became %q", got)
	}
}

func TestWhatHoldsNoValueStaysAsItIs(t *testing.T) {
	r := redact.New("s3cr3t-T0ken", "")
	for _, s := range []string{"", "s3cr3", "100 % done & more \\ fine", "%zz \\u12 &amp; s3cr3t-T0keN", "PROGRESS:  0:00:00:00 (1): 0 Seconds"} {
		if got := r.String(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
	if redact.New("", "") != nil || redact.New() != nil {
		t.Error("there is something to conceal where there is no value")
	}
	var none *redact.Redactor
	if none.String("x") != "x" || len(none.All([]string{"x"})) != 1 {
		t.Error("no redactor conceals something")
	}
}

// A value in the middle of whatever text never comes through.
func TestNoTextLetsAValueThrough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringN(1, 30, 60).Draw(t, "value")
		before, after := rapid.String().Draw(t, "before"), rapid.String().Draw(t, "after")
		written := rapid.SampledFrom([]string{value, url.QueryEscape(value), url.PathEscape(value)}).Draw(t, "written")
		got := redact.New(value).String(before + written + after)
		if strings.Contains(strings.ReplaceAll(got, redact.Mark, ""), value) && !strings.Contains(redact.Mark, value) && !strings.Contains(before+after, value) && len(value) > 3 {
			t.Fatalf("%q in %q became %q", value, before+written+after, got)
		}
	})
}

func TestLogsConcealValuesInEveryAttribute(t *testing.T) {
	const value = "s3cr3t-T0ken"
	var said bytes.Buffer
	log := slog.New(redact.Handler(slog.NewJSONHandler(&said, nil), redact.New(value))).With("with", value).WithGroup("group")
	log.Info("message "+value, "error", errors.New("Get \"http://x/?t="+value+"\": refused"), slog.Group("inner", "text", value), "list", []string{value}, "n", 5)
	if strings.Contains(said.String(), value) || strings.Count(said.String(), redact.Mark) != 5 || !strings.Contains(said.String(), `"n":5`) {
		t.Errorf("the log says %s", said.String())
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("value", "a value%76alue\\u0076alue &amp;")
	f.Add("%", "%25%%2525")
	f.Add("\\", `\\\u005c`)
	f.Fuzz(func(t *testing.T, value, text string) {
		r := redact.New(value)
		got := r.String(text + value)
		if r != nil && !strings.Contains(got, redact.Mark) {
			t.Errorf("%q behind %q became %q", value, text, got)
		}
	})
}
