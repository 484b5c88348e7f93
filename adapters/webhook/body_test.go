package webhook_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/adapters/webhook"
)

const payload = `{"success":true,"project":"Abcdefgh12345678","id":"my <movie>","client-data":{"a":[1,"x & y"]},"url":null,` +
	`"width":1920,"duration":10.04,"frame_rate":25,"codec":"h264","color_space":null}`

// received is the request that a receiver got.
type received struct {
	Method, Path, ContentType, Body, User, Password string
	Header                                          http.Header
}

func receive(t *testing.T, contentType string) received {
	t.Helper()
	var got received
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = received{Method: r.Method, Path: r.RequestURI, ContentType: r.Header.Get("Content-Type"), Body: string(body), Header: r.Header}
		got.User, got.Password, _ = r.BasicAuth()
	}))
	defer server.Close()
	address, _ := url.Parse(server.URL)
	address.User = url.UserPassword("me", "pa:ss")
	sender := webhook.NewSender(webhook.Config{Transport: newTransport(t)})
	result, err := sender.Send(context.Background(), webhook.Call{Endpoint: address.String() + "/hook?secret=1", ContentType: contentType, Payload: []byte(payload)})
	if err != nil || !result.Delivered {
		t.Fatalf("not delivered: %+v, %v", result, err)
	}
	return got
}

func TestSend_JSONIsTheDefault(t *testing.T) {
	t.Parallel()
	for _, contentType := range []string{"", "application/json", "json", "urlencoded", "text/plain", "APPLICATION/X-WWW-FORM-URLENCODED", "application/x-www-form-urlencoded; charset=utf-8"} {
		got := receive(t, contentType)
		if got.ContentType != "application/json" || got.Body != payload {
			t.Errorf("content type %q: sent as %s: %s", contentType, got.ContentType, got.Body)
		}
	}
}

func TestSend_Form(t *testing.T) {
	t.Parallel()
	got := receive(t, "application/x-www-form-urlencoded")
	if got.ContentType != "application/x-www-form-urlencoded" {
		t.Errorf("content type %q", got.ContentType)
	}
	fields, err := url.ParseQuery(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	want := url.Values{
		"success": {"true"}, "project": {"Abcdefgh12345678"}, "id": {"my <movie>"}, "client-data": {`{"a":[1,"x & y"]}`},
		"width": {"1920"}, "duration": {"10.04"}, "frame_rate": {"25"}, "codec": {"h264"},
	}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Errorf("form (-want +got):\n%s", diff)
	}
}

func TestSend_Request(t *testing.T) {
	t.Parallel()
	got := receive(t, "")
	if got.Method != http.MethodPost || got.Path != "/hook?secret=1" {
		t.Errorf("%s %s", got.Method, got.Path)
	}
	if got.User != "me" || got.Password != "pa:ss" {
		t.Errorf("the address's user arrives as %q, %q", got.User, got.Password)
	}
	for name := range got.Header {
		switch name {
		case "Authorization", "Content-Type", "Content-Length", "User-Agent", "Accept-Encoding", "Connection":
		default:
			t.Errorf("unexpected header %s: %s", name, got.Header.Get(name))
		}
	}
}

func TestSend_PayloadMustBeAnObject(t *testing.T) {
	t.Parallel()
	sender := webhook.NewSender(webhook.Config{Transport: newTransport(t)})
	if _, err := sender.Send(context.Background(), webhook.Call{Endpoint: "http://127.0.0.1:1/", ContentType: webhook.FormContent, Payload: []byte("[]")}); err == nil {
		t.Error("a payload that is no object is sent as a form")
	}
}
