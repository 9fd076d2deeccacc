isolab check -c brute -l ra fractured.txt
