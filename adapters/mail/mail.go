// Package mail sends e-mails: those of destinations, which are about movies, and single files to one address, by the
// operator's mail server. The caller dials the connections. A destination may name its own mail server; otherwise the
// operator's is used, if one is set. The package does not interpret the messages.
package mail

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail"

	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/connection"
)

var _ deliveries.Sender = (*Sender)(nil)

// Ports are the permitted ports of mail servers.
var Ports = []int{25, 465, 587}

// wait is the time limit that the mail client sets on a connection: once for the login, and again for the message. It
// does not limit connecting: that is left to Config.Dial. A connection that sets deadlines of its own, such as one of
// outbound.Guard.Dialer, replaces this limit with them.
const wait = 30 * time.Second

// DialFunc connects to host:port. The connection is closed when ctx ends.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// Config is the configuration of a Sender.
type Config struct {
	Dial DialFunc
	// Explain returns the part of a network error that may be shown, without any address. False: it is no network error.
	Explain func(error) (string, bool)
	// Server is the operator's mail server. smtp://user:password@host:port uses STARTTLS, smtps:// TLS from the start; with
	// ?security=none nothing is encrypted. Empty: there is no such server.
	Server string
	// From is the sender's address for the operator's mail server.
	From string
	// TLS is the base of the configuration for encrypted connections; nil: the system's certificate authorities.
	TLS *tls.Config
}

// Sender sends e-mails.
type Sender struct {
	cfg      Config
	operator connection.Settings // settings of the operator's mail server; nil: the operator has set none
}

// New returns a sender, or an error for an invalid configuration.
func New(cfg Config) (*Sender, error) {
	s := &Sender{cfg: cfg}
	if cfg.Server == "" {
		return s, nil
	}
	u, err := url.Parse(cfg.Server)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" || cfg.From == "" {
		return nil, errors.New("the mail server is smtp://user:password@host:port or smtps://…, and needs a sender's address")
	}
	password, _ := u.User.Password()
	s.operator = connection.Settings{
		"host": u.Hostname(), "port": u.Port(), "username": u.User.Username(), "password": password,
		"security": map[string]string{"smtp": "starttls", "smtps": "tls"}[u.Scheme], "from": cfg.From,
	}
	if u.Query().Get("security") == "none" {
		s.operator["security"] = "none"
	}
	return s, nil
}

// Send implements deliveries.Sender. The video is not attached: the message contains its address.
func (s *Sender) Send(ctx context.Context, parcel deliveries.Parcel) (deliveries.Receipt, error) {
	settings, err := s.complete(parcel.Settings)
	if err != nil {
		return deliveries.Receipt{}, err
	}
	message, err := write(settings)
	if err != nil {
		return deliveries.Receipt{}, err
	}
	message.SetGenHeader(accountHeader, string(parcel.Account))
	message.SetGenHeader(feedbackHeader, string(parcel.Account)+":movie:moviola")
	return deliveries.Receipt{}, s.send(ctx, settings, message)
}

// send gives a message to the mail server of the settings.
func (s *Sender) send(ctx context.Context, settings connection.Settings, message *mail.Msg) error {
	origin := "smtp://" + net.JoinHostPort(settings["host"], strconv.Itoa(portOf(settings)))
	client, err := s.client(ctx, settings)
	if err == nil {
		err = client.DialAndSendWithContext(ctx, message)
	}
	if message.IsDelivered() { // what fails after the server has taken the message, such as the farewell, loses nothing
		return nil
	}
	return s.explain(ctx, origin, err)
}

// SendFile sends one file to one address by the operator's mail server.
func (s *Sender) SendFile(ctx context.Context, to, subject, text, name string, content []byte) error {
	settings, err := s.complete(connection.Settings{"to": to, "subject": subject, "message": text})
	if err != nil {
		return err
	}
	message, err := write(settings)
	if err != nil {
		return err
	}
	if err := message.AttachReader(name, bytes.NewReader(content)); err != nil {
		return fmt.Errorf("attach %s: %w", name, err)
	}
	return s.send(ctx, settings, message)
}

// Test implements deliveries.Sender: it sends the parcel's e-mail, as Send does.
func (s *Sender) Test(ctx context.Context, parcel deliveries.Parcel) (deliveries.Receipt, error) {
	return s.Send(ctx, parcel)
}

// complete adds the operator's mail server to a destination without one.
func (s *Sender) complete(given connection.Settings) (connection.Settings, error) {
	settings := connection.Settings{}
	for name, value := range given {
		settings[name] = value
	}
	if settings["host"] == "" {
		if s.operator == nil {
			return nil, refuse("the destination has no host of a mail server, and this server has none either")
		}
		for name, value := range s.operator {
			// The sender's address (from) is replaced, too, because the operator's mail server may accept only the
			// operator's own address there.
			settings[name] = value
		}
	}
	for _, name := range []string{"from", "to", "subject", "message"} {
		if settings[name] == "" {
			return nil, refuse("the e-mail has no " + name)
		}
	}
	return settings, nil
}

// Headers with the account that an e-mail is about, for the operator's abuse desk. Large mail providers group complaints by
// Feedback-ID.
const (
	accountHeader  = mail.Header("X-Moviola-Account")
	feedbackHeader = mail.Header("Feedback-ID")
)

func write(s connection.Settings) (*mail.Msg, error) {
	message := mail.NewMsg()
	if err := message.From(s["from"]); err != nil {
		return nil, refuse("the sender's address is not valid")
	}
	// The e-mail goes to the addresses that Recipients returns, because the limits for the number of recipients count
	// these addresses.
	recipients, err := s.Recipients()
	if err != nil {
		return nil, err
	}
	if err := message.To(recipients...); err != nil {
		return nil, refuse("an address in to is not valid")
	}
	message.Subject(s["subject"])
	message.SetDate()
	sender := message.GetFrom()[0].Address
	// The default of go-mail would contain the name of this host.
	message.SetMessageIDWithValue(rand.Text() + sender[strings.LastIndex(sender, "@"):])
	message.SetBodyString(mail.TypeTextPlain, s["message"])
	return message, nil
}

func (s *Sender) client(ctx context.Context, settings connection.Settings) (*mail.Client, error) {
	secure := cloneTLS(s.cfg.TLS)
	secure.ServerName = settings["host"]
	options := []mail.Option{
		mail.WithPort(portOf(settings)), mail.WithTimeout(wait), mail.WithTLSConfig(secure), mail.WithoutNoop(),
		mail.WithHELO("moviola"),
		mail.WithDialContextFunc(func(_ context.Context, network, address string) (net.Conn, error) {
			// go-mail ends the context of this function when the login has ended. The connection must stay open, so it is
			// dialled with the context of the caller.
			conn, err := s.cfg.Dial(ctx, network, address)
			if err != nil || settings["security"] != "tls" {
				return conn, err
			}
			return tls.Client(conn, secure), nil
		}),
	}
	switch settings["security"] {
	case "none":
		options = append(options, mail.WithTLSPolicy(mail.NoTLS))
	case "tls":
		// The connection is already encrypted, which go-mail detects.
		options = append(options, mail.WithTLSPolicy(mail.TLSOpportunistic))
	default:
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if settings["username"] != "" {
		kind := mail.SMTPAuthAutoDiscover
		if settings["security"] == "none" {
			kind = mail.SMTPAuthPlainNoEnc
		}
		options = append(options, mail.WithSMTPAuth(kind), mail.WithUsername(settings["username"]),
			mail.WithPassword(settings["password"]))
	}
	return mail.NewClient(settings["host"], options...)
}

// portOf returns the port of a mail server: the port of the settings. Without one it is 465 for TLS from the start,
// otherwise 587.
func portOf(s connection.Settings) int {
	if n, err := strconv.Atoi(s["port"]); err == nil {
		return n
	}
	if s["security"] == "tls" {
		return 465
	}
	return 587
}

// explain turns an error into a message for the account. Texts of servers are left out: they may repeat addresses.
func (s *Sender) explain(ctx context.Context, origin string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("send to %s: %w", origin, context.Cause(ctx))
	}
	why := "the mail server did not take the message"
	var answer *textproto.Error
	var sending *mail.SendError
	if errors.As(err, &answer) {
		why = fmt.Sprintf("the mail server answered %d", answer.Code)
	} else if errors.As(err, &sending) && sending.ErrorCode() > 0 {
		why = fmt.Sprintf("the mail server answered %d", sending.ErrorCode())
	} else if reason, ok := s.cfg.Explain(err); ok {
		why = reason
	}
	return domain.Errorf(domain.Invalid, "not_delivered", "Not delivered to %s: %s", origin, why)
}

func refuse(why string) error {
	return domain.Errorf(domain.Invalid, "not_delivered", "Not delivered: %s", why)
}

func cloneTLS(base *tls.Config) *tls.Config {
	if base == nil {
		return &tls.Config{MinVersion: tls.VersionTLS12}
	}
	return base.Clone()
}
