"""Syntax trees in, module facts out; one walker for each family of languages."""
