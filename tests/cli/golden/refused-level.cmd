isolab check -l repeatable-read fractured.txt
