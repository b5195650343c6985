"""The routes of the web: JSON for programs, pages for participants, pages for organizers."""
