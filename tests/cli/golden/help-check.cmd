isolab help check
