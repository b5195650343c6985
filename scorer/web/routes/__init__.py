"""What the web answers: JSON for programs, pages for participants, pages for organizers."""
