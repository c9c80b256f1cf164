"""A build, step by step: check quickly, load, plan, render and stage, move into place."""
