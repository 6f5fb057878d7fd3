"""Systems: a section for each of the ten systems that the question set is about, to build and to watch in the lab."""
