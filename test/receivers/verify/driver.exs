# Prints whether each vector, a line of stdin, is genuine.
[verify] = System.argv()
Code.require_file(verify)

for line <- IO.stream(:stdio, :line) do
  [body, id, timestamp, signatures, secrets, now] = line |> String.trim_trailing("\n") |> String.split("\t")
  IO.puts(Webhook.genuine?(body, id, timestamp, signatures, String.split(secrets, " "), String.to_integer(now)))
end
