package aep

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"overcrank/aep/rifx"
)

// ColorProfile is a profile that a project names. A project that names none leaves both empty.
type ColorProfile struct {
	Name string
	ICC  string // bytes of ICC.1, as the project holds them; empty where it only has the name
}

// Has tells whether the project names a profile.
func (p ColorProfile) Has() bool { return p.Name != "" && p.Name != "None" || p.ICC != "" }

// Color is how a project understands colours.
type Color struct {
	WorkingSpace    ColorProfile // none: colours are not managed
	Gamma           float64      // of colours that are not managed: 2.2 or 2.4
	LinearBlending  bool         // "Blend Colors Using 1.0 Gamma": layers are laid over each other in linear light
	LinearWorkSpace bool         // "Linearize Working Space": effects are applied to linear light too
	OCIO            bool         // colours are managed by OpenColorIO and not by Adobe
}

// The chunks of colour settings. Those of linear light are switches: what counts is that they are there.
const (
	idLinearBlending = "lnrb"
	idLinearSpace    = "lnrp"
	idGamma          = "dwga"
	idColors         = "CLRS" // of footage
)

// maxProfile limits a profile within a project, in bytes.
const maxProfile = 4 << 20

// decodeColor reads the colour settings among the chunks of a project.
func decodeColor(tree *rifx.File) Color {
	c := Color{Gamma: 2.2, LinearBlending: switched(tree.Find(idLinearBlending)), LinearWorkSpace: switched(tree.Find(idLinearSpace))}
	if gamma := tree.Find(idGamma); gamma != nil && body(gamma.Data).u8(0) != 0 {
		c.Gamma = 2.4
	}
	for i := range tree.Children {
		child := &tree.Children[i]
		if child.ID != "Utf8" {
			continue
		}
		if p := profileOf(child.Data); p.Has() && !c.WorkingSpace.Has() {
			c.WorkingSpace = p
		}
		var system struct {
			ColorManagementSystem int `json:"colorManagementSystem"`
		}
		if strings.Contains(string(child.Data), "colorManagementSystem") && json.Unmarshal(child.Data, &system) == nil {
			c.OCIO = system.ColorManagementSystem != 0
		}
	}
	return c
}

func switched(c *rifx.Chunk) bool { return c != nil && (len(c.Data) == 0 || c.Data[0] != 0) }

// profileOf reads a profile in the JSON in which projects have it.
func profileOf(data []byte) ColorProfile {
	if len(data) > 2*maxProfile || !strings.Contains(string(data), "baseColorProfile") {
		return ColorProfile{}
	}
	var read struct {
		Base struct {
			Name string `json:"colorProfileName"`
			Data string `json:"colorProfileData"`
		} `json:"baseColorProfile"`
	}
	if json.Unmarshal(data, &read) != nil {
		return ColorProfile{}
	}
	p := ColorProfile{Name: read.Base.Name}
	if icc, err := base64.StdEncoding.DecodeString(read.Base.Data); err == nil && len(icc) <= maxProfile && len(icc) > 0 {
		p.ICC = string(icc)
	}
	return p
}

// footageProfile is the profile that the interpretation of a footage assigns.
func footageProfile(pin *rifx.Chunk) ColorProfile {
	colors := pin.Find(idColors)
	if colors == nil {
		return ColorProfile{}
	}
	for i := range colors.Children {
		if p := profileOf(colors.Children[i].Data); p.Has() {
			return p
		}
	}
	return ColorProfile{}
}

// chunk is the profile as projects hold it.
func (p ColorProfile) chunk() rifx.Chunk {
	base := map[string]string{"colorProfileName": p.Name}
	if len(p.ICC) > 0 {
		base["colorProfileData"] = base64.StdEncoding.EncodeToString([]byte(p.ICC))
	}
	text, err := json.Marshal(map[string]any{"baseColorProfile": base})
	if err != nil { // of strings there is none
		return rifx.Utf8("{}")
	}
	return rifx.Leaf("Utf8", text)
}

// chunks are the colour settings as projects hold them.
func (c Color) chunks() (out []rifx.Chunk) {
	if c.LinearBlending {
		out = append(out, rifx.Leaf(idLinearBlending, []byte{1}))
	}
	if c.LinearWorkSpace {
		out = append(out, rifx.Leaf(idLinearSpace, []byte{1}))
	}
	gamma := make([]byte, 4)
	if c.Gamma > 2.3 {
		gamma[0] = 1
	}
	out = append(out, rifx.Leaf(idGamma, gamma))
	if c.OCIO {
		out = append(out, rifx.Utf8(`{"colorManagementSystem":1}`))
	}
	if c.WorkingSpace.Has() {
		out = append(out, c.WorkingSpace.chunk())
	}
	return out
}
