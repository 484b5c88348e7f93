package browser

import "fmt"

// flags returns Chromium's arguments.
func flags(home string, sandbox bool, ports []uint16) []string {
	all := append([]string{}, fixedFlags...)
	all = append(all,
		"--user-data-dir="+home+"/profile",
		"--incognito",
		// Requests of the browser itself go to the second port, which refuses them; pages use the first one, see tab.
		fmt.Sprintf("--proxy-server=http://127.0.0.1:%d", ports[1]),
	)
	if !sandbox {
		all = append(all, "--no-sandbox")
	}
	return append(all, "about:blank")
}

var fixedFlags = []string{
	"--remote-debugging-pipe", // a pipe, because pages and other users could find and use a port

	// Frames are drawn on request only, completely, and at the requested time.
	"--enable-begin-frame-control",
	"--run-all-compositor-stages-before-draw",
	"--disable-new-content-rendering-timeout",
	"--disable-threaded-animation",
	"--disable-threaded-scrolling",
	"--disable-checker-imaging",
	"--disable-image-animation-resync",
	"--disable-gpu",
	"--force-color-profile=srgb",
	"--font-render-hinting=none",
	"--disable-lcd-text",
	"--hide-scrollbars",
	"--js-flags=--random-seed=1",
	"--lang=en-US",
	"--mute-audio",
	"--autoplay-policy=no-user-gesture-required",

	// No request may go past the two proxies of this process: without <-loopback Chromium connects to loopback addresses
	// directly, and without the policy WebRTC sends UDP past the proxy.
	"--proxy-bypass-list=<-loopback>",
	"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
	"--disable-quic",
	"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
	"--webrtc-ip-handling-policy=disable_non_proxied_udp",
	"--no-pings",

	// Chromium must do nothing that no page asks for.
	"--no-first-run",
	"--no-default-browser-check",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-component-extensions-with-background-pages",
	"--disable-default-apps",
	"--disable-domain-reliability",
	"--disable-extensions",
	"--disable-sync",
	"--disable-breakpad",
	"--disable-crash-reporter",
	"--disable-client-side-phishing-detection",
	"--disable-background-timer-throttling",
	"--disable-backgrounding-occluded-windows",
	"--disable-renderer-backgrounding",
	"--disable-hang-monitor",
	"--disable-prompt-on-repost",
	"--disable-print-preview",
	"--disable-notifications",
	"--disable-speech-api",
	"--block-new-web-contents",
	"--deny-permission-prompts",
	"--disable-dev-shm-usage",
	"--metrics-recording-only",
	"--no-service-autorun",
	"--password-store=basic",
	"--use-mock-keychain",
	"--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,AutofillServerCommunication," +
		"CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions,WebUSB,WebBluetooth,DnsOverHttps,AsyncDns,PaintHolding",
}
