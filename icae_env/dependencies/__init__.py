"""What a project declares, what its installation brings and what it reads: three layers of dependencies."""
