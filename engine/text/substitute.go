package text

import (
	"slices"
	"strings"
)

// Replacements by kind of typeface, best first. All but the last few are free; the system's own follow for machines that
// have none of the free ones.
var (
	sans      = []string{"inter", "opensans", "notosans", "roboto", "liberationsans", "arimo", "dejavusans", "helveticaneue", "segoeui", "arial", "gofont", "go"}
	grotesque = []string{"liberationsans", "arimo", "arial", "helvetica", "nimbussans", "texgyreheros", "inter", "dejavusans"}
	serif     = []string{"liberationserif", "tinos", "timesnewroman", "times", "nimbusroman", "nimbusromanno9l", "texgyretermes", "notoserif", "dejavuserif"}
	mono      = []string{"liberationmono", "cousine", "couriernew", "courier", "nimbusmonops", "nimbusmono", "nimbusmonol", "texgyrecursor", "notosansmono", "dejavusansmono", "gomono"}
	narrow    = []string{"liberationsansnarrow", "arialnarrow", "nimbussansnarrow", "texgyreheroscn"}
)

// alike lists families with a better replacement than the general one: with the same shapes. Those of the same widths come before.
var alike = map[string][]string{
	"helvetica": grotesque, "helveticaneue": grotesque, "helveticaneuelt": grotesque, "helveticaneueltstd": grotesque,
	"helveticaltstd": grotesque, "arial": grotesque, "arialmt": grotesque, "arialunicodems": grotesque, "swiss": grotesque,
	"nimbussans": grotesque, "nimbussansl": grotesque, "univers": grotesque, "akzidenzgrotesk": grotesque,
	"arialnarrow": narrow, "helveticacondensed": narrow, "liberationsansnarrow": narrow,
	"times": serif, "timesnewroman": serif, "timesnewromanps": serif, "timesnewromanpsmt": serif, "georgia": serif,
	"garamond": serif, "agaramondpro": serif, "adobegaramondpro": serif, "ebgaramond": serif, "minion": serif,
	"minionpro": serif, "palatino": serif, "palatinolinotype": serif, "baskerville": serif, "bodoni": serif,
	"bodonistd": serif, "didot": serif, "cambria": serif, "caslon": serif, "acaslonpro": serif, "playfairdisplay": serif,
	"bookantiqua": serif, "bookman": serif, "bookmanoldstyle": serif, "itcbookman": serif, "century": serif, "centuryschoolbook": serif,
	"newcenturyschoolbook": serif, "newcenturyschlbk": serif, "merriweather": serif, "lora": serif, "hoeflertext": serif, "trajanpro": serif,
	"courier": mono, "couriernew": mono, "couriernewps": mono, "couriernewpsmt": mono, "courierstd": mono, "menlo": mono,
	"monaco": mono, "consolas": mono, "sfmono": mono, "lucidaconsole": mono, "andalemono": mono,
	"arimo": grotesque, "tinos": serif, "cousine": mono,
	"centurygothic": avantGarde, "monotypecorsiva": chancery,
}

// standIns lists the families to try for a missing one.
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
	out = append(append(out, twinsOf(family)...), list...)
	return append(out, sans...)
}

// covering lists families for scripts other than Latin, to be tried first when a font lacks a character.
var covering = []string{
	"inter", "dejavusans", "notosans", "liberationsans", "arialunicodems", "segoeui",
	"notosanscjkjp", "notosanscjksc", "hiraginosans", "pingfangsc", "microsoftyahei", "yugothic", "malgungothic",
	"applesdgothicneo", "notosansarabic", "geezapro", "notosanshebrew", "arialhebrew", "notosansdevanagari",
	"kohinoordevanagari", "notosansthai", "thonburi", "notosanssymbols", "notosanssymbols2", "segoeuisymbol", "applesymbols",
}

// widths are the widths of families, of which others are as wide (twins): the mean advance of their letters and spaces in ems, weighted by frequency in
// English, in the regular weight. They let a replacement keep the length of lines.
var widths = map[string]float64{
	"inter": 0.474, "opensans": 0.469, "notosans": 0.474, "roboto": 0.445, "liberationsans": 0.441, "arimo": 0.441,
	"arial": 0.441, "arialmt": 0.441, "helvetica": 0.441, "helveticaneue": 0.447, "segoeui": 0.450, "dejavusans": 0.505,
	"avenirnext": 0.449, "avenir": 0.449, "avenirnextltpro": 0.449, "futura": 0.430, "futurapt": 0.415, "gotham": 0.497,
	"proximanova": 0.442, "montserrat": 0.512, "poppins": 0.502, "lato": 0.434, "sourcesanspro": 0.420, "sourcesans3": 0.420,
	"raleway": 0.475, "nunito": 0.455, "ubuntu": 0.464, "gillsans": 0.412, "myriadpro": 0.420, "sfprodisplay": 0.452,
	"sfprotext": 0.468, "dinnext": 0.430, "dinnextltpro": 0.430, "oswald": 0.374, "bebasneue": 0.372, "worksans": 0.480,
	"dmsans": 0.466, "rubik": 0.478, "barlow": 0.436, "titilliumweb": 0.418, "quicksand": 0.460, "verdana": 0.506,
	"tahoma": 0.446, "trebuchetms": 0.450, "calibri": 0.410, "centurygothic": 0.482, "liberationsansnarrow": 0.362,
	"timesnewroman": 0.400, "cambria": 0.408, "palatino": 0.444, "bookman": 0.494, "newcenturyschoolbook": 0.464, "itcavantgardegothic": 0.488,
	"zapfchancery": 0.349, "dejavuserif": 0.512, "couriernew": 0.600, "dejavusansmono": 0.602,
}

// fit is the horizontal scale that gives text in the font standIn the length that it had in family.
func fit(family string, standIn *entry) float64 {
	have := key(standIn.family)
	if slices.Contains(twinsOf(family), have) {
		return 1
	}
	want, is := widthOf(family), widthOf(have)
	if want == 0 || is == 0 {
		return 1
	}
	return min(1.15, max(0.8, want/is))
}
