"""Tests of the label sheets: layout, glyphs and problems, checked with a library that did not write the PDF."""
