# Peak memory: the bar is the median, the mark the largest of all histories.
set xlabel "peak memory [MiB]" offset 0,0.4
set yrange [N + 0.6:0.4]
set xrange [0:*]
set format x "%g"
set xtics STEP
set ytics ("" 0.5) scale 0 noenhanced # labels are those of the data: nothing in them is a format
unset grid
set grid xtics back lt -1 dt 1 lc rgb "#E2E2E2" lw 0.6
set border 1
set key above left Left reverse horizontal samplen 1
set style fill solid 1.0 noborder
plot $DATA using (0):1:(0):2:($1 - 0.34):($1 + 0.34):ytic(LABEL[$1]) with boxxyerror fc rgb FILL[2] title "median", \
     $DATA using 3:1 with points lt 2 pt 13 ps 0.8 title "largest"
