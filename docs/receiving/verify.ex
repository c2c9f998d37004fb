defmodule Webhook do
  @tolerance_seconds 300

  @doc """
  Returns whether one of the secrets signed this body within five minutes of now. Call it before you parse the body. An absent
  header is nil. Give several secrets while one is being replaced.
  """
  def genuine?(body, id, timestamp, signatures, secrets, now \\ System.os_time(:second))

  def genuine?(body, id, timestamp, signatures, secrets, now)
      when is_binary(id) and id != "" and is_binary(timestamp) and is_binary(signatures) do
    content = [id, ".", timestamp, ".", body]
    is_recent?(timestamp, now) and Enum.any?(secrets, &signed?(content, String.split(signatures), &1))
  end

  def genuine?(_body, _id, _timestamp, _signatures, _secrets, _now), do: false

  defp is_recent?(timestamp, now) do
    timestamp =~ ~r/\A\d{1,15}\z/ and abs(now - String.to_integer(timestamp)) <= @tolerance_seconds
  end

  defp signed?(content, signatures, secret) do
    key = secret |> String.replace_prefix("whsec_", "") |> Base.decode64!()
    expected = "v1," <> Base.encode64(:crypto.mac(:hmac, :sha256, key, content))
    # Everybody knows the empty key.
    key != "" and Enum.any?(signatures, &equal?(&1, expected))
  end

  # Compares in constant time.
  defp equal?(a, b), do: byte_size(a) == byte_size(b) and :crypto.hash_equals(a, b)
end
