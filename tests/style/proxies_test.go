package style_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// longestUpload is the size of the largest upload, in bytes. Decision 10.
const longestUpload = 500 << 20

// TestProxies_uploads: the proxies of deploy/ let the largest upload pass. Caddy's MB is a million bytes, nginx' m is 1,048,576.
func TestProxies_uploads(t *testing.T) {
	t.Parallel()
	size := regexp.MustCompile(`(?:max_size|client_max_body_size) (\d+)(MB|MiB|m)\b`)
	for _, name := range []string{"proxy/Caddyfile", "proxy/nginx.conf", "compose/Caddyfile"} {
		content, err := os.ReadFile(filepath.Join("..", "..", "deploy", name))
		if err != nil {
			t.Fatal(err)
		}
		found := size.FindSubmatch(content)
		if found == nil {
			t.Errorf("%s bounds no body", name)
			continue
		}
		number, err := strconv.Atoi(string(found[1]))
		if bytes := number * map[string]int{"MB": 1_000_000, "MiB": 1 << 20, "m": 1 << 20}[string(found[2])]; err != nil || bytes < longestUpload {
			t.Errorf("%s lets bodies of %d bytes pass, want %d: %v", name, bytes, longestUpload, err)
		}
	}
}
