"""What every verb gives, as data."""
