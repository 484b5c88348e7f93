package browser

import "fmt"

// flags are Chromium's arguments.
func flags(home string, sandbox bool, ports []uint16) []string {
	all := append([]string{}, fixedFlags...)
	all = append(all,
		"--user-data-dir="+home+"/profile",
		"--incognito",
		// What the browser itself would ask for ends at the second port; pages have the first one, see tab.
		fmt.Sprintf("--proxy-server=http://127.0.0.1:%d", ports[1]),
	)
	if !sandbox {
		all = append(all, "--no-sandbox")
	}
	return append(all, "about:blank")
}

var fixedFlags = []string{
	"--remote-debugging-pipe", // a port could be found and used by pages and by neighbours

	// Frames are drawn when they are asked for, whole, and at the time they are asked for.
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

	// Nothing leaves but through the egress: without <-loopback Chromium goes to loopback addresses directly, and without the
	// policy WebRTC sends UDP past the proxy.
	"--proxy-bypass-list=<-loopback>",
	"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
	"--disable-quic",
	"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
	"--webrtc-ip-handling-policy=disable_non_proxied_udp",
	"--no-pings",

	// It does nothing that no page has asked for.
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
