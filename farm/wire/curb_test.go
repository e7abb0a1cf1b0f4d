package wire_test

import (
	"reflect"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/farm/wire"
)

func TestWhatAgentsSayIsCutAtTheBounds(t *testing.T) {
	long := strings.Repeat("é", wire.MaxMessage)
	many := make([]string, wire.MaxLines+1)
	for i := range many {
		many[i] = long
	}
	output := farm.OutputRef{FileRef: farm.FileRef{Name: long}, ContentType: long}
	measured := farm.Measured{Engine: long}
	for _, m := range []wire.Message{
		{Heartbeat: &wire.Heartbeat{Availability: farm.Availability{Reason: long}}},
		{Progress: &wire.Progress{Phase: long}},
		{Log: &wire.Log{Lines: many}},
		{Finished: &wire.Finished{Output: output, Warnings: many, Measured: measured}},
		{Failed: &wire.Failed{Message: long, Output: &output, Warnings: many, Measured: measured}},
		{},
	} {
		m.Curb()
		bounded(t, reflect.ValueOf(m))
	}
}

func TestWhatAgentsSayWithinTheBoundsStays(t *testing.T) {
	m := wire.Message{Failed: &wire.Failed{Message: "Render failed: no such layer", Warnings: []string{"a font is missing"}}}
	m.Curb()
	if m.Failed.Message != "Render failed: no such layer" || m.Failed.Warnings[0] != "a font is missing" {
		t.Errorf("%+v", m.Failed)
	}
}

// bounded looks at every text within v.
func bounded(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.Len() > wire.MaxLine || !strings.HasPrefix(strings.Repeat("é", wire.MaxLine), strings.TrimSuffix(v.String(), "…")) {
			t.Errorf("a text of %d bytes", v.Len())
		}
	case reflect.Pointer:
		if !v.IsNil() {
			bounded(t, v.Elem())
		}
	case reflect.Slice:
		if v.Len() > wire.MaxLines {
			t.Errorf("a list of %d", v.Len())
		}
		for i := range v.Len() {
			bounded(t, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				bounded(t, v.Field(i))
			}
		}
	}
}
