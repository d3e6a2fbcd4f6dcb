"""Arrays in chunks of any sizes: the labels and tables of the whole, in one process and in a cluster."""

import os
import signal
import threading
import time
import types
import warnings

import numpy as np
import pytest
from conftest import LONG, refused

import gpuccl
from gpuccl import _core, _measures

da = pytest.importorskip("dask.array")


def random_chunks(random, size):
    cuts = np.sort(random.integers(0, size + 1, int(random.integers(0, 4))))
    return tuple(int(n) for n in np.diff([0, *cuts, size]))  # some are 0


def test_chunks_of_any_sizes(random):
    import gpuccl.dask

    for _ in range(2_000 if LONG else 100):
        ndim = int(random.integers(1, 4))
        shape = tuple(random.integers(1, (60, 30, 12)[ndim - 1], ndim))
        values = bool(random.integers(2))
        array = random.integers(1, 4, shape) * (random.random(shape) < random.random())
        if random.integers(2):
            array = np.ma.masked_array(array, random.random(shape) < 0.2)
        reach = int(random.integers(1, ndim + 1))
        chunked = da.from_array(array, chunks=tuple(random_chunks(random, size) for size in shape))
        periodic = [axis for axis in range(ndim) if shape[axis] > 1 and random.integers(4) == 0] or None
        labels, count = gpuccl.dask.label(chunked, reach, values=values, periodic=periodic)
        expected, expected_count = gpuccl.label(array, reach, values=values, periodic=periodic)
        assert labels.chunks == tuple(tuple(n for n in sizes if n) for sizes in chunked.chunks) and labels.dtype == np.int32
        assert count == expected_count
        np.testing.assert_array_equal(labels.compute(scheduler="sync"), expected)
        lazy, lazy_count = gpuccl.dask.label(chunked, reach, values=values, periodic=periodic, lazy=True)
        assert lazy.chunks == labels.chunks and lazy_count.shape == () and int(lazy_count) == count
        np.testing.assert_array_equal(lazy.compute(scheduler="sync"), expected)


def test_chunks_of_a_gpu_are_looked_at_as_others(random):
    """Runs the code for arrays of CuPy with NumPy."""
    import gpuccl.dask

    for _ in range(300):
        ndim = int(random.integers(1, 4))
        first = random.integers(0, 50, ndim).tolist()
        block = random.integers(0, 3, random.integers(1, 9, ndim))
        whole = [start + size + 3 for start, size in zip(first, block.shape)]
        reach, values = int(random.integers(1, ndim + 1)), bool(random.integers(2))
        places, faces = gpuccl.dask._look(block, reach, values, first, whole)
        labels, firsts = gpuccl.dask._look_on_device(block, reach, values, first, whole, np)
        assert firsts.dtype == places.dtype and np.array_equal(firsts, places)
        for (axis, side), (face, _) in faces.items():
            assert np.array_equal(np.take(labels, [side], axis), face)


def test_first_elements_of_a_chunk_on_a_gpu_may_have_64_bits(monkeypatch):
    import gpuccl.dask

    class Labels:  # of a chunk of 2^33 elements, two of which are components
        size = 2**33

        def ravel(self):
            return self

        def __getitem__(self, places):
            return np.where(places == 2**31, 1, 2)

    elements = np.array([2**31, 2**32 + 6, 2**32 + 5])
    monkeypatch.setattr(gpuccl.dask, "label_in_memory", lambda block, *_, **__: (Labels(), 2))
    library = types.SimpleNamespace(full=np.full, minimum=np.minimum, flatnonzero=lambda labels: elements)
    block = types.SimpleNamespace(shape=(2**17, 2**16))
    _, places = gpuccl.dask._look_on_device(block, 1, False, (10, 0), (2**18, 2**16), library)
    assert places.tolist() == [2**31 + 10 * 2**16, 2**32 + 5 + 10 * 2**16]


def test_graphs_of_many_chunks_take_a_few_looks_at_each(monkeypatch):
    import gpuccl.dask

    looks = 0

    class Counted(list):
        def __iter__(self):
            nonlocal looks
            looks += len(self)
            return super().__iter__()

        def __contains__(self, one):
            self.index(one)
            return super().__contains__(one)

        def index(self, one):
            nonlocal looks
            looks += super().index(one)
            return super().index(one)

    make = gpuccl.dask._Chunks.__init__

    def counted(self, *arguments):
        make(self, *arguments)
        self.places = Counted(self.places)

    monkeypatch.setattr(gpuccl.dask._Chunks, "__init__", counted)
    labels, _ = gpuccl.dask.label(da.zeros((200, 200), chunks=(2, 1), dtype="u1"), lazy=True)
    assert labels.npartitions == 20000 and 20000 < looks < 20 * 20000


def test_lazy_labels_read_nothing_before_they_are_computed():
    import dask

    import gpuccl.dask

    reads = []

    def load(block):
        reads.append(1)
        return block

    array = da.ones((8, 8), dtype=int, chunks=4).map_blocks(load, dtype=int, meta=np.empty((0, 0), int))
    labels, count = gpuccl.dask.label(array, lazy=True)
    assert not reads
    labels, count = dask.compute(labels, count)
    assert count == 1 and (labels == 1).all() and len(reads) == 8  # each chunk twice: none is kept until the second


def test_chunks_are_read_once_for_several_tasks():
    import gpuccl.dask

    reads = []

    def load(block):
        reads.append(1)
        return block

    array = da.ones((8, 8), dtype=bool, chunks=4).map_blocks(load, dtype=bool, meta=np.empty((0, 0), bool))
    cleaned = gpuccl.dask.clean(array, min_size=5, fill_holes=True)
    assert len(reads) == 4 * 4  # for holes and components: each is labeled and measured
    assert cleaned.compute().all() and len(reads) == 5 * 4


def same_tables(table, expected):
    assert list(table) == list(expected)
    for name, column in expected.items():
        assert table[name].dtype == column.dtype and table[name].tobytes() == column.tobytes(), name


def random_labels(random, shape):
    labels = random.integers(1, 6, shape) * (random.random(shape) < random.random() ** 0.5)
    if random.integers(2):
        labels = np.repeat(np.repeat(labels, 3, -1), 2, 0)
    way = random.integers(4)
    return gpuccl.label(labels, values=True)[0] if way == 0 else labels * 1_000_003 if way == 1 else labels


@pytest.mark.filterwarnings("ignore")
def test_tables_of_chunks_are_those_of_the_array(random):
    import gpuccl.dask

    names = [*_core.measures(), "bbox", "centroid", "centroid_weighted", "inertia_tensor"]
    names = [name for name in names if name not in ("components", "cavities", "tunnels", "holes") and "wraps" not in name]
    seen = set()
    for _ in range(1_000 if LONG else 60):
        ndim = int(random.integers(1, 4))
        labels = random_labels(random, tuple(random.integers(1, (60, 30, 12)[ndim - 1], ndim)))
        shape, reach = labels.shape, int(random.integers(1, ndim + 1))
        kind = ("u1", "i2", "u4", "u8", "f4")[random.integers(5)]
        image = (random.random(shape) * 200).astype(kind)
        chunks = [random_chunks(random, size) for size in shape]
        if kind == "f4":  # whole rows, or whole slices of volumes
            chunks[min(1, ndim - 1) :] = [(size,) for size in shape[min(1, ndim - 1) :]]
        chunked = da.from_array(labels, chunks=tuple(chunks))
        samples = da.from_array(image, chunks=tuple(random_chunks(random, size) for size in shape))
        spacing = tuple(range(1, ndim + 1)) if random.integers(2) else None
        tables = {}
        unseen = [name for name in names if name not in seen]
        for name in sorted({*random.permutation(names)[:20].tolist(), *random.permutation(unseen)[:10].tolist()}):
            given = image if _measures.is_of_samples(name) else None
            try:
                tables[name] = gpuccl.measure(labels, given, (name,), connectivity=reach, spacing=spacing)
            except ValueError:  # not for these axes, spacing or type
                continue
        given = samples if any(map(_measures.is_of_samples, tables)) else None
        if tables:
            table = gpuccl.dask.measure(chunked, given, list(tables), connectivity=reach, spacing=spacing)
            same_tables(table, {column: one[column] for one in tables.values() for column in one})
        seen |= set(tables)
        spacing = tuple(range(1, ndim + 1))
        same_tables(
            gpuccl.dask.contacts(chunked, reach, spacing=spacing), gpuccl.contacts(labels, reach, spacing=spacing)
        )
    assert seen == set(names)


def test_scores_of_chunks_are_those_of_the_array(random):
    import gpuccl.dask

    for _ in range(1_000 if LONG else 60):
        ndim = int(random.integers(1, 4))
        truth = random_labels(random, tuple(random.integers(1, (60, 30, 12)[ndim - 1], ndim)))
        prediction = np.where(random.random(truth.shape) < 0.8, truth[::-1] if random.integers(2) else truth, 0)
        arguments = {
            "threshold": (0.3, 0.5),
            "pairs": True,
            "empty": [None, 0, 1, "skip"][random.integers(4)],
            "min_size": {"truth": int(random.integers(9))},
        }
        scores, table = gpuccl.match(truth, prediction, **arguments)
        chunked = [
            da.from_array(one, chunks=tuple(random_chunks(random, size) for size in truth.shape))
            for one in (truth, prediction)
        ]
        found, found_table = gpuccl.dask.match(*chunked, **arguments)
        assert repr(found) == repr(scores)
        same_tables(found_table, table)


def test_arrays_cleaned_in_chunks(random):
    import gpuccl.dask

    for _ in range(1_000 if LONG else 60):
        ndim = int(random.integers(1, 4))
        array = random_labels(random, tuple(random.integers(1, (60, 30, 12)[ndim - 1], ndim)))
        values = bool(random.integers(2))
        array = array.astype(("i8", "i4")[random.integers(2)]) if values else (array > 0).astype(("?", "f4")[random.integers(2)])
        if array.dtype.kind in "if" and random.integers(4) == 0:
            array = np.where(random.random(array.shape) < 0.1, -array if values else np.nan, array).astype(array.dtype)
        options = {"values": values, "largest": [None, 1, 3][random.integers(3)], "min_size": int(random.integers(4))}
        options["max_size"] = [None, 40][random.integers(2)]
        options["per_value"] = values and options["largest"] is not None and bool(random.integers(2))
        if ndim > 1:
            options["clear_border"] = bool(random.integers(4) == 0)
            options["fill_holes"] = not values and [False, True, 2][random.integers(3)]
        seeds = random.random(array.shape) < 0.05
        chunks = tuple(random_chunks(random, size) for size in array.shape)
        reach = int(random.integers(1, ndim + 1))
        with_seeds = bool(random.integers(2))
        expected = gpuccl.clean(array, reach, seeds=seeds if with_seeds else None, **options)
        cleaned = gpuccl.dask.clean(
            da.from_array(array, chunks=chunks), reach, seeds=da.from_array(seeds) if with_seeds else None, **options
        )
        assert cleaned.dtype == expected.dtype and cleaned.compute().tobytes() == expected.tobytes(), options


def test_arrays_without_elements_or_labels():
    import gpuccl.dask

    for array in (np.zeros((0, 5), int), np.zeros((4, 5), int)):
        chunked = da.from_array(array, chunks=3)
        labels, count = gpuccl.dask.label(chunked, lazy=True)
        assert labels.dtype == np.int32 and labels.shape == array.shape and int(count) == 0
        names = ("label", "area", "perimeter", "feret_diameter_max")
        same_tables(gpuccl.dask.measure(chunked, None, names), gpuccl.measure(array, None, names))
        same_tables(gpuccl.dask.contacts(chunked), gpuccl.contacts(array))
        assert repr(gpuccl.dask.match(chunked, chunked)) == repr(gpuccl.match(array, array))
        cleaned = gpuccl.dask.clean(chunked, per_value=True, largest=1, seeds=chunked)
        assert cleaned.dtype == array.dtype and cleaned.compute().tobytes() == array.tobytes()


def test_a_killed_worker_changes_nothing(tmp_path):
    distributed = pytest.importorskip("distributed")
    import dask

    random = np.random.default_rng(5)
    volume = random.random((60, 60, 60)) < 0.3

    def load(block, block_info=None):
        where = "-".join(map(str, block_info[0]["chunk-location"]))
        time.sleep(0.02)
        (tmp_path / f"{where}.{time.monotonic_ns()}").touch()
        return block

    def killed_after(reads, pid):
        def wait():
            while len(os.listdir(tmp_path)) < reads:
                time.sleep(0.005)
            os.kill(pid, signal.SIGKILL)

        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        return thread

    expected, count = gpuccl.label(volume, 1)
    names = ("label", "area", "bbox", "centroid", "euler_number", "feret_diameter_max", "intensity_mean")
    image = (random.random(volume.shape) * 255).astype(np.uint8)
    with dask.config.set({"distributed.admin.tick.limit": "60s", "distributed.logging.distributed": "critical"}):
        with (
            distributed.LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=None) as cluster,
            distributed.Client(cluster) as client,
        ):
            assert len(client.run(os.getpid)) == 4
            chunked = da.from_array(volume, chunks=20).map_blocks(load, dtype=bool, meta=np.empty((0, 0, 0), bool))
            samples = da.from_array(image, chunks=20)
            for work, result in (
                (lambda: gpuccl.dask.label(chunked, 1, lazy=True)[0].compute(), expected),
                (lambda: gpuccl.dask.measure(chunked * labels, samples, names), gpuccl.measure(expected, image, names)),
                (
                    lambda: gpuccl.dask.match(chunked * labels, labels[::-1], pairs=True),
                    gpuccl.match(expected, expected[::-1], pairs=True),
                ),
            ):
                labels = da.from_array(expected, chunks=20)
                thread = killed_after(len(os.listdir(tmp_path)) + 12, next(iter(client.run(os.getpid).values())))
                found = work()
                thread.join(0)
                assert not thread.is_alive()  # the worker was killed before the end
                if isinstance(result, tuple):
                    assert repr(found[0]) == repr(result[0])
                    same_tables(found[1], result[1])
                elif isinstance(result, dict):
                    same_tables(found, result)
                else:
                    np.testing.assert_array_equal(found, result)
            assert gpuccl.dask.label(chunked, 1)[1] == count


def test_volumes_whose_components_are_longer_than_chunks(random):
    import gpuccl.dask

    volume = random.random((70, 50, 80)) < 0.32  # about where faces connect all of it
    wall = np.zeros((34, 40, 36), bool)
    wall[:, ::2], wall[:, 1::4, 0], wall[:, 3::4, -1] = True, True, True  # one component, there and back through all chunks
    for array, reach in ((volume, 1), (volume, 3), (wall, 1)):
        for chunks in (32, (70, 7, 110)):
            chunked = da.from_array(array, chunks=chunks)
            labels, count = gpuccl.dask.label(chunked, reach)
            expected, expected_count = gpuccl.label(array, reach)
            assert count == expected_count and (array is not wall or count == 1)
            np.testing.assert_array_equal(labels.compute(), expected)
            some = tuple(slice(n // 3, n // 2) for n in array.shape)
            np.testing.assert_array_equal(labels[some].compute(), expected[some])  # of these chunks alone


def test_axes_longer_than_images():
    import gpuccl.dask

    size = 2**31 + 2**26
    firsts, _ = gpuccl.dask._look(np.array([1, 1, 0, 1]), None, False, (size - 4,), (size,))
    assert firsts.tolist() == [size - 4, size - 1]
    block = np.array([[0, 7]])
    table = gpuccl.dask._overlaps(block, block, [size - 2, 1, 0], [size, 2, 1])
    assert table["first"].tolist() == [2**63 - 1, 2 * size - 1, 2 * size - 1]
    array = da.zeros((size,), dtype=bool, chunks=2**26)
    if LONG:
        array = da.concatenate([array[: 2**31 - 1], da.ones((3,), dtype=bool), array[2**31 + 2 :]])
        labels, count = gpuccl.dask.label(array)
        assert count == 1 and labels[2**31 - 2 : 2**31 + 3].compute().tolist() == [0, 1, 1, 1, 0]
    for function in (gpuccl.dask.measure, gpuccl.dask.clean):
        refused(ValueError, rf"{function.__name__} takes axes of less than 2\*\*31 elements; select a part", function, array)
        function(array[: 2**20])


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is limited on Linux")
@pytest.mark.parametrize("dtype", ("u1", "f4", "u8"))
def test_samples_of_a_chunk_take_no_memory_for_the_row(dtype):
    import resource

    block, width = np.array([1, 0, 2, 1]), 2**31 - 1
    place = [[width - 4, 0, 0], [width - 4, 0, 0], [width - 1, 0, 0], [width, 1, 1]]
    asked = 8, (["intensity_max"], [0.0] * 3, np.array([5, 6, 7, 8], dtype))
    known = None
    limits = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**30, limits[1]))
    try:
        if _core.needs_of_block(*asked)[1]:
            shares = _core.measure_block(block, place, *asked, None)
            known = _core.join_blocks([shares], place[3], 8, None)
        words = _core.measure_block(block, place, *asked, known)
        table = _core.join_blocks([words], place[3], *asked)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
    assert table["intensity_max"].tolist() == [8, 7]


def test_xarray_of_dask():
    import gpuccl.dask

    xarray = pytest.importorskip("xarray")
    mask = np.random.default_rng(1).random((3, 20, 30)) < 0.2
    grid = xarray.DataArray(mask, {"lat": np.arange(20) - 10.0}, ("time", "lat", "lon"), "rain", {"units": "mm"})
    chunked = grid.chunk(7)
    refused(TypeError, "use the functions of gpuccl.dask, or array.compute", gpuccl.label, chunked)
    expected, expected_count = gpuccl.label(grid, periodic="lon")
    for lazy in (False, True):
        labels, count = gpuccl.dask.label(chunked, periodic="lon", lazy=lazy)
        assert isinstance(labels.data, da.Array) and count == expected_count
        assert labels.compute().identical(expected)
    labels = labels.chunk(7)
    same_tables(gpuccl.dask.measure(labels), gpuccl.measure(expected))
    same_tables(gpuccl.dask.contacts(labels), gpuccl.contacts(expected))
    assert gpuccl.dask.match(labels, labels)["matching"][0]["f1"] == 1
    seeds = grid & (grid.lat > 0)
    cleaned = gpuccl.dask.clean(chunked, seeds=seeds.chunk(7))
    assert isinstance(cleaned.data, da.Array) and cleaned.compute().identical(gpuccl.clean(grid, seeds=seeds))
    assert gpuccl.dask.label(chunked[:0])[0].identical(chunked[:0].astype(np.int32).drop_attrs().rename(None))
    for call, name in (
        (lambda: gpuccl.dask.measure(labels, labels[:, ::-1], ("intensity_max",)), "intensity has other coordinates along lat"),
        (lambda: gpuccl.dask.match(labels, labels.T), "prediction has the dims"),
        (lambda: gpuccl.dask.clean(chunked, seeds=chunked.T), "seeds has the dims"),
        (lambda: gpuccl.dask.label(chunked, periodic="depth"), "no such axis to be periodic: depth; .*names of .*lon"),
    ):
        refused(ValueError, name, call)
    refused(TypeError, "a dask array is needed, not ndarray", gpuccl.dask.label, grid)
    refused(TypeError, "DataArray, as intensity; use intensity.chunk.labels.chunksizes.$", gpuccl.dask.measure, labels, grid * 1)
    same_tables(gpuccl.dask.measure(labels, (grid * 1).chunk(labels.chunksizes)), gpuccl.measure(expected, grid * 1))


def test_arrays_that_dask_cannot_label():
    import gpuccl.dask

    refused(TypeError, "a dask array is needed, not ndarray", gpuccl.dask.label, np.ones((2, 2)))
    volume = da.zeros((4, 4, 4), chunks=2)
    refused(ValueError, "slices", gpuccl.dask.label, volume, 8)
    unknown = da.from_array(np.arange(9))
    refused(ValueError, "chunks", gpuccl.dask.label, unknown[unknown > 4])
    refused(ValueError, "an axis of one element", gpuccl.dask.label, volume[:1], periodic="z")


def test_tables_that_dask_cannot_make():
    import gpuccl.dask

    ones = da.ones((4, 4), chunks=2, dtype=int)
    refused(TypeError, "not list, as intensity; pass one array, such as one channel", gpuccl.dask.measure, ones, [ones, ones], "intensity_mean")
    labels, truth, array, of_numpy = ones, ones, ones, np.ones((4, 4), int)
    for name, call in (
        ("intensity", lambda x: gpuccl.dask.measure(labels, x)),
        ("prediction", lambda x: gpuccl.dask.match(truth, x)),
        ("seeds", lambda x: gpuccl.dask.clean(array, seeds=x)),
    ):
        with pytest.raises(TypeError, match=f"a dask array is needed, not ndarray, as {name}; use dask.array.from_array") as error:
            call(of_numpy)
        call(eval(str(error.value).rpartition("; use dask.array")[2][1:], {"from_array": da.from_array, name: of_numpy}, locals()))
    refused(TypeError, "lazy is True or False, not 'x'", gpuccl.dask.label, ones, lazy="x")
    refused(TypeError, "pairs is True or False, not 'x'", gpuccl.dask.match, ones, ones, pairs="x")

    labels = da.ones((4, 4, 4), dtype=int, chunks=2)
    refused(TypeError, "not ndarray; gpuccl.clean takes", gpuccl.dask.clean, np.ones((2, 2), int))
    refused(TypeError, "labels in chunks are integers, not float32; convert them", gpuccl.dask.clean, labels.astype("f4"))
    refused(ValueError, "seeds has the shape", gpuccl.dask.clean, labels, seeds=labels[1:])
    refused(ValueError, "fill_holes is for masks", gpuccl.dask.clean, labels, fill_holes=True)
    refused(TypeError, "not ndarray; gpuccl.measure takes", gpuccl.dask.measure, np.ones((2, 2), int))
    refused(TypeError, "not ndarray; gpuccl.match takes", gpuccl.dask.match, np.ones((4, 4, 4)), labels)
    refused(TypeError, "not list; gpuccl.contacts takes", gpuccl.dask.contacts, [1])
    for function in (gpuccl.dask.label, gpuccl.dask.measure, gpuccl.dask.clean, gpuccl.dask.contacts):
        refused(ValueError, "an array of 1 to 3 axes is needed, not of 0", function, da.ones(()))
    refused(ValueError, "prediction has the shape", gpuccl.dask.match, labels, labels[1:])
    refused(ValueError, "intensity has the shape", gpuccl.dask.measure, labels, labels[1:], ("intensity_mean",))
    refused(ValueError, "no property needs intensity", gpuccl.dask.measure, labels, labels, ("label",))
    refused(ValueError, "intensity image", gpuccl.dask.measure, labels, None, ("intensity_mean",))
    refused(ValueError, "components and holes are not measured of chunks", gpuccl.dask.measure, labels, None, ("components",))
    real = labels.astype("f4")
    with pytest.raises(ValueError, match=r"rechunk labels and intensity to {1: -1, 2: -1}") as found:
        gpuccl.dask.measure(labels, real, ("intensity_mean",))
    remedy = eval(str(found.value).split("intensity to ")[1].split(", or")[0])
    table = gpuccl.dask.measure(labels.rechunk(remedy), real.rechunk(remedy), ("intensity_mean",))
    assert table["intensity_mean"].tolist() == [1]
    masked = labels.map_blocks(lambda block: np.ma.masked_array(block, block > 0))
    refused(TypeError, "fill them with dask.array.ma.filled", gpuccl.dask.measure, labels, masked, ("intensity_mean",))
    assert gpuccl.dask.measure(labels, da.ma.filled(masked, 2), ("intensity_mean",))["intensity_mean"] == [2]


def test_chains_of_chunks_are_united():
    """Labels 1 to n, in an order that is far from that of their first elements, touch in a chain or in a star."""
    n = 5000
    random = np.random.default_rng(4)
    places = np.concatenate([[0], random.permutation(n)])
    chain = random.permutation(n).reshape(-1, 1) + 1
    for pairs, count in (
        (np.hstack([chain[:-1], chain[1:]]), 1),
        (np.hstack([chain[:-1], np.full((n - 1, 1), chain[-1, 0])]), 1),
        (np.hstack([chain[:-1:2], chain[1::2]]), n // 2),
        (np.empty((0, 2), np.int64), n),
    ):
        numbers, found = gpuccl.dask._unite(places, pairs)
        assert found == count and numbers[0] == 0 and numbers.max() == count
        assert all(numbers[a] == numbers[b] for a, b in pairs)
        firsts = [places[1:][numbers[1:] == number].min() for number in range(1, min(count, 200) + 1)]
        assert firsts == sorted(firsts)


def test_options_for_whole_images_are_refused_by_name():
    import gpuccl.dask

    labels = da.from_array(np.array([[1, 2], [0, 3]]), chunks=1)
    for option in ({"per_value": True}, {"distances": True}, {"regions": True}, {"connectivity": 4}, {"spacing": 2}, {"tolerance": 1}):
        refused(ValueError, f"{next(iter(option))} needs", gpuccl.dask.match, labels, labels, **option)


def test_lazy_labels_have_32_bits_if_there_cannot_be_more():
    array = da.zeros((2**11, 2**11, 2**10), chunks=2**10, dtype="u1")  # a component takes a cube of 8 elements
    assert gpuccl.dask.label(array, lazy=True)[0].dtype == np.int32
    for options in ({"connectivity": 18}, {"connectivity": 6}, {"values": True}):
        assert gpuccl.dask.label(array, lazy=True, **options)[0].dtype == np.int64
    array = da.zeros((2**16, 2**17 + 1), chunks=2**14, dtype="u1")
    assert gpuccl.dask.label(array, lazy=True)[0].dtype == np.int64
    assert gpuccl.dask.label(array[:, 3:], lazy=True)[0].dtype == np.int32


def test_an_intensity_image_is_measured():
    labels, image = da.from_array(np.eye(4, dtype=int)), da.from_array(np.arange(16).reshape(4, 4))
    table = gpuccl.dask.measure(labels, image)
    same_tables(table, gpuccl.measure(labels.compute(), image.compute()))
    assert list(table)[-3:] == ["intensity_mean", "intensity_min", "intensity_max"] and table["intensity_max"] == [15]
    stats = gpuccl.label(labels.compute(), stats=True, intensity=image.compute())[2]
    same_tables(stats, table)
    assert "intensity_mean-1" in gpuccl.measure(labels.compute(), [image.compute()] * 2)
    refused(ValueError, "no property needs intensity; add one, such as intensity_mean", gpuccl.dask.measure, labels, image, ("label", "area"))


def test_warnings_come_once():
    import gpuccl.dask

    array = da.from_array(np.array([[np.nan, 1, 0], [0, 2, 2.0]]), chunks=2)
    labels = da.from_array(np.array([[-1, 2, 2], [3, 3, 4]]), chunks=2)
    calls = (
        ("NaN", lambda: gpuccl.dask.label(array)[0].compute()),
        ("negative", lambda: gpuccl.dask.measure(labels, properties=("area", "feret_diameter_max"))),
        ("negative", lambda: gpuccl.dask.contacts(labels[:, :2])),
    )
    for text, call in calls:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            call()
        assert len(found) == 1 and text in str(found[0].message), found
