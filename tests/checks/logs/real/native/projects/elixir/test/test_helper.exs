defmodule Counts do
  @moduledoc "Writes what ExUnit tells its formatters, as JSON, to the file that COUNTS names."
  use GenServer

  def init(_), do: {:ok, %{passed: 0, failed: 0, invalid: 0, skipped: 0, excluded: 0}}

  def handle_cast({:test_finished, %{state: state}}, counts), do: {:noreply, Map.update!(counts, kind(state), &(&1 + 1))}

  def handle_cast({:suite_finished, _}, counts) do
    text = Enum.map_join(counts, ", ", fn {kind, count} -> "\"#{kind}\": #{count}" end)
    if file = System.get_env("COUNTS"), do: File.write!(file, "{#{text}}")
    {:noreply, counts}
  end

  def handle_cast(_, counts), do: {:noreply, counts}

  defp kind(nil), do: :passed
  defp kind({kind, _}), do: kind
end

ExUnit.start(formatters: [ExUnit.CLIFormatter, Counts])
