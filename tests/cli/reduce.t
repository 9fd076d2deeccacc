#!/bin/sh
# isolab reduce: graphs in the formats that igraph reads, formulas, traces, matrices; maps and explanations.
. "$(dirname "$0")/tap.sh"

t 0 "reductions are listed" "$isolab" list reductions --json
[ "$(jq length "$tmp/out")" = 6 ]
ok $? "the list has all six reductions"

# One graph in six formats: a square 0 1 2 3 with the diagonal 0 2 and a tail 3 4. Its triangles: 012 and 023.
printf '0 1\n1 2\n2 3\n0 3\n0 2\n3 4\n' >"$tmp/g.edges"
printf 'c a square\np edge 5 6\ne 1 2\ne 2 3\ne 3 4\ne 1 4\ne 1 3\ne 4 5\n' >"$tmp/g.dimacs"
printf 'a b\nb c\nc d\na d\na c\nd e\n' >"$tmp/g.ncol"
printf '*Vertices 5\n*Edges\n1 2\n2 3\n3 4\n1 4\n1 3\n4 5\n' >"$tmp/g.net"
{
    echo 'graph ['
    for n in 0 1 2 3 4; do echo "node [ id $n ]"; done
    for e in '0 1' '1 2' '2 3' '0 3' '0 2' '3 4'; do echo "edge [ source ${e% *} target ${e#* } ]"; done
    echo ']'
} >"$tmp/g.gml"
{
    echo '<?xml version="1.0" encoding="UTF-8"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    echo '<graph id="G" edgedefault="undirected">'
    for n in 0 1 2 3 4; do echo "<node id=\"n$n\"/>"; done
    for e in '0 1' '1 2' '2 3' '0 3' '0 2' '3 4'; do echo "<edge source=\"n${e% *}\" target=\"n${e#* }\"/>"; done
    echo '</graph></graphml>'
} >"$tmp/g.graphml"
for f in edges dimacs ncol net gml graphml; do
    for c in general ra2 rc1; do
        t 0 "$f, $c" "$isolab" reduce triangle --graph "$tmp/g.$f" --construction $c --explain
        out_like '^graph: 5 nodes, 6 edges, 2 triangles \(igraph\), 2 '
        out_like 'violated'
        out_like 'a triangle as a violation: nodes [0-4], [0-4], [0-4]'
    done
done
# The same from what can be read only once: standard input by both of its names, and a named pipe.
mkfifo "$tmp/fifo"
for f in edges:edgelist dimacs:dimacs ncol:ncol net:pajek gml:gml graphml:graphml; do
    for from in - /dev/stdin "$tmp/fifo"; do
        if [ "$from" = "$tmp/fifo" ]; then timeout 20 tee "$tmp/fifo" <"$tmp/g.${f%:*}" >"$tmp/tee" & fi
        name="${f#*:} from ${from#"$tmp/"}"
        cat "$tmp/g.${f%:*}" | "$isolab" reduce triangle --graph "$from" --graph-format "${f#*:}" --explain \
            >"$tmp/out" 2>"$tmp/err"
        same 0 $? "$name"
        out_like '^graph: 5 nodes, 6 edges, 2 triangles \(igraph\), 2 '
    done
done
"$isolab" reduce triangle --graph - --graph-format gml <"$tmp/g.gml" --explain >"$tmp/out" 2>"$tmp/err"
same 0 $? "and from a file as standard input"
out_like '5 nodes, 6 edges, 2 triangles'
if command -v zstd >/dev/null 2>&1; then
    zstd -q "$tmp/g.net" -o "$tmp/g.zst"
    t 0 "a compressed graph is read" "$isolab" reduce triangle --graph "$tmp/g.zst" --graph-format pajek --explain
    out_like '5 nodes, 6 edges, 2 triangles'
fi
: | "$isolab" reduce triangle --graph - --graph-format edgelist >"$tmp/out" 2>"$tmp/err"
same 65 $? "an empty pipe is no graph"
err_is 'isolab: -: expected a graph (edgelist), found an empty file'
t 74 "a folder is none either" "$isolab" reduce triangle --graph "$tmp" --graph-format gml
err_like 'cannot read: Is a directory'

sed 's/^0 2$//' "$tmp/g.edges" >"$tmp/square.txt"
t 0 "without the diagonal there is no triangle" "$isolab" reduce triangle --graph "$tmp/square.txt" --explain
out_like '5 nodes, 5 edges, 0 triangles'
out_like 'level rc: satisfied'
t 0 "a history and a map" "$isolab" reduce triangle --graph "$tmp/g.edges" --to jsonl -o "$tmp/h.jsonl" \
    --map "$tmp/map.jsonl"
[ "$(jq -s 'map(.writer, .reader) | unique | length' "$tmp/map.jsonl")" = 10 ]
ok $? "every node has its two transactions"
t 0 "reduce writes any format" "$isolab" reduce triangle --graph "$tmp/g.edges" --to plume -o "$tmp/h.plume"
t 1 "whose history is violated" "$isolab" check -l rc "$tmp/h.jsonl"

# Comments as in public collections, MatrixMarket, and the words of a graph.
printf '# Directed graph: 20261119201234\n# Nodes: 5 Edges: 6\n# FromNodeId\tToNodeId\n' | cat - "$tmp/g.edges" >"$tmp/snap.txt"
printf '%%%%MatrixMarket matrix coordinate real symmetric\n%% a square\n5 5 6\n2 1 1.5\n3 2 -2\n4 3 1e3\n4 1 0\n3 1 1\n\n5 4 1\n' \
    >"$tmp/g.mtx"
for f in snap.txt g.mtx; do
    t 0 "$f" "$isolab" reduce triangle "$tmp/$f" --explain
    out_like '^graph: 5 nodes, 6 edges, 2 triangles \(igraph\), 2 '
    out_like '^hardness: predicted work 14 .*, 1 4-cycles, shortest odd cycle 3$'
    "$isolab" reduce triangle - --graph-format edgelist <"$tmp/snap.txt" --explain >"$tmp/out" 2>"$tmp/err"
    same 0 $? "$f: words may be a pipe"
done
# Weights or times in a third column; blank lines of blanks, and the banner in other letters.
awk '{ print $1 "\t" $2 "\t" NR - 2.5 "e1 \r" }' "$tmp/g.edges" >"$tmp/weights.txt"
sed 's/^%%MatrixMarket.*/%%MatrixMarket MATRIX Coordinate Real SYMMETRIC/; s/^$/ \t\r/; s/^[0-9]/  &/' "$tmp/g.mtx" >"$tmp/odd.mtx"
printf ' \n' >>"$tmp/odd.mtx"
for f in weights.txt odd.mtx; do
    t 0 "$f" "$isolab" reduce triangle "$tmp/$f" --explain
    out_like '^graph: 5 nodes, 6 edges, 2 triangles \(igraph\), 2 '
    if command -v zstd >/dev/null 2>&1; then
        zstd -q "$tmp/$f"
        t 0 "$f.zst says its format, too" "$isolab" reduce triangle "$tmp/$f.zst" --explain
        out_like '^graph: 5 nodes, 6 edges, 2 triangles \(igraph\), 2 '
    fi
done
for bad in '0 1 1 2' '0 1\n\n2' '0 1\n1 2 x' '0 1 # an edge'; do
    printf '%b\n' "$bad" >"$tmp/bad.txt"
    t 65 "a list of edges: $bad" "$isolab" reduce triangle "$tmp/bad.txt"
    err_like '^isolab: .*bad\.txt: line [13]: expected |^isolab: .*bad\.txt: line 2: expected a number in the third column'
    [ "$(wc -l <"$tmp/err")" = 1 ]
    ok $? "one line of error"
done
t 0 "a file whose name has blanks" cp "$tmp/g.mtx" "$tmp/with blanks.mtx"
t 0 "is one word" "$isolab" reduce triangle --graph "$tmp/with blanks.mtx" --explain
out_like '^graph: 5 nodes, 6 edges'
t 0 "words after the graph change it, and save it" "$isolab" reduce triangle "$tmp/g.mtx" removetriangles save "$tmp/free.mtx" plant 1 save "$tmp/one.txt" --seed 3 \
    --explain
out_like '1 triangle \(igraph\)'
t 0 "what was saved" "$isolab" reduce triangle "$tmp/free.mtx" --explain
out_like '^graph: 5 nodes, [45] edges, 0 triangles'
t 0 "a saved graph is read again" "$isolab" reduce triangle "$tmp/one.txt" --explain
out_like '1 triangle \(igraph\)'
grep -q '^# graph .*g\.mtx removetriangles plant 1$' "$tmp/one.txt"
ok $? "and the comment says what it is"
t 64 "words and options exclude each other" "$isolab" reduce triangle gnp 10 --family c5
t 64 "numbers belong to the words" "$isolab" reduce triangle c5 10 --nodes 20
err_like '^isolab: --nodes '
t 64 "a seed of nothing random" "$isolab" reduce triangle c5 10 --seed 2
t 64 "words for a reduction without a graph" "$isolab" reduce bmm gnp 10
err_like 'one operand too many: "gnp"'
for bad in '%%MatrixMarket matrix array' '%%MatrixMarket matrix coordinate x\n3 4 0' '%%MatrixMarket matrix coordinate x\n3 3 1' \
    '%%MatrixMarket matrix coordinate x\n3 3 1\n0 1' '%%MatrixMarket matrix coordinate x\n3 3 1\n1 4' \
    '%%MatrixMarket matrix coordinate x\n3 3 1\n1 2\n1 3' '%%MatrixMarket matrix coordinate x\n999999999 999999999 0' \
    '%%MatrixMarket matrix coordinate x\n3 3 99999999999999999999999\n1 2'; do
    printf '%b\n' "$bad" >"$tmp/bad.mtx"
    t 65 "malformed: $bad" "$isolab" reduce triangle "$tmp/bad.mtx"
    [ "$(wc -l <"$tmp/err")" = 1 ]
    ok $? "one line of error"
done

# What the history says about itself, in each format that keeps it, and back.
for f in isolab jsonl ilb; do
    "$isolab" reduce triangle kneser 2 -o "$tmp/about.$f" --to $f
    "$isolab" convert "$tmp/about.$f" "$tmp/back.jsonl"
    same '{"graph":"kneser 2","nodes":10,"edges":15,"work":45,"odd_girth":5,"four_cycles":0,"triangles":0}' \
        "$("$isolab" stats --json "$tmp/back.jsonl" | jq -c .about)" "Petersen's graph, by $f"
done
same null "$("$isolab" generate --txns 3 | "$isolab" stats --json - | jq -c .about)" "others say nothing"
printf '# about: x <b>\033[1m; y 2\nsession A\nt1 commit: w x 1\n' >"$tmp/odd.isolab"
same null "$("$isolab" stats --json "$tmp/odd.isolab" | jq -c .about)" "a line with control characters is a comment"

# Every edge is in one triangle. Each triangle is an instance for each of its three readers, in two orders of the other two.
for n in 9 30 90 300; do
    "$isolab" reduce triangle behrend $n -o "$tmp/rs.ilb"
    m=$("$isolab" stats --json "$tmp/rs.ilb" | jq .about.edges)
    for level in rc-plume rc ra cc; do
        same $((2 * m)) "$("$isolab" check -c plume -l $level --all --limit 1 --json "$tmp/rs.ilb" | jq "[.instances[]] | unique | .[]")" \
            "behrend $n: --all counts 6 m/3 instances of each pattern at $level"
    done
done

# A triangle, or that there is none, and an assignment as proofs that no checker had a hand in.
for c in 'general --level rc' 'general --level ra' 'general --level cc' ra2 rc1; do
    for f in planted bipartite c5 tripartite; do
        "$isolab" reduce triangle --construction $c --family $f --nodes 30 --to jsonl -o "$tmp/h.jsonl" \
            --certificate "$tmp/proof"
        t 0 "the proof of $f, $c" "$verify" "$tmp/h.jsonl" "$tmp/proof"
    done
done
for c in unique mini printed; do
    for level in si ser; do
        "$isolab" reduce sat --vars 6 --clauses 15 --construction $c --level $level --to jsonl -o "$tmp/h.jsonl" \
            --certificate "$tmp/proof"
        t 0 "the proof of an assignment, $c, $level" "$verify" "$tmp/h.jsonl" "$tmp/proof"
    done
done
printf 'p cnf 1 2\n1 0\n-1 0\n' >"$tmp/no.cnf"
t 64 "there is none for an unsatisfiable formula" "$isolab" reduce sat --cnf "$tmp/no.cnf" --certificate "$tmp/none"

# Malformed problems: one line, exit status 65.
bad() { # NAME FILE OPTIONS...
    name=$1
    shift
    t 65 "malformed: $name" "$isolab" reduce "$@"
    [ "$(wc -l <"$tmp/err")" = 1 ]
    ok $? "$name: one line of error"
}
: >"$tmp/empty.txt"
printf '0 1\n1 x\n' >"$tmp/letters.edges"
printf '0 99999999999999\n' >"$tmp/huge.edges"
printf 'p edge 4000000000 1\ne 1 2\n' >"$tmp/huge.dimacs"
printf 'graph [ node [ id 1 ] edge [ source 1 target 9 ] ]\n' >"$tmp/dangling.gml"
printf 'graph [ node [ id 1 ' >"$tmp/cut.gml"
printf '<graphml><graph>' >"$tmp/cut.graphml"
printf '*Vertices 2\n*Edges\n1 7\n' >"$tmp/far.net"
for f in empty.txt letters.edges huge.edges huge.dimacs dangling.gml cut.gml cut.graphml far.net; do
    bad "$f" triangle --graph "$tmp/$f"
done
echo "1 2" >"$tmp/edges.what"
t 64 "an unknown extension" "$isolab" reduce triangle --graph "$tmp/edges.what"
err_like 'say which with --graph-format'
t 74 "a file that is not there, whatever its name" "$isolab" reduce triangle --graph "$tmp/none.what"
err_like 'none\.what: cannot open: No such file'
t 74 "a file that is not there" "$isolab" reduce triangle --graph "$tmp/none.gml"

printf 'c two ways\np cnf 2 2\n1 -2 0\n-1\n2 0\n' >"$tmp/f.cnf"
for c in unique mini; do
    t 0 "a formula, $c" "$isolab" reduce sat --cnf "$tmp/f.cnf" --construction $c --explain --map "$tmp/map"
    out_like '2 variables, 2 clauses: satisfiable'
    out_like 'the commit order as an assignment \(satisfies\): (-1 -2|1 2) 0'
    [ "$(grep -c clause "$tmp/map")" = 4 ]
    ok $? "the map has its literals"
done
cat "$tmp/f.cnf" | "$isolab" reduce sat --cnf - --explain >"$tmp/out" 2>"$tmp/err"
same 0 $? "a formula from a pipe"
out_like '2 variables, 2 clauses: satisfiable'
printf 'p cnf 2 1\n1 3 0\n' >"$tmp/far.cnf"
printf '1 2 0\n' >"$tmp/nohead.cnf"
printf 'p cnf 2 2\n1 2 0\n' >"$tmp/short.cnf"
printf 'p cnf 2 1\n1 two 0\n' >"$tmp/word.cnf"
printf 'p cnf many 1\n1 0\n' >"$tmp/head.cnf"
for f in far nohead short word head; do bad "$f.cnf" sat --cnf "$tmp/$f.cnf"; done
err_like 'line 1'

printf '# Dekker\nw x 1, r y 0\nw y 1, r x 0\n' >"$tmp/dekker"
t 0 "Dekker's trace is not sequentially consistent" "$isolab" reduce vsc --trace "$tmp/dekker" --explain
out_like 'not sequentially consistent'
timeout 20 tee "$tmp/fifo" <"$tmp/dekker" >"$tmp/tee" &
t 0 "from a pipe" "$isolab" reduce vsc --trace "$tmp/fifo" --explain
out_like 'not sequentially consistent'
printf 'w x 1 @1..2\nr x 0 @3..4\n' >"$tmp/stale"
t 0 "a stale read is sequentially consistent" "$isolab" reduce vsc --trace "$tmp/stale" --explain
out_like 'is sequentially consistent'
t 0 "but not linearizable" "$isolab" reduce vsc --trace "$tmp/stale" --model lin --explain
out_like 'not linearizable'
t 64 "linearizability needs times" "$isolab" reduce vsc --trace "$tmp/dekker" --model lin
t 0 "a random trace" "$isolab" reduce vsc --processes 4 --ops 6 --locations 2 --values 3 --seed 7 --explain -o "$tmp/trace.jsonl" --map "$tmp/map"
out_like 'sequentially consistent'
same 24 "$(wc -l <"$tmp/map" | tr -d ' ')" "the map has its operations"
same '{"process":0,"operation":0}' "$(head -n 1 "$tmp/map" | jq -c '{process, operation}')" "from the first one on"
same 24 "$(jq -r .transaction "$tmp/map" | sort -u | wc -l | tr -d ' ')" "each with a transaction of its own"
printf 'x x 1\n' >"$tmp/t1"
printf 'w x\n' >"$tmp/t2"
printf 'w x 1 @5..2\n' >"$tmp/t3"
printf 'w x one\n' >"$tmp/t4"
for f in t1 t2 t3 t4; do bad "$f" vsc --trace "$tmp/$f"; done

for level in ser si pc; do
    t 0 "a clique, $level" "$isolab" reduce clique "$tmp/g.mtx" --level $level --explain -o "$tmp/k.jsonl" --map "$tmp/map" \
        --certificate "$tmp/proof"
    out_like '^graph: 5 nodes, 6 edges, with a clique of 3 nodes$'
    out_like '^the commit order as nodes, which are a clique: [0-3] [0-3] [0-3]$'
    same 61 "$(wc -l <"$tmp/map" | tr -d ' ')" "the map has its transactions"
    t 0 "proved without a checker" "$verify" "$tmp/k.jsonl" "$tmp/proof"
    t 0 "no clique of four nodes, $level" "$isolab" reduce clique tripartite 9 --sessions 4 --level $level --explain
    out_like 'without a clique of 4 nodes'
    t 0 "an order, $level" "$isolab" reduce between --ratio 2 --seed 3 --level $level --explain -o "$tmp/o.jsonl" --map "$tmp/map" \
        --certificate "$tmp/proof"
    out_like '^20 elements, 40 triples \(not between\): an order exists \(CaDiCaL\)$'
    out_like '^the commit order as an order of the elements \(it holds\):( [0-9]+){20}$'
    same '20 40' "$(grep -c element "$tmp/map") $(grep -c not_between "$tmp/map")" "the map has elements and triples"
    t 0 "proved without a checker" "$verify" "$tmp/o.jsonl" "$tmp/proof"
    t 0 "too many triples for an order, $level" "$isolab" reduce between --ratio 8 --level $level --explain
    out_like 'no order \(CaDiCaL\)'
done
t 64 "a search shows that there is no clique" "$isolab" reduce clique c5 10 --certificate "$tmp/none"
printf '0 1 2 # in the middle\n0 2 1\n' >"$tmp/o"
t 0 "triples from a file" "$isolab" reduce between --triples "$tmp/o" --kind between --explain
out_like '^3 elements, 2 triples \(between\): no order'
printf '0 1\n' >"$tmp/o1"
printf '0 1 1\n' >"$tmp/o2"
printf '0 1 2 3\n' >"$tmp/o3"
printf '0 1 -2\n' >"$tmp/o4"
printf '0 1 99999999\n' >"$tmp/o5"
for f in o1 o2 o3 o4 o5; do bad "$f" between --triples "$tmp/$f"; done

printf '1 0\n1 1\n' >"$tmp/a"
printf '01\n10\n' >"$tmp/b"
t 0 "bmm multiplies two matrices" "$isolab" reduce bmm --a "$tmp/a" --b "$tmp/b"
out_is "01
11"
err_like 'equal to the direct product'
cat "$tmp/a" | "$isolab" reduce bmm --a - --b "$tmp/b" >"$tmp/out" 2>"$tmp/err"
same 0 $? "with a factor from a pipe"
out_is "01
11"
printf '1 2\n' >"$tmp/two"
printf '1 0\n1\n' >"$tmp/ragged"
bad "a matrix of 2" bmm --a "$tmp/two" --b "$tmp/b"
bad "a ragged matrix" bmm --a "$tmp/ragged" --b "$tmp/b"
t 64 "matrices that do not fit" "$isolab" reduce bmm --a "$tmp/a" --b "$tmp/a" --size 3 -o x
t 64 "reduce needs the name of a reduction" "$isolab" reduce
t 64 "an unknown reduction" "$isolab" reduce triangel
err_like 'did you mean "triangle"'
finish
