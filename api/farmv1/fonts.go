package farmv1

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/public"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/library"
	"overcrank/farm"
)

// fontHandlers answers for what a team's fonts can do beyond being there.
type fontHandlers struct{ fonts *library.Fonts }

func (h fontHandlers) routes() []route.Route {
	return []route.Route{route.Post(root+"/fonts/:id/stand-ins", farm.ActAddFonts, h.standIn)}
}

// standInWish is for which font another one is to stand in.
type standInWish struct{ name, face string }

// standIn has a font of the library stand in for one that it lacks.
func (h fontHandlers) standIn(c *fiber.Ctx, p farm.Principal) error {
	wish, err := input.Body(c, decodeStandIn)
	if err != nil {
		return err
	}
	font, err := h.fonts.StandIn(request.Transfer(c), p, c.Params("id"), wish.face, wish.name)
	if err != nil {
		return err
	}
	return answer.Created(c, public.FontShape(font))
}

// decodeStandIn reads the name of a font that a library lacks, and the face that stands in for it.
func decodeStandIn(body []byte) (wish standInWish, err error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return wish, err
	}
	o.Only("name", "face")
	wish = standInWish{name: o.NeedText("name", input.NameLimit), face: o.Text("face", input.NameLimit)}
	return wish, wrong.Err()
}
