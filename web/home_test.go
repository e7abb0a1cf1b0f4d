package web_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestHomeIsAboutOnesOwnWork(t *testing.T) {
	r := start(t)
	mine, other := r.submit("art", "Spring spot"), r.submit("pro", "Autumn spot")
	r.submit("zoe", "Foreign spot")
	v := r.as("art")
	r.eventually("the page knows whose job it is", func() bool { return strings.Contains(v.get("/").body, `href="/?of=team"`) })
	v.get("/").is(http.StatusOK, "next-"+mine.ID, "/jobs?by=art&amp;state=waiting").lacks(other.ID, "Foreign spot")
	v.get("/?of=team").is(http.StatusOK, "next-"+mine.ID, "next-"+other.ID, `href="/jobs?state=waiting"`).lacks("Foreign spot")
	r.as("vic").get("/").is(http.StatusOK, "next-"+mine.ID, "next-"+other.ID, "You have not submitted anything yet").lacks(`href="/?of=team"`, "Foreign spot")
}

func TestHomeShowsWhichOfManyJobsBeginFirst(t *testing.T) {
	r := start(t)
	r.batchOf("art", 201)
	v := r.as("art")
	r.eventually("the page knows whose jobs they are", func() bool { return strings.Contains(v.get("/").body, `href="/?of=team"`) })
	v.get("/").is(http.StatusOK, "<b>200+</b>", "variant 001</a>", "variant 005</a>").lacks("variant 201</a>")
	v.get("/?of=team").is(http.StatusOK, "<b>201</b>", "variant 001</a>")
}
