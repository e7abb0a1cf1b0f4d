package api_test

import (
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
)

// BenchmarkSearch searches 100,000 jobs, one search after the other: for words that many jobs have, that no job has together, for one job,
// and for the beginning of all ids. It logs how long after the submissions everything could be found.
func BenchmarkSearch(b *testing.B) {
	l := startLoaded(b, b.TempDir())
	ids := l.fill(b, 100_000)
	behind := l.indexed(b, ids[len(ids)-1])
	b.Logf("everything is found %v after the last submission", behind)
	for name, words := range map[string]string{"many": "autumn", "two words": "variant+471", "never": "campaign+nowhere", "one": "variant+4711", "ids": "0"} {
		b.Run(name, func(b *testing.B) {
			request := l.request(fiber.MethodGet, "/api/farm/v1/search?q="+words, nil)
			l.run(b, 1, b.N, fiber.StatusOK, func(int) []byte { return request }, nil)
		})
	}
}

// indexed waits until a job is found, which was the last.
func (l *loaded) indexed(b *testing.B, id string) time.Duration {
	b.Helper()
	began := time.Now()
	who, err := l.farm.Authenticate(b.Context(), l.token)
	if err != nil {
		b.Fatal(err)
	}
	for {
		answer, err := l.farm.Search().Find(b.Context(), who, id, "job", 1)
		if err != nil {
			b.Fatal(err)
		}
		if answer.Indexing == nil && len(answer.Found) > 0 {
			return time.Since(began)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
