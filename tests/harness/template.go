package harness

import "net/http"

// SaveTemplate saves a template and returns its id.
func (c *Client) SaveTemplate(body string) string {
	c.t.Helper()
	answer := c.Do(http.MethodPost, "/templates", []byte(body))
	var got struct {
		TemplateID string `json:"templateId"`
	}
	answer.Into(c.t, &got)
	if answer.Status != http.StatusOK || len(got.TemplateID) != 20 {
		c.t.Fatalf("POST /templates: %d %s", answer.Status, answer.Body)
	}
	return got.TemplateID
}
