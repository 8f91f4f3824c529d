#!/bin/sh
# Writes the lists of butterfly64.toml: a butterfly fat tree of 64 nodes, 6 levels of 32 switches.
# Switch I above subtree S of level L is joined to the switches 2 I and 2 I + 1 above subtree S / 2.
set -eu
cd "$(dirname "$0")"
awk 'BEGIN {
  print "name,level,is_top,subtree" > "butterfly64-routers.csv"
  print "from,from_port,to,to_port" > "butterfly64-links.csv"
  for (level = 0; level < 6; level++) {
    above = 2 ^ level
    for (subtree = 0; subtree < 32 / above; subtree++)
      for (i = 0; i < above; i++) {
        name = "switch_" level "_" subtree "_" i
        print name "," level "," (level == 5) "," subtree > "butterfly64-routers.csv"
        if (level == 5) continue
        for (up = 0; up < 2; up++)
          print name ",up_" up ",switch_" (level + 1) "_" int(subtree / 2) "_" (2 * i + up) \
            "," (subtree % 2 ? "right" : "left") > "butterfly64-links.csv"
      }
  }
}'
