defmodule GoodTest do
  use ExUnit.Case
  doctest Shop
  test "adds", do: assert(Shop.total([1, 2]) == 3)
  test "empty", do: assert(Shop.total([]) == 0)
  @tag :skip
  test "later", do: flunk()
  @tag :slow
  test "slow", do: assert(true)
end
