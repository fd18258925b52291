defmodule BadTest do
  use ExUnit.Case
  test "rounds", do: assert(2 == 3)
  test "raises", do: raise("no database")
  test "fine", do: assert(true)
end
