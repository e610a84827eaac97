"""What the package's own functions are made with; no part of its public interface."""
