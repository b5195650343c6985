"""The files of a folder of submissions, less those that cannot be one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from scorer.core.errors import UsageError
from scorer.core.text import join_first, printable

# Files that systems and editors leave in folders, in small letters.
SYSTEM_FILES = ("thumbs.db", "desktop.ini", "ehthumbs.db", "icon\r")
# Suffixes of notes, documents, pictures and programs; no submission has one. A run may
# have any other suffix, such as `.bm25`.
SUFFIXES_OF_OTHERS = """
.md .rst .html .htm .pdf .tex .doc .docx .odt .rtf .xls .xlsm .ods .numbers .ppt .pptx
.png .jpg .jpeg .gif .svg .py .pyc .ipynb .r .sh .bat
.yaml .yml .toml .ini .db .log .lnk .url .bak .tmp .swp .part .crdownload
"""
OTHER_SUFFIXES = frozenset(SUFFIXES_OF_OTHERS.split())
NAMES_WITHOUT_SUFFIX = ("readme", "license", "licence", "makefile", "dockerfile")


class FolderFiles(NamedTuple):
    """The files of a folder.

    Attributes:
        paths: The submissions, by name.
        omitted: The names of what cannot be one: other files, hidden ones, and folders with a /.
    """

    paths: list[Path]
    omitted: list[str]

    def describe_omitted(self, folder: object) -> str:
        """Return a line on the files that are left out; empty if no file is."""
        if not self.omitted:
            return ""
        folders = sum(name.endswith("/") for name in self.omitted)
        counts = {"file": len(self.omitted) - folders, "folder": folders}
        parts = [f"{n:,} {noun}{'s' * (n > 1)}" for noun, n in counts.items() if n]
        are = "is" if len(self.omitted) == 1 else "are"
        names = join_first(self.omitted, 5)
        what = f"{' and '.join(parts)} {are} left out, which cannot be submissions"
        return f"{printable(folder)}: {what}: {names}"


def list_folder(folder: str | Path) -> FolderFiles:
    """Return the files of a folder of submissions, and those that cannot be one.

    Raises:
        UsageError: The folder cannot be read, or holds no submission.
    """
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise UsageError(f"{printable(folder)} cannot be read: {error.strerror}") from None
    names = []
    omitted = []
    for entry in entries:
        if entry.is_file() and may_be_submission(entry.name):
            names.append(entry.name)
        else:
            omitted.append(f"{entry.name}/" if entry.is_dir() else entry.name)
    if not entries:
        raise UsageError(f"{printable(folder)} is a folder without files")
    if not names:
        message = f"no file of {printable(folder)} can be a submission"
        raise UsageError(f"{message}: {join_first(omitted, 5)}")
    return FolderFiles([Path(folder, name) for name in names], omitted)


def may_be_submission(name: str) -> bool:
    """Return whether a file may be a submission, by its name.

    >>> [may_be_submission(name) for name in ("bm25.run", "README.md", "~$a.xlsx", "a.csv~")]
    [True, False, False, False]
    """
    folded = name.casefold()
    if folded in SYSTEM_FILES or folded in NAMES_WITHOUT_SUFFIX:
        return False
    if folded.startswith(("~$", ".", "#")) or folded.endswith(("~", "#")):
        return False
    stem, suffix = os.path.splitext(folded)
    return suffix not in OTHER_SUFFIXES and stem not in NAMES_WITHOUT_SUFFIX
