"""What protocols of Python, of NumPy and of the array API standard ask of the package, beyond its functions."""
