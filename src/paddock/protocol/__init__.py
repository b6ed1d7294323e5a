"""The Model Context Protocol itself: frames, eras, dispatch. No input or output happens here."""
