package cache_test

import (
	"fmt"
	"testing"

	"overcrank/coordinator/cache"
)

func TestWhatWasNotUsedForLongestIsDropped(t *testing.T) {
	t.Parallel()
	const mega = 1 << 20
	var c cache.Cache[int]
	for i := range 8 {
		c.Put(fmt.Sprint(i), 2*mega, i)
	}
	c.Get("0")
	c.Put("8", 2*mega, 8)
	for i := range 9 {
		if got, found := c.Get(fmt.Sprint(i)); found != (i != 1) || found && got != i {
			t.Errorf("%d: %d, %v", i, got, found)
		}
	}
	c.Delete("0")
	c.Delete("never there")
	c.Put("9", 2*mega, 9)
	if _, found := c.Get("2"); !found {
		t.Error("what was deleted still takes room")
	}
	c.Put("large", 5*mega, 1)
	if _, found := c.Get("large"); found {
		t.Error("a value is kept that takes more than a quarter of the room")
	}
}
