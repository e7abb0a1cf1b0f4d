package language

import (
	"cmp"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/farm"
)

func TestWhatMachinesSayIsKnownAgain(t *testing.T) {
	t.Parallel()
	de, fr := With(context.Background(), farm.German), With(context.Background(), farm.French)
	for _, c := range []struct {
		in         context.Context
		said, want string
	}{
		{context.Background(), "Render failed: the disk of machine 'farm-3' is full", "Render failed: the disk of machine “farm-3” is full"},
		{context.Background(), "Layer 'It's a title' not found in composition 'Main' (asset 2)", "Layer “It's a title” not found in composition “Main” (change 3)"},
		{context.Background(), "something 'nobody' has said yet", "something 'nobody' has said yet"},
		{de, "Render failed: the disk of machine 'farm-3' is full", "Rendern fehlgeschlagen: Der Datenträger des Rechners „farm-3“ ist voll"},
		{fr, "Render failed: the disk of machine 'farm-3' is full", "Échec du rendu\u00a0: le disque de la machine «\u00a0farm-3\u00a0» est plein"},
		// What stands within another sentence is known too, and names stay.
		{de, "Nested job 7f3 failed: Render failed: the embedded engine exited with code 1: Could not read from source: missing footage 'the frames cannot be read', used by layer 'a' in composition 'Main'. (attempts of this job have failed 12 times)",
			"Der verschachtelte Job 7f3 ist fehlgeschlagen: Rendern fehlgeschlagen: die eingebaute Engine endete mit dem Code 1: Die Quelle ist nicht lesbar: Es fehlt das Footage „the frames cannot be read“, das die Ebene „a“ in der Komposition „Main“ verwendet. (Versuche dieses Jobs sind 12-mal fehlgeschlagen)"},
		{de, "Layer 'It's a title' not found in composition 'Main' (asset 2)", "Die Ebene „It's a title“ gibt es in der Komposition „Main“ nicht (Änderung 3)"},
		{fr, "Render failed: the film lasts 1.50 s, 2.00 s were expected", "Échec du rendu\u00a0: le film dure 1,50 s, 2,00 s étaient attendues"},
		{de, "Render failed: After Effects hung after 1200 of 2400 frames", "Rendern fehlgeschlagen: After Effects blieb nach 1.200 von 2.400 Frames hängen"},
		// The words of others stay within it.
		{de, "Render failed: After Effects exited with code 5: After Effects error: Echt kaputt (5 :: 12).", "Rendern fehlgeschlagen: After Effects endete mit dem Code 5: After Effects error: Echt kaputt (5 :: 12)."},
		{de, "After Effects expression error at line 2: wiggel is not defined (asset 0)", "Fehler einer After-Effects-Expression in Zeile 2: wiggel is not defined (Änderung 1)"},
		{de, "Rejected by Ana: the film is empty", "Abgelehnt von Ana: the film is empty"},
		// What jobs have in common has # for each digit.
		{de, "the film has # frames, ## were expected", "Der Film hat # Frames, erwartet waren ##"},
		// Why machines take no work.
		{de, "attempts of 5 jobs in a row failed on it; the last said: the disk of machine 'farm-3' is full",
			"Versuche von 5 Jobs in Folge sind auf ihm gescheitert; der letzte meldete: Der Datenträger des Rechners „farm-3“ ist voll"},
		{de, "other programs take more than 40 % of its processors", "andere Programme belegen mehr als 40 % seiner Prozessoren"},
		{fr, "3 of 4 machines of the 10 % ring run it; mac-7 refuses it: nobody is signed in", "3 machines sur 4 de l’anneau des 10 % l’exécutent\u00a0; mac-7 la refuse\u00a0: personne n’est connecté"},
		{fr, "its disk takes no writes (read-only file system): look at the disk of /var/lib/overcrank", "son disque n’accepte pas d’écriture (read-only file system)\u00a0: vérifiez le disque de /var/lib/overcrank"},
		// Why the farm has refused something.
		{de, `"vic \"the boss\"" may not read the audit log: that needs the role admin, and "vic \"the boss\"" has the role viewer`,
			`„vic "the boss"“ darf Folgendes nicht: das Audit-Protokoll lesen. Das erfordert die Rolle Administrator, und „vic "the boss"“ hat die Rolle Betrachter`},
		// What is not drawn, and what is warned of.
		{de, "layer 'card' in composition 'main': the exact strength of effect 'Glow' is not drawn by the embedded engine", "Ebene „card“ in der Komposition „main“: von der eingebauten Engine nicht gezeichnet: die genaue Stärke (Effekt „Glow“)"},
		{de, "the softness and the outside color of effect 'Audio Spectrum' is not drawn", "Nicht gezeichnet: die Weichheit und die Außenfarbe (Effekt „Audio Spectrum“)"},
		{de, "filters with 'feTile', patterns in the vector file 'a.svg' is not drawn", "Nicht gezeichnet: Filter mit „feTile“, Muster in der Vektordatei „a.svg“"},
		{fr, "font 'Lora' is not there; a similar one stands in for it", "la police «\u00a0Lora\u00a0» est absente\u00a0; une police semblable la remplace"},
		{de, "layer 'card' in composition 'main': the expression of 'Opacity' failed at 0.400 s, its value without it is used: ReferenceError: a is not defined",
			"Ebene „card“ in der Komposition „main“: die Expression von „Opacity“ ist bei 0.400 s fehlgeschlagen, ihr Wert ohne sie gilt: ReferenceError: a is not defined"},
		{de, "rendered by the embedded engine: this farm has no After Effects, and the job asks for ae2024", "von der eingebauten Engine gerendert: Diese Farm hat kein After Effects, und der Job verlangt ae2024"},
		// Others' sentences, and those of no number, are nobody's.
		{de, "something nobody has said yet", "something nobody has said yet"},
		{de, "Unable to open the file, it is empty", "Unable to open the file, it is empty"},
		{de, "After Effects error, timed out, it is empty", "After Effects error, timed out, it is empty"},
		{de, "the film has some frames, 4 were expected", "the film has some frames, 4 were expected"},
		{de, "100 % of it failed", "100 % of it failed"},
		{de, "", ""},
	} {
		if got := Heard(c.in, c.said); got != c.want {
			t.Errorf("%q is %q, want %q", c.said, got, c.want)
		}
	}
}

// TestSentencesAreBounded looks at words of which nobody knows where they come from.
func TestSentencesAreBounded(t *testing.T) {
	t.Parallel()
	de := With(context.Background(), farm.German)
	deep := strings.Repeat("Nested job a failed: ", 300) + "Render failed"
	if got := Heard(de, deep); !strings.HasPrefix(got, "Der verschachtelte Job a ist fehlgeschlagen: ") || !strings.HasSuffix(got, "Nested job a failed: Render failed") {
		t.Errorf("a job that is nested far is said as %.300q", got)
	}
	if long := "Render failed: " + strings.Repeat("x", longestHeard); Heard(de, long) != long {
		t.Error("a very long sentence was looked at")
	}
}

// speakers are the rooms in which machines word why they fail, and how: what a field is set to, or an argument of a function.
var (
	speakers = []string{
		"../../agent/aerender", "../../agent/attempt", "../../agent/presence", "../../agent/fetch", "../../agent/film", "../../agent/join", "../../agent/project",
		"../../agent/script", "../../agent/upload", "../../coordinator/results",
	}
	spokenFields = []string{"message", "Message", "Reason"}
	spokenBy     = map[string]int{"wrong": 0, "refuse": 1, "complain": 0, "lacking": 0, "away": 1}
)

// spokenAs are sentences of formats that say nothing yet without what stands in them.
var spokenAs = map[string][]string{
	"Render failed: %s hung %s": {"Render failed: After Effects hung while it was starting", "Render failed: the embedded engine hung while it opened the project",
		"Render failed: After Effects hung after the last frame", "Render failed: After Effects hung before the first frame", "Render failed: After Effects hung after 3 of 7 frames"},
	"Asset %v (asset %d)": {"Asset cannot be read: moov atom not found (asset 3)"},
	"%s failed to download (%s)%s": {"Asset failed to download (timed out) (asset 3)", "Template failed to download (404)", "Project failed to download (connection lost)",
		"Sound failed to download (410)", "Part failed to download (410) (frames 0 to 99)"},
	"%s failed to download (%d)%s":                                {"Asset failed to download (404) (asset 3)"},
	"%s failed to download (what came was not what was stored)%s": {"Asset failed to download (what came was not what was stored) (asset 3)"},
	"the %s was not written":                                      {"the film was not written"},
	"the %s is empty":                                             {"the film is empty", "the picture 0001.png is empty"},
	"the %s is %d×%d pixels, %d×%d were expected":                 {"the film is 3×4 pixels, 5×6 were expected", "the picture is 3×4 pixels, 5×6 were expected"},
	"the %s %v":                    {"the film cannot be read: moov atom not found", "the picture cannot be read: moov atom not found"},
	"The project cannot be %s: %v": {"The project cannot be unpacked: broken After Effects project", "The project cannot be read: broken After Effects project"},
	"Function '%s' %v":             {"Function 'f' needs a layerName (asset 3)", "Function 'f' needs layerName as a name or a list of names (asset 3)"},
	"the result of job %s was uploaded elsewhere, and this farm can no longer lead there: ask its storage": nil, // no failure of a job
}

// TestEachFailureIsKnown holds the texts to the code of the machines.
func TestEachFailureIsKnown(t *testing.T) {
	t.Parallel()
	found := 0
	check := func(at string, e ast.Expr) {
		if call, ok := e.(*ast.CallExpr); ok && nameOf(call.Fun) == "fmt.Sprintf" {
			e = call.Args[0]
		}
		text, ok := literal(e)
		if !ok || text == "" {
			return
		}
		found++
		samples, several := spokenAs[text]
		if !several {
			samples = []string{sample(text)}
		}
		for _, said := range samples {
			if !known(said) {
				t.Errorf("%s: nobody knows %q again", at, said)
			}
		}
	}
	walk(t, speakers, func(at string, n ast.Node) {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && slices.Contains(spokenFields, key.Name) {
				check(at, n.Value)
			}
		case *ast.CallExpr:
			if arg, ok := spokenBy[nameOf(n.Fun)]; ok && len(n.Args) > arg {
				check(at, n.Args[arg])
			}
		}
	})
	if found < 80 {
		t.Errorf("only %d sentences were found in the code", found)
	}
}

// painters are the rooms that note what they do not draw, and the functions that they do so with: which of their arguments says what.
var (
	painters = []string{"../../engine/effect", "../../engine/footage/vector", "../../engine/render", "../../engine/scene", "../../engine/shape", "../../engine/style", "../../engine/text",
		"../../engine/aerender", "../../agent/attempt"}
	notedBy = map[string]int{"Lack": 0, "lack": 0, "detail": 0, "almost": 0, "undrawn": 2, "Unless": 2, "LackIf": 2, "note": 1, "mar": 0, "warning": 0, "warn": 0}
)

// notedAs is what is noted where the code has no more than a part of it.
var notedAs = map[string][1]string{
	"After Effects' own pattern of thing":       {"After Effects' own pattern of blend mode 'Dissolve'"},
	"the exact formula of thing":                {"the exact formula of blend mode 'Dissolve'"},
	"the light of transparent pixels in thing":  {"the light of transparent pixels in blend mode 'Dissolve'"},
	"the blend mode of thing'thing'":            {"the blend mode of shape group 'a'"},
	"thing: it is left out":                     {"missing footage 'a.png', used by layer 'a' in composition 'b': it is left out"},
	"thing: colour bars are drawn in its place": {"'a.png' can't be read: it is broken; it is used by layer 'a' in composition 'b': colour bars are drawn in its place"},
}

// TestEachLackIsKnown holds the texts to the code of the engine.
func TestEachLackIsKnown(t *testing.T) {
	t.Parallel()
	found := 0
	walk(t, painters, func(at string, n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return
		}
		name := nameOf(call.Fun)
		arg, ok := notedBy[name[strings.LastIndex(name, ".")+1:]]
		if !ok || len(call.Args) <= arg {
			return
		}
		said, spoken := noted(call.Args[arg])
		if !spoken {
			return
		}
		found++
		for _, said := range cmp.Or(notedAs[said], [1]string{said}) {
			if !known(said) {
				t.Errorf("%s: nobody knows %q again", at, said)
			}
		}
	})
	if found < 150 {
		t.Errorf("only %d things that are not drawn were found in the code", found)
	}
}

// TestEachFeatureIsKnown holds the texts to the features that the engine names.
func TestEachFeatureIsKnown(t *testing.T) {
	t.Parallel()
	found := 0
	walk(t, []string{"../../engine/scene/feature.go"}, func(at string, n ast.Node) {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return
		}
		for _, e := range spec.Values {
			if feature, ok := literal(e); ok {
				_, name, _ := strings.Cut(feature, ":")
				if found++; !known(name) {
					t.Errorf("%s: nobody knows %q again", at, name)
				}
			}
		}
	})
	for _, kind := range aep.NeedKinds() {
		if said := (aep.Need{Kind: kind, Name: "16 bits per channel"}).Subject(); !known(said) {
			t.Errorf("nobody knows %q again", said)
		}
	}
	if found < 25 {
		t.Errorf("only %d features were found in the code", found)
	}
}

// noted is what an expression might say; spoken is false for one that has no words of its own.
func noted(e ast.Expr) (said string, spoken bool) {
	if text, ok := literal(e); ok {
		return sample(text), true
	}
	switch e := e.(type) {
	case *ast.CallExpr:
		if nameOf(e.Fun) == "fmt.Sprintf" {
			said, spoken = noted(e.Args[0])
			return strings.TrimPrefix(said, "thing"), spoken // w.r.about, which says where
		}
	case *ast.BinaryExpr:
		left, a := noted(e.X)
		right, b := noted(e.Y)
		return left + right, a || b
	}
	return "thing", false
}

// refusers are the rooms below the farm's vocabulary that refuse something in sentences: in what they return, and as an argument of a function.
var refusers = []string{"../../fontfile/fontfile.go", "../../fontfile/specimen.go", "../../farm/address/host.go", "../../cmd/overcrank/previewing/previewing.go"}

// refusedAs are sentences of which the code has a part.
var refusedAs = map[string][]string{
	"the file is thing": {"the file is a WOFF font for web pages; upload the TTF or OTF that it was made from", "the file is a PDF", "the file is a web page or another text"},
}

// TestEachRefusalIsKnown holds the texts to the code of rooms that do not know the farm's vocabulary, or are programs of their own.
func TestEachRefusalIsKnown(t *testing.T) {
	t.Parallel()
	found := 0
	check := func(at string, e ast.Expr) {
		said, spoken := noted(e)
		if !spoken || !strings.Contains(said, " ") {
			return
		}
		found++
		samples, several := refusedAs[said]
		if !several {
			samples = []string{said}
		}
		for _, said := range samples {
			if !known(said) {
				t.Errorf("%s: nobody knows %q again", at, said)
			}
		}
	}
	walk(t, refusers, func(at string, n ast.Node) {
		switch n := n.(type) {
		case *ast.ReturnStmt:
			for _, e := range n.Results {
				check(at, e)
			}
		case *ast.CallExpr:
			if nameOf(n.Fun) == "refuse" {
				check(at, n.Args[0])
			}
		case *ast.KeyValueExpr:
			if nameOf(n.Key) == "Message" {
				check(at, n.Value)
			}
		case *ast.CompositeLit:
			if len(n.Elts) == 2 { // what begins like no font, and what it is
				if is, ok := literal(n.Elts[1]); ok {
					check(at, &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote("the file is " + is)})
				}
			}
		}
	})
	if found < 30 {
		t.Errorf("only %d refusals were found in the code", found)
	}
}

// deciders are the files that word why machines take no work, and how they stand with a release.
var deciders = []string{
	"../../agent/readiness/readiness.go", "../../coordinator/updates/ring.go", "../../coordinator/updates/rollout.go", "../../coordinator/dispatch/other_version.go",
}

// decidedAs are sentences that name a ring, or of which the code has a part.
var decidedAs = map[string][]string{
	"ffmpeg or ffprobe is missing: ": {"ffmpeg or ffprobe is missing: install ffmpeg where the PATH of the agent's account finds it, or give the farm a build to hand out ('overcrank ffmpeg add')"},
	"the farm's cannot be used (thing); ": {"ffmpeg or ffprobe is missing: the farm's cannot be used (it is damaged); " +
		"install ffmpeg where the PATH of the agent's account finds it, or give the farm a build to hand out ('overcrank ffmpeg add')"},
	"all 7 machines of thing that are online refuse thing":           {"all 7 machines of the canary ring that are online refuse 1.2: nobody is signed in"},
	", the only machine of thing that is online, refuses thing":      {"mac, the only machine of the last ring that is online, refuses 1.2: nobody is signed in"},
	" tries it until thingthing":                                     {"the canary ring tries it until 12:00", "the 10 % ring tries it until 12:00"},
	"no machine of thing that is online works with it yetthingthing": {"no machine of the canary ring that is online works with it yet", "no machine of the 10 % ring that is online works with it yet"},
	"7 of 7 machines of thing run it":                                {"7 of 9 machines of the canary ring run it", "7 of 9 machines of the 10 % ring run it", "7 of 9 machines of the last ring run it"},
	", which begin thing":                                            {"outside the hours for updates, which begin 19:00"},
	" rolled thing back":                                             {"mac rolled 1.2 back"},
	" began to install thing and has not come back":                  {"mac began to install 1.2 and has not come back"},
	": thing":      {"mac rolled 1.2 back: it does not start"},
	"thing: thing": nil, "the canary ring": nil, "the 10 % ring": nil, "the last ring": nil, // within the others
}

// TestEachStandingIsKnown holds the texts to the code that decides which machines take work.
func TestEachStandingIsKnown(t *testing.T) {
	t.Parallel()
	found := 0
	walk(t, deciders, func(at string, n ast.Node) {
		var said []ast.Expr
		switch n := n.(type) {
		case *ast.ReturnStmt:
			said = n.Results
		case *ast.AssignStmt:
			said = n.Rhs
		}
		for _, e := range said {
			text, spoken := noted(e)
			if !spoken || !strings.Contains(strings.Trim(text, " "), " ") {
				continue
			}
			found++
			samples, several := decidedAs[text]
			if !several {
				samples = []string{text}
			}
			for _, text := range samples {
				if !known(text) {
					t.Errorf("%s: nobody knows %q again", at, text)
				}
			}
		}
	})
	if found < 10 {
		t.Errorf("only %d sentences were found in the code", found)
	}
}

var (
	scriptRefusal = regexp.MustCompile(`(?s)(?:refuse\(asset, |new Error\()(.*?)\);\n`)
	scriptReason  = regexp.MustCompile(`eachLayer\(asset, filter, [^"]*?, (".*?), function`)
	scriptLiteral = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
)

// libraryAs are what the library says where its code has a part of it.
var libraryAs = map[string][]string{
	"thing (asset thing)": nil, "thing failed: thing": {"text 'Title' failed: text has no field 'a'", "script failed: a is not defined"},
	"Layer 'thing' in composition 'thing' thing": nil, // eachLayer, whose reasons are looked at too
}

// TestEachRefusalOfTheLibraryIsKnown holds the texts to the script that every project is changed with.
func TestEachRefusalOfTheLibraryIsKnown(t *testing.T) {
	t.Parallel()
	library, err := os.ReadFile("../../agent/script/library.jsx")
	if err != nil {
		t.Fatal(err)
	}
	all := scriptRefusal.FindAllStringSubmatch(string(library), -1)
	reasons := scriptReason.FindAllStringSubmatch(string(library), -1)
	for i, m := range append(all, reasons...) {
		said := scriptWords(m[1])
		if i >= len(all) {
			said = "Layer 'thing' in composition 'thing' " + said
		}
		samples, several := libraryAs[said]
		if !several {
			samples = []string{said}
		}
		for _, said := range samples {
			if !known(said) {
				t.Errorf("agent/script/library.jsx: nobody knows %q again", said)
			}
		}
	}
	if len(all) < 8 || len(reasons) < 8 {
		t.Errorf("only %d refusals and %d reasons were found in the script", len(all), len(reasons))
	}
}

// scriptWords is what texts that a script joins with values might say.
func scriptWords(joined string) string {
	var said strings.Builder
	thing := func(between string) {
		if strings.Trim(between, " +\n)") != "" {
			said.WriteString("thing")
		}
	}
	end := 0
	for _, m := range scriptLiteral.FindAllStringSubmatchIndex(joined, -1) {
		thing(joined[end:m[0]])
		said.WriteString(joined[m[2]:m[3]])
		end = m[1]
	}
	thing(joined[end:])
	return said.String()
}

// walk looks at the code of some rooms, without their tests.
func walk(t *testing.T, rooms []string, look func(at string, n ast.Node)) {
	t.Helper()
	fset := token.NewFileSet()
	for _, room := range rooms {
		err := filepath.WalkDir(room, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if n != nil {
					look(fset.Position(n.Pos()).String(), n)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// sample is what a format might say.
func sample(format string) string {
	return strings.NewReplacer("%%", "%", "%d", "7", "%.2f", "1.50", "%s", "thing", "%v", "thing", "%.100s", "thing", "%.20s", "thing", "%q", `"thing"`, "%c", "x", "%.3f", "0.400", "%.3g", "1.09", "%.40s", "thing", "%.60s", "thing").Replace(format)
}

// known tells whether a sentence is known for more than what stands around each.
func known(said string) bool {
	said = strings.TrimPrefix(regexp.MustCompile(` \(asset \d+\)$`).ReplaceAllString(said, ""), "Render failed: ")
	return slices.ContainsFunc(sentences()[len(wrappers):], func(s sentence) bool {
		_, fits := s.in(said)
		return fits
	})
}
