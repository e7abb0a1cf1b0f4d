package record

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"overcrank/farm"
)

var midday = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// hardTexts are strings in which JSON has to escape or replace something.
var hardTexts = []string{"plain", `"quoted" \ and /`, "<a href='&'>", "line\nend\ttab\x00\x1f\x7f", "é 漢 🎬 \u2028 \u2029", "cut \xff\xc3", "\ufffd"}

// setValue sets a value to something that is not its zero value, the n-th of what there is.
func setValue(t *testing.T, v reflect.Value, n int) {
	t.Helper()
	switch at := v.Addr().Interface().(type) {
	case *time.Time:
		times := []time.Time{midday, midday.Add(time.Nanosecond), midday.In(time.FixedZone("", 5400)), midday.In(time.Local), time.Unix(0, 0).UTC()}
		*at = times[n%len(times)]
		return
	case *json.RawMessage:
		values := []string{`"text"`, ` { "b" : [1, 2.50, 1e3], "a":"\u00e9\/" } `, "12", "null", "true", `"` + hardTexts[4] + `"`}
		*at = json.RawMessage(values[n%len(values)])
		return
	case **farm.Job: // of Nested, which is not stored
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(hardTexts[n%len(hardTexts)])
	case reflect.Int, reflect.Int64:
		v.SetInt([]int64{1, -1, 1 << 40}[n%3])
	case reflect.Float64:
		v.SetFloat([]float64{0.1, 1e21, -3}[n%3])
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		if n%2 == 0 {
			setValue(t, v.Elem(), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		setValue(t, v.Index(0), n)
		setValue(t, v.Index(1), n+1)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		setValue(t, key, n)
		setValue(t, value, n+1)
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			setValue(t, v.Field(i), n+i)
		}
	default:
		t.Fatalf("no value of %s is known", v.Type())
	}
}

// recordsOf are records with nothing in them, with each field alone filled in some ways, and with all of them.
func recordsOf[R any](t *testing.T) []R {
	t.Helper()
	list := make([]R, 1)
	for n := range 2 * len(hardTexts) {
		for i := range reflect.TypeFor[R]().NumField() {
			var one R
			setValue(t, reflect.ValueOf(&one).Elem().Field(i), n)
			list = append(list, one)
		}
		var all R
		setValue(t, reflect.ValueOf(&all).Elem(), n)
		list = append(list, all)
	}
	return list
}

func TestRecordsAreWrittenAsByReflection(t *testing.T) {
	same := func(record any, write func(w *text)) {
		t.Helper()
		want, wrong := Encode(record)
		var w text
		write(&w)
		if (wrong != nil) != (w.err != nil) {
			t.Fatalf("%+v: the error is %v, by reflection %v", record, w.err, wrong)
		}
		if wrong == nil && string(w.text) != string(want) {
			t.Fatalf("%s is written, by reflection %s", w.text, want)
		}
	}
	for _, job := range recordsOf[farm.Job](t) {
		same(HeadOf(job), func(w *text) { w.head(&job) })
		same(jobContent{job.Fonts, job.Assets, job.Upload, job.Webhook}, func(w *text) { w.content(&job) })
	}
	for _, asset := range recordsOf[farm.Asset](t) {
		same(asset, func(w *text) { w.asset(&asset) })
	}
	for _, task := range recordsOf[farm.Task](t) {
		same(task, func(w *text) { w.task(&task) })
	}
	for _, attempt := range recordsOf[farm.AttemptRecord](t) {
		same(attempt, func(w *text) { w.attempt(&attempt) })
	}
	for _, failure := range recordsOf[farm.OpenFailure](t) {
		same(failure, func(w *text) { w.failure(&failure) })
	}
	for _, sum := range recordsOf[farm.Sum](t) {
		same(sum, func(w *text) { w.sum(&sum) })
	}
	for _, settings := range recordsOf[farm.Settings](t) {
		job := farm.Job{Settings: settings}
		same(job, func(w *text) { w.head(&job) })
	}
	for _, at := range []time.Time{time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC), midday.In(time.FixedZone("", 24*60*60)),
		midday.In(time.FixedZone("", 1-24*60*60)), midday.In(time.FixedZone("", 90)), midday.In(time.FixedZone("", -30)), time.Date(9999, 12, 31, 23, 0, 0, 0, time.UTC).In(time.FixedZone("", 7200))} {
		job := farm.Job{CreatedAt: at}
		same(job, func(w *text) { w.head(&job) })
	}
	for _, raw := range []string{"{", "", "1 2", `{"a":1,"a":2}`, "\"\xff\"", `"\ud800"`} {
		asset := farm.Asset{Value: json.RawMessage(raw)}
		same(asset, func(w *text) { w.asset(&asset) })
	}
}
