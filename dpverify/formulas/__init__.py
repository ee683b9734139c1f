"""The formulas of the papers, one file a paper: with numbers they run, with SymPy symbols they are proved."""
