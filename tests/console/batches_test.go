package console_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// cardTemplate is a template whose length is a variable.
const cardTemplate = `{"name":"Invitation","movie":{"width":320,"height":180,"variables":{"headline":"Hello","color":"#102030","seconds":1},
	"scenes":[{"duration":"{{seconds}}","background-color":"{{color}}","elements":[{"type":"text","text":"{{headline}}"}]}]}}`

// TestBatches: a table is dropped on a template, its columns are mapped, three of its rows are seen in their colours, and the price of
// all with the rows that cannot be made; its movies are watched, and what became of each row is downloaded.
func TestBatches(t *testing.T) {
	t.Parallel()
	c := newService(t).NewAccount("maker", 100)
	id := c.SaveTemplate(cardTemplate)
	p := visit(t, c)
	p.goTo("/batches/new?template=" + id)
	table := "\ufeffHeadline;Background;tint;Seconds\r\n\"Ana; \"\"A\"\"\";x;#ff0000;\r\nBo;y;#00ff00;\r\nCleo;z;#0000ff;\r\n=1+1;z;;5\r\nEve;z;;\r\nFay;z;;long\r\n"
	p.until("the page waits for a table", `document.querySelector(".dropcsv")`)
	data := &input.DragData{Items: []*input.DragDataItem{}, Files: []string{fileOf(t, "guests.csv", table)}, DragOperationsMask: 1}
	var at []float64
	p.ask(`(() => { const b = document.querySelector(".dropcsv").getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()`, &at)
	p.do("drop a table", input.DispatchDragEvent(input.DragEnter, at[0], at[1], data), input.DispatchDragEvent(input.DragOver, at[0], at[1], data),
		input.DispatchDragEvent(input.Drop, at[0], at[1], data))
	p.see("6 rows in guests.csv")
	if got := []string{p.value("Column Headline"), p.value("Column Background"), p.value("Column tint")}; strings.Join(got, ",") != "headline,," {
		t.Errorf("the columns are mapped to %q", got)
	}
	p.fill("Column tint", "color")
	for i, color := range []string{"255,0,0", "0,255,0", "0,0,255"} {
		p.until(fmt.Sprintf("row %d is drawn in its colour", i+1), fmt.Sprintf(`(() => {
			const c = document.querySelectorAll(".cards canvas")[%d];
			const seen = c && c.getContext("2d").getImageData(5, 5, 1, 1).data;
			return seen && [%s].every((v, i) => Math.abs(v - seen[i]) < 12);
		})()`, i, color))
	}
	var previews int
	p.ask(`document.querySelectorAll(".cards canvas").length`, &previews)
	if previews != 3 {
		t.Errorf("%d previews", previews)
	}
	p.see("5 movies, 9 credits in all.")
	p.see("Row 6: column seconds:")
	p.look("batch-new")
	p.click("Start 6 movies")
	p.until("the batch is shown", `/^\/console\/batches\/[A-Za-z0-9]{16}$/.test(location.pathname)`)
	p.until("its movies are done", `[...document.querySelectorAll(".rows .badge.good")].length === 5`)

	var file string
	p.do("download the results", chromedp.Evaluate(`fetch(document.querySelector("a[download$='.csv']").href).then((a) => a.text())`, &file, await))
	rows, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	if err != nil || len(rows) != 7 {
		t.Fatalf("%v %s", err, file)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	if last := rows[6]; last[column["status"]] != "invalid" || last[column["column"]] != "seconds" {
		t.Errorf("the row that cannot be made: %q", last)
	}
	for i, row := range rows[1:6] {
		if row[column["status"]] != "done" || row[column["row"]] != fmt.Sprint(i+1) || c.Download(row[column["url"]], nil).Status != http.StatusOK {
			t.Errorf("row %q", row)
		}
	}
	p.goTo("/batches")
	p.see("5 movies")
}
