# Multiples of the first checker's time, with their intervals; the line is the first checker itself.
set logscale x
set xlabel "time as a multiple of " . BASE offset 0,0.4 noenhanced
set yrange [N + 0.6:0.4]
set format x "%g"
set ytics ("" 0.5) scale 0 noenhanced # labels are those of the data: nothing in them is a format
unset grid
set grid xtics back lt -1 dt 1 lc rgb "#E2E2E2" lw 0.6
set border 1
unset key
set offsets graph 0.05, graph 0.05, 0, 0
set arrow 1 from 1, graph 0 to 1, graph 1 nohead lc rgb "#333333" lw 1.0
plot $DATA using 2:1:3:4:ytic(LABEL[$1]) with xerrorbars lt 1, $DATA using (1):1 with points pt 0 notitle
