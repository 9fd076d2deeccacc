isolab check -c brute fractured.txt
