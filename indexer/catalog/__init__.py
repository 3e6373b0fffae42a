"""What is known of each entry, and the work that it means for the indexes."""
