"""The commands of `mem`, a module for each group."""
