package console_test

import (
	"net/http"
	"path"
	"testing"

	"moviola/tests/harness"
)

// answer presses a button of the question in front of the page.
func (b *browser) answer(question, button string) {
	b.t.Helper()
	b.see(question)
	b.until("the question is answered", `[...document.querySelectorAll("dialog[open] button")].some((b) => b.innerText === `+quoted(button)+` && !b.disabled && (b.click(), true))`)
}

// TestMovie_cancel: a render that waits is cancelled after a question, and its credits are released.
func TestMovie_cancel(t *testing.T) {
	t.Parallel()
	s := harness.NewService(t)
	s.StartAPI("--log-requests=false", "--roles", "api,projector") // nobody renders
	c := s.NewAccount("maker", 100)
	project := c.SubmitBody([]byte(`{"width":64,"height":64,"scenes":[{"duration":1}]}`))
	b := visit(t, c)
	b.goTo("/movies/" + project)
	b.see("It waits for its turn.")
	b.click("Cancel render")
	b.answer("Cancel this render?", "Cancel")
	b.until("the question is gone", "!document.querySelector('dialog[open]') && document.querySelector('main').innerText.includes('It waits for its turn.')")
	b.click("Cancel render")
	b.answer("Cancel this render?", "Cancel render")
	b.told("The render was cancelled.")
	b.until("it is not under way any more", "!control('Cancel render') && document.querySelector('main .badge.bad')")
	b.until("its history tells so", "document.querySelector('.history')?.innerText.includes('Cancelled')")
	if got := c.WaitFor(project, "error").Status; got != "error" {
		t.Errorf("the movie is %s", got)
	}
	if answer := c.Do(http.MethodPost, "/movies/cancel?project="+project, nil); answer.Status != http.StatusConflict {
		t.Errorf("cancelled twice: %d %s", answer.Status, answer.Body)
	}
}

// TestMovie_again: a movie's file is deleted after a question; its JSON is changed and rendered again as another movie.
func TestMovie_again(t *testing.T) {
	t.Parallel()
	c := newService(t).NewAccount("maker", 100)
	project := c.SubmitBody([]byte(`{"id":"first","width":64,"height":64,"scenes":[{"duration":1,"background-color":"#ff0000"}]}`))
	film := *c.WaitFor(project, "done").URL
	b := visit(t, c)
	b.goTo("/movies/" + project)
	b.until("it is played", "document.querySelector('video')?.readyState >= 1")
	b.click("Delete file")
	b.answer("Delete the file of this movie?", "Delete file")
	b.told("The file was deleted.")
	b.see("The file is not kept any more.")
	b.until("nothing can be downloaded or deleted", "!control('Download') && !control('Delete file') && !document.querySelector('video')")
	b.until("its history tells so", "document.querySelector('.history')?.innerText.includes('File deleted')")
	if answer := c.Download(film, nil); answer.Status == http.StatusOK {
		t.Error("the file can still be downloaded")
	}
	b.click("Edit and render again")
	b.until("its JSON is in the editor", "location.search === "+quoted("?movie="+project)+" && "+inEditor(".cm-content")+"?.innerText.includes('#ff0000')")
	b.write(`{"id":"second","width":64,"height":64,"scenes":[{"duration":1,"background-color":"#0000ff"}]}`)
	b.until("nothing is wrong", "document.querySelector('.problems .sum').innerText.includes('Nothing is wrong')")
	b.click("Render")
	b.until("another movie is shown", "location.pathname.startsWith('/console/movies/') && !location.pathname.endsWith("+quoted(project)+")")
	var shown string
	b.ask("location.pathname", &shown)
	b.until("it is done", "document.querySelector('video')?.readyState >= 1 && document.querySelector('h1').innerText.includes('second')")
	again := c.WaitFor(path.Base(shown), "done")
	if again.URL == nil || *again.URL == film {
		t.Errorf("the file of the second render is %v", again.URL)
	}
}
