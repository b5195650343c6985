"""The pages: HTML that works without a script, by the templates of the web."""
