# What all figures share. Names of suites, histories and checkers come from outside: every string is used without enhanced
# text, and never as a format, a title of a column or a part of a command.
#
# The first eight colours are the ones that people with any kind of colour blindness tell apart (Okabe and
# Ito 2008), each with its own marker and dashes, so that a copy in grey can be read too. The order alternates dark and light.
set linetype 1 lc rgb "#0072B2" lw 1.6 pt 7 ps 0.55 dt 1
set linetype 2 lc rgb "#D55E00" lw 1.6 pt 5 ps 0.55 dt (9,3)
set linetype 3 lc rgb "#009E73" lw 1.6 pt 9 ps 0.65 dt (3,3)
set linetype 4 lc rgb "#000000" lw 1.4 pt 13 ps 0.75 dt (9,3,2,3)
set linetype 5 lc rgb "#E69F00" lw 1.8 pt 11 ps 0.65 dt 1
set linetype 6 lc rgb "#CC79A7" lw 1.6 pt 6 ps 0.6 dt (9,3)
set linetype 7 lc rgb "#56B4E9" lw 1.8 pt 4 ps 0.6 dt (3,3)
set linetype 8 lc rgb "#777777" lw 1.4 pt 12 ps 0.75 dt (9,3,2,3)
set linetype 9 lc rgb "#7A3B00" lw 1.6 pt 8 ps 0.75 dt 1
set linetype 10 lc rgb "#5A4FA2" lw 1.6 pt 10 ps 0.75 dt (9,3)
set linetype cycle 10
# Bars: solid fills of clearly different lightness, then hatchings (3 is gnuplot's solid one), so that grey is enough.
array FILL[9] = ["#00204D", "#4C6A92", "#9DB4CF", "#D9E2EC", "#7A5C00", "#A67C00", "#7A5C00", "#A67C00", "#444444"]
array HATCH[9] = [3, 3, 3, 3, 4, 1, 5, 2, 6]
set border 3 lc rgb "#333333" lw 0.8
set tics nomirror out scale 0.5 textcolor rgb "#222222"
set grid ytics back lt -1 dt 1 lc rgb "#E2E2E2" lw 0.6
set key noenhanced samplen 2.5 spacing 1.05 width 0 height 0.2 textcolor rgb "#222222"
set bars small
if (strlen(TITLE) > 0) { set title TITLE offset 0,-0.5 noenhanced }
