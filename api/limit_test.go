package api_test

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"overcrank/agent/identity"
	"overcrank/api"
	"overcrank/api/throttle"
	"overcrank/farm/wire"
)

func TestATeamIsHeldToItsRate(t *testing.T) {
	r := start(t, func(cfg *api.Config) { cfg.Teams = throttle.New(throttle.Limit{PerSecond: 0.001, Burst: 12}) })
	other := r.makeTeam("Quiet")
	boss := r.makeToken("admin", `, "team": "`+other.ID+`"`)
	second := r.makeToken("viewer", "")

	var refused reply
	passed := 3 // requests so far
	for range 20 {
		// Tokens and connections do not matter, reads and writes count alike.
		if refused = r.get("/api/v2/jobs", bearer(second.Secret)); refused.status != http.StatusOK {
			break
		}
		passed++
	}
	refused.refused(http.StatusTooManyRequests, "the team", "try again")
	if passed != 12 {
		t.Errorf("%d requests passed, want 12", passed)
	}
	if seconds, err := strconv.Atoi(refused.header.Get("Retry-After")); err != nil || seconds < 500 || seconds > 1000 {
		t.Errorf("Retry-After is %q, and the next request is free in up to 1000 s", refused.header.Get("Retry-After"))
	}
	for _, a := range []reply{r.send(http.MethodPost, "/api/v2/jobs", srcJob), r.get("/api/v3/templates"), r.get(pathTokens)} {
		a.refused(http.StatusTooManyRequests)
	}
	r.get("/api/v2/jobs", bearer(boss.Secret)).into(http.StatusOK, nil)
	r.get("/healthz").into(http.StatusOK, nil)
	r.get("/api/v2/jobs", bearer("oct_wrong")).refused(http.StatusUnauthorized)
}

// TestTheFirstTenWrongTokensAreAnsweredAsSuch asks as a farm is set up that nobody configured: ten at once, and what has become free
// meanwhile.
func TestTheFirstTenWrongTokensAreAnsweredAsSuch(t *testing.T) {
	r := start(t)
	const tries, ten = 100, 10
	codes := make([]int, tries)
	began := time.Now()
	var all sync.WaitGroup
	for i := range codes {
		all.Go(func() { codes[i] = r.get("/api/v2/jobs", bearer(fmt.Sprint("oct_wrong", i))).status })
	}
	all.Wait()
	most := ten + int(ten*time.Since(began).Seconds())
	told := map[int]int{}
	for _, code := range codes {
		told[code]++
	}
	wrong := told[http.StatusUnauthorized]
	if wrong < ten || wrong > most || wrong+told[http.StatusTooManyRequests] != tries {
		t.Errorf("of %d wrong tokens %v were answered, want 401 for %d to %d and 429 for the others", tries, told, ten, most)
	}
}

func TestGuessingIsSlowedDownWithoutLockingTheStudioOut(t *testing.T) {
	r := start(t, func(cfg *api.Config) { cfg.Strangers = throttle.Limit{PerSecond: 0.001, Burst: 3} })
	for range 3 {
		r.get("/api/v2/jobs", bearer("oct_wrong")).refused(http.StatusUnauthorized)
	}
	strangers := r.over(identity.Stranger())
	for _, address := range []string{r.base + "/api/v2/jobs", r.secure + wire.PathSession} {
		a := r.sendBy(strangers, http.MethodGet, address, nil, bearer("oct_another")).refused(http.StatusTooManyRequests, "this address")
		if a.header.Get("Retry-After") == "" {
			t.Error("the answer does not say when to come again")
		}
	}
	r.sendBy(strangers, http.MethodPost, r.secure+wire.PathEnrol, `{"name": "mac"}`, bearer("ocj_wrong")).refused(http.StatusTooManyRequests)
	r.get("/api/v2/jobs").into(http.StatusOK, nil)
	r.get("/api/v2/jobs", "Authorization:").refused(http.StatusUnauthorized)
}
