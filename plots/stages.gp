# Where the time goes: one stacked bar a checker and family, from the top down.
set xlabel "mean time [s]" offset 0,0.4
set yrange [N + 0.6:0.4]
set xrange [0:*]
set format x "%g"
set xtics STEP
set ytics ("" 0.5) scale 0 noenhanced # labels are those of the data: nothing in them is a format
unset grid
set grid xtics back lt -1 dt 1 lc rgb "#E2E2E2" lw 0.6
set border 1
set key at screen 0.98, screen 0.99 right top vertical maxrows KEYROWS Left reverse samplen 1
set tmargin 1.2 + 1.2 * KEYROWS
# Column 1 is the row, column 1 + s the stage s: a box from the sum of those before to the sum with it.
before(s) = s < 2 ? 0 : sum [k=2:s] column(k)
plot for [s=1:STAGES] $DATA using (before(s)):1:(before(s)):(before(s + 1)):($1 - 0.36):($1 + 0.36):ytic(LABEL[$1]) \
    with boxxyerror fc rgb FILL[s] fs pattern HATCH[s] border rgb "#888888" lw 0.4 dt 1 title STAGE[s]
