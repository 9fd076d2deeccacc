# Medians with their intervals, and the fitted laws y = FACTOR x^EXPONENT under them.
set logscale xy
set xlabel X offset 0,0.4 noenhanced
set ylabel Y offset 0.3,0 noenhanced
set format x (SHARES ? "%g" : "%.0s%c")
set format y "%g"
if (KEYROWS > 0) { set key below center vertical maxrows KEYROWS Left reverse } else { set key above left vertical maxrows 4 Left reverse }
law(i, x) = FACTOR[i] * x ** EXPONENT[i]
plot for [i=1:N] $DATA index i-1 using 1:(law(i, $1)) with lines lt i lw 1.0 notitle, \
     for [i=1:N] $DATA index i-1 using 1:3:(0):($4 - $3) with vectors nohead lt i dt 1 lw 1.0 notitle, \
     for [i=1:N] $DATA index i-1 using 1:2 with points lt i title LABEL[i]
