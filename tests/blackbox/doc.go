// Package blackbox tests the built program from outside: real processes, real HTTP, real ffmpeg, real kills.
package blackbox
