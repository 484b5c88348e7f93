package console_test

import (
	"fmt"
	"testing"

	"moviola/tests/harness"
)

// TestMovies_many: the list goes on to the very first movie as its end comes into sight, each movie once and the newest first.
func TestMovies_many(t *testing.T) {
	t.Parallel()
	const many = 300
	s := harness.NewService(t)
	s.StartAPI("--log-requests=false", "--roles", "api,projector") // nobody renders
	c := s.NewAccount("maker", 1000)
	for n := range many {
		c.SubmitBody(fmt.Appendf(nil, `{"id":"movie-%03d","width":64,"height":64,"scenes":[{"duration":1}]}`, n))
	}
	b := visit(t, c)
	b.until("the first page is there", "document.querySelectorAll('.movies > li').length >= 40")
	b.until("the end is reached", fmt.Sprintf("scrollTo(0, document.documentElement.scrollHeight), document.querySelectorAll('.movies > li').length >= %d", many))
	b.until("there is no more", "!control('Show more') && !document.querySelector('main .spinner')")
	var names []string
	b.ask("[...document.querySelectorAll('.movies > li strong')].map((e) => e.textContent)", &names)
	if len(names) != many {
		t.Fatalf("%d movies are listed", len(names))
	}
	for i, name := range names {
		if want := fmt.Sprintf("movie-%03d", many-1-i); name != want {
			t.Fatalf("the movie at %d is %s, not %s", i, name, want)
		}
	}
	b.look("movies-many")
}
