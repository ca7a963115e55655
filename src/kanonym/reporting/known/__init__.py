"""What is known of a release beside itself: profile, attacks, assessment, comparison, search."""
