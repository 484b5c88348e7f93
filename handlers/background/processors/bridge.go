package processors

import (
	"github.com/ThreeDotsLabs/watermill"
	"github.com/sirupsen/logrus"
)

// bridge writes Watermill's messages to the program's log. Watermill's info messages become debug messages: they only help to
// debug Watermill.
type bridge struct{ log logrus.FieldLogger }

func (b bridge) Error(msg string, err error, fields watermill.LogFields) {
	b.log.WithFields(logrus.Fields(fields)).WithError(err).Error(msg)
}

func (b bridge) Info(msg string, fields watermill.LogFields) {
	b.log.WithFields(logrus.Fields(fields)).Debug(msg)
}

func (b bridge) Debug(msg string, fields watermill.LogFields) {
	b.log.WithFields(logrus.Fields(fields)).Debug(msg)
}

func (b bridge) Trace(string, watermill.LogFields) {}

func (b bridge) With(fields watermill.LogFields) watermill.LoggerAdapter {
	return bridge{b.log.WithFields(logrus.Fields(fields))}
}
