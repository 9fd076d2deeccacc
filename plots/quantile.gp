# How many questions are answered within a time: lower and further to the right is better.
set logscale y
set xlabel "questions answered" offset 0,0.4
set ylabel Y offset 0.3,0 noenhanced
set format y "%g"
set xrange [0:*]
set format x "%g"
if (KEYROWS > 0) { set key below center vertical maxrows KEYROWS Left reverse } else { set key above left vertical maxrows 4 Left reverse }
plot for [i=1:N] $DATA index i-1 using 1:2 with linespoints lt i title LABEL[i]
