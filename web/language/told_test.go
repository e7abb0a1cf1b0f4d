package language

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"overcrank/farm"
	times "overcrank/farm/wording"
)

func TestTextsOfTheFarmAreToldInTheLanguageOfTheContext(t *testing.T) {
	de, fr := With(context.Background(), farm.German), With(context.Background(), farm.French)
	busy := farm.Count(1, "Of the %[2]d machines that fit, %[1]d is busy; %[3]s.", "Of the %[2]d machines that fit, %[1]d are busy; %[3]s.", 1200,
		farm.Count(2, "%d machine that fits is paused", "%d machines that fit are paused"))
	hours := farm.Say("%s machine hours", farm.Decimal{Value: 1200.5, Places: 1})
	for _, c := range []struct{ got, want string }{
		{Told(context.Background(), busy), "Of the 1200 machines that fit, 1 is busy; 2 machines that fit are paused."},
		{Told(de, busy), "Von den 1.200 passenden Rechnern ist 1 beschäftigt; 2 passende Rechner sind angehalten."},
		{Told(fr, farm.ListOf([]farm.Text{farm.AsIs("a"), farm.Say("the font %s", "Lora")})), "a et la police Lora"},
		{Told(de, farm.AsIs("a sentence of an earlier release, 5 %")), "a sentence of an earlier release, 5 %"},
		{Told(de, farm.Say("%s: %s", "mac-7", farm.AsIs("nobody is signed in"))), "mac-7: niemand ist angemeldet"},
		{Told(de, farm.Text{}), ""},
		{Told(de, times.Date(time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC))), "29. November 2026"},
		{Told(context.Background(), hours), "1,200.5 machine hours"},
		{Told(de, hours), "1.200,5 Rechnerstunden"},
		{ToldError(de, farm.Errorf(farm.CodeInvalid, "nobody has translated %s", "this")), "nobody has translated this"},
		{ToldError(de, errors.New("disk full")), "disk full"},
		// What others wrapped around a refusal is for the log, and fields are called what forms call them.
		{ToldError(de, fmt.Errorf("submitting job j1 once more: %w", farm.Invalid("nothing was changed", farm.Field("priority", "type the tag"), farm.Field("assets[1].value", "type the tag"), farm.Field("digest", "type the tag")))),
			"nichts wurde geändert (Priorität: geben Sie das Tag ein; Änderung 2 an der Vorlage: geben Sie das Tag ein; digest: geben Sie das Tag ein)"},
		{ToldError(de, farm.Errorf(farm.CodeConflict, "none of the jobs could be resubmitted: %w", fmt.Errorf("row 3: %w", farm.Invalid("nothing was changed", farm.Field("settings.frames", "type the tag"))))),
			"keiner der Jobs konnte neu gesendet werden: nichts wurde geändert (Frames: geben Sie das Tag ein)"},
		{ToldError(context.Background(), farm.Invalid("nothing was changed", farm.Field("notBefore", "type the tag"))), "nothing was changed (Not before: type the tag)"},
		{Told(de, farm.Count(1, "%d thing nobody has translated", "%d things nobody has translated")), "1 thing nobody has translated"},
	} {
		if c.got != c.want {
			t.Errorf("told as %q, want %q", c.got, c.want)
		}
	}
}
