# One checker's time against another's. Below the thick diagonal the second one is faster; the thin ones are ten, a
# hundred and a thousand times. Diamonds beyond the axes: only one of the two answered.
set multiplot layout 1,N
set logscale xy
set size square
set xrange [LOW:HIGH * 2.6]
set yrange [LOW:HIGH * 2.6]
set format (HIGH / LOW > 2e3 ? "10^{%L}" : "%g")
set grid xtics ytics back lt -1 dt 1 lc rgb "#EEEEEE" lw 0.6
set xlabel FIRST . ", " . Y offset 0,0.4 noenhanced
unset key
do for [i=1:N] {
    set title LABEL[i] . "\n" . WHO[i] offset 0,-0.6 noenhanced
    if (i == 1) { set ylabel SECOND . ", " . Y offset 0.3,0 noenhanced } else { set ylabel " " offset 0.3,0 }
    do for [k=1:3] {
        f = 10.0 ** k
        set label k sprintf("%d×", f) at HIGH * 2.5, HIGH * 2.5 / f right offset 0,-1.1 font ",7" textcolor rgb "#777777"
        if (HIGH * 2.5 / f < LOW * 4) { unset label k }
    }
    set label 4 "0.1×" at HIGH / 10, HIGH * 1.0 right offset -0.6,0.3 font ",7" textcolor rgb "#777777"
    plot x with lines dt 1 lc rgb "#333333" lw 1.0, \
         for [k=1:3] x / 10.0 ** k with lines dt (4,4) lc rgb "#999999" lw 0.7, \
         for [k=1:1] x * 10.0 ** k with lines dt (4,4) lc rgb "#999999" lw 0.7, \
         $DATA index 2 * (i - 1) using 1:2 with points lt 1 pt 6 ps 0.5 lw 1.2, \
         $DATA index 2 * (i - 1) + 1 using 1:2 with points lt 2 pt 13 ps 0.9
}
unset multiplot
