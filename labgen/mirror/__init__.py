"""Mirror a live site to a folder by its manifest, and compare two manifests."""
