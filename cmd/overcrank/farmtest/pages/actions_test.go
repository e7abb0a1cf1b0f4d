//go:build linux

package pages_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// The driver's own actions look elements up in its copy of the page, which can miss one that the farm draws anew meanwhile. These ask the page itself,
// and say what they waited for when that never came.

// untilTrue waits for a script to say true. The page may change while it waits: a script that is cut off by that is asked again on the next page.
func untilTrue(script string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		for {
			var yes bool
			err := chromedp.Evaluate(script, &yes).Do(ctx)
			var thrown *runtime.ExceptionDetails
			switch {
			case err == nil && yes:
				return nil
			case errors.As(err, &thrown) && strings.Contains(thrown.Error(), "is not a valid selector"): // which waiting does not mend
				return fmt.Errorf("%s: %w", script, err)
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("never true: %s (%w)", script, cmp.Or(err, ctx.Err()))
			case <-time.After(50 * time.Millisecond):
			}
		}
	})
}

// visible waits for an element to be seen.
func visible(selector string) chromedp.Action {
	return untilTrue(fmt.Sprintf(`!!document.querySelector(%q)?.checkVisibility()`, selector))
}

// focus gives an element the keyboard.
func focus(selector string) chromedp.Action {
	return untilTrue(fmt.Sprintf(`((e) => { e?.focus(); return !!e && document.activeElement === e; })(document.querySelector(%q))`, selector))
}

// types has the keys of a text pressed in a field.
func types(selector, text string) chromedp.Action {
	return chromedp.Tasks{visible(selector), focus(selector), chromedp.KeyEvent(text)}
}

// selectOption chooses an option of a list.
func selectOption(selector, option string) chromedp.Action {
	return untilTrue(fmt.Sprintf(`((e, option) => {
		if (!e?.checkVisibility()) return false;
		e.value = option;
		return e.value === option && e.dispatchEvent(new Event("change", { bubbles: true }));
	})(document.querySelector(%q), %q)`, selector, option))
}

// chooseFiles gives a field files, as the browser's dialog does.
func chooseFiles(selector string, paths ...string) chromedp.Action {
	find := fmt.Sprintf(`document.querySelector(%q)`, selector)
	return chromedp.Tasks{untilTrue(`!!` + find), chromedp.ActionFunc(func(ctx context.Context) error {
		field, thrown, err := runtime.Evaluate(find).Do(ctx)
		switch {
		case err != nil:
			return err
		case thrown != nil:
			return thrown
		}
		return dom.SetFileInputFiles(paths).WithObjectID(field.ObjectID).Do(ctx)
	})}
}

// choosesFiles has the browser's dialogs for files choose some, from now on.
func (b *browser) choosesFiles(paths ...string) {
	b.t.Helper()
	chromedp.ListenTarget(b, func(event any) {
		opened, ok := event.(*page.EventFileChooserOpened)
		if !ok {
			return
		}
		go func() { // listeners must not wait for the browser
			if err := chromedp.Run(b, dom.SetFileInputFiles(paths).WithBackendNodeID(opened.BackendNodeID)); err != nil {
				b.trouble("choose " + strings.Join(paths, ", ") + ": " + err.Error())
			}
		}()
	})
	b.do(page.SetInterceptFileChooserDialog(true))
}

// points presses the button of the mouse on an element, as a hand does, which some of what a browser opens asks for.
func (b *browser) points(selector string) {
	b.t.Helper()
	b.painted()
	b.do(visible(selector))
	at := value[struct{ X, Y float64 }](b, fmt.Sprintf(`((e) => {
		e.scrollIntoView({ block: "center", behavior: "instant" });
		const { left, top, width, height } = e.getBoundingClientRect();
		return { X: left + width / 2, Y: top + height / 2 };
	})(document.querySelector(%q))`, selector))
	b.do(chromedp.MouseClickXY(at.X, at.Y))
}
