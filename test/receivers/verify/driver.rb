# Prints whether each vector, a line of stdin, is genuine.
require ARGV.shift

$stdin.each_line(chomp: true) do |line|
  body, id, timestamp, signatures, secrets, now = line.split("\t", -1)
  puts genuine?(body, id, timestamp, signatures, secrets.split(" ", -1), now: now.to_i)
end
