"""Findings as the cases of tests write them."""


def written(findings):
    """Return each problem of findings as its code and place, with the word warning before one."""
    lines = []
    for problem in findings:
        place = ":".join(str(n) for n in (problem.line, problem.column) if n is not None)
        warning = "warning " if problem.severity == "warning" else ""
        lines.append(f"{warning}{problem.code} {place}".strip())
    return lines
