package browser_test

// attempt is one way in which pages reach for what is not theirs. In html, HOST is host:port of a sink: the text is repeated for every
// address of this machine, unless it is alone, and then there is a page for each. HOSTS is a JavaScript list of them all, PORT and PORTS
// ports of sinks, ORIGIN host:port of a server that is allowed, FILE the address of a picture on disk, DIR of its folder. Scripts say
// ran() when they have done what they could.
type attempt struct {
	name, html string
	served     bool // by the server that is allowed, in a secure context; otherwise the page is given as text
	alone      bool
	asks       bool // the browser asks for the sink, and it is the guard that refuses; otherwise the browser may refuse by itself
	gets       bool // what the guard allows arrives
}

// attempts has a row for each kind of page of reliability §6b.
var attempts = []attempt{
	{name: "img", html: `<img src="http://HOST/img"><img src="//HOST/img2">`, asks: true, gets: true},
	{name: "img srcset", html: `<img srcset="http://HOST/set 1x, http://HOST/set2 2x">`, asks: true, gets: true},
	{name: "picture source", html: `<picture><source srcset="http://HOST/s"><img src="data:,"></picture>`, asks: true, gets: true},
	{name: "other names of loopback", html: `<img src="http://localhost:PORT/l"><img src="http://0.0.0.0:PORT/0"><img src="http://[::ffff:127.0.0.1]:PORT/m">
	<img src="http://[::]:PORT/u">`, asks: true},
	{name: "numbers as hosts", html: `<img src="http://2130706433:PORT/d"><img src="http://0x7f.1:PORT/x"><img src="http://127.1:PORT/s">
	<img src="http://0177.0.0.1:PORT/o">`, asks: true, gets: true},
	{name: "metadata and private networks", html: `<img src="http://169.254.169.254/latest/meta-data"><img src="http://10.0.0.1/">
	<img src="http://metadata.google.internal/">`, asks: true},
	{name: "a name that leads inside", html: `<img src="http://inside.example:PORT/i"><img src="http://mapped.example:PORT/i">`, asks: true},
	{name: "a name of public and private addresses", html: `<img src="http://mixed.example:PORT/i">`, asks: true},
	{name: "a name that changes", html: `<script>(async () => { for (let i = 0; i < 6; i++) {
	await fetch("http://flip.example:PORT/" + i, {mode: "no-cors"}).catch(() => 0) } ran() })()</script>`, asks: true},
	{name: "a redirect of an image", html: `<img src="http://ORIGIN/redirect?to=http://HOST/img">`, asks: true, gets: true},
	{name: "a redirect of a frame", html: `<iframe src="http://ORIGIN/redirect?to=http://HOST/page"></iframe>`, asks: true, gets: true},
	{name: "a redirect of fetch", html: `<script>Promise.all(HOSTS.map(h => fetch("http://ORIGIN/redirect?to=http://" + h + "/f").catch(() => 0))).then(ran)</script>`,
		served: true, asks: true, gets: true},
	{name: "a redirect to a file", html: `<iframe src="http://ORIGIN/redirect?to=FILE" width=200 height=200></iframe><img src="http://ORIGIN/redirect?to=FILE">`},
	{name: "iframe", html: `<iframe src="http://HOST/page" width=200 height=200></iframe>`, asks: true, gets: true},
	{name: "iframe srcdoc", html: `<iframe srcdoc="<img src='http://HOST/in'>"></iframe>`, asks: true, gets: true},
	{name: "iframe of a data address", html: `<iframe src="data:text/html,<img src='http://HOST/data'><iframe src='FILE'></iframe>" width=300 height=200></iframe>`,
		asks: true, gets: true},
	{name: "iframe of a script address", html: `<iframe src="javascript:'<img src=FILE><img src=http://HOST/j>'" width=300 height=200></iframe>`, asks: true, gets: true},
	{name: "object", html: `<object data="http://HOST/obj" width=99 height=99></object>`, asks: true, gets: true},
	{name: "embed", html: `<embed src="http://HOST/emb" width=99 height=99>`, asks: true, gets: true},
	{name: "frameset", html: `<html><frameset cols="50%,50%"><frame src="http://HOST/page"><frame src="http://HOST/page2"></frameset></html>`, alone: true, asks: true, gets: true},
	{name: "fenced frame and portal", html: `<fencedframe src="http://HOST/page"></fencedframe><portal src="http://HOST/page"></portal>`},
	{name: "css import", html: `<style>@import url(http://HOST/css);</style>`, asks: true, gets: true},
	{name: "css url", html: `<style>div.d { background: url(http://HOST/bg); cursor: url(http://HOST/cur), auto; border-image: url(http://HOST/bo) }</style><div class=d>x</div>`,
		alone: true, asks: true, gets: true},
	{name: "css content of attributes", html: `<style>input[value^="s"] { background: url(http://HOST/leak) }</style><input value=secret>`, alone: true, asks: true, gets: true},
	{name: "font", html: `<style>@font-face { font-family: f; src: url(http://HOST/font) } p { font-family: f }</style><p>text</p>`, alone: true, asks: true, gets: true},
	{name: "font face of a script", html: `<script>Promise.all(HOSTS.map(h => new FontFace("f", "url(http://" + h + "/font)").load().catch(() => 0))).then(ran)</script>`,
		asks: true, gets: true},
	{name: "stylesheet link", html: `<link rel=stylesheet href="http://HOST/l">`, asks: true, gets: true},
	{name: "icon, manifest, search", html: `<link rel=icon href="http://HOST/i"><link rel=manifest href="http://HOST/mf"><link rel=search href="http://HOST/os">`, served: true},
	{name: "prefetch", html: `<link rel=prefetch href="http://HOST/p">`, served: true, asks: true, gets: true},
	{name: "preconnect", html: `<link rel=preconnect href="http://HOST"><link rel=preconnect href="https://HOST">`, served: true},
	{name: "dns-prefetch", html: `<link rel=dns-prefetch href="//intern.example"><link rel=dns-prefetch href="//HOST">`, served: true},
	{name: "preload and modulepreload", html: `<link rel=modulepreload href="http://HOST/m"><link rel=preload as=image href="http://HOST/pl">`, asks: true, gets: true},
	{name: "prerender", html: `<link rel=prerender href="http://HOST/pr">`, served: true},
	{name: "speculation rules", html: `<script type=speculationrules>{"prefetch":[{"source":"list","urls":["http://HOST/s"]}],"prerender":[{"source":"list","urls":["http://HOST/r"]}]}</script>`,
		served: true},
	{name: "svg", html: `<svg width=99 height=99><image href="http://HOST/svg" width=99 height=99 /><use href="http://HOST/use#a" /></svg>`, asks: true, gets: true},
	{name: "svg of files", html: `<svg width=99 height=99><image href="FILE" width=99 height=99 /><foreignObject width=99 height=99><img xmlns="http://www.w3.org/1999/xhtml" src="FILE" /></foreignObject></svg>`},
	{name: "xsl and mathml", html: `<?xml-stylesheet type="text/xsl" href="http://HOST/xsl"?><math href="http://HOST/math"><mi>x</mi></math>`},
	{name: "video, audio, poster, track", html: `<video src="http://HOST/v" autoplay></video><audio src="http://HOST/a" autoplay></audio><video poster="http://HOST/po"></video>
	<video><track src="http://HOST/t" default></video>`, asks: true, gets: true},
	{name: "script", html: `<script src="http://HOST/js"></script>`, asks: true, gets: true},
	{name: "module", html: `<script type=module>import "http://HOST/mod"</script>`, asks: true, gets: true},
	{name: "script of document.write", html: `<script>for (const h of HOSTS) document.write('<script src="http://' + h + '/dw"><\/script>'); ran()</script>`, asks: true, gets: true},
	{name: "fetch", html: `<script>Promise.all(HOSTS.map(h => fetch("http://" + h + "/f").catch(() => 0))).then(ran)</script>`, asks: true, gets: true},
	{name: "fetch keepalive", html: `<script>for (const h of HOSTS) fetch("http://" + h + "/nc", {mode: "no-cors", keepalive: true}).catch(() => 0); ran()</script>`, asks: true, gets: true},
	{name: "fetch of wasm", html: `<script>for (const h of HOSTS) WebAssembly.compileStreaming(fetch("http://" + h + "/wasm")).catch(() => 0); ran()</script>`, asks: true, gets: true},
	{name: "XMLHttpRequest", html: `<script>for (const h of HOSTS) { const x = new XMLHttpRequest(); x.open("GET", "http://" + h + "/x"); x.send() } ran()</script>`, asks: true, gets: true},
	{name: "sendBeacon", html: `<script>for (const h of HOSTS) navigator.sendBeacon("http://" + h + "/b", "x"); ran()</script>`, asks: true, gets: true},
	{name: "EventSource", html: `<script>for (const h of HOSTS) new EventSource("http://" + h + "/es"); ran()</script>`, asks: true, gets: true},
	{name: "WebSocket", html: `<script>for (const h of HOSTS) { new WebSocket("ws://" + h + "/ws"); new WebSocket("wss://" + h + "/wss") } ran()</script>`, asks: true, gets: true},
	{name: "WebTransport", html: `<script>for (const h of HOSTS) new WebTransport("https://" + h + "/wt").ready.catch(() => 0); ran()</script>`, served: true},
	{name: "worker", html: `<script>const u = URL.createObjectURL(new Blob(['for (const h of HOSTS) { fetch("http://" + h + "/w").catch(() => 0); new WebSocket("ws://" + h + "/ww"); try { importScripts("http://" + h + "/wi") } catch {} } postMessage(1)']));
	new Worker(u).onmessage = ran</script>`, served: true, asks: true, gets: true},
	{name: "shared worker", html: `<script>const u = URL.createObjectURL(new Blob(['for (const h of HOSTS) fetch("http://" + h + "/sw").catch(() => 0); onconnect = e => e.ports[0].postMessage(1)']));
	new SharedWorker(u).port.onmessage = ran</script>`, served: true, asks: true, gets: true},
	{name: "service worker", html: `<script>navigator.serviceWorker.register("/worker.js").then(ran)</script>`, served: true, asks: true, gets: true},
	{name: "STUN", html: `<script>Promise.all(HOSTS.map(async h => { const c = new RTCPeerConnection({iceServers: [{urls: "stun:" + h}]});
	c.createDataChannel("d"); await c.setLocalDescription(await c.createOffer()) })).then(ran)</script>`, served: true},
	{name: "TURN over UDP", html: `<script>Promise.all(HOSTS.map(async h => { const c = new RTCPeerConnection({iceServers: [{urls: "turn:" + h + "?transport=udp", username: "a", credential: "b"}]});
	c.createDataChannel("d"); await c.setLocalDescription(await c.createOffer()) })).then(ran)</script>`, served: true},
	{name: "TURN over TCP and TLS", html: `<script>Promise.all(HOSTS.map(async h => { const c = new RTCPeerConnection({iceServers: ["turn:" + h + "?transport=tcp", "turns:" + h].map(urls => ({urls, username: "a", credential: "b"}))});
	c.createDataChannel("d"); await c.setLocalDescription(await c.createOffer()) })).then(ran)</script>`, served: true},
	{name: "peers of WebRTC", html: `<script>(async () => { const a = new RTCPeerConnection(); a.createDataChannel("d"); await a.setLocalDescription(await a.createOffer());
	const b = new RTCPeerConnection(); await b.setRemoteDescription(a.localDescription); await a.setRemoteDescription(await b.createAnswer());
	for (const h of HOSTS) { const at = h.lastIndexOf(":"); await a.addIceCandidate({sdpMid: "0", candidate: "candidate:1 1 udp 2130706431 " + h.slice(0, at).replace(/[[\]]/g, "") + " " + h.slice(at + 1) + " typ host"}) } ran() })()</script>`, served: true},
	{name: "form", html: `<form id=f action="http://HOST/page" method=post><input name=a></form><script>f.submit()</script>`, alone: true, asks: true, gets: true},
	{name: "location", html: `<script>location = "http://HOST/page"</script>`, alone: true, asks: true, gets: true},
	{name: "meta refresh", html: `<meta http-equiv=refresh content="0;url=http://HOST/page">`, alone: true, asks: true, gets: true},
	{name: "window.open", html: `<script>for (const h of HOSTS) open("http://" + h + "/page"); ran()</script>`},
	{name: "window.open in place", html: `<script>open("http://HOST/page", "_self")</script>`, alone: true, asks: true, gets: true},
	{name: "ping", html: `<a id=a href="#x" ping="http://HOST/ping">x</a><script>a.click()</script>`, alone: true, asks: true, gets: true},
	{name: "download", html: `<a id=b href="http://HOST/page" download>x</a><script>b.click()</script>`, alone: true, asks: true, gets: true},
	{name: "reports of a policy", html: `<meta http-equiv=Content-Security-Policy content="img-src 'none'; report-uri http://HOST/csp"><img src="http://HOST/x">`, alone: true, asks: true, gets: true},
	{name: "reports of headers", html: `<script>fetch("/missing").then(ran)</script><img src="/missing">`, served: true},
	{name: "base", html: `<base href="http://HOST/"><img src="relative"><iframe src="page"></iframe>`, alone: true, asks: true, gets: true},
	{name: "blob page", html: `<script>location = URL.createObjectURL(new Blob(['<img src="FILE"><img src="http://HOST/blob">'], {type: 'text/html'}))</script>`, alone: true, asks: true, gets: true},
	{name: "proxy configuration", html: `<img src="http://wpad/wpad.dat"><img src="http://wpad.example/wpad.dat"><script>fetch("http://wpad/wpad.dat").catch(ran)</script>`, asks: true},
	{name: "debugging ports", html: `<script>Promise.all(Array.from({length: 20}, (_, i) => fetch("http://127.0.0.1:" + (9220 + i) + "/json", {mode: "no-cors"}).catch(() => 0))).then(ran)</script>`, asks: true},
	{name: "a scan of ports", html: `<script>Promise.all(PORTS.map(p => fetch("http://127.0.0.1:" + p + "/", {mode: "no-cors"}).catch(() => 0))).then(ran)</script>`, asks: true, gets: true},
	{name: "files in elements", html: `<iframe src="FILE" width=300 height=200></iframe><img src="FILE"><object data="FILE" width=99 height=99></object><embed src="FILE">`},
	{name: "folders, view-source, filesystem", html: `<iframe src="DIR" width=300 height=200></iframe><iframe src="view-source:FILE"></iframe><iframe src="filesystem:FILE"></iframe>
	<iframe src="view-source:http://HOST/page"></iframe>`},
	{name: "meta refresh to a file", html: `<meta http-equiv=refresh content="0;url=FILE">`},
	{name: "location of a file", html: `<script>location = "FILE"</script>`},
	{name: "scripts and files", html: `<script>open("FILE", "_self"); location.href = "view-source:FILE"; fetch("FILE").catch(() => 0); try { new Worker("FILE") } catch {}</script>`},
	{name: "css and files", html: `<style>@import url(FILE); body { background: url(FILE) } @font-face { font-family: f; src: url(FILE) }</style>`},
	{name: "the browser's own pages", html: `<iframe src="chrome://version" width=300 height=200></iframe><iframe src="devtools://devtools/bundled/inspector.html"></iframe>
	<iframe src="chrome-extension://x/"></iframe>`},
	{name: "credentials, badges, push", html: `<script>navigator.credentials?.get({}).catch(() => 0); new ReportingObserver(() => 0).observe(); navigator.setAppBadge?.(); ran()</script>`, served: true},
	{name: "screens, devices, permissions", html: `<script>navigator.mediaDevices?.getDisplayMedia({}).catch(() => 0); navigator.mediaDevices?.getUserMedia({audio: true}).catch(() => 0);
	navigator.geolocation?.getCurrentPosition(() => 0, () => 0); window.Notification?.requestPermission?.(); ran()</script>`, served: true},
}
