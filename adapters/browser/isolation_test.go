package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"moviola/adapters/browser"
)

// channels leaves a mark wherever a browser keeps something for a site, and shows a red box for each mark that was there before.
const channels = `<body style="margin:0;background:white"><img src="/cached.svg"><script>
const found = [];
const note = name => { found.push(name); document.body.append(Object.assign(document.createElement('div'),
	{ style: 'width:60px;height:20px;background:red', textContent: name })) };
const channels = {
	cookie() { if (document.cookie) note('cookie'); document.cookie = 'mark=1; max-age=99999' },
	local() { if (localStorage.mark) note('localStorage'); localStorage.mark = 1 },
	session() { if (sessionStorage.mark) note('sessionStorage'); sessionStorage.mark = 1 },
	name() { if (window.name) note('window.name'); window.name = 'mark' },
	async database() {
		const all = await indexedDB.databases(); if (all.length) note('indexedDB');
		await new Promise(done => indexedDB.open('mark').onsuccess = done);
	},
	async caches() { if (await caches.has('mark')) note('caches'); await caches.open('mark') },
	async files() {
		const root = await navigator.storage.getDirectory();
		for await (const name of root.keys()) note('file ' + name);
		await root.getFileHandle('mark', { create: true });
	},
	async worker() {
		if ((await navigator.serviceWorker.getRegistrations()).length) note('serviceWorker');
		await navigator.serviceWorker.register('/worker.js');
	},
	shared() {
		const w = new SharedWorker('/shared.js'); w.port.onmessage = e => { if (e.data > 1) note('sharedWorker') };
	},
	broadcast() { const b = new BroadcastChannel('mark'); b.onmessage = () => note('broadcast'); b.postMessage(1) },
	async locks() { if ((await navigator.locks.query()).held.length) note('locks'); navigator.locks.request('mark', () => new Promise(() => 0)) },
};
for (const channel of Object.values(channels)) Promise.resolve().then(channel).catch(e => console.log(e));
</script>`

// Reliability §5 H3: two pages of the same site know nothing of each other.
func TestPages_ShareNothing(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]int{}
	cookies := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path]++
		if r.URL.Path == "/page" {
			cookies += len(r.Cookies())
		}
		mu.Unlock()
		w.Header().Set("Cache-Control", "public, max-age=99999")
		w.Header().Set("ETag", `"mark"`)
		switch r.URL.Path {
		case "/worker.js":
			w.Header().Set("Content-Type", "text/javascript")
		case "/shared.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = fmt.Fprint(w, `let n = 0; onconnect = e => e.ports[0].postMessage(++n)`)
		case "/cached.svg":
			w.Header().Set("Content-Type", "image/svg+xml")
			_, _ = fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`)
		default:
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, channels)
		}
	}))
	t.Cleanup(server.Close)
	pool := open(t, browser.Config{Browsers: 1})
	page := browser.Page{URL: server.URL + "/page", Width: 200, Height: 300, Wait: 500 * time.Millisecond}
	const rounds = 3
	draw := func() {
		t.Helper()
		picture := still(t, pool, page)
		for y := range 300 {
			if got := at(picture, 30, y); got != "255,255,255,255" {
				t.Fatalf("a mark of another page was found, at line %d", y)
			}
		}
	}
	for range rounds {
		draw()
	}
	// A page may be drawn before it has come to ask for its workers, when the machine is busy. What a cache has is never asked for again.
	eventually(t, "each page asks for everything anew: no cache is shared, and the test tries all of it", func() bool {
		mu.Lock()
		for _, path := range []string{"/page", "/cached.svg", "/worker.js", "/shared.js"} {
			if asked[path] < rounds {
				mu.Unlock()
				draw()
				return false
			}
		}
		mu.Unlock()
		return true
	})
	mu.Lock()
	defer mu.Unlock()
	if cookies > 0 {
		t.Errorf("%d cookies were sent", cookies)
	}
}
