package host

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/sirupsen/logrus"
)

// anewVariable tells a program that was started anew by itself when that was, in seconds since 1970.
const anewVariable = "MOVIOLA_STARTED_ANEW"

// anewPause is the shortest time between two such starts: a disk that damages a file again at once needs people.
const anewPause = time.Minute

// StartAnew replaces this program by itself, with the same arguments and environment, because of an error that a new start mends.
// It returns only when that is not possible, or did not help before.
func StartAnew(log logrus.FieldLogger, cause error) error {
	last, err := strconv.ParseInt(os.Getenv(anewVariable), 10, 64)
	if err == nil && time.Since(time.Unix(last, 0)) < anewPause {
		return fmt.Errorf("%w; a new start has just not helped: check the disk of the data folder", cause)
	}
	program, err := os.Executable()
	if err != nil {
		return errors.Join(cause, err)
	}
	log.WithError(cause).Warn("a store cannot continue: the program restarts itself")
	if err := os.Setenv(anewVariable, strconv.FormatInt(time.Now().Unix(), 10)); err != nil {
		return errors.Join(cause, err)
	}
	return errors.Join(cause, syscall.Exec(program, os.Args, os.Environ()))
}
