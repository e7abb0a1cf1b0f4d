package program

import "strings"

// Character is a character by the name that fonts give its glyph.
type Character struct {
	Name string
	Rune rune
}

// Latin are the characters that most fonts have, by the numbers that CFF gives their names.
var Latin = latin()

// Further are more that encodings of PDF name.
var Further = named("Euro ff ffi ffl notequal infinity lessequal greaterequal partialdiff summation product pi integral Omega radical approxequal Delta lozenge",
	"€ﬀﬃﬄ≠∞≤≥∂∑∏π∫Ω√≈∆◊")

func latin() []Character {
	digits := "zero one two three four five six seven eight nine"
	names := ".notdef space exclam quotedbl numbersign dollar percent ampersand quoteright parenleft parenright asterisk plus comma hyphen period slash " + digits +
		" colon semicolon less equal greater question at A B C D E F G H I J K L M N O P Q R S T U V W X Y Z bracketleft backslash bracketright asciicircum " +
		"underscore quoteleft a b c d e f g h i j k l m n o p q r s t u v w x y z braceleft bar braceright asciitilde exclamdown cent sterling fraction yen " +
		"florin section currency quotesingle quotedblleft guillemotleft guilsinglleft guilsinglright fi fl endash dagger daggerdbl periodcentered paragraph " +
		"bullet quotesinglbase quotedblbase quotedblright guillemotright ellipsis perthousand questiondown grave acute circumflex tilde macron breve dotaccent " +
		"dieresis ring cedilla hungarumlaut ogonek caron emdash AE ordfeminine Lslash Oslash OE ordmasculine ae dotlessi lslash oslash oe germandbls " +
		"onesuperior logicalnot mu trademark Eth onehalf plusminus Thorn onequarter divide brokenbar degree thorn threequarters twosuperior registered minus " +
		"eth multiply threesuperior copyright Aacute Acircumflex Adieresis Agrave Aring Atilde Ccedilla Eacute Ecircumflex Edieresis Egrave Iacute Icircumflex " +
		"Idieresis Igrave Ntilde Oacute Ocircumflex Odieresis Ograve Otilde Scaron Uacute Ucircumflex Udieresis Ugrave Yacute Ydieresis Zcaron aacute " +
		"acircumflex adieresis agrave aring atilde ccedilla eacute ecircumflex edieresis egrave iacute icircumflex idieresis igrave ntilde oacute ocircumflex " +
		"odieresis ograve otilde scaron uacute ucircumflex udieresis ugrave yacute ydieresis zcaron"
	runes := "\x00 !\"#$%&’()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_‘abcdefghijklmnopqrstuvwxyz{|}~" +
		"¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ–†‡·¶•‚„”»…‰¿`´ˆ˜¯˘˙¨˚¸˝˛ˇ—ÆªŁØŒºæıłøœß" +
		"¹¬µ™Ð½±Þ¼÷¦°þ¾²®−ð×³©ÁÂÄÀÅÃÇÉÊËÈÍÎÏÌÑÓÔÖÒÕŠÚÛÜÙÝŸŽáâäàåãçéêëèíîïìñóôöòõšúûüùýÿž"
	return named(names, runes)
}

func named(names, runes string) []Character {
	list := strings.Fields(names)
	out := make([]Character, len(list))
	for i, r := range []rune(runes) {
		out[i] = Character{list[i], r}
	}
	return out
}

// standard is Adobe's standard encoding: the number of the name of each code, 0 for none.
var standard = standardEncoding()

func standardEncoding() (out [256]byte) {
	for _, part := range []struct{ first, last, id int }{
		{32, 126, 1}, {161, 175, 96}, {177, 180, 111}, {182, 189, 115}, {191, 191, 123}, {193, 200, 124}, {202, 203, 132}, {205, 208, 134}, {225, 225, 138},
		{227, 227, 139}, {232, 235, 140}, {241, 241, 144}, {245, 245, 145}, {248, 251, 146},
	} {
		for code := part.first; code <= part.last; code++ {
			out[code] = byte(part.id + code - part.first)
		}
	}
	return out
}

// StandardName is the name of the glyph of a code in Adobe's standard encoding, "" where it has none.
func StandardName(code byte) string {
	if id := standard[code]; id != 0 {
		return Latin[id].Name
	}
	return ""
}
