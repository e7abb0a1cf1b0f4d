package main

import "testing"

// TestAStartKnowsOnlyItsCommand holds the names that the program looks for to those of the parser: a command that it does not find costs each of its
// starts the reading of all the others. What begins otherwise knows them all.
func TestAStartKnowsOnlyItsCommand(t *testing.T) {
	all, err := newParser(&cli{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]int{"": len(all.Model.Children), "--quiet": len(all.Model.Children), "jbos": len(all.Model.Children)}
	for _, command := range all.Model.Children {
		lines[command.Name] = 1
		if command.Hidden {
			lines[command.Name] = len(all.Model.Children)
		}
	}
	for word, want := range lines {
		parser, err := newParser(&cli{}, []string{word})
		if err != nil {
			t.Fatal(err)
		}
		if got := parser.Model.Children; len(got) != want || want == 1 && got[0].Name != word {
			t.Errorf("a line that begins with %q knows %d commands, not %d", word, len(got), want)
		}
	}
}
