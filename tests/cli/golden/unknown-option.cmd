isolab check --levell ra fractured.txt
