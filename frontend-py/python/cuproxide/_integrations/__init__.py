"""What other libraries look for: they find it by entry points, and nothing here is imported before they ask."""
