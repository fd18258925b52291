defmodule Shop do
  @doc """
  Adds.

      iex> Shop.total([1, 2])
      3
  """
  def total(prices), do: Enum.sum(prices)
end
