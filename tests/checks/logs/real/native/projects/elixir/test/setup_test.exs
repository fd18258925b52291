defmodule SetupTest do
  use ExUnit.Case
  setup_all do: raise("no database")
  test "one", do: assert(true)
  test "two", do: assert(true)
end
