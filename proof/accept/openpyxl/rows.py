"""Prints the rows of a spreadsheet's only sheet as JSON: one array a row, numbers as numbers."""

import json
import sys

import openpyxl

book = openpyxl.load_workbook(sys.argv[1])
(sheet,) = book.worksheets
print(json.dumps([["" if value is None else value for value in row] for row in sheet.iter_rows(values_only=True)]))
