package text

import "slices"

// Families whose characters are as wide as each other's, by their design. The first of two are of one drawing, the second of another, so that each is
// replaced by its own drawing first, as fontconfig's 30-metric-aliases.conf has it. It names all of them but for what has its source here.
var twins = [][2][]string{
	{{"nimbussans", "nimbussansl", "texgyreheros", "helvetica"}, {"liberationsans", "arimo", "arial", "albany", "albanyamt"}},
	{{"nimbussansnarrow", "texgyreheroscn", "helveticanarrow", "helveticacondensed"}, {"liberationsansnarrow", "arialnarrow"}},
	{
		{"nimbusroman", "nimbusromanno9l", "texgyretermes", "times"},
		{"liberationserif", "tinos", "timesnewroman", "timesnewromanps", "timesnewromanpsmt", "thorndale", "thorndaleamt"},
	},
	{
		{"nimbusmonops", "nimbusmono", "nimbusmonol", "texgyrecursor", "courier", "courierstd"},
		{"liberationmono", "cousine", "couriernew", "couriernewps", "couriernewpsmt", "cumberland", "cumberlandamt"},
	},
	{palatino}, {bookman}, {schoolbook}, {avantGarde}, {chancery},
	{{"carlito", "calibri"}}, {{"caladea", "cambria"}}, {{"gelasio", "georgia"}},
	{{"selawik", "segoeui"}},          // https://github.com/microsoft/Selawik
	{{"comicrelief", "comicsansms"}},  // made to the metrics of the other, by its maker: http://www.typophile.com/node/99791
	{{"standardsymbolsps", "symbol"}}, // https://github.com/ArtifexSoftware/urw-base35-fonts, and the next
	{{"d050000l", "itczapfdingbats"}},
}

var (
	palatino   = []string{"p052", "texgyrepagella", "urwpalladiol", "palladiourw", "palatinolinotype", "palatino"}
	bookman    = []string{"urwbookman", "texgyrebonum", "urwbookmanl", "bookmanurw", "bookmanoldstyle", "itcbookman", "bookman"}
	schoolbook = []string{
		"c059", "texgyreschola", "centuryschoolbookl", "centuryschoolbookurw", "centuryschoolbook", "newcenturyschoolbook", "newcenturyschlbk",
	}
	avantGarde = []string{"urwgothic", "texgyreadventor", "urwgothicl", "itcavantgardegothic", "avantgarde"}
	chancery   = []string{"z003", "texgyrechorus", "urwchanceryl", "chanceryurw", "itczapfchancery", "zapfchancery"}
)

// twinsOf are the other families that are as wide as one, the best first.
func twinsOf(family string) []string {
	for _, t := range twins {
		for i, own := range t {
			if slices.Contains(own, family) {
				all := slices.Concat(own, t[1-i])
				return slices.DeleteFunc(all, func(f string) bool { return f == family })
			}
		}
	}
	return nil
}

// widthOf is the width of a family as widths has it, or of one that is as wide; 0 when it is not known.
func widthOf(family string) float64 {
	if w := widths[family]; w > 0 {
		return w
	}
	for _, f := range twinsOf(family) {
		if w := widths[f]; w > 0 {
			return w
		}
	}
	return 0
}
