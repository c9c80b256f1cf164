"""Problems and results as people and machines read them."""
