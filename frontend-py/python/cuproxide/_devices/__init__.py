"""What the package sets up on devices: memory of the host for copies, waiting, and the environment variables."""
