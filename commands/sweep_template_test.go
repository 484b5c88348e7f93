package commands_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"moviola/commands"
	"moviola/commands/templates"
	"moviola/domain/blobkey"
	"moviola/domain/template"
)

// users answers whether a movie still needs a template, and counts the questions.
type users struct {
	used  bool
	fail  error
	asked int
}

func (u *users) inUse(context.Context, template.ID) (bool, error) {
	u.asked++
	return u.used, u.fail
}

func (w *world) sweeper(u *users) templates.SweepTemplateHandler {
	return templates.NewSweepTemplateHandler(templates.SweepTemplateConfig{
		Log: w.log, Files: w.files, UsedFunc: u.inUse, Now: w.clock, Kept: 7 * 24 * time.Hour, Age: 10 * time.Minute,
	})
}

// deletedTemplate makes two templates of alice: gone has two bodies and an example, and is deleted; kept is not.
func (w *world) deletedTemplate() (gone, kept template.ID) {
	w.t.Helper()
	gone, kept = w.save("", `{"scenes":[{"duration":2}]}`), w.save("", `{}`)
	w.save(gone, `{"scenes":[{"duration":3}]}`)
	w.must(w.files.Put(w.t.Context(), blobkey.ExamplesOf(gone)+"p.mp4", strings.NewReader("an example")))
	_, err := templates.NewDeleteTemplateHandler(w.templateConfig()).Handle(w.t.Context(), templates.DeleteTemplate{Account: alice, ID: gone})
	w.must(err)
	return gone, kept
}

func (w *world) stored() int {
	w.t.Helper()
	keys, err := w.files.List(w.t.Context(), "")
	w.must(err)
	return len(keys)
}

// TestSweepTemplate: the files of a deleted template are removed once, not before its time, and not while a movie needs
// them. No other files are removed.
func TestSweepTemplate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gone, kept := w.deletedTemplate()
	u := &users{used: true}
	nothing := func(what string, cmd templates.SweepTemplate) {
		t.Helper()
		if err := w.sweeper(u).Handle(t.Context(), cmd); !errors.Is(err, commands.ErrNothingToDo) || w.stored() != 4 {
			t.Errorf("%s: %v, %d files", what, err, w.stored())
		}
	}
	nothing("one that is there", templates.SweepTemplate{ID: kept})
	nothing("an unknown one", templates.SweepTemplate{ID: templateID(99)})
	nothing("just deleted", templates.SweepTemplate{ID: gone})
	nothing("just deleted, of a closed account", templates.SweepTemplate{ID: gone, Departed: true})
	if u.asked > 0 {
		t.Errorf("movies were looked for %d times", u.asked)
	}
	w.wait(11 * time.Minute)
	nothing("kept for deliveries", templates.SweepTemplate{ID: gone})
	nothing("in use, of a closed account", templates.SweepTemplate{ID: gone, Departed: true})
	w.wait(7 * 24 * time.Hour)
	nothing("in use", templates.SweepTemplate{ID: gone})
	u.fail = errors.New("the read models are away")
	if err := w.sweeper(u).Handle(t.Context(), templates.SweepTemplate{ID: gone}); !errors.Is(err, u.fail) || errors.Is(err, commands.ErrNothingToDo) || w.stored() != 4 {
		t.Errorf("without read models: %v, %d files", err, w.stored())
	}
	u.used, u.fail = false, nil
	w.must(w.sweeper(u).Handle(t.Context(), templates.SweepTemplate{ID: gone}))
	if want := (template.Swept{At: w.clock().UTC()}); w.stored() != 1 || w.last(template.Stream(gone)) != want {
		t.Errorf("%d files, the last event is %+v", w.stored(), w.last(template.Stream(gone)))
	}
	if err := w.sweeper(u).Handle(t.Context(), templates.SweepTemplate{ID: gone}); !errors.Is(err, commands.ErrNothingToDo) {
		t.Errorf("swept again: %v", err)
	}
}

// TestSweepTemplate_Departed: a closed account's templates are removed early, because nothing is delivered again for it.
func TestSweepTemplate_Departed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gone, _ := w.deletedTemplate()
	w.wait(11 * time.Minute)
	w.must(w.sweeper(&users{}).Handle(t.Context(), templates.SweepTemplate{ID: gone, Departed: true}))
	if w.stored() != 1 {
		t.Errorf("%d files", w.stored())
	}
}

// TestSweepTemplate_killed ends the process at each step of a sweep. The next call completes the sweep, which is recorded
// once.
func TestSweepTemplate_killed(t *testing.T) {
	t.Parallel()
	at := func(call string, nth int) func(w *world) {
		return func(w *world) {
			w.files.Fail(func(got, _ string) error {
				if got == call {
					nth--
				}
				if nth < 0 {
					return errKilled
				}
				return nil
			})
		}
	}
	for name, kill := range map[string]func(*world){
		"before anything": at("list", 0), "after the bodies were listed": at("delete", 0), "after one was removed": at("delete", 1),
		"after the bodies": at("list", 1), "before the example": at("delete", 2), "before it is recorded": func(w *world) { w.kill("template") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			gone, _ := w.deletedTemplate()
			w.wait(8 * 24 * time.Hour)
			kill(w)
			if err := w.sweeper(&users{}).Handle(t.Context(), templates.SweepTemplate{ID: gone}); !errors.Is(err, errKilled) {
				t.Fatalf("error %v", err)
			}
			w.restart()
			w.must(w.sweeper(&users{}).Handle(t.Context(), templates.SweepTemplate{ID: gone}))
			w.wantEvents(template.Stream(gone), "TemplateCreated", "TemplateUpdated", "TemplateDeleted", "TemplateSwept")
			if w.stored() != 1 {
				t.Errorf("%d files", w.stored())
			}
		})
	}
}
