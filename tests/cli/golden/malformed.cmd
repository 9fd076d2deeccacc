printf 'session A\nt1 commit: r x\n' | isolab check -l ra -
