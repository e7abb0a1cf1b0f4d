package render

import "overcrank/engine/footage"

// Room is the budget of bytes that a render shares with the pictures of its files: what it keeps of drawn surfaces and of stills in the
// project's colours comes out of it. A footage.Library is one.
type Room interface {
	// Lend takes bytes, unless that is more than may be lent.
	Lend(bytes int64) bool
	// Return gives back what was lent.
	Return(bytes int64)
}

// roomOf is the room that the caller gave, or one of the render's own.
func roomOf(given Room) Room {
	if given == nil {
		return footage.NewLibrary(footage.DefaultBudget)
	}
	return given
}

// holding is what one keeper of pictures has taken of a room. It is locked by that keeper.
type holding struct {
	room Room
	held int64 // bytes
}

func (h *holding) take(bytes int) bool {
	if !h.room.Lend(int64(bytes)) {
		return false
	}
	h.held += int64(bytes)
	return true
}

func (h *holding) give(bytes int) {
	h.held -= int64(bytes)
	h.room.Return(int64(bytes))
}

func (h *holding) giveAll() { h.give(int(h.held)) }
