// The engine's own assert stands for the system's, which would end the process.
