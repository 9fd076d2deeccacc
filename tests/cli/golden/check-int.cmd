isolab check -c brute -l int --all mixed.txt
