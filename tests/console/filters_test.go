package console_test

import (
	"encoding/json"
	"testing"

	"github.com/chromedp/chromedp"

	"moviola/tests/harness"
)

// named submits a movie with an id and client-data of its own.
func named(t *testing.T, c *harness.Client, id string, data map[string]any) (project string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"width": 64, "height": 64, "id": id, "client-data": data, "scenes": []any{map[string]any{"duration": 1}}})
	if err != nil {
		t.Fatal(err)
	}
	return c.SubmitBody(body)
}

// TestMovies_filters: the list is narrowed by state, template and date and searched by exact values, and its address says by what.
func TestMovies_filters(t *testing.T) {
	t.Parallel()
	c := newService(t).NewAccount("maker", 100)
	saved := template(t, c, "Spring "+hostile)
	spring := named(t, c, "spring", map[string]any{"shop": "Berlin " + hostile, "order": 7})
	named(t, c, "summer", map[string]any{"shop": "Rome", "order": 7})
	made := c.SubmitBody([]byte(`{"template":"` + saved + `"}`))
	for _, project := range []string{spring, made} {
		c.WaitFor(project, "done")
	}
	b := visit(t, c)
	listed := func(n string) string { return "document.querySelectorAll('.movies > li').length === " + n }
	for _, width := range []int64{1280, 390} {
		b.do("a width", chromedp.EmulateViewport(width, 900))
		b.goTo("/movies")
		b.until("all are listed", listed("3"))
		b.fill("Search by", "data")
		b.fill("Name in client data", "order")
		b.fill("Exactly", "7")
		b.click("Search")
		b.until("two have the order", listed("2")+" && location.search === '?client-data.order=7'")
		b.fill("Name in client data", "shop")
		b.fill("Exactly", "Berlin "+hostile)
		b.click("Search")
		b.until("one is of the shop too", listed("1")+" && document.querySelector('.movies').innerText.includes('spring')")
		b.see("Berlin " + hostile)
		b.until("it fits", "document.documentElement.scrollWidth <= innerWidth")
		b.look("movies-filtered-" + map[int64]string{1280: "wide", 390: "phone"}[width])
		b.do("the same address anew", chromedp.Reload())
		b.until("the address is the state", listed("1")+" && document.querySelectorAll('.chosen li').length === 2")
		b.fill("State", "error")
		b.see("No movie fits")
		b.look("movies-none-found")
		b.click("Clear filters")
		b.until("all are back", listed("3")+" && location.search === ''")
		b.fill("Template", saved)
		b.until("one is made of the template", listed("1")+" && location.search.includes("+quoted(saved)+")")
		b.click("Clear filters")
		b.fill("Until", "2020-01-01")
		b.see("No movie fits")
		b.click("Clear filters")
		b.fill("Search by", "movie_id")
		b.fill("Exactly", "summer")
		b.click("Search")
		b.until("it is found by its own id", listed("1")+" && document.querySelector('.movies').innerText.includes('summer')")
		b.click("Without Own id")
		b.until("the search is over", listed("3"))
		b.fill("Search by", "project")
		b.fill("Exactly", spring)
		b.click("Search")
		b.until("it is found by its project", listed("1")+" && document.querySelector('.movies').innerText.includes("+quoted(spring)+")")
	}
	b.goTo("/movies?status=done&client-data.shop=" + `%22%3E%3Cscript%3Ewindow.caught=1%3C/script%3E`)
	b.see("No movie fits")
	b.goTo("/movies?status=nonsense")
	b.until("what is wrong with it is told", "document.querySelector('.failure')")
	b.until("nothing of it has run", "window.caught === undefined && document.title !== 'taken'")
}
