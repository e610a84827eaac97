"""What the tools of the package are made of: reports, pictures in notebooks, progress, the list of common kernels."""
