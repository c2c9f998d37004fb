<?php

// Prints whether each vector, a line of stdin, is genuine.
require $argv[1];

while (($line = fgets(STDIN)) !== false) {
    [$body, $id, $timestamp, $signatures, $secrets, $now] = explode("\t", rtrim($line, "\n"));
    echo isGenuine($body, $id, $timestamp, $signatures, explode(' ', $secrets), (int) $now) ? "true\n" : "false\n";
}
