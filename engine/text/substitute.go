package text

import "strings"

// stand-ins by kind of typeface, best first. All but the last few are free; the system's own follow for machines that
// have none of the free ones.
var (
	sans      = []string{"inter", "opensans", "notosans", "roboto", "liberationsans", "arimo", "dejavusans", "helveticaneue", "segoeui", "arial", "gofont", "go"}
	grotesque = []string{"liberationsans", "arimo", "arial", "helvetica", "nimbussans", "texgyreheros", "inter", "dejavusans"}
	serif     = []string{"liberationserif", "tinos", "timesnewroman", "times", "notoserif", "dejavuserif"}
	mono      = []string{"liberationmono", "cousine", "couriernew", "courier", "notosansmono", "dejavusansmono", "gomono"}
	narrow    = []string{"liberationsansnarrow", "arialnarrow"}
)

// alike names families whose stand-in is better than the general one: the same widths, or the same shapes.
var alike = map[string][]string{
	"helvetica": grotesque, "helveticaneue": grotesque, "helveticaneuelt": grotesque, "helveticaneueltstd": grotesque,
	"helveticaltstd": grotesque, "arial": grotesque, "arialmt": grotesque, "arialunicodems": grotesque, "swiss": grotesque,
	"nimbussans": grotesque, "nimbussansl": grotesque, "univers": grotesque, "akzidenzgrotesk": grotesque,
	"arialnarrow": narrow, "helveticacondensed": narrow, "liberationsansnarrow": narrow,
	"times": serif, "timesnewroman": serif, "timesnewromanps": serif, "timesnewromanpsmt": serif, "georgia": serif,
	"garamond": serif, "agaramondpro": serif, "adobegaramondpro": serif, "ebgaramond": serif, "minion": serif,
	"minionpro": serif, "palatino": serif, "palatinolinotype": serif, "baskerville": serif, "bodoni": serif,
	"bodonistd": serif, "didot": serif, "cambria": serif, "caslon": serif, "acaslonpro": serif, "playfairdisplay": serif,
	"bookantiqua": serif, "century": serif, "merriweather": serif, "lora": serif, "hoeflertext": serif, "trajanpro": serif,
	"courier": mono, "couriernew": mono, "couriernewps": mono, "couriernewpsmt": mono, "courierstd": mono, "menlo": mono,
	"monaco": mono, "consolas": mono, "sfmono": mono, "lucidaconsole": mono, "andalemono": mono,
	"arimo": grotesque, "tinos": serif, "cousine": mono,
}

// standIns lists families to try for a family that is not there.
func standIns(family string, want look) []string {
	list := alike[family]
	if list == nil {
		switch {
		case strings.Contains(family, "mono") || strings.Contains(family, "code") || strings.Contains(family, "courier"):
			list = mono
		case strings.Contains(family, "sans") || strings.Contains(family, "grot"):
			list = sans
		case strings.Contains(family, "serif") || strings.Contains(family, "slab") || strings.Contains(family, "roman") ||
			strings.Contains(family, "antiqua"):
			list = serif
		}
	}
	var out []string
	if want.narrow {
		out = append(out, narrow...)
	}
	out = append(out, list...)
	return append(out, sans...)
}

// covering lists families known for scripts beyond Latin, to be asked first when a font lacks a character.
var covering = []string{
	"inter", "dejavusans", "notosans", "liberationsans", "arialunicodems", "segoeui",
	"notosanscjkjp", "notosanscjksc", "hiraginosans", "pingfangsc", "microsoftyahei", "yugothic", "malgungothic",
	"applesdgothicneo", "notosansarabic", "geezapro", "notosanshebrew", "arialhebrew", "notosansdevanagari",
	"kohinoordevanagari", "notosansthai", "thonburi", "notosanssymbols", "notosanssymbols2", "segoeuisymbol", "applesymbols",
}
