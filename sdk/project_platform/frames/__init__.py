"""Tables: results as frames of pyarrow, pandas and polars, and rows of frames as arguments.

`tabular.py` is what listings, reviews and results have in common. `columns.py` says which columns they have; `arrow.py` and
`nano.py` build them. `rows.py` is the way back.
"""

from .rows import rows

__all__ = ["rows"]
