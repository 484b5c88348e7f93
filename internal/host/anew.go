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

// anewVariable tells a restarted program when it was restarted, in Unix seconds.
const anewVariable = "MOVIOLA_STARTED_ANEW"

// anewPause is the minimum time between two restarts: when a disk damages a file again at once, an operator has to act.
const anewPause = time.Minute

// StartAnew replaces this process by a new run of the same program, with the same arguments and, apart from anewVariable,
// the same environment, after an error that a new start may repair. It returns only when that is impossible, or when the
// last restart was too recent.
func StartAnew(log logrus.FieldLogger, cause error) error {
	last, err := strconv.ParseInt(os.Getenv(anewVariable), 10, 64)
	if err == nil && time.Since(time.Unix(last, 0)) < anewPause {
		return fmt.Errorf("%w; a new start has just not helped: check the disk of the data folder", cause)
	}
	program, err := os.Executable()
	if err != nil {
		return errors.Join(cause, err)
	}
	log.WithError(cause).Warn("a store has failed and needs a restart; the program restarts itself")
	if err := os.Setenv(anewVariable, strconv.FormatInt(time.Now().Unix(), 10)); err != nil {
		return errors.Join(cause, err)
	}
	return errors.Join(cause, syscall.Exec(program, os.Args, os.Environ()))
}
