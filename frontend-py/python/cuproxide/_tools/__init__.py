"""What the tools of the package are made of: a profile as a picture, the list of common kernels."""
