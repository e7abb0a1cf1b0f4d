package titlecard

import (
	"overcrank/aep"
)

// Ids of the items.
const (
	idCard = iota + 1
	idStrip
	idFolder
	idPicture
	idMusic
	idBackground
	idShade
	idAccent
	idCurtain
	idRail
)

// Project is the title card as After Effects would open it.
func Project() *aep.Project {
	p := &aep.Project{
		Version:          aep.Version{Major: 24, Minor: 0, Build: 55, OS: "windows"},
		ExpressionEngine: "javascript-1.0", BitsPerChannel: 8, ActiveItem: idCard,
	}
	footage := &aep.Item{ID: idFolder, Name: "Footage", Kind: aep.ItemFolder}
	p.Items = []*aep.Item{
		{ID: idCard, Name: Composition, Kind: aep.ItemComposition, Comp: card()},
		{ID: idStrip, Name: Strip, Kind: aep.ItemComposition, Comp: strip()},
		footage,
		file(idPicture, footage, pictureFile, aep.Footage{Width: Width, Height: Height, HasVideo: true, Still: true, Format: "png!"}),
		file(idMusic, footage, musicFile, aep.Footage{Duration: Duration, HasAudio: true, Format: "WAVE"}),
		solid(idBackground, footage, "Background", Width, Height, 0.06, 0.06, 0.08),
		solid(idShade, footage, "Shade", Width, Height, 0.03, 0.03, 0.06),
		solid(idAccent, footage, "Accent", 150, 10, 0.98, 0.66, 0.2),
		solid(idCurtain, footage, "Curtain", Width, Height, 0, 0, 0),
		solid(idRail, footage, "Rail", 2*Width, 64, 0.05, 0.05, 0.06),
	}
	return p
}

// card is the composition that is rendered, top layer first.
func card() *aep.Composition {
	c := composition(Width, Height)
	c.Background = [3]float64{0.06, 0.06, 0.08}
	curtain := layer("Curtain", idCurtain, transform(
		fade(0, 100, 0.5, 0), fade(Duration-0.6, 0, Duration-0.04, 100)))
	title := textLayer(TitleLayer, "Overcrank", style("Inter-Bold", 96, 1, 1, 1), transform(
		rise(96, 452, 48, 0.5, 1.3), fade(0.5, 0, 1.2, 100)))
	subtitle := textLayer(SubtitleLayer, "Every frame, on every machine", style("Inter-Regular", 34, 0.92, 0.92, 0.95), transform(
		rise(100, 508, 30, 0.8, 1.6), fade(0.8, 0, 1.6, 100)))
	accent := layer(AccentLayer, idAccent, transform(
		still("ADBE Anchor Point", 0, 5, 0), still("ADBE Position", 100, 348, 0), grow(0.3, 1.1)))
	film := layer("Film Strip", idStrip, transform(
		still("ADBE Anchor Point", 0, 0, 0), drift(0, Height-64, -160, Height-64), still("ADBE Opacity", 88)))
	film.Collapse = true
	shade := layer("Shade", idShade, transform(still("ADBE Opacity", 26)))
	shade.Blend = aep.BlendMultiply
	picture := layer(PictureLayer, idPicture, transform(push(100, 113)))
	music := layer("Music", idMusic)
	background := layer("Background", idBackground)
	c.Layers = []*aep.Layer{curtain, title, subtitle, accent, film, shade, picture, music, background}
	for i, l := range c.Layers {
		l.ID = uint32(i + 1)
	}
	return c
}

// strip is a stretch of film: a dark rail with two rows of perforations.
func strip() *aep.Composition {
	c := composition(2*Width, 64)
	var holes []*aep.Property
	for x := 20.0; x < 2*Width; x += 40 {
		for _, y := range []float64{12, 52} {
			holes = append(holes, roundedRect(x, y, 18, 11, 3))
		}
	}
	holes = append(holes, fill(0.93, 0.9, 0.84))
	perforations := &aep.Layer{
		Name: "Perforations", Kind: aep.LayerShape, Enabled: true, Quality: 2, Blend: aep.BlendNormal, Stretch: 100, Out: Duration,
		Props: root(group("ADBE Root Vectors Group",
			group("ADBE Vector Group", group("ADBE Vectors Group", holes...))),
			transform(still("ADBE Anchor Point", 0, 0, 0), still("ADBE Position", 0, 0, 0))),
	}
	rail := layer("Rail", idRail)
	c.Layers = []*aep.Layer{perforations, rail}
	for i, l := range c.Layers {
		l.ID = uint32(i + 1)
	}
	return c
}

func composition(w, h int) *aep.Composition {
	return &aep.Composition{
		Width: w, Height: h, PixelAspect: 1, FrameRate: FrameRate, FrameTicks: 1024, TicksPerSecond: 1024 * FrameRate,
		Duration: Duration, WorkAreaDuration: Duration, ShutterAngle: 180, ShutterPhase: -90,
		ShutterSamples: aep.ShutterSamples, ShutterLimit: aep.ShutterLimit,
	}
}

func solid(id uint32, parent *aep.Item, name string, w, h int, r, g, b float64) *aep.Item {
	return &aep.Item{ID: id, Name: name, Kind: aep.ItemFootage, Parent: parent, Footage: &aep.Footage{
		Kind: aep.FootageSolid, Width: w, Height: h, PixelAspect: 1, Color: [3]float64{r, g, b}, HasVideo: true, Still: true,
	}}
}

// file is footage in the folder "(Footage)" beside the project.
func file(id uint32, parent *aep.Item, name string, f aep.Footage) *aep.Item {
	f.Kind, f.PixelAspect = aep.FootageFile, 1
	f.File = aep.FileReference{
		FullPath: `C:\Overcrank\Title Card folder\(Footage)\` + name, Platform: "windows", AscendBase: 1, AscendTarget: 2,
	}
	return &aep.Item{ID: id, Name: name, Kind: aep.ItemFootage, Parent: parent, Footage: &f}
}

func layer(name string, source uint32, groups ...*aep.Property) *aep.Layer {
	return &aep.Layer{
		Name: name, Kind: aep.LayerAV, Source: source, Out: Duration, Stretch: 100, Blend: aep.BlendNormal,
		Enabled: true, AudioEnabled: true, EffectsEnabled: true, Quality: 2, Props: root(groups...),
	}
}

func textLayer(name, words string, st aep.CharacterStyle, groups ...*aep.Property) *aep.Layer {
	length := len([]rune(words)) + 1 // and the closing paragraph mark
	doc := &aep.TextDocument{
		Text: words + "\r", Runs: []aep.TextRun{{Length: length, Style: st}},
		Paragraphs: []aep.ParagraphRun{{Length: length, Style: aep.ParagraphStyle{AutoLeadingFactor: 1.2}}},
	}
	l := layer(name, 0, append([]*aep.Property{
		group("ADBE Text Properties", &aep.Property{Match: "ADBE Text Document", Enabled: true, Value: doc})}, groups...)...)
	l.Kind = aep.LayerText
	return l
}

func style(font string, size, r, g, b float64) aep.CharacterStyle {
	return aep.CharacterStyle{
		Font: font, Size: size, HScale: 100, VScale: 100, AutoLeading: true, ApplyFill: true,
		Fill: [4]float64{r, g, b, 1}, Stroke: [4]float64{0, 0, 0, 1}, Tracking: -10,
	}
}
