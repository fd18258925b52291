package price

import (
	"os"
	"testing"
)

func TestFlaky(t *testing.T) {
	mark := os.Getenv("FLAKY_MARK")
	if mark == "" {
		return
	}
	if _, err := os.Stat(mark); err != nil {
		os.WriteFile(mark, nil, 0o600)
		t.Fatal("the first time")
	}
}

func TestQuits(t *testing.T) {
	if os.Getenv("QUITS") != "" {
		os.Exit(0)
	}
}
