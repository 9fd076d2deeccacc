/* Claims by hand, each with one thing wrong, and what the verifier says of it. Operations are numbered in order from 0,
 * transactions too. */
#ifndef ISOLAB_TESTS_REFUSED_H
#define ISOLAB_TESTS_REFUSED_H

#include <stddef.h>

typedef struct claim {
    const char *lines, *verdict;
} claim;

static const char two[] = "session\ncommit: w x 1, w y 1\nsession\ncommit: r x 1, r y 1\n";
#define SER "level ser\n"
static const claim of_text[] = {
    {"level ser\nsatisfied\norder 2\n 0 1\n", "valid"},
    {"level ser\nno-session-order\nsatisfied\norder 2\n 0 1\n", "valid"},
    {"level si\nno-session-order\nsatisfied\norder 2\n 0 1\n", "valid"},
    {"level sser\nno-session-order\nsatisfied\norder 2\n 0 1\n", "no-session-order is a variant of si and ser only"},
    {"level pc\nno-session-order\nsatisfied\norder 2\n 0 1\n", "no-session-order is a variant of si and ser only"},
    {"level", "line 3: expected level, found `levelend`"},
    {"level\n", "line 3: expected a space, found the end of the line"},
    {"level \n", "line 3: expected a level, found the end of the line"},
    {"level si1\n", "line 3: expected a level, found `si1`"},
    {"level rc-\n", "line 3: expected a level, found `rc-`"},
    {"levels si\n", "line 3: expected level, found `levels`"},
    {"level ser \nsatisfied\n", "line 3: expected the end of the line, found a space"},
    {"level ser\nno-session-order \nsatisfied\n", "line 4: expected the end of the line, found a space"},
    {"level ser\nno-session-orders\nsatisfied\n", "line 4: expected violated, found `no-session-orders`"},
    {"level ser\nmaybe\n", "line 4: expected violated, found `maybe`"},
    {"level ser\nsatisfied x\n", "line 4: expected the end of the line, found a space"},
    {"level ser\nviolated x\n", "line 4: expected the end of the line, found a space"},
    {"level ser\n", "line 4: expected violated, found `end`"},
    {"level ser\nsatisfied\n", "level ser needs a commit order"},
    {"level g1\nsatisfied\n", "level g1 needs a commit order"},
    {"level int\nsatisfied\n", "valid"},
    {"level ci\nsatisfied\n", "valid"},
    {"level ser\nsatisfied\norder\n", "line 5: expected a space, found the end of the line"},
    {"level ser\nsatisfied\norder x\n", "line 5: expected the number of transactions in the order, found `x`"},
    {"level ser\nsatisfied\norder 3\n 0 1 1\n",
     "line 5: expected at most as many transactions as the history has, found `3`"},
    {"level ser\nsatisfied\norder 2\n 0\n", "line 6: expected a space, found the end of the line"},
    {"level ser\nsatisfied\norder 2\n0 1\n", "line 6: expected a space, found `0`"},
    {"level ser\nsatisfied\norder 2\n 0 1 1\n", "line 6: expected the end of the line, found a space"},
    {"level ser\nsatisfied\norder 2 0 1\n", "line 5: expected the end of the line, found a space"},
    {"level ser\nsatisfied\norder 2\n 0\n 1\n", "line 6: expected a space, found the end of the line"},
    {"level ser\nsatisfied\norder 2\n 0 2\n", "line 6: expected a transaction, found `2`"},
    {"level ser\nsatisfied\norder 2\n 0 init\n", "line 6: expected a transaction, found `init`"},
    {"level ser\nsatisfied\norder 2\n 0 -\n", "line 6: expected a transaction, found `-`"},
    {"level ser\nsatisfied\norder 2\n 0 01\n", "line 6: expected a transaction, found `01`"},
    {"level ser\nsatisfied\norder 2\n 0 00\n", "line 6: expected a transaction, found `00`"},
    {"level ser\nsatisfied\norder 2\n 0 1x\n", "line 6: expected a transaction, found `1x`"},
    {"level ser\nsatisfied\norder 2\n 0 4294967297\n", "line 6: expected a transaction, found `4294967297`"},
    {"level ser\nsatisfied\norder 2\n 0 42949672790\n", "line 6: expected a transaction, found `42949672790`"},
    {"level ser\nsatisfied\norder 2\n 0 18446744073709551617\n",
     "line 6: expected a transaction, found `18446744073709551617`"},
    {"level ser\nsatisfied\norder 2\n 0 184467440737095516170000000000\n",
     "line 6: expected a transaction, found `184467440737095516170000`"},
    {"level ser\nsatisfied\norder 0\n", "the committed transaction 0 is not in the order"},
    {"level ser\nsatisfied\norder 1\n 0\n", "the committed transaction 1 is not in the order"},
    {"level ser\nsatisfied\norder 1\n 1\n", "the committed transaction 0 is not in the order"},
    {"level ser\nsatisfied\norder 2\n 1 1\n", "transaction 1 is twice in the order"},
    {"level ser\nsatisfied\norder 2\n 1 0\n", "transaction 1 comes before 0, from which its operation 2 reads"},
    {"level ser\nsatisfied\norder 2\n 0 1\nreads 2 0\n", "operation 2 is not an ambiguous read"},
    {"level ser\nsatisfied\norder 2\n 0 1\nreads 4 0\n", "line 7: expected a read, found `4`"},
    {"level ser\nsatisfied\norder 2\n 0 1\nreads init 0\n", "line 7: expected a read, found `init`"},
    {"level ser\nsatisfied\norder 2\n 0 1\nreads - 0\n", "line 7: expected a read, found `-`"},
    {"level ser\nsatisfied\norder 2\n 0 1\nreads 2 4\n", "line 7: expected a write or init, found `4`"},
    {"level ser\nsatisfied\norder 2\n 0 1\nreads 2 -\n", "line 7: expected a write or init, found `-`"},
    {"level ser\nsatisfied\norder 2\n 0 1\nreads 2 initial\n", "line 7: expected a write or init, found `initial`"},
    {"level ser\nsatisfied\norder 2\n 0 1\nreads 2 0 1\n", "line 7: expected the end of the line, found a space"},
    {"level ser\nsatisfied\norder 2\n 0 1\nso 0 1\n", "line 7: expected end, found `so`"},
    {"level ser\nsatisfied\nviolated\n", "line 5: expected end, found `violated`"},
};

static const char edges_by_hand[] = "session\ncommit: w x 1, w y 1\nsession\ncommit: r x 1, r y nil\nabort: w x 9\n";
#define RC "level rc\nviolated\n"
#define WR "wr 0 1 0 2\n"
static const claim of_edges[] = {
    {RC WR "axiom 0 init 3 - - 0 1\nso init 0\ncycle 1 2\n", "valid"},
    {"level rc-plume\nviolated\n" WR "axiom 0 init 3 - - 0 1\nso init 0\ncycle 1 2\n", "valid"},
    {"level g1\nviolated\n" WR "axiom 0 init 3 - - 0 1\nso init 0\ncycle 1 2\n", "edge 1 does not follow at level g1"},
    {"level int\nviolated\n" WR "cycle 0 1\n", "edge 0 does not follow at level int"},
    {"level ci\nviolated\n" WR "cycle 0 1\n", "edge 0 does not follow at level ci"},
    {RC WR "axiom 0 init 3 - - 0 1\nso init 0\ncycle 0 2\n", "the edges from 0 on are not a cycle"},
    {RC WR "axiom 0 init 3 - - 0 1\nso init 0\ncycle 0 0\n",
     "line 8: expected edges of this certificate in the cycle, found the end of the line"},
    {RC WR "axiom 0 init 3 - - 0 1\nso init 0\ncycle 1 3\n",
     "line 8: expected edges of this certificate in the cycle, found the end of the line"},
    {RC WR "axiom 0 init 3 - - 0 1\nso init 0\ncycle 4 1\n",
     "line 8: expected edges of this certificate in the cycle, found the end of the line"},
    {RC WR "axiom 0 init 3 - - 0 1\nso init 0\ncycle 3 1\n",
     "line 8: expected edges of this certificate in the cycle, found the end of the line"},
    {RC WR "axiom 0 init 3 - - 0 1\nso init 0\ncycle 1 2 3\n", "line 8: expected the end of the line, found a space"},
    {RC WR "axiom 0 init 3 - - 0 1\nso init 0\ncycle init 2\n", "line 8: expected an edge, found `init`"},
    {RC WR "axiom 0 init 3 - - 0 1\nso init 0\ncycle - 2\n", "line 8: expected an edge, found `-`"},
    {RC WR "axiom 0 init 3 - - 0 1\nso init 0\ncycle 1 init\n", "line 8: expected a number of edges, found `init`"},
    {RC WR "axiom 0 init 3 - - 0 1\nso init 0\ncycle 1 -\n", "line 8: expected a number of edges, found `-`"},
    {RC WR "axiom 0 init 3 - - 0 1\nso init 0\ncycle 4294967278 2\n",
     "line 8: expected edges of this certificate in the cycle, found the end of the line"},
    {RC WR "axiom 0 init 3 - - 0 1\nso init 0\ncycle 4294967279 2\n", "line 8: expected an edge, found `4294967279`"},
    {RC WR "axiom 0 init 3 - - 0 1\nso init 0\ncycle 1 4294967278\n",
     "line 8: expected edges of this certificate in the cycle, found the end of the line"},
    {RC WR "axiom 0 init 3 - - 0 1\nso init 0\ncycle 1 4294967279\n",
     "line 8: expected a number of edges, found `4294967279`"},
    {RC WR "axiom 0 init 3 - - 0 1\nso init 0\n", "line 8: expected an edge, `cycle` or `proof`, found `end`"},
    {RC "cycle 0 1\n", "line 5: expected edges of this certificate in the cycle, found the end of the line"},
    {RC WR "axiom 0 init 3 - - 1 1\n",
     "line 6: expected premises that come before the edge, found the end of the line"},
    {RC WR "axiom 0 init 3 - - 2 0\n",
     "line 6: expected premises that come before the edge, found the end of the line"},
    {RC WR "axiom 0 init 3 - - 0 2\n",
     "line 6: expected premises that come before the edge, found the end of the line"},
    {RC WR "axiom 0 init 3 - - 1 0\ncycle 1 1\n", "edge 1 does not follow at level rc"},
    {RC WR "axiom 0 init 3 - - 0 0\ncycle 1 1\n", "edge 1 does not follow at level rc"},
    {RC WR "axiom 0 init 3 - - init 1\n", "line 6: expected an edge, found `init`"},
    {RC WR "axiom 0 init 3 - - - 1\n", "line 6: expected an edge, found `-`"},
    {RC WR "axiom 0 init 3 - - 0 init\n", "line 6: expected a number of edges, found `init`"},
    {RC WR "axiom 0 init 3 - - 0 -\n", "line 6: expected a number of edges, found `-`"},
    {RC WR "axiom 0 init 3 - - 4294967279 0\n", "line 6: expected an edge, found `4294967279`"},
    {RC WR "axiom 0 init 3 - - 0 4294967279\n", "line 6: expected a number of edges, found `4294967279`"},
    {RC WR "axiom 0 init 3 - - 0 1 2\n", "line 6: expected the end of the line, found a space"},
    {RC WR "axiom 0 init 3 - -\n", "line 6: expected a space, found the end of the line"},
    {RC WR "axiom 0 init init - - 0 1\n", "line 6: expected an operation, found `init`"},
    {RC WR "axiom 0 init 5 - - 0 1\n", "line 6: expected an operation, found `5`"},
    {RC WR "axiom 3 init 3 - - 0 1\n", "line 6: expected a transaction, found `3`"},
    {RC WR "axiom - init 3 - - 0 1\n", "line 6: expected a transaction, found `-`"},
    {RC "wr 0 1 0\n", "line 5: expected a space, found the end of the line"},
    {RC "wr 0 1 0 2 4\n", "line 5: expected the end of the line, found a space"},
    {RC "wr\n", "line 5: expected a space, found the end of the line"},
    {RC "wrong 0 1\n", "line 5: expected an edge, `cycle` or `proof`, found `wrong`"},
    {RC "so 0 1 2\n", "line 5: expected the end of the line, found a space"},
    {RC "rt 0 1 2\n", "line 5: expected the end of the line, found a space"},
    {RC "list 0 1 2 3\n", "line 5: expected the end of the line, found a space"},
    {RC "rw 0 1 2 3\n", "line 5: expected a space, found the end of the line"},
    {RC "ww 0 1 0 2 0\n", "line 5: expected a space, found the end of the line"},
    {RC "so 0 2\ncycle 0 1\n", "edge 0 does not follow at level rc"},
    {RC "so 1 2\ncycle 0 1\n", "edge 0 does not follow at level rc"}, /* transaction 2 is aborted */
    {RC "wr 0 1 4 2\ncycle 0 1\n", "edge 0 does not follow at level rc"},
    {RC "wr 0 1 - 2\ncycle 0 1\n", "edge 0 does not follow at level rc"},
    {RC "offence\n", "line 5: expected a space, found the end of the line"},
    {RC "offence aborted\n", "line 5: expected a kind of offence, found `aborted`"},
    {RC "offence aborted-read\n", "line 5: expected a space, found the end of the line"},
    {RC "offence aborted-read 5 0\n", "line 5: expected a read, found `5`"},
    {RC "offence aborted-read - 0\n", "line 5: expected a read, found `-`"},
    {RC "offence aborted-read init 0\n", "line 5: expected a read, found `init`"},
    {RC "offence aborted-read 2 5\n", "line 5: expected an operation, found `5`"},
    {RC "offence aborted-read 2 init\n", "line 5: expected an operation, found `init`"},
    {RC "offence aborted-read 2\n", "line 5: expected a space, found the end of the line"},
    {RC "offence aborted-read 2 0 1\n", "line 5: expected the end of the line, found a space"},
    {RC "offence aborted-read 2 0\ncycle 0 1\n", "line 6: expected end, found `cycle`"},
    {RC "offence aborted-read 0 2\n", "operation 0 is not a read of an included transaction"},
    {RC "offence aborted-read 4 2\n", "operation 4 is not a read of an included transaction"},
    {RC "offence aborted-read 2 0\n", "read 2 does not offend"},
    {RC "proof\n"
        "end\n",
     "line 7: expected nothing after `end`, found `end`"},
    {RC "case\n", "line 5: expected a space, found the end of the line"},
    {RC "case so 0 1\nproof\n", "line 6: expected `case cycle`, found `proof`"},
    {RC "case no 0 1\n", "line 5: expected an edge, `cycle` or `offence`, found `no`"},
    {RC "case so 0 1\ncase cycle 1 1\n",
     "line 6: expected edges of this certificate in the cycle, found the end of the line"},
    {RC "case so 0 1\ncase cycle 0 1\ncycle 0 1\n", "line 7: expected proof, found `cycle`"},
    {RC "case axiom 0 init 3 - - 0 1\n",
     "line 5: expected premises that come before the edge, found the end of the line"},
    {RC "case offence thin-air-read 5 -\n", "line 5: expected a read, found `5`"},
    {RC "case offence thin-air-read 2 - -\n", "line 5: expected the end of the line, found a space"},
    {RC "proof x\n", "line 5: expected commits, found `x`"},
    {RC "proof commits x\n", "line 5: expected the end of the line, found a space"},
    {RC "proofs\n", "line 5: expected an edge, `cycle` or `proof`, found `proofs`"},
    {RC "proof\n", "clausal proofs are for pc and stronger levels, except those of commits"},
    {"level cc\nviolated\nproof\n", "clausal proofs are for pc and stronger levels, except those of commits"},
    {RC "proof commits\n", "the proof ends without a contradiction"},
};

/* Transactions 0 to 3 commit; 4 aborts, 5 is unknown. Operations: 0 1 | 2 3 | 4 | 5 6 7 | 8 | 9. */
static const char proofs_by_hand[] =
    "session\ncommit: r x nil, w x 1\nsession\ncommit: r x nil, w x 2\nsession\ncommit: w y 3\n"
    "commit: w l 5, r x 2, r x 1\nsession\nabort: w x 7\nsession\nmaybe: w x 8\n";
#define P "level ser\nviolated\nproof\n"
#define C "level ser\nviolated\nproof commits\n"
#define S "level si\nviolated\nproof\n"
#define OPEN "the proof ends without a contradiction"
static const claim of_proofs[] = {
    {P "rw 0 init 3\nrw 2 init 1\nlemma\n", "valid"},
    {P "rw 0 init 3\nrw 2 init 1\n", "valid"},
    {P "", OPEN},
    {P "\n", "line 6: expected a rule in the proof"},
    {P " so 2 3\n", "line 6: expected a rule in the proof"},
    {P "so\n", "line 6: expected a space and a further word in the proof"},
    {P "so 2 3\nso 2 3 4\n", "line 7: expected the end of the line in the proof"},
    {P "so 2 3 \n", "line 6: expected the end of the line in the proof"},
    {P "so 2  3\n", "line 6: expected a transaction of the history in the proof"},
    {P "so 2 03\n", "line 6: expected a transaction of the history in the proof"},
    {P "so 2 6\n", "line 6: expected a transaction of the history in the proof"},
    {P "so 2 4294967299\n", "line 6: expected a transaction of the history in the proof"},
    {P "so 2 18446744073709551619\n", "line 6: expected a transaction of the history in the proof"},
    {P "so 2 x\n", "line 6: expected a transaction of the history in the proof"},
    {P "so 2 /\n", "line 6: expected a transaction of the history in the proof"},
    {P "so 2 :\n", "line 6: expected a transaction of the history in the proof"},
    {P "so 2 3\n", OPEN},
    {P "so 3 2\n", "proof, line 6: transaction 3 does not come before 2"},
    {P "so 0 1\n", "proof, line 6: transaction 0 does not come before 1"},
    {P "so 2 2\n", "proof, line 6: transaction 2 does not come before 2"},
    {P "rt 2 3\n", "proof, line 6: transaction 2 does not come before 3"},
    {"level int\nviolated\nproof commits\nso 2 3\n", "proof, line 6: the level asks for no order"},
    {"level ci\nviolated\nproof commits\nwr 6 3\n", "proof, line 6: the level asks for no order"},
    {"level g1\nviolated\nproof commits\nwr 6 3\n", OPEN},
    {P "wr 6 3\n", OPEN},
    {P "wr 6 1\n", "proof, line 6: operation 6 cannot have read from that write"},
    {P "wr 1 3\n", "proof, line 6: operation 1 cannot have read from that write"},
    {P "wr 6 init\n", "line 6: expected an operation of the history in the proof"},
    {P "wr 6 10\n", "line 6: expected an operation of the history in the proof"},
    {P "wr 10 3\n", "line 6: expected an operation of the history in the proof"},
    {P "ww 1 3\n", OPEN},
    {P "ww 1 4\n", "proof, line 6: 1 and 4 do not write one key, or the level has no rule for that"},
    {P "ww 0 3\n", "proof, line 6: 0 and 3 do not write one key, or the level has no rule for that"},
    {P "ww 1 1\n", "proof, line 6: 1 and 1 do not write one key, or the level has no rule for that"},
    {P "ww 1 8\n", "proof, line 6: transaction 4 is aborted"},
    {P "ww 8 1\n", "proof, line 6: transaction 4 is aborted"},
    {"level pc\nviolated\nproof\nww 1 3\n",
     "proof, line 6: 1 and 3 do not write one key, or the level has no rule for that"},
    {P "rw 0 init 3\n", OPEN},
    {P "rw 0 3 3\n", "proof, line 6: 0, 3 and 3 are not a read and two writers of its key"},
    {P "rw 0 init 1\n", "proof, line 6: 0, 4294967294 and 1 are not a read and two writers of its key"},
    {P "rw 0 init 4\n", "proof, line 6: 0, 4294967294 and 4 are not a read and two writers of its key"},
    {P "rw 0 initial 3\n", "line 6: expected an operation of the history in the proof"},
    {P "rw 0 ini 3\n", "line 6: expected an operation of the history in the proof"},
    {"level rc\nviolated\nproof commits\nrw 0 init 3\n", "proof, line 6: at this level commits have no rule for that"},
    {P "list 6 0 1\n", "proof, line 6: read 6 does not show 0 before 1"},
    {P "shown 6 0\n", "proof, line 6: operation 6 is not a list read"},
    {P "torn 6 0\n", "proof, line 6: operation 6 is not a list read"},
    {P "choice 6\n", OPEN},
    {P "choice 1\n", "proof, line 6: operation 1 is not a read"},
    {P "one 6 3 3\n", "line 6: expected two different writes in the proof"},
    {P "one 6 init init\n", "line 6: expected two different writes in the proof"},
    {P "one 6 3 init\n", "proof, line 6: operation 6 cannot have read from that write"},
    {P "part 6 3\n", OPEN},
    {P "part 6 8\n", "proof, line 6: operation 6 cannot have read from that write"},
    {P "cycle 0 1\n", OPEN},
    {P "cycle\n", "line 6: expected at least two points in the proof"},
    {P "cycle 0\n", "line 6: expected different points next to each other in the proof"},
    {P "cycle 0 1 0\n", "line 6: expected different points next to each other in the proof"},
    {P "cycle 0 6\n", "line 6: expected a transaction of the history in the proof"},
    {P "cycle s0 c1\n", "line 6: expected a transaction of the history in the proof"},
    {S "cycle s0 c1\n", OPEN},
    {S "cycle 0 1\n", "line 6: expected s or c and a transaction in the proof"},
    {S "cycle s0 c6\n", "line 6: expected a transaction of the history in the proof"},
    {S "cycle s0 d1\n", "line 6: expected s or c and a transaction in the proof"},
    {S "cycle s0 r1\n", "line 6: expected s or c and a transaction in the proof"},
    {S "cycle s0  c1\n", "line 6: expected s or c and a transaction in the proof"},
    {S "cycle s0 c\n", "line 6: expected a transaction of the history in the proof"},
    {P "atom 1 before 0 1\natom 2 reads 6 3\natom 3 reads 6 init\natom 4 in 5\n", OPEN},
    {P "atom 0 before 0 1\n", "line 6: expected the next number in the proof"},
    {P "atom 2 before 0 1\n", "line 6: expected the next number in the proof"},
    {P "atom 1 before 0 1\natom 1 before 0 2\n", "line 7: expected the next number in the proof"},
    {P "atom x before 0 1\n", "line 6: expected the number of an atom in the proof"},
    {P "atom 4294967295 before 0 1\n", "line 6: expected the number of an atom in the proof"},
    {P "atom 4294967294 before 0 1\n", "line 6: expected the next number in the proof"},
    {P "atom 1 before 0 0\n", "line 6: expected points of two transactions in the proof"},
    {S "atom 1 before s0 c0\n", "line 6: expected points of two transactions in the proof"},
    {S "atom 1 before s0 c1\n", OPEN},
    {P "atom 1 after 0 1\n", "line 6: expected before, reads or in in the proof"},
    {P "atom 1\n", "line 6: expected a space and a further word in the proof"},
    {P "atom 1 in 6\n", "line 6: expected a transaction of the history in the proof"},
    {P "atom 1 reads 10 init\n", "line 6: expected an operation of the history in the proof"},
    {P "atom 1 before 0 1\nlemma 1\n", "proof, line 7: the lemma does not follow by unit propagation"},
    {P "atom 1 before 0 1\nlemma 1 -1\n", OPEN},
    {P "atom 1 before 0 1\natom 2 before 0 2\nrw 0 init 3\nlemma 1 2\n", OPEN}, /* its first literal is true already */
    {P "atom 1 before 0 1\natom 2 before 0 2\nrw 0 init 3\nlemma 2 1\n", OPEN},
    {P "atom 1 before 0 1\natom 2 before 0 2\nrw 0 init 3\nlemma 2 -1\n",
     "proof, line 9: the lemma does not follow by unit propagation"},
    {P "atom 1 before 0 1\nlemma 0\n", "line 7: expected a declared atom in the proof"},
    {P "atom 1 before 0 1\nlemma 2\n", "line 7: expected a declared atom in the proof"},
    {P "atom 1 before 0 1\nlemma -2\n", "line 7: expected a declared atom in the proof"},
    {P "atom 1 before 0 1\nlemma --1\n", "line 7: expected a declared atom in the proof"},
    {P "atom 1 before 0 1\nlemma - 1\n", "line 7: expected a declared atom in the proof"},
    {P "atom 1 before 0 1\nlemma 1 -1x\n", "line 7: expected the end of the line in the proof"},
    {P "lemmas\n", "line 6: expected a rule in the proof"},
    {P "axiom 0 init 1 co 0\n", "line 6: expected a rule in the proof"},
    {C "axiom 0 init 1 co 0\naxiom 2 init 0 co 1\n", "valid"},
    {C "axiom 0 init 1 co 0\n", OPEN},
    {C "axioms 0 init 1 co 0\n", "line 6: expected a rule in the proof"},
    {C "\n", "line 6: expected a rule in the proof"},
    {C "axiom 0 init 1 xx 0\n", "line 6: expected so, wr, co or ww in the proof"},
    {C "axiom 0 init 1 \n", "line 6: expected so, wr, co or ww in the proof"},
    {C "axiom 0 init 1\n", "proof, line 6: at this level the reader need not see that writer"},
    {C "axiom 0 init 1 co 2\n", "proof, line 6: at this level the reader need not see that writer"},
    {C "axiom 0 init 0 co 1\n", "proof, line 6: not a read and two writers of its key"},
    {C "axiom 0 init 2 co 0\n", "proof, line 6: not a read and two writers of its key"},
    {C "axiom 0 init 4 co 0\n", "proof, line 6: transaction 4 is aborted"},
    {C "axiom 0 init 1 so 0\n", "proof, line 6: a step that is not session order"},
    {C "axiom 0 init 1 wr 2 1\n", "proof, line 6: operation 2 cannot have read from that write"},
    {C "axiom 7 1 1 wr 7 1\n", "proof, line 6: a step that is not from a writer to its reader"},
    {C "axiom 0 init 1 co 1\n", "proof, line 6: a step from a transaction to itself"},
    {C "axiom 0 init 1 ww 3 4\n", "proof, line 6: a step that is not between two writers of a key"},
    {C "state 6 3 1\n", "proof, line 6: operation 6 is not a list read"},
    {C "cut 6 3 7 1\n", "proof, line 6: not two reads of one key in one transaction, at a level with cut isolation"},
    {C "rt 0 1\n", "proof, line 6: transaction 0 does not come before 1"},
};

/* Operations: 0 | 1 2 3 | 4 | 5. */
static const char cuts_by_hand[] =
    "session\ncommit: w x 1\nsession\ncommit: r x 1, r x nil, r y 9\nsession\nabort: w x 4\n"
    "session\nmaybe: w z 1\n";
#define CI "level ci\nviolated\nproof commits\n"
static const claim of_cuts[] = {
    {CI "cut 1 0 2 init\n", "valid"},
    {CI "cut 2 init 1 0\n", "valid"},
    {"level ci\nviolated\noffence non-repeatable-read 1 2\n", "valid"},
    {CI "cut 1 0 1 0\n", "proof, line 6: not two values of two other transactions"},
    {CI "cut 1 0 3 init\n", "proof, line 6: operation 3 cannot have read from that write"},
    {CI "choice 3\n", "proof, line 6: the level allows values that no transaction wrote"},
    {"level int\nviolated\nproof commits\nchoice 3\n", "valid"},
    {CI "choice 1\n", OPEN},
    {"level ci\nsatisfied\n", "reads 1 and 2 of one transaction return values of different transactions"},
    {"level int\nsatisfied\n", "read 3 returned a value that no transaction wrote"},
    {"level ci\nviolated\noffence thin-air-read 3 -\n", "level ci does not ask for read consistency"},
    {"level int\nviolated\noffence thin-air-read 3 -\n", "valid"},
    {"level si\nviolated\noffence lost-update 1 -\n",
     "the value of read 1 may have been written as often as it was overwritten"},
    {"level ra\nviolated\noffence lost-update 1 -\n", "a lost update of level ra, by a count"},
    {"level si\nviolated\noffence lost-update 1 0\n", "a lost update of level si, by a count"},
    {"level int\nviolated\noffence thin-air-read 3 0\n", "read 3 offends, but not as the certificate says"},
    {"level int\nviolated\noffence non-repeatable-read 1 2\n", "level int allows reads that are not repeatable"},
    {"level ra\nviolated\noffence non-repeatable-read 1 3\n",
     "operations 1 and 3 are not two reads of one key in one transaction"},
    {"level ra\nviolated\noffence non-repeatable-read 1 1\n",
     "operations 1 and 1 do not read from two different other transactions that are included"},
    {"level ra\nsatisfied\norder 3\n 0 1 2\n", "the aborted transaction 2 is in the order"},
};

/* Operations: 0 1 | 2 3 | 4 5 6 7 8 | 9 */
static const char ints_by_hand[] =
    "session\ncommit: w x 1, w x 2\nsession\ncommit: w x 3, r x 2\n"
    "session\ncommit: r y 5, w y 5, w y 6, r y 5, r y 6\nsession\nmaybe: w z 1\nsession\ncommit: r z 1\n";
static const claim of_ints[] = {
    {"level int\nsatisfied\n", "read 3 did not return the write 2 of its own transaction"},
    {"level int\nsatisfied\norder 4\n 0 1 2 4\n", "read 3 did not return the write 2 of its own transaction"},
};
static const claim of_later[] = {{"level int\nsatisfied\n", "read 0 returned a later write of its own transaction"}};
static const claim of_latest[] = {
    {"level int\nsatisfied\n", "read 2 did not return the latest write of its own transaction"}};
static const claim of_overwritten[] = {
    {"level int\nsatisfied\n", "read 2 returned a write that transaction 0 overwrote"}};
static const claim of_missing[] = {
    {"level int\nsatisfied\norder 1\n 1\n", "read 1 reads from transaction 0, which is not included"},
    {"level ci\nsatisfied\norder 1\n 1\n", "transaction 0 is left out, but read 1 reads from it"},
    {"level int\nsatisfied\n", "valid"},
    {"level ci\nsatisfied\n", "valid"},
    {"level int\nsatisfied\norder 2\n 0 1\n", "valid"},
};
static const claim of_sessions[] = {
    {"level rc\nsatisfied\norder 2\n 0 1\n", "valid"},
    {"level rc\nsatisfied\norder 2\n 1 0\n", "transactions 0 and 1 of one session are in the wrong order"},
    {"level ser\nno-session-order\nsatisfied\norder 2\n 1 0\n", "valid"},
};
static const claim of_time[] = {
    {"level sser\nsatisfied\norder 2\n 0 1\n", "valid"},
    {"level sser\nsatisfied\norder 2\n 1 0\n", "transaction 0 ended before 1 started, and comes after it"},
    {"level lser\nsatisfied\norder 2\n 0 1\n", "valid"},
    {"level lser\nsatisfied\norder 2\n 1 0\n", "valid"},
    {"level ser\nsatisfied\norder 2\n 1 0\n", "valid"},
};
/* At lser real time orders the transactions that access a common key. */
static const claim of_keys_in_time[] = {
    {"level lser\nsatisfied\norder 3\n 0 1 2\n", "valid"},
    {"level lser\nsatisfied\norder 3\n 1 0 2\n", "valid"},
    {"level lser\nsatisfied\norder 3\n 0 2 1\n", "transaction 1 ended before 2 started, and comes after it"},
    {"level lser\nsatisfied\norder 3\n 2 0 1\n", "transaction 0 ended before 2 started, and comes after it"},
    {"level sser\nsatisfied\norder 3\n 1 0 2\n", "transaction 0 ended before 1 started, and comes after it"},
    {"level lser\nviolated\nrt 0 1\ncycle 0 1\n", "edge 0 does not follow at level lser"},
    {"level lser\nviolated\nrt 0 2\ncycle 0 1\n", "the edges from 0 on are not a cycle"},
    {"level lser\nviolated\nrt 2 1\ncycle 0 1\n", "edge 0 does not follow at level lser"},
    {"level sser\nviolated\nrt 0 1\ncycle 0 1\n", "the edges from 0 on are not a cycle"},
};
/* A transaction that ended when another one started overlapped it; the latest start before a transaction is not always
 * that of the one just before it, and the first of two equal ones is named. */
static const claim of_instants[] = {
    {"level sser\nsatisfied\norder 5\n 1 0 3 2 4\n", "valid"},
    {"level sser\nsatisfied\norder 5\n 0 2 3 1 4\n", "transaction 1 ended before 2 started, and comes after it"},
    {"level sser\nsatisfied\norder 5\n 0 4 2 3 1\n", "transaction 1 ended before 4 started, and comes after it"},
    {"level sser\nsatisfied\norder 5\n 0 2 4 1 3\n", "transaction 1 ended before 2 started, and comes after it"},
    {"level sser\nsatisfied\norder 5\n 1 3 0 2 4\n", "transaction 0 ended before 3 started, and comes after it"},
    {"level sser\nviolated\nrt 0 1\ncycle 0 1\n", "edge 0 does not follow at level sser"},
    {"level sser\nviolated\nrt 0 2\ncycle 0 1\n", "the edges from 0 on are not a cycle"},
};
/* The second transaction of a session does not see the first. */
static const claim of_views[] = {
    {"level ra\nsatisfied\norder 2\n 0 1\n", "read 1 reads from before transaction 0 of its own session"},
    {"level cc\nsatisfied\norder 2\n 0 1\n", "read 1 reads from before transaction 0, which happens before it"},
    {"level pc\nsatisfied\norder 2\n 0 1\n", "read 1 misses a write of transaction 0, which its transaction sees"},
    {"level rc\nsatisfied\norder 2\n 0 1\n", "valid"},
};
static const claim of_fractures[] = {
    {"level rc\nsatisfied\norder 2\n 0 1\n",
     "read 3 (or a later one of its key) reads from before transaction 0, which it sees"},
};
static const claim of_choices[] = {
    {"level ser\nsatisfied\norder 3\n 0 2 1\nreads 2 0\n", "valid"},
    {"level ser\nsatisfied\norder 3\n 0 1 2\nreads 2 1\n", "valid"},
    {"level ser\nsatisfied\norder 3\n 0 1 2\n",
     "several transactions wrote what read 2 returned: a `reads` line must choose"},
    {"level ser\nsatisfied\norder 3\n 0 1 2\nreads 2 init\n",
     "read 2 cannot read from operation 4294967294: it wrote something else"},
    {"level ser\nsatisfied\norder 3\n 0 1 2\nreads 2 2\n",
     "read 2 cannot read from operation 2: it wrote something else"},
    {"level ser\nsatisfied\norder 3\n 0 1 2\nreads 1 0\n", "operation 1 is not an ambiguous read"},
};

/* Operations: 0 1 | 2 | 3 4 5 | 6. */
static const char lists_by_hand[] =
    "session\ncommit: append x 1, append x 2\nsession\ncommit: append x 3\n"
    "session\ncommit: rl x [1 2], append x 4, rl x [1 2 4]\nsession\ncommit: rl x [1 2 3]\n";
#define G "level g1\nviolated\nproof commits\n"
static const claim of_lists[] = {
    {"level ser\nsatisfied\norder 4\n 0 2 1 3\n",
     "element 2 of list read 6 is not the element that the order puts there"},
    {"level g1\nsatisfied\norder 4\n 0 1 3 2\n", "valid"},
    {"level si\nviolated\noffence lost-update 3 -\n",
     "operation 3 reads a list, and lost updates of lists are not counted"},
    {G "shown 6 2\n", OPEN},
    {G "shown 6 3\n", "proof, line 6: not an element of another transaction that the read shows"},
    {G "shown 6 4294967294\n", "proof, line 6: not an element of another transaction that the read shows"},
    {G "shown 6 4294967295\n", "line 6: expected the number of an element in the proof"},
    {G "shown 6 x\n", "line 6: expected the number of an element in the proof"},
    {G "torn 6 0\n", "proof, line 6: list read 6 does not tear the appends of this transaction"},
    {G "list 6 0 1\n", OPEN},
    {G "list 6 1 0\n", "proof, line 6: read 6 does not show 1 before 0"},
    {G "state 6 2 1\n", OPEN},
    {G "state 6 2 0 1\n", "proof, line 6: the read shows exactly these elements"},
    {G "state 6 2\n", "proof, line 6: the read shows exactly these elements"},
    {G "state 6 2 without 0\n", "proof, line 6: the read shows exactly these elements"},
    {G "state 6 2 1 without 0\n", OPEN},
    {G "state 6 2 1 without 0 without 2\n", "line 6: expected a transaction of the history in the proof"},
    {G "state 6 2 1 1\n", "proof, line 6: a transaction that does not write the list, or is named twice"},
    {G "state 6 2 3\n", "proof, line 6: a transaction that does not write the list, or is named twice"},
    {G "state 6 init 1\n", "line 6: expected an operation of the history in the proof"},
    {"level int\nviolated\nproof commits\nstate 6 2 1\n", "proof, line 6: the level asks for no order"},
    {"level ci\nviolated\nproof commits\ndiffer 3 5\n", "proof, line 6: the two reads show one list"},
    {G "differ 3 5\n", "proof, line 6: not two reads of one key in one transaction, at a level with cut isolation"},
    {"level ci\nviolated\noffence non-repeatable-read 3 5\n", "operations 3 and 5 show one list"},
    {"level ra\nviolated\noffence thin-air-read 3 -\n", "list read 3 does not offend in this way"},
};
static const claim of_own_lists[] = {
    {"level int\nsatisfied\n", "list read 1 is not consistent"},
    {"level g1\nsatisfied\norder 2\n 0 1\n", "list read 1 is not consistent"},
    {G "state 1 2 1\n", "proof, line 6: operation 1 cannot have read from that write"},
};
static const claim of_steps[] = {
    {C "axiom 2 init 0 co 1\n", OPEN},
    {C "axiom 2 init 0 wr 1 0\n", "proof, line 6: a step that is not from a writer to its reader"},
    {C "axiom 2 init 0 wr 1 0 co 1\n", "proof, line 6: a step that is not from a writer to its reader"},
    {C "axiom 2 init 0 ww 0 0 co 1\n", "proof, line 6: a step that is not between two writers of a key"},
};
static const claim of_states[] = {
    {"level ser\nsatisfied\norder 2\n 0 1\n", "valid"},
    {"level ser\nsatisfied\norder 2\n 1 0\n", "list read 2 does not show the state after another transaction"},
};

static const struct {
    const char *name, *history;
    const claim *claims;
    size_t n;
} table[] = {
#define OF(history, claims)                                                                                            \
    { #claims, history, claims, sizeof(claims) / sizeof *(claims) }
    OF(two, of_text),
    OF(edges_by_hand, of_edges),
    OF(proofs_by_hand, of_proofs),
    OF(cuts_by_hand, of_cuts),
    OF(ints_by_hand, of_ints),
    OF("session\ncommit: r x 1, w x 1\n", of_later),
    OF("session\ncommit: w x 1, w x 2, r x 1\n", of_latest),
    OF("session\ncommit: w x 1, w x 2\nsession\ncommit: r x 1\n", of_overwritten),
    OF("session\nmaybe: w x 1\nsession\ncommit: r x 1\n", of_missing),
    OF("session\ncommit: w x 1\ncommit: w y 1\n", of_sessions),
    OF("session\ncommit @1..2: w x 1\nsession\ncommit @3..4: w y 1\n", of_time),
    OF("session\ncommit @1..2: w x 1\nsession\ncommit @3..4: w y 1\nsession\ncommit @5..6: w y 2, w x 2\n",
       of_keys_in_time),
    OF("session\ncommit @1..3: w x 1\nsession\ncommit @3..5: w y 1\nsession\ncommit @6..8: w z 1\nsession\ncommit "
       "@4..9: w v 1\n"
       "session\ncommit @6..9: w u 1\n",
       of_instants),
    OF("session\ncommit: w x 1\ncommit: r x nil\n", of_views),
    OF("session\ncommit: w x 1, w y 1\nsession\ncommit: r x 1, r y nil\n", of_fractures),
    OF("session\ncommit: w x 1\nsession\ncommit: w x 1\nsession\ncommit: r x 1\n", of_choices),
    OF("session\ncommit: w x 1, r x 1\nsession\ncommit: r x nil, w y 1\n", of_steps),
    OF(lists_by_hand, of_lists),
    OF("session\ncommit: append x 1, rl x [1 2]\nsession\ncommit: append x 2\n", of_own_lists),
    OF("session\ncommit: append x 1\nsession\ncommit: append x 1, rl x [1 1]\n", of_states),
};

#endif
