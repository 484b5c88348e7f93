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
  customCss: ".darklight-reference > a { display: none }",
});
