"""How text is written safely in each language."""
