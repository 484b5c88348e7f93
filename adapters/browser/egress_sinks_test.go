package browser_test

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// sinks listen on every address of this machine, on the same few ports, over TCP and UDP. They count who comes, and answer with canaries.
type sinks struct {
	ports []int
	hosts []string // host:port of each, as addresses of pages write them; one port for each address

	mu   sync.Mutex
	hits map[string]int // by network and address
}

const sinkPorts = 3

// newSinks takes ports that are free on all addresses.
func newSinks(t *testing.T) *sinks {
	t.Helper()
	s := &sinks{hits: map[string]int{}}
	addresses := localAddresses(t)
	server := &http.Server{Handler: http.HandlerFunc(serveCanary), ReadHeaderTimeout: time.Minute, ConnState: func(conn net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.hit("tcp", conn.LocalAddr())
		}
	}}
	t.Cleanup(func() { _ = server.Close() })
	for tries := 0; len(s.ports) < sinkPorts; tries++ {
		port, listeners, packets := listenEverywhere(t, addresses)
		if port == 0 {
			if tries > 100 {
				t.Fatal("no port is free on every address")
			}
			continue
		}
		s.ports = append(s.ports, port)
		for _, l := range listeners {
			go func() { _ = server.Serve(l) }()
		}
		for _, p := range packets {
			t.Cleanup(func() { _ = p.Close() })
			go func() {
				for {
					if _, _, err := p.ReadFrom(make([]byte, 64)); err != nil {
						return
					}
					s.hit("udp", p.LocalAddr())
				}
			}()
		}
	}
	for i, a := range addresses {
		if a.Zone == "" { // addresses of pages know no zones
			s.hosts = append(s.hosts, net.JoinHostPort(a.IP.String(), fmt.Sprint(s.ports[i%sinkPorts])))
		}
	}
	return s
}

// localAddresses are all addresses of this machine, 127.0.0.1 first.
func localAddresses(t *testing.T) []net.IPAddr {
	t.Helper()
	all := []net.IPAddr{{IP: net.IPv4(127, 0, 0, 1)}, {IP: net.IPv4(127, 0, 0, 2)}}
	interfaces, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range interfaces {
		addresses, err := i.Addrs()
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range addresses {
			found, ok := a.(*net.IPNet)
			if !ok || found.IP.Equal(all[0].IP) {
				continue
			}
			address := net.IPAddr{IP: found.IP}
			if found.IP.IsLinkLocalUnicast() && found.IP.To4() == nil {
				address.Zone = i.Name
			}
			all = append(all, address)
		}
	}
	return all
}

// listenEverywhere opens one port on all addresses; the port is 0 when another program has it somewhere.
func listenEverywhere(t *testing.T, addresses []net.IPAddr) (port int, listeners []net.Listener, packets []net.PacketConn) {
	t.Helper()
	for _, a := range addresses {
		tcp, err := net.ListenTCP("tcp", &net.TCPAddr{IP: a.IP, Port: port, Zone: a.Zone})
		if err == nil {
			port = tcp.Addr().(*net.TCPAddr).Port
			listeners = append(listeners, tcp)
			var udp *net.UDPConn
			if udp, err = net.ListenUDP("udp", &net.UDPAddr{IP: a.IP, Port: port, Zone: a.Zone}); err == nil {
				packets = append(packets, udp)
				continue
			}
		}
		t.Logf("%s: %v", a.String(), err)
		for _, l := range listeners {
			_ = l.Close()
		}
		for _, p := range packets {
			_ = p.Close()
		}
		return 0, nil, nil
	}
	return port, listeners, packets
}

func (s *sinks) hit(network string, at net.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hits[network+" "+at.String()]++
}

// seen takes what has come since the last time.
func (s *sinks) seen() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.hits
	s.hits = map[string]int{}
	return seen
}

// reached reports whether somebody has come since the last call of seen.
func (s *sinks) reached() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.hits) > 0
}

// everywhere lists what the sinks listen on, as hits name it.
func (s *sinks) everywhere(t *testing.T) map[string]int {
	t.Helper()
	all := map[string]int{}
	for _, a := range localAddresses(t) {
		for _, port := range s.ports {
			all["tcp "+(&net.TCPAddr{IP: a.IP, Port: port, Zone: a.Zone}).String()] = 1
			all["udp "+(&net.UDPAddr{IP: a.IP, Port: port, Zone: a.Zone}).String()] = 1
		}
	}
	return all
}

// The sinks see one connection and one packet on every address and port.
func TestSinks(t *testing.T) {
	t.Parallel()
	s := newSinks(t)
	want := s.everywhere(t)
	for where := range want {
		network, address, _ := strings.Cut(where, " ")
		conn, err := net.Dial(network, address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprint(conn, "x"); err != nil {
			t.Error(err)
		}
		defer conn.Close()
	}
	seen := map[string]int{}
	eventually(t, "every sink was reached", func() bool {
		maps.Copy(seen, s.seen())
		return maps.Equal(seen, want)
	})
}

func serveCanary(w http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.URL.Path, "page") {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<body style="background:#f0f">`)
		return
	}
	w.Header().Set("Access-Control-Allow-Origin", "*")
	if fonts, _ := filepath.Glob("/usr/share/fonts/*/*/*.ttf"); strings.HasSuffix(r.URL.Path, ".ttf") && len(fonts) > 0 {
		http.ServeFile(w, r, fonts[0])
		return
	}
	w.Header().Set("Content-Type", "image/png")
	_, _ = w.Write(canaryPNG())
}

func canaryPNG() []byte {
	square := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	draw.Draw(square, square.Bounds(), image.NewUniform(canary), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, square); err != nil {
		panic("a picture in memory cannot be encoded: " + err.Error())
	}
	return b.Bytes()
}
