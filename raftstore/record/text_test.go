package record

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

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
	for _, record := range recordsOf[farm.AuditRecord](t) {
		same(record, func(w *text) { w.audit(&record) })
	}
	for _, actor := range recordsOf[farm.Actor](t) {
		same(actor, func(w *text) { w.actor(&actor) })
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

func TestRecordsAreReadAsByReflection(t *testing.T) {
	for _, job := range recordsOf[farm.Job](t) {
		readAlike(t, jobFields, HeadOf(job))
		readAlike(t, contentFields, jobContent{job.Fonts, job.Assets, job.Upload, job.Webhook})
	}
	for _, task := range recordsOf[farm.Task](t) {
		readAlike(t, taskFields, task)
	}
	for _, batch := range recordsOf[farm.Batch](t) {
		for i := range batch.Jobs {
			batch.Jobs[i].ID = fmt.Sprint("job", i) // as ids are: others are read by reflection
		}
		if batch.Jobs == nil {
			batch.Jobs = []farm.BatchJob{}
		}
		readAlike(t, batchFields, batch)
	}
	for _, actor := range recordsOf[farm.Actor](t) {
		readAlike(t, actorFields, actor)
	}
	for _, jobs := range [][]farm.Job{{}, {{}}, {{ID: "a"}, {ID: "b"}}} {
		readAlike(t, submissionFields, Submission{Jobs: jobs, Tasks: []farm.Task{}})
		readAlike(t, submissionFields, Submission{Jobs: jobs, Tasks: []farm.Task{{ID: "a.1"}}, Batch: &farm.Batch{ID: "c"}, Parts: 2, Files: [][]string{{"d"}, nil}})
	}
	for _, text := range []string{
		``, `{`, `{}`, `{} `, `{"id":"a",}`, `{"id":"a"`, `{"id":"a"}}`, `{"id":"a""team":"b"}`, `{"id" :"a"}`, `{"id":1}`, `{"ID":"a"}`, `{"id":null}`, `{"\u0069d":"a"}`,
		`{"id":"a","id":"b"}`, `{"tags":["a","b"],"tags":["c"]}`, `{"tags":["a",]}`, `{"tags":["a"}`, `{"tags":[]}`, `{"tags":null}`, `{"new":{"a":["}"]},"id":"a"}`,
		`{"priority":-5}`, `{"priority":1.0}`, `{"priority":-}`, `{"priority":01}`, `{"priority":-01}`, `{"priority":-0}`, `{"priority":0}`, `{"priority":9223372036854775808}`, `{"priority":1-2}`, `{"hold":false}`, `{"hold":"true"}`,
		`{"createdAt":"2026-11-21T12:00:00Z"}`, `{"createdAt":"2026-11-21T1:00:00Z"}`, `{"createdAt":"2026-11-21T12:00:00,5Z"}`, `{"createdAt":"2026-11-21T12:00:00+25:00"}`,
		`{"createdAt":""}`, `{"createdAt":"2026-02-30T12:00:00Z"}`, "{\"id\":\"a\nb\"}", "{\"id\":\"\xff\"}", `{"id":"\ud800"}`, `{"id":"\q"}`, `{"progress":1.5,"id":"a"}`,
		`{"output":{"sha256":"}"},"id":"a"}`, `{"progress":1`, `{"output":[}`, `{"output":{"sha256":"\"}"},"id":"a"}`, "{\"output\":{\"sha256\":\"a\nb\"}}",
	} {
		readSame[farm.Job](t, text)
		readSame[farm.Task](t, text)
	}
	for _, text := range []string{`{"Jobs":null,"Tasks":null}`, `{"Jobs":[{"id":"a","id":"b"}],"Jobs":[{"team":"t"}]}`, `{"Jobs":[{"new":1}],"Tasks":[]}`} {
		readSame[Submission](t, text)
	}
	for _, text := range []string{`{"assets":[{"value":{"a":tru}}]}`, `{"assets":[{"value":[1,2}]}`, `{"assets":[{"value":1},{"value":"\u00e9"}]}`, `{"assets":[{"value": 1}]}`, `{"assets":[1]}`} {
		readSame[jobContent](t, text)
	}
	for _, text := range []string{`{"jobs":null}`, `{"jobs":[{"index":0,"id":"a"},{"id":"b","new":1}]}`, `{"jobs":[{"index":1.5}]}`, `{"id":"a","jobs":[]}`, `{"jobs":[{"index":0,"id":"\u00e9"},{"index":1,"id":"{"}]}`, `{"jobs":[{"index":1,"id":"a"}`, `{"jobs":[{"index":1,"id":`} {
		readSame[farm.Batch](t, text)
	}
}

// readAlike makes sure that the text of a record is read without reflection, and as by it.
func readAlike[R any](t *testing.T, fields fields[R], record R) {
	t.Helper()
	text, err := Encode(record)
	if err != nil {
		return
	}
	var read R
	if !readWhole(text, fields, &read) {
		t.Fatalf("%s is read by reflection", text)
	}
	readSame[R](t, string(text))
}

// readSame makes sure that a text is read as by reflection.
func readSame[R any](t *testing.T, text string) {
	t.Helper()
	var want, read R
	wrong := jsonv2.Unmarshal([]byte(text), &want, options)
	if err := Decode([]byte(text), &read); (err != nil) != (wrong != nil) {
		t.Fatalf("%s: the error is %v, by reflection %v", text, err, wrong)
	} else if err == nil && !reflect.DeepEqual(read, want) {
		t.Fatalf("%s is read as %+v, by reflection as %+v", text, read, want)
	}
}

// BenchmarkDecodeBatch reads a batch of a thousand jobs.
func BenchmarkDecodeBatch(b *testing.B) {
	batch := farm.Batch{ID: "01KB4Z1V4Q8Y3M0T6R9XJ5N2WC", Team: "01KB4Z1V4Q8Y3M0T6R9XJ5N2WD", CreatedAt: midday, Total: 1000}
	for i := range batch.Total {
		batch.Jobs = append(batch.Jobs, farm.BatchJob{Index: i, ID: fmt.Sprintf("01KB4Z1V4Q8Y3M0T6R9XJ5%04d", i)})
	}
	text, err := Encode(batch)
	if err != nil {
		b.Fatal(err)
	}
	for name, decode := range map[string]func(batch *farm.Batch) error{
		"field by field": func(batch *farm.Batch) error { return Decode(text, batch) },
		"by reflection":  func(batch *farm.Batch) error { return jsonv2.Unmarshal(text, batch, options) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := decode(new(farm.Batch)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecodeHead(b *testing.B) {
	job := farm.Job{ID: "01KB4Z1V4Q8Y3M0T6R9XJ5N2WC", Team: "01KB4Z1V4Q8Y3M0T6R9XJ5N2WD", SubmittedBy: "pipeline", Name: "Spring", RequireTags: []string{"gpu"}, Status: farm.JobRendering,
		Template: farm.JobTemplate{ID: "01KB4Z1V4Q8Y3M0T6R9XJ5N2WE", Composition: "Title Card"}, CreatedAt: midday, UpdatedAt: midday, StartedAt: midday, RenderingAt: midday,
		Batch: "01KB4Z1V4Q8Y3M0T6R9XJ5N2WF", OutputName: "01KB4Z1V4Q8Y3M0T6R9XJ5N2WC-4f2a9c1d.mp4"}
	text, err := EncodeHead(&job)
	if err != nil {
		b.Fatal(err)
	}
	for name, decode := range map[string]func(job *farm.Job) error{
		"field by field": func(job *farm.Job) error { return Decode(text, job) },
		"by reflection":  func(job *farm.Job) error { return jsonv2.Unmarshal(text, job, options) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := decode(new(farm.Job)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
