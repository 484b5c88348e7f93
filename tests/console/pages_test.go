package console_test

import (
	"encoding/json"
	"image/color"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// hostile is a name that would be a script, were it put into the page as HTML.
const hostile = `<img src=x onerror="document.title='taken'">`

func fileOf(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func template(t *testing.T, c *harness.Client, name string) (id string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"name": name, "tags": "spring", "movie": map[string]any{
		"width": 320, "height": 180, "variables": map[string]any{"headline": "Hello", "color": "#102030", "size": 40},
		"scenes": []any{map[string]any{"duration": 1, "background-color": "{{color}}", "elements": []any{
			map[string]any{"type": "text", "text": "{{headline}}", "settings": map[string]any{"font-size": "{{size}}px"}},
		}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var saved struct{ TemplateID string }
	answer := c.Do(http.MethodPost, "/templates", body)
	answer.Into(t, &saved)
	if saved.TemplateID == "" {
		t.Fatalf("POST /templates: %d %s", answer.Status, answer.Body)
	}
	return saved.TemplateID
}

// TestTemplates: a template is filled in beside a live preview, rendered, copied, changed and deleted.
func TestTemplates(t *testing.T) {
	t.Parallel()
	c := newService(t).NewAccount("maker", 100)
	id := template(t, c, "Spring "+hostile)
	p := visit(t, c)
	p.goTo("/templates")
	p.see("Spring " + hostile)
	p.until("its picture is drawn", "pixels().length > 200")
	p.fill("Name or tag", "winter")
	p.see("No template fits")
	p.goTo("/templates/" + id)
	if got := p.value("Headline"); got != "Hello" {
		t.Errorf("the variable is %q", got)
	}
	p.until("the preview is drawn", "pixels().length > 200")
	var before string
	p.ask("pixels()", &before)
	p.fill("Color", "#ff0000")
	p.until("the preview follows", "pixels() !== "+quoted(before))
	p.click("Render with these values")
	p.until("the movie is shown", `location.pathname.startsWith("/console/movies/")`)
	var path string
	p.ask("location.pathname", &path)
	movie := c.WaitFor(filepath.Base(path), "done")
	film := filepath.Join(t.TempDir(), "film.mp4")
	if err := os.WriteFile(film, c.Download(*movie.URL, nil).Body, 0o600); err != nil {
		t.Fatal(err)
	}
	frame := harness.Frame(t, film, 0.5)
	if corner := frame.Bounds(); !harness.Near(harness.Mean(frame, corner.Inset(80)), color.NRGBA{255, 0, 0, 255}, 90) {
		t.Errorf("the movie is %v", harness.Mean(frame, corner))
	}
	p.goTo("/templates/" + id)
	p.see("Untitled movie")
	p.click("Duplicate")
	p.see("(custom)")
	p.click("Edit")
	p.fill("Name", "Renamed")
	p.fill("Movie JSON", "{")
	p.until("the mistake is marked", `document.querySelector("[aria-invalid]")`)
	p.fill("Movie JSON", `{"scenes":[{"duration":2}]}`)
	p.click("Save")
	p.see("This template has no variables.")
	p.click("Delete")
	p.see("Delete Renamed?")
	p.until("the question is answered", `[...document.querySelectorAll("dialog button")].some((b) => b.innerText === "Delete" && (b.click(), true))`)
	p.until("the list is shown", `location.pathname === "/console/templates"`)
	p.gone("Renamed")
}

// TestMedia: files come by the button, stand in folders, are replaced, moved and deleted.
func TestMedia(t *testing.T) {
	t.Parallel()
	c := newService(t).NewAccount("maker", 100)
	picture := filepath.Join(t.TempDir(), "spring.png")
	harness.WritePNG(t, picture, 64, 36, color.White, color.Black)
	p := visit(t, c)
	p.goTo("/media")
	p.see("Removed after three days")
	p.give(picture, fileOf(t, `a"b<i>.txt`, "text"))
	p.until("both are there", `[...document.querySelectorAll(".upload .badge.good")].length === 2`)
	p.see("spring.png")
	p.until("the picture is shown", `[...document.querySelectorAll(".glimpse img")].some((i) => i.naturalWidth === 64)`)
	p.give(picture)
	p.see("A file with this name already exists.")
	p.click("Replace spring.png")
	p.until("it is replaced", `[...document.querySelectorAll(".upload .badge.good")].length === 3`)
	p.click("Clear the list")
	p.click("New folder")
	p.until("its name is asked for", `document.querySelector("dialog[open]")`)
	p.fill("Name", "season")
	p.until("the folder is made", `[...document.querySelectorAll("dialog button")].some((b) => b.innerText === "Create" && !b.disabled && (b.click(), true))`)
	p.see("season")
	p.click("Move spring.png")
	p.until("the folders are known", `field("Into") && [...field("Into").options].some((o) => o.value === "season")`)
	p.fill("Into", "season")
	p.until("it is moved", `[...document.querySelectorAll("dialog button")].some((b) => b.innerText === "Move" && !b.disabled && (b.click(), true))`)
	p.gone("spring.png")
	p.click("season")
	p.see("spring.png")
	p.click("Delete spring.png")
	p.until("the question is answered", `[...document.querySelectorAll("dialog button")].some((b) => b.innerText === "Delete" && (b.click(), true))`)
	p.see("This folder is empty")
	p.click("Delete folder")
	p.until("the folder above is shown", `!location.search.includes("season")`)
}

// TestAccount: credits are shown, keys issued once and revoked, connections saved and tested.
func TestAccount(t *testing.T) {
	t.Parallel()
	c := newService(t).NewAccount("maker", 1234)
	p := visit(t, c)
	p.goTo("/account")
	p.see("1,234")
	p.until("a day without spending has no bar", `document.querySelector(".chart .spent") && [...document.querySelectorAll(".chart .spent")].every((b) => b.getBoundingClientRect().height === 0)`)
	p.see("Granted")
	p.goTo("/connections")
	p.see("No connections yet")
	p.click("Add a connection")
	p.fill("Id", "shop")
	p.fill("Address", "https://hook.invalid/secret-path?token=secret-token")
	p.fill("Live events (render.started, render.progress, batch.finished)", "batch.finished, render.started")
	p.until("it is to be signed", `field("Sign what is sent") && (field("Sign what is sent").checked || (field("Sign what is sent").click(), true))`)
	p.until("it is saved", `[...document.querySelectorAll("dialog button")].some((b) => b.innerText === "Save" && !b.disabled && (b.click(), true))`)
	p.see("whsec_")
	p.click("I have kept it")
	p.see("https://hook.invalid/*** · batch.finished, render.started ·")
	p.click("Test shop")
	p.see("Fails")
	p.gone("secret-token")
	p.goTo("/keys")
	p.see("this session")
	p.click("Issue a key")
	p.fill("Name", hostile)
	p.fill("Role", "viewer")
	p.until("it is issued", `[...document.querySelectorAll("dialog button")].some((b) => b.innerText === "Issue a key" && !b.disabled && (b.click(), true))`)
	p.see("It is shown only now.")
	viewer := *c
	viewer.Key = p.text("dialog code")
	p.click("I have kept it")
	p.see(hostile)

	other := visit(t, &viewer)
	other.goTo("/templates")
	other.see("No templates yet")
	for _, hidden := range []string{"New template", "API keys", "Connections", "Credits"} {
		other.gone(hidden)
	}
	other.goTo("/keys")
	other.see("may not see this page")

	p.click("Revoke " + hostile)
	p.until("it is revoked", `[...document.querySelectorAll("dialog button")].some((b) => b.innerText === "Revoke" && (b.click(), true))`)
	p.told("The key was revoked.")
	other.goTo("/movies")
	other.see("Sign in")
	var title string
	p.ask("document.title", &title)
	if strings.Contains(title, "taken") {
		t.Error("a name was run as a script")
	}
}
