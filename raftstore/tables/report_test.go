package tables

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// sumOf is a sum of the team on a day.
func (m *rig) sumOf(day time.Time, kind farm.SumKind, subject string) (sum farm.Sum) {
	m.t.Helper()
	m.see(func(tx *Tx) {
		sums, err := tx.Sums("team", day, day)
		if err != nil {
			m.t.Fatalf("%v", err)
		}
		for _, s := range sums {
			if s.Kind == kind && s.Subject == subject && s.Day.Equal(farm.Day(day)) {
				sum = s.Sum
			}
		}
	})
	return sum
}

func TestAttemptsAreSummedUpByDay(t *testing.T) {
	m := leveled(t)
	for i, id := range []string{"a", "b"} {
		job, task := jobOf(id, 1)
		job.SubmittedBy = "mia"
		m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
		lease(m, id+".0", 1, 0)
		if i == 0 {
			m.must(command.FinishTask{Task: "a.0", Attempt: 1, At: after(60)})
		} else {
			m.must(command.FailTask{Task: "b.0", Attempt: 1, Message: "no", Cause: farm.Cause{Kind: farm.CauseFont, Subject: "Inter"}, At: after(30)})
		}
	}
	all := farm.Sum{Jobs: 1, Attempts: 2, Done: 1, Failed: 1, Time: 90_000, Wasted: 30_000}
	both := farm.Sum{Attempts: 2, Done: 1, Failed: 1, Time: 90_000, Wasted: 30_000}
	for _, c := range []struct {
		kind    farm.SumKind
		subject string
		want    farm.Sum
	}{
		{farm.SumAll, farm.NoSubject, all}, {farm.SumTemplate, "tmpl", all}, {farm.SumPerson, "mia", all}, {farm.SumMachine, "a1", both},
		{farm.SumCause, "font:Inter", farm.Sum{Attempts: 1, Failed: 1, Time: 30_000, Wasted: 30_000}}, {farm.SumPerson, "bo", farm.Sum{}},
	} {
		if got := m.sumOf(epoch, c.kind, c.subject); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("the sum of %s %q is %+v, want %+v", c.kind, c.subject, got, c.want)
		}
	}
	m.must(command.PurgeJobs{IDs: []string{"a", "b"}})
	if got := m.sumOf(epoch, farm.SumAll, farm.NoSubject); got.Attempts != 2 {
		t.Errorf("with the jobs gone the sum is %+v", got)
	}
}

// worked has the machine a1 work for somebody for some seconds from a second on.
func (m *rig) worked(id, who string, from, seconds int) {
	m.t.Helper()
	job, task := jobOf(id, from)
	job.SubmittedBy = who
	m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
	lease(m, id+".0", 1, from)
	m.must(command.FinishTask{Task: id + ".0", Attempt: 1, At: after(from + seconds)})
}

func TestSumsOfManySubjectsAndOldDaysHaveAnEnd(t *testing.T) {
	m := leveled(t)
	for i := range farm.MostSubjects + 5 {
		m.worked(fmt.Sprint("j", i), fmt.Sprint("person", i), i, 1)
	}
	if got := m.sumOf(epoch, farm.SumPerson, farm.OtherSubjects); got.Attempts != 5 {
		t.Errorf("beyond the bound %+v is summed up as others", got)
	}
	day := 24 * 3600
	m.worked("last", "mia", (farm.SumDays-1)*day, 1)
	if got := m.sumOf(epoch, farm.SumAll, farm.NoSubject); got.Attempts != farm.MostSubjects+5 {
		t.Errorf("a day that is still kept has %+v", got)
	}
	m.worked("later", "mia", farm.SumDays*day, 1)
	if got := m.sumOf(epoch, farm.SumAll, farm.NoSubject); got.Attempts != 0 {
		t.Errorf("a day that is too old has %+v", got)
	}
	if got := m.sumOf(after((farm.SumDays-1)*day), farm.SumAll, farm.NoSubject); got.Attempts != 1 {
		t.Errorf("a later day has %+v", got)
	}
}

func TestMachinesWithATagHaveARateOfTheirOwn(t *testing.T) {
	m := leveled(t)
	rates := farm.Rates{Revision: 1, PerHour: 2, Tags: []farm.TagRate{{Tag: "gpu", PerHour: 5}}}
	m.must(command.PutRates{Rates: rates})
	wantRefused(t, m, command.PutRates{Rates: rates}, farm.CodeConflict)
	rates.Revision, rates.PerHour = 2, -1
	wantRefused(t, m, command.PutRates{Rates: rates}, farm.CodeInvalid)
	m.worked("plain", "mia", 0, 3600)
	tags := []string{"gpu"}
	m.must(command.ConfigureAgent{ID: "a1", Tags: &tags})
	m.worked("fast", "mia", 3600, 1800)
	sum := m.sumOf(epoch, farm.SumPerson, "mia")
	if sum.Hours() != 1.5 || sum.Rated["gpu"] != 1_800_000 {
		t.Fatalf("the sum is %+v", sum)
	}
	m.see(func(tx *Tx) {
		kept, err := tx.Rates()
		if cost := kept.Cost(sum); err != nil || math.Abs(cost-4.5) > 1e-9 {
			t.Errorf("an hour at 2 and half of one at 5 cost %v, %v", cost, err)
		}
	})
}

// TestADayMayBeginAnywhere: what was done since a moment is known by parts of a day, for as long as a day may last anywhere.
func TestADayMayBeginAnywhere(t *testing.T) {
	m := leveled(t)
	const part, day = int(farm.DayPart / time.Second), 24 * 3600
	begin := int(farm.Day(epoch).AddDate(0, 0, 1).Sub(epoch) / time.Second)
	m.worked("a", "mia", begin, part-1)
	m.worked("b", "mia", begin+part, 1)
	m.worked("c", "bo", begin+day-part, 1)
	m.worked("d", "mia", begin+day+part, 1)
	since := func(from, to, attempts, jobs int) {
		t.Helper()
		m.see(func(tx *Tx) {
			sum, own, err := tx.SumsBetween("team", "mia", after(begin+from), after(begin+to))
			if err != nil || sum.Attempts != attempts || sum.Jobs != attempts || own != jobs {
				t.Errorf("from %d s to %d s there are %+v and %d of hers, %v; want %d and %d", from, to, sum, own, err, attempts, jobs)
			}
		})
	}
	since(0, day+2*part, 4, 3)
	since(part, day+2*part, 3, 2)
	since(part, day+part, 2, 1)
	since(2*part, day, 1, 0)
	if got := m.sumOf(after(begin), farm.SumAll, farm.NoSubject); got.Attempts != 3 {
		t.Errorf("the whole day is %+v", got)
	}
	m.worked("e", "mia", begin+3*day, 1)
	since(0, day, 0, 0)
	since(day, 4*day, 2, 2)
	m.worked("f", "mia", begin+40*day, 1)
	since(0, 39*day, 0, 0)
	m.see(func(tx *Tx) {
		for _, key := range tx.t.keysUnder(bucketCounts, "daily sums"+sep) {
			if strings.Contains(key, "@") && !strings.HasPrefix(key, sumsOfDay("team", dayOf(after(begin+40*day)))) {
				t.Errorf("a counter of a part that is forgotten is kept: %q", key)
			}
		}
	})
}
