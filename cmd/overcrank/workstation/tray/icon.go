package tray

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	_ "image/jpeg" // pictures of frames
	"image/png"
	"math"
	"runtime"

	xdraw "golang.org/x/image/draw"
)

// iconSide is the side of the icon in pixels: twice the usual 16 of trays, since many screens are that fine.
const iconSide = 32

// colours of the signs. They differ in brightness too, for those who tell no colours apart.
var colours = map[Sign]color.NRGBA{
	Trouble: {0x8a, 0x8a, 0x8a, 0xff}, Free: {0x3d, 0xa3, 0x5d, 0xff}, Rendering: {0x2f, 0x6f, 0xde, 0xff}, Away: {0xe0, 0xa0, 0x30, 0xff},
}

// icon draws the sign: a disk, with a hole where the machine does nothing, and around it how far the render is.
func icon(sign Sign, percent int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, iconSide, iconSide))
	const middle = float64(iconSide) / 2
	disk := colours[sign]
	for y := range iconSide {
		for x := range iconSide {
			dx, dy := float64(x)+0.5-middle, float64(y)+0.5-middle
			distance := math.Hypot(dx, dy)
			turn := math.Mod(math.Atan2(dx, -dy)/(2*math.Pi)+1, 1) // 0 at the top, clockwise
			edge := func(radius float64) float64 { return min(1, max(0, radius-distance+0.5)) }
			alpha := edge(middle - 1)
			if sign == Away || sign == Trouble {
				alpha -= edge(middle - 7)
			}
			if sign == Rendering {
				alpha = edge(middle - 6)
				if ring := edge(middle-1) - edge(middle-4); turn < float64(percent)/100 && ring > alpha {
					alpha = ring
				}
			}
			img.SetNRGBA(x, y, color.NRGBA{disk.R, disk.G, disk.B, uint8(alpha * 0xff)})
		}
	}
	return img
}

// pictureWidth is how wide a frame's picture in the menu is, in pixels; the desktop makes it smaller where its menus have less room.
const pictureWidth = 64

// largestPicture is how many pixels a picture may have, so that a damaged one takes no memory.
const largestPicture = 1 << 22

// picture makes a frame's JPEG as small as a menu has room for.
func picture(jpeg []byte) (image.Image, bool) {
	size, _, err := image.DecodeConfig(bytes.NewReader(jpeg))
	if err != nil || size.Width <= 0 || size.Height <= 0 || size.Width*size.Height > largestPicture {
		return nil, false
	}
	frame, _, err := image.Decode(bytes.NewReader(jpeg))
	if err != nil {
		return nil, false
	}
	if runtime.GOOS == "windows" { // whose menus have room for squares alone
		small := image.NewNRGBA(image.Rect(0, 0, iconSide, iconSide))
		height := max(1, min(iconSide, iconSide*size.Height/size.Width))
		xdraw.ApproxBiLinear.Scale(small, image.Rect(0, (iconSide-height)/2, iconSide, (iconSide+height)/2), frame, frame.Bounds(), draw.Src, nil)
		return small, true
	}
	small := image.NewNRGBA(image.Rect(0, 0, pictureWidth, max(1, min(pictureWidth, pictureWidth*size.Height/size.Width))))
	xdraw.ApproxBiLinear.Scale(small, small.Bounds(), frame, frame.Bounds(), draw.Src, nil)
	return small, true
}

// encode writes a picture as the system's tray takes it: ICO on Windows, elsewhere PNG.
func encode(img image.Image) ([]byte, error) {
	if runtime.GOOS == "windows" {
		return ico(img), nil
	}
	var out bytes.Buffer
	err := png.Encode(&out, img)
	return out.Bytes(), err
}

// ico writes a square picture as an icon file of Windows, uncompressed: 32 bits a pixel from the bottom line up, and behind that a mask that nothing needs.
func ico(img image.Image) []byte {
	side := img.Bounds().Dx()
	const header, entry, info = 6, 16, 40
	mask := (side + 31) / 32 * 4 * side
	var b []byte
	word := func(v int) { b = binary.LittleEndian.AppendUint16(b, uint16(v)) }
	long := func(v int) { b = binary.LittleEndian.AppendUint32(b, uint32(v)) }
	word(0)
	word(1) // an icon
	word(1) // one of them
	b = append(b, byte(side), byte(side), 0, 0)
	word(1)
	word(32)
	long(info + 4*side*side + mask)
	long(header + entry)
	long(info)
	long(side)
	long(2 * side) // picture and mask
	word(1)
	word(32)
	for range 6 {
		long(0)
	}
	for y := side - 1; y >= 0; y-- {
		for x := range side {
			c := color.NRGBAModel.Convert(img.At(img.Bounds().Min.X+x, img.Bounds().Min.Y+y)).(color.NRGBA)
			b = append(b, c.B, c.G, c.R, c.A)
		}
	}
	return append(b, make([]byte, mask)...)
}
