"""What differs between languages when names are resolved."""
