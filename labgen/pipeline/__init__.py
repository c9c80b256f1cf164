"""Run a build step by step: quick check, load, plan, render and stage, move into place."""
