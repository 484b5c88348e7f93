// Shows the description of this installation. Nothing is asked of anybody else: the page's policy forbids it too.
Scalar.createApiReference("#reference", {
  url: "/v2/openapi.json",
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  persistAuth: false,
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  // Samples for curl, JavaScript, Python, Go and PHP, one each.
  hiddenClients: {
    shell: ["httpie", "wget"], node: true, js: ["axios", "jquery", "ofetch", "xhr"], python: ["python3", "aiohttp", "httpx_async", "httpx_sync"],
    php: ["guzzle", "laravel"],
    c: true, clojure: true, csharp: true, dart: true, fsharp: true, http: true, java: true, julia: true, kotlin: true, objc: true, ocaml: true,
    powershell: true, r: true, ruby: true, rust: true, swift: true,
  },
  customCss: ".darklight-reference > a { display: none }",
});
