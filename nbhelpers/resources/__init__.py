"""What is on disk: data sets, models, word vectors, treebanks, pyramids and rated pairs, found and read."""
