package page

import (
	"context"

	"overcrank/farm"
	"overcrank/web/language"
)

// shortcuts are keys that do something where an element is on the page, and what they do.
type shortcuts struct {
	Title string
	On    string      // a selector of that element, "" for every page
	Act   farm.Action // that the reader has to be allowed; "" for everybody
	Keys  []shortcut
}

type shortcut struct {
	Keys   []string // pressed together, or one after the other
	Does   string
	Letter bool // a single character, which can be switched off
}

// rowLinks are the links of rows that keys step through. In a player these keys play.
const rowLinks = "main:not(:has([data-player], video#player)) :is(tbody tr, [data-row]) a.name"

// allShortcuts are all keys of the dashboard, as its scripts know them.
func allShortcuts() []shortcuts {
	return []shortcuts{
		{Title: language.Text("Everywhere"), Keys: []shortcut{
			{Keys: []string{"Ctrl", "K"}, Does: language.Text("Go to a page, or find something")},
			{Keys: []string{"/"}, Does: language.Text("Find"), Letter: true},
			{Keys: []string{"?"}, Does: language.Text("Show these keys"), Letter: true},
			{Keys: []string{"g", "h"}, Does: language.Text("Overview"), Letter: true},
			{Keys: []string{"g", "j"}, Does: language.Text("Jobs"), Letter: true},
			{Keys: []string{"g", "q"}, Does: language.Text("Queue"), Letter: true},
			{Keys: []string{"g", "b"}, Does: language.Text("Batches"), Letter: true},
			{Keys: []string{"g", "t"}, Does: language.Text("Templates"), Letter: true},
			{Keys: []string{"g", "m"}, Does: language.Text("Machines"), Letter: true},
			{Keys: []string{"g", "p"}, Does: language.Text("Projects"), Letter: true},
			{Keys: []string{"g", "r"}, Does: language.Text("Reports"), Letter: true},
			{Keys: []string{"g", "s"}, Does: language.Text("Settings"), Letter: true},
		}},
		{Title: language.Text("Lists"), On: rowLinks, Keys: []shortcut{
			{Keys: []string{"j", "k"}, Does: language.Text("The next row, or the one before"), Letter: true},
			{Keys: []string{"Enter"}, Does: language.Text("Open the row")},
		}},
		{Title: language.Text("Rows that are selected"), On: "th.pick", Keys: []shortcut{
			{Keys: []string{"x"}, Does: language.Text("Select the row that has the focus, or not"), Letter: true},
			{Keys: []string{"Shift", "click"}, Does: language.Text("Select all rows up to this one")},
			{Keys: []string{"Esc"}, Does: language.Text("Select none")},
		}},
		playerShortcuts("[data-player], video#player"),
		{Title: language.Text("Strip of frames"), On: "#again-frames", Keys: []shortcut{
			{Keys: []string{"←", "→"}, Does: language.Text("The picture before, or the next")},
			{Keys: []string{"Space"}, Does: language.Text("Pick the frame to be rendered again, or not")},
			{Keys: []string{"Shift", "→"}, Does: language.Text("Pick more frames")},
			{Keys: []string{"Esc"}, Does: language.Text("Pick none")},
		}},
		{Title: language.Text("Order of the queue"), On: ".grip", Keys: []shortcut{
			{Keys: []string{"↑", "↓"}, Does: language.Text("Move the job whose handle has the focus")},
			{Keys: []string{"Enter"}, Does: language.Text("Leave it there")},
			{Keys: []string{"Esc"}, Does: language.Text("Put it back")},
		}},
		{Title: language.Text("New job"), On: "form[data-newjob]", Act: farm.ActSubmit, Keys: []shortcut{
			{Keys: []string{"Ctrl", "Enter"}, Does: language.Text("Submit the job")},
			{Keys: []string{"Space"}, Does: language.Text("Play the preview, or stop it")},
		}},
	}
}

// playerShortcuts are the keys of a player.
func playerShortcuts(on string) shortcuts {
	return shortcuts{Title: language.Text("Player"), On: on, Keys: []shortcut{
		{Keys: []string{"Space"}, Does: language.Text("Play, or stop")},
		{Keys: []string{"←", "→"}, Does: language.Text("One frame back, or on")},
		{Keys: []string{",", "."}, Does: language.Text("One frame back, or on"), Letter: true},
		{Keys: []string{"j", "k", "l"}, Does: language.Text("Play backwards, stop, play"), Letter: true},
	}}
}

// reviewShortcuts are all keys of a page on which a result is looked at, which leads to no other.
func reviewShortcuts() []shortcuts {
	return []shortcuts{
		{Title: language.Text("Everywhere"), Keys: []shortcut{{Keys: []string{"?"}, Does: language.Text("Show these keys"), Letter: true}}},
		playerShortcuts("[data-review]"),
	}
}

// keyName is what stands on a key.
func keyName(ctx context.Context, key string) string {
	switch key {
	case "Space":
		return say(ctx, "Space")
	case "click":
		return say(ctx, "click")
	case "Shift":
		return say(ctx, "Shift")
	case "Ctrl":
		return say(ctx, "Ctrl")
	}
	return key
}
