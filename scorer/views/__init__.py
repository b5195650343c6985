"""What a metric sees."""
