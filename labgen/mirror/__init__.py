"""Mirror a live site into a folder by its manifest, and compare two manifests."""
