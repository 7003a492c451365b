"""Names for the arrays that policies and algorithms exchange; comments and docstrings give their shapes."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Matrix: TypeAlias = NDArray[np.float64]
Vector: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Index: TypeAlias = NDArray[np.intp]
Choices: TypeAlias = NDArray[np.float64] | NDArray[np.intp]
"""Actions as the distributions of an action space number them, one a row."""
