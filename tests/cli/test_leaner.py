"""What a command's process leaves out is there once it is asked for."""

import subprocess
import sys

import pytest

CODE = """
import sys
from scorer.cli.leaner import import_less
import_less()
"""


@pytest.mark.slow("starts processes", beyond=2)
@pytest.mark.parametrize(
    ("code", "told"),
    [
        (
            "import yaml; print(yaml.safe_load('[2001-01-01, 1.5, yes, x]'))",
            "[datetime.date(2001, 1, 1), 1.5, True, 'x']",
        ),
        (
            "import yaml\ntry: yaml.safe_load('\\x07')\nexcept yaml.YAMLError as e: print(e)",
            "unacceptable character #x0007: special characters are not allowed\n"
            '  in "<unicode string>", position 0',
        ),
        (
            "import yaml, re; late = vars(yaml.reader.Reader)['NON_PRINTABLE'];"
            "print(type(re.compile('a')).__name__, type(late).__name__)",
            "Pattern Expression",
        ),
        (
            "import numpy, polars; s = polars.Series([1, 2, 3]).gather(numpy.array([0, 2]));"
            "print(s.to_list(), 'numpy.ma.core' in sys.modules)",
            "[1, 3] False",
        ),
        (
            "import numpy; import numpy.ma as ma, polars; a = ma.array([1, 2], mask=[0, 1]);"
            "print(a, polars.Series(a).to_list(), type(numpy.ma).__name__)",
            "[1 --] [1, None] module",
        ),
        ("from numpy.ma import MaskedArray; print(MaskedArray.__name__)", "MaskedArray"),
        ("import numpy.ma.core; print(numpy.ma.core.MaskedArray is numpy.ma.MaskedArray)", "True"),
        (
            "import polars; name = 'polars.io.delta'; print(f'{name}.functions' in sys.modules)\n"
            "try: polars.scan_delta()\nexcept TypeError as error: print(error)\n"
            "print(type(sys.modules[name]).__name__)",
            "False\nscan_delta() missing 1 required positional argument: 'source'\nmodule",
        ),
        (
            "import polars; from polars.io.iceberg._utils import _to_ast; print(_to_ast.__name__)",
            "_to_ast",
        ),
        ("import numpy; print(numpy.arange(3).sum(), numpy.ndarray.__doc__)", "3 None"),
        (
            "from numpy.typing import NDArray; import numpy; one = NDArray[numpy.int8];"
            "print(one, 'numpy._typing._array_like' in sys.modules);"
            "from numpy.typing import NBitBase, NDArray; print(NDArray[numpy.int8] == one)",
            "numpy.ndarray[tuple[typing.Any, ...], numpy.dtype[numpy.int8]] False\nTrue",
        ),
        (
            "import numpy._typing._scalars; print(numpy._typing._scalars.__name__)",
            "numpy._typing._scalars",
        ),
        (
            "from pydantic import TypeAdapter; from typing_extensions import TypedDict;"
            "kind = TypedDict('kind', {'a': int});"
            "print(TypeAdapter(kind).validate_python({'a': '1'}))",
            "{'a': 1}",
        ),
    ],
)
def test_it_is_made_up_for(code, told):
    ended = subprocess.run(
        [sys.executable, "-c", CODE + code], capture_output=True, text=True, check=True
    )
    assert ended.stdout.strip() == told
