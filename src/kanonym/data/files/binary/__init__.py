"""Files with typed columns: Parquet, Arrow, Excel, SPSS, Stata and SAS."""
