isolab stats mixed.txt fractured.txt
