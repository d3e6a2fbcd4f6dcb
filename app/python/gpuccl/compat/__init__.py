"""Functions of other packages with their own names, arguments and results: one line of import is changed.

What gpuccl does not do is done by the package itself, where it is installed.
"""
