defmodule SyntaxTest do
  use ExUnit.Case
  test "x" do
