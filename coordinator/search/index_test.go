package search

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func opened(t testing.TB, dir string) *index {
	t.Helper()
	x, err := openIndex(dir)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func (x *index) all(t testing.TB, on shelf, text string) (ids []string) {
	t.Helper()
	q, err := Read(text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.find(on, q, "", func(id string) bool { ids = append(ids, id); return true }); err != nil {
		t.Fatal(err)
	}
	return ids
}

// modelled are the ids of records by the plain rule, the latest first. order are the ids as they came.
func modelled(records map[string][]string, order []string, text string) (ids []string) {
	asked := slices.Collect(splitWords(text))
	last := asked[len(asked)-1]
	for _, id := range slices.Backward(order) {
		words, there := records[id]
		fits := there && slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, last) })
		for _, word := range asked[:len(asked)-1] {
			fits = fits && slices.Contains(words, word)
		}
		if fits {
			ids = append(ids, id)
		}
	}
	return ids
}

func TestTheIndexFindsWhatThePlainRuleFinds(t *testing.T) {
	t.Parallel()
	dir, on, other := t.TempDir(), shelf{KindJob, "a"}, shelf{KindJob, "b"}
	x := opened(t, dir)
	random := rand.New(rand.NewPCG(1, 2))
	records, order := map[string][]string{}, []string(nil)
	word := func() string { return fmt.Sprintf("w%d", random.IntN(40)*random.IntN(40)) }
	for round := range 12 {
		var put []entry
		var gone []string
		for n := range 1000 {
			e := entry{id: fmt.Sprintf("r%d-%d", round, n), stamp: 1, words: []string{"every", word(), word(), word()}}
			if len(order) > 0 && random.IntN(10) == 0 { // one that is there already, with other words
				e.id = order[random.IntN(len(order))]
			}
			if slices.ContainsFunc(put, func(p entry) bool { return p.id == e.id }) {
				continue
			}
			if _, there := records[e.id]; !there {
				order = slices.DeleteFunc(order, func(id string) bool { return id == e.id })
				order = append(order, e.id)
			}
			records[e.id] = e.words
			put = append(put, e)
		}
		for range 50 {
			id := order[random.IntN(len(order))]
			gone = append(gone, id)
			delete(records, id)
		}
		if err := x.change(on, put, gone); err != nil {
			t.Fatal(err)
		}
		if round == 6 {
			if err := x.close(); err != nil {
				t.Fatal(err)
			}
			x = opened(t, dir)
		}
	}
	if err := x.change(other, []entry{{"z", 1, []string{"every", "w6"}}}, nil); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"every", "ev", "w6", "w60", "w1 w2", "w6 every", "w12 w3", "nowhere", "every nowhere", "every w1511"} {
		if got, want := x.all(t, on, text), modelled(records, order, text); !slices.Equal(got, want) {
			t.Errorf("%q finds %d records, by the plain rule %d", text, len(got), len(want))
		}
	}
	if got := x.all(t, other, "w6"); !slices.Equal(got, []string{"z"}) {
		t.Errorf("on the other shelf: %q", got)
	}
	if err := x.close(); err != nil {
		t.Fatal(err)
	}
}

// TestRecordsAreReadBothWays numbers some records against the order of their ids, as those that come from several coordinators at once are.
func TestRecordsAreReadBothWays(t *testing.T) {
	t.Parallel()
	x, on := opened(t, t.TempDir()), shelf{KindJob, "a"}
	var put []entry
	for n := range 3 * segmentSize / 2 {
		near := n ^ 1 // each two stand the wrong way round
		e := entry{id: fmt.Sprintf("%06d", near), stamp: 1, words: []string{"every"}}
		if near%3 == 0 {
			e.words = append(e.words, "third")
		}
		put = append(put, e)
	}
	if err := x.change(on, put, nil); err != nil {
		t.Fatal(err)
	}
	q, err := Read("third")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"000000", "000003", "004094", "004097", "006142", "006143", "1"} {
		var before, after []string
		take := func(into *[]string) func(string) bool {
			return func(id string) bool { *into = append(*into, id); return true }
		}
		all, err := x.find(on, q, id, take(&before))
		if err != nil || !all {
			t.Fatalf("before %s: all %v, %v", id, all, err)
		}
		if all, err = x.findAfter(on, q, id, take(&after)); err != nil || !all {
			t.Fatalf("after %s: all %v, %v", id, all, err)
		}
		slices.Sort(before)
		slices.Sort(after)
		var below, above []string
		for n := 0; n < len(put); n += 3 {
			switch other := fmt.Sprintf("%06d", n); {
			case other < id:
				below = append(below, other)
			case other > id:
				above = append(above, other)
			}
		}
		if !slices.Equal(before, below) || !slices.Equal(after, above) {
			t.Errorf("before %s are %d records, %d were expected; after it %d, %d were expected", id, len(before), len(below), len(after), len(above))
		}
	}
	if err := x.close(); err != nil {
		t.Fatal(err)
	}
}

// TestFewCandidatesLeaveNoneOut asks for a few at a time of records that were numbered against the order of their ids.
func TestFewCandidatesLeaveNoneOut(t *testing.T) {
	t.Parallel()
	x := opened(t, t.TempDir())
	defer x.abandon()
	var put []entry
	var want []string
	for n := range 16 * 32 {
		put = append(put, entry{id: fmt.Sprintf("%06d", n^31), stamp: 1, words: []string{markOf(markBy, "ada")}})
		want = append(want, fmt.Sprintf("%06d", 16*32-1-n))
	}
	if err := x.change(shelf{KindJob, "a"}, put, nil); err != nil {
		t.Fatal(err)
	}
	s := &Search{changes: NewChanges()}
	s.index.Store(x)
	f := Filter{By: "ada"}
	q, err := f.query()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for before, all := "", false; !all; {
		var ids []string
		if ids, all, err = s.candidates("a", f, q, before, 3); err != nil || len(ids) == 0 && !all {
			t.Fatal(ids, err)
		}
		if got = append(got, ids...); len(ids) > 0 {
			before = ids[len(ids)-1]
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d of %d were given: %q", len(got), len(want), got)
	}
	slices.Reverse(want)
	got = nil
	for after, all := "", false; !all; {
		var ids []string
		if ids, all, err = s.newerInIndex("a", q, after, 3); err != nil || len(ids) > 3 || len(ids) == 0 && !all {
			t.Fatal(ids, err)
		}
		if got = append(got, ids...); len(ids) > 0 {
			after = ids[len(ids)-1]
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d of %d were given the other way: %q", len(got), len(want), got)
	}
}

func TestAnIndexThatWasNotClosedIsMadeAgain(t *testing.T) {
	t.Parallel()
	dir, on := t.TempDir(), shelf{KindJob, "a"}
	x := opened(t, dir)
	if err := x.change(on, []entry{{"1", 1, []string{"word"}}}, nil); err != nil {
		t.Fatal(err)
	}
	x.abandon()
	x = opened(t, dir)
	defer x.abandon()
	if found := x.all(t, on, "word"); len(found) != 0 {
		t.Errorf("it still finds %q", found)
	}
}

func TestWordsAreFolded(t *testing.T) {
	for text, want := range map[string]string{
		"Promo_DE-v4.aep":   "promo de v4 aep",
		"ÉTÉ à l’Œuvre":     "ete a l œuvre",
		"ﬁlm ＡＢＣ１２":         "film abc12",
		"STRASSE Straße":    "strasse straße",
		"東京2026":            "東 京 2026",
		"\xff\xfe a\x00b":   "a b",
		"Ёлка ΌΣΟΣ όσος":    "елка οσοσ οσοσ",
		"":                  "",
		"\u0301\u0301 ... ": "",
	} {
		if got := strings.Join(slices.Collect(splitWords(text)), " "); got != want {
			t.Errorf("%q has the words %q, not %q", text, got, want)
		}
	}
	long := slices.Collect(splitWords(strings.Repeat("é", 1<<16)))
	if len(long) != 1 || len(long[0]) > mostBytes {
		t.Errorf("a long word became %d of %d bytes", len(long), len(long[0]))
	}
	var l wordList
	for n := range 1000 {
		l.add(fmt.Sprint("word", n))
	}
	if len(l.words) != mostWords {
		t.Errorf("a record has %d words", len(l.words))
	}
}

func TestSetsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for _, size := range []int{0, 1, 2, 254, 255, 256, 257, 4000, segmentSize} {
		var s, back set
		for range size {
			s.put(uint16(random.IntN(segmentSize)))
		}
		written := s.encode()
		if back.add(written); back != s {
			t.Errorf("a set of %d came back as one of %d", s.size(), back.size())
		}
		places := slices.Collect(s.down)
		if len(places) != s.size() || !slices.IsSortedFunc(places, func(a, b uint16) int { return int(b) - int(a) }) {
			t.Errorf("a set of %d gives %d places", s.size(), len(places))
		}
	}
}

func TestWhatIsNotNotedIsSaid(t *testing.T) {
	t.Parallel()
	c := NewChanges()
	for n := range mostNoted + 10 {
		c.Note(KindJob, fmt.Sprint(n))
	}
	some, lost := c.take(5)
	if len(some) != 5 || !lost || !slices.IsSortedFunc(some, func(a, b note) int { return strings.Compare(a.id, b.id) }) {
		t.Errorf("%v of what was noted, and lost: %v", some, lost)
	}
	if _, lost := c.take(5); lost {
		t.Error("it is said twice")
	}
}

// TestPlainTextsGiveTheSameWords compares the ways that texts of ASCII take with those for any text.
func TestPlainTextsGiveTheSameWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("aZ09 -_\"\\\n\x00.é"))).Draw(t, "text")
		if isASCII(text) {
			var plain, folded []string
			eachASCII(strings.ToLower(text), func(word string) bool { plain = append(plain, word); return true })
			eachFolded(text, func(word string) bool { folded = append(folded, word); return true })
			if !slices.Equal(plain, folded) {
				t.Fatalf("the words of %q are %q and %q", text, plain, folded)
			}
		}
		sum := fnv.New64a()
		_, _ = sum.Write([]byte(text))
		if got := emptySum.withText(text); uint64(got) != sum.Sum64() {
			t.Fatalf("the sum of %q is %x, want %x", text, got, sum.Sum64())
		}
		if want := fmt.Sprintf("\x01%c%016x", markTag, sum.Sum64()); markOf(markTag, text) != want {
			t.Fatalf("the mark of %q is %q, want %q", text, markOf(markTag, text), want)
		}
		var read string
		if value := []byte(`"` + text + `"`); isPlain(value) && (json.Unmarshal(value, &read) != nil || read != text) {
			t.Fatalf("%s reads as %q", value, read)
		}
	})
	if got := moment(time.Time{}); got != (time.Time{}).String() {
		t.Errorf("no moment is %q", got)
	}
}
