"""From text to terms and chunks."""
