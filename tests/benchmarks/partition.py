"""Whether the labels of a library are right, for the comparisons with others."""
import numpy


def count_of(expected):
    return int(expected.max()) if expected.size else 0


def same_partition(labels, expected):
    """Each component of `expected` has one label, of its own; the background of `labels` may hold anything.

    Arrays of NumPy, or both of CuPy.
    """
    foreground = expected != 0
    found, wanted = labels[foreground], expected[foreground]
    count = count_of(expected)
    label_of = numpy.zeros_like(labels, shape=count + 1)
    label_of[wanted] = found
    return bool((label_of[wanted] == found).all()) and len(numpy.unique(label_of[1:])) == count


def components_in(labels, expected):
    return len(numpy.unique(labels[expected != 0]))


def verdict(labels, expected):
    """The cell of a table."""
    if same_partition(labels, expected):
        return "yes"
    return f"**no**: {components_in(labels, expected)} components instead of {count_of(expected)}"
