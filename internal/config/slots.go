package config

import (
	"errors"
	"strconv"
)

// autoSlots stands for --render-slots auto.
const autoSlots = 0

// slotsFlag is the value of --render-slots: a number of at least 1, or auto.
type slotsFlag int

// Set implements pflag.Value.
func (s *slotsFlag) Set(text string) error {
	if text == "auto" {
		*s = autoSlots
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return errors.New("give a number of at least 1, or auto")
	}
	*s = slotsFlag(n)
	return nil
}

// String implements pflag.Value.
func (s *slotsFlag) String() string {
	if *s == autoSlots {
		return "auto"
	}
	return strconv.Itoa(int(*s))
}

// Type implements pflag.Value.
func (s *slotsFlag) Type() string { return "slots" }

// MoviesAtOnce returns the number of render slots. auto is one for every two processor cores: the windows of one movie keep two
// busy.
func (c *Config) MoviesAtOnce() int {
	if c.RenderSlots == autoSlots {
		return max(1, c.Cores/2)
	}
	return int(c.RenderSlots)
}
