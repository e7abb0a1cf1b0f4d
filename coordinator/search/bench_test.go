package search

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// variant is a record as jobs of a batch are: 24 words, of which some are in all, some in few, and two in no other.
func variant(n int) entry {
	random := rand.New(rand.NewPCG(7, uint64(n)))
	words := []string{fmt.Sprintf("01k%023d", n), fmt.Sprintf("01j%023d", n/1000), "main", "variant", fmt.Sprint(n), fmt.Sprintf("campaign%d", n%50)}
	for len(words) < 24 {
		words = append(words, fmt.Sprintf("word%d", random.IntN(300)*random.IntN(300)))
	}
	return entry{words[0], 1, words}
}

func filled(b *testing.B, records int) *index {
	x := opened(b, b.TempDir())
	var some []entry
	for n := range records {
		if some = append(some, variant(n)); len(some) == mostAtOnce {
			if err := x.change(shelf{KindJob, "team"}, some, nil); err != nil {
				b.Fatal(err)
			}
			some = some[:0]
		}
	}
	return x
}

// BenchmarkMake makes an index of 100,000 records.
func BenchmarkMake(b *testing.B) {
	for range b.N {
		x := filled(b, 100_000)
		info, err := os.Stat(filepath.Join(x.dir, inUseFile))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(info.Size())/1e6, "MB")
		x.abandon()
	}
}

// BenchmarkFind looks for the newest 200 of 100,000 records.
func BenchmarkFind(b *testing.B) {
	x := filled(b, 100_000)
	defer x.abandon()
	for _, text := range []string{"variant", "0", "word1", "variant 471", "campaign7 99907", "variant nowhere", "campaign7 campaign8 wo"} {
		b.Run(strings.ReplaceAll(text, " ", "+"), func(b *testing.B) {
			q, err := Read(text)
			if err != nil {
				b.Fatal(err)
			}
			took := make([]time.Duration, b.N)
			for n := range b.N {
				began, left := time.Now(), looked
				if _, err := x.find(shelf{KindJob, "team"}, q, "", func(string) bool { left--; return left > 0 }); err != nil {
					b.Fatal(err)
				}
				took[n] = time.Since(began)
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[b.N*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
