"""Images that the benchmarks of what follows labeling share. `library` is NumPy or CuPy."""
import numpy


def discs(library, shape, step):
    """A disc or ball of random radius in each cell of a grid."""
    radius = library.random.default_rng(1).random([-(-side // step) for side in shape], dtype=numpy.float32) * 0.23 + 0.25
    distance = library.zeros(shape, numpy.float32)
    for axis, side in enumerate(shape):
        offset = library.arange(side, dtype=numpy.float32) % step - step / 2
        distance += (offset**2).reshape([-1 if i == axis else 1 for i in range(len(shape))])
        radius = radius.repeat(step, axis)
    return distance < (radius[tuple(slice(side) for side in shape)] * step) ** 2


def noise(library, shape, density, granularity):
    small = library.random.default_rng(1).random([-(-side // granularity) for side in shape]) < density
    for axis in range(len(shape)):
        small = small.repeat(granularity, axis)
    return library.ascontiguousarray(small[tuple(slice(side) for side in shape)])
