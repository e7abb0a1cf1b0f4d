package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/goregular"

	"overcrank/farm"
)

func TestAFontIsShownInItsOwnFaceWithWhoHasItAndWhereItIsUsed(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada") // its text is in Inter-Bold, which the library lacks
	r.enrol("suite-1", farm.Inventory{OS: "linux", Fonts: []farm.FontUse{{PostScript: "Inter-Bold"}}})
	for i := range 42 {
		r.enrol(fmt.Sprintf("rack-%02d", i), farm.Inventory{OS: "linux"})
	}
	ada := r.as("ada")
	ada.get("/settings/fonts").is(http.StatusOK, "Missing", "/settings/fonts/named?font=Inter-Bold", "Installed on 1 of 43 machines")
	ada.get("/settings/fonts/named?font=Inter-Bold").is(http.StatusOK, "The library lacks this font", "/templates/"+card.ID, ">main<",
		"1 machine has it installed", "suite-1", "42 machines do not", "rack-00", "and 2 more").lacks("rack-41", "<li dir=\"auto\">inner</li>")

	if a := ada.sendsFile("/files/font?name=Go.ttf", goregular.TTF); a.status != http.StatusCreated {
		t.Fatalf("the font is not taken: %d %s", a.status, a.body)
	}
	list, err := r.farm.Fonts().List(t.Context(), r.principal("ada"))
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	face := "/settings/fonts/" + list[0].ID + "/faces/0"
	vic := r.as("vic")
	vic.get("/settings/fonts").is(http.StatusOK, face, "Go Regular", "/settings/fonts/named?font=GoRegular")
	vic.get("/settings/fonts/named?font=go-regular").is(http.StatusOK, face, "in the file Go.ttf", "No template in use names it", "43 machines do not")
	picture := vic.get(face).is(http.StatusOK)
	if !strings.HasPrefix(picture.body, "<svg ") || picture.header.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("the specimen is %q, %.60q", picture.header.Get("Content-Type"), picture.body)
	}
	for _, path := range []string{"/settings/fonts/" + list[0].ID + "/faces/1", "/settings/fonts/" + list[0].ID + "/faces/x", "/settings/fonts/nobody/faces/0", "/settings/fonts/named?font=Nobody-Has", "/settings/fonts/named"} {
		vic.get(path).is(http.StatusNotFound)
	}
	zoe := r.as("zoe") // of another team
	zoe.get(face).is(http.StatusNotFound)
	zoe.get("/settings/fonts/named?font=Inter-Bold").is(http.StatusOK, "No template in use names it").lacks(card.ID)
}

func TestAFontOfTheLibraryIsChosenForOneThatItLacks(t *testing.T) {
	r := start(t)
	card := r.cardTemplate("ada") // its text is in Inter-Bold
	ada, vic := r.as("ada"), r.as("vic")
	const field = "Another font of the library, in place of Inter-Bold"
	ada.get("/settings/fonts").is(http.StatusOK, "Inter-Bold").lacks(field)
	if a := ada.sendsFile("/files/font?name=Go.ttf", goregular.TTF); a.status != http.StatusCreated {
		t.Fatalf("the font is not taken: %d %s", a.status, a.body)
	}
	for _, path := range []string{"/settings/fonts", "/settings/fonts/named?font=Inter-Bold"} {
		ada.get(path).is(http.StatusOK, field, `<option value="GoRegular">Go Regular</option>`)
		vic.get(path).is(http.StatusOK, "Inter-Bold").lacks(field)
	}
	standIn := func(font, name, template string) answer {
		return ada.post("/settings/fonts/stand-ins", url.Values{"font": {font}, "name": {name}, "template": {template}})
	}
	standIn("Nobody-Has", "Inter-Bold", "").is(http.StatusNotFound, "no font")
	standIn("GoRegular", "", "").is(http.StatusBadRequest, "is missing")
	if a := standIn("go regular", "Inter-Bold", card.ID).is(http.StatusOK); a.path != "/templates/"+card.ID {
		t.Errorf("who came from a template's page is led to %s", a.path)
	}
	ada.get("/settings/fonts").is(http.StatusOK, "GoRegular for Inter-Bold.ttf", "a copy of <a href=\"/settings/fonts/named?font=GoRegular\">GoRegular</a>").lacks(field, `<option value="Inter-Bold">`)
	ada.get("/settings/fonts/named?font=Inter-Bold").is(http.StatusOK, "It stands in for the font of this name").lacks(field)
	standIn("GoRegular", "Inter-Bold", "").is(http.StatusConflict, "already")
	if a := standIn("GoRegular", "Gotham-Bold", "").is(http.StatusOK, "GoRegular for Gotham-Bold.ttf"); a.path != "/settings/fonts" {
		t.Errorf("who came from the page of fonts is led to %s", a.path)
	}
	if a := standIn("GoRegular", "Other", "../../settings").is(http.StatusNotFound); strings.HasPrefix(a.path, "/settings") {
		t.Errorf("a form leads to %s", a.path)
	}
}
