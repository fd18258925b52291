package price

import "testing"

func TestRound(t *testing.T) {}

func TestRounding(t *testing.T) {
	t.Run("up", func(t *testing.T) { t.Error("2 is not 3") })
	t.Run("down", func(t *testing.T) {})
}
