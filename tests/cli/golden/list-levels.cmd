isolab list levels
