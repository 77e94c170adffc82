"""What a reader sees: listings, figures, plots, pictures of what a warp asks of memory."""
