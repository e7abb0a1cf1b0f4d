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
	en, de, fr := context.Background(), With(context.Background(), farm.German), With(context.Background(), farm.French)
	refused := farm.Say("%q may not %s: that needs the role %s or higher, and %q has the role %s", `Mia "M"`, farm.AsIs("cancel jobs"), farm.Say("producer"), `Mia "M"`, farm.Say("artist"))
	busy := farm.Count(1, "Of the %[2]d machines that fit, %[1]d is busy; %[3]s.", "Of the %[2]d machines that fit, %[1]d are busy; %[3]s.", 1200,
		farm.Count(2, "%d machine that fits is paused", "%d machines that fit are paused"))
	hours := farm.Say("%s machine hours", farm.Decimal{Value: 1200.5, Places: 1})
	for _, c := range []struct{ got, want string }{
		{Told(context.Background(), busy), "Of the 1,200 machines that fit, 1 is busy; 2 machines that fit are paused."},
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
		// Quotation marks are those of pages, and roles are called what pages call them.
		{Told(en, farm.Say("'%s' is not a whole number from -1000 to 1000", "it's \"high\"")), "“it's \"high\"” is not a whole number from -1000 to 1000"},
		{Told(en, farm.Say("the font's names take %d bytes", 70000)), "the font’s names take 70,000 bytes"},
		{Told(en, farm.Say("is longer than %d bytes", 1<<20)), "is longer than 1,048,576 bytes"},
		{Told(en, refused), "“Mia \"M\"” may not cancel jobs: that needs the role Producer or higher, and “Mia \"M\"” has the role Artist"},
		{Told(de, refused), "„Mia \"M\"“ darf Folgendes nicht: cancel jobs. Das erfordert mindestens die Rolle Producer, und „Mia \"M\"“ hat die Rolle Artist"},
		{Told(fr, refused), "«\u00a0Mia \"M\"\u00a0» n’a pas ce droit\u00a0: cancel jobs. Cela demande au moins le rôle Producteur, et «\u00a0Mia \"M\"\u00a0» a le rôle Artiste"},
		{Told(de, farm.Count(1, "%d thing nobody has translated", "%d things nobody has translated")), "1 thing nobody has translated"},
	} {
		if c.got != c.want {
			t.Errorf("told as %q, want %q", c.got, c.want)
		}
	}
}
