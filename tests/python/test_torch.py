"""Operators of PyTorch on the CPU and, where there is one, on a GPU."""

import numpy as np
import pytest
from conftest import refused

import gpuccl

torch = pytest.importorskip("torch")
operators = pytest.importorskip("gpuccl.torch")

registered = torch.ops.gpuccl
DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() and gpuccl._core.with_cuda else [])]
random = np.random.default_rng(5)


def masks(device):
    for shape in ((40, 50), (3, 20, 30), (6, 1, 30, 20)):
        yield torch.as_tensor(random.random(shape) < 0.4, device=device)


@pytest.mark.parametrize("device", DEVICES)
def test_operators_pass_the_checks_of_torch(device):
    labels = torch.arange(12, dtype=torch.int32, device=device).reshape(3, 4) // 3
    for mask in masks(device):
        batch = mask.ndim == 4
        torch.library.opcheck(registered.label, (mask,), {"batch": batch})
        if not batch:
            torch.library.opcheck(registered.clean, (mask,), {"min_size": 3, "clear_border": True})
    torch.library.opcheck(registered.clean, (labels,), {"largest": 1, "seeds": labels > 2})
    torch.library.opcheck(registered.measure, (labels,), {"properties": "label,area,centroid"})
    torch.library.opcheck(registered.measure, (labels,), {"properties": "label,bbox", "rows": 2})
    assert operators.measure(labels, rows=2).tolist() == [[1, 2], [3, 3]]
    assert operators.measure(labels, rows=5).tolist() == [[1, 2, 3, 0, 0], [3, 3, 3, 0, 0]]


@pytest.mark.parametrize("device", DEVICES)
def test_compiled_and_exported_functions_equal_gpuccl(device):
    def objects(image):
        mask = operators.clean(image > 0.5, min_size=3, fill_holes=4)
        labels, count = operators.label(mask, connectivity=1)
        return labels, count, operators.measure(labels, image, "area, intensity_max")

    image = torch.as_tensor(random.random((60, 70)), dtype=torch.float32, device=device)
    cleaned = gpuccl.clean((image > 0.5).cpu().numpy(), min_size=3, fill_holes=4)
    labels, count = gpuccl.label(cleaned, 1)
    table = gpuccl.measure(labels, image.cpu().numpy(), ("area", "intensity_max"))
    compiled = torch.compile(objects, fullgraph=True, backend="aot_eager")
    for found in (objects(image), compiled(image)):
        assert np.array_equal(found[0].cpu(), labels) and int(found[1]) == count
        assert np.array_equal(found[2].cpu(), list(table.values()))

    class Labels(torch.nn.Module):
        def forward(self, image):
            return operators.label(image > 0.5)

    exported = torch.export.export(Labels(), (image,)).module()
    assert np.array_equal(exported(image)[0].cpu(), gpuccl.label((image > 0.5).cpu().numpy())[0])


@pytest.mark.filterwarnings("ignore:There is a performance drop")
@pytest.mark.parametrize("device", DEVICES)
def test_sizes_and_gradients_are_those_of_gpuccl(device):
    ring = torch.ones((12, 12), dtype=torch.bool, device=device)
    ring[4:7, 4:7] = False
    for fill_holes in (True, 1, 8, 9, False, 0):
        expected = gpuccl.clean(ring, fill_holes=fill_holes)

        def clean(array, fill_holes=fill_holes):
            return operators.clean(array, fill_holes=fill_holes)

        compiled = torch.compile(clean, fullgraph=True, backend="aot_eager")
        for call in (clean, compiled, lambda array: torch.vmap(clean)(array[None])[0]):
            assert torch.equal(call(ring), expected), fill_holes
    for wrong in ({"fill_holes": 2.0}, {"min_size": True}, {"max_size": 1.5}, {"largest": True}):
        refused(ValueError, f"{next(iter(wrong))} is an integer", operators.clean, ring, **wrong)
    real = ring.float().requires_grad_()
    assert not operators.clean(real, values=False).requires_grad
    (real * operators.clean(real, values=False)).sum().backward()
    assert torch.equal(real.grad, ring.float())
    gradient = torch.func.grad(lambda x: (x * operators.clean(x, values=False)).sum())(real.detach())
    assert torch.equal(gradient, ring.float())
    assert operators.measure(ring.int(), real, properties="intensity_sum").item() == 135
    refused(ValueError, "no such property: areaa; did you mean area", operators.measure, ring.int(), real, "label,areaa")


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_types_that_numpy_lacks_are_those_of_float32(name):
    values = torch.as_tensor(random.integers(0, 3, (30, 20)), dtype=torch.float32)
    narrow = values.to(getattr(torch, name))
    for is_of_values in (False, True):
        for given, expected in ((narrow, values), (narrow.T, values.T)):
            assert torch.equal(gpuccl.label(given, values=is_of_values)[0], gpuccl.label(expected, values=is_of_values)[0])
            for clean in (gpuccl.clean, operators.clean):
                cleaned = clean(given, values=is_of_values, min_size=4, seeds=given)
                assert cleaned.dtype == narrow.dtype
                assert torch.equal(cleaned.float(), gpuccl.clean(expected, values=is_of_values, min_size=4))
    np.testing.assert_equal(gpuccl.measure(narrow, narrow), gpuccl.measure(values, values))
    assert gpuccl.match(narrow, narrow)["average_precision"] == 1
    for call in (gpuccl.label, gpuccl.clean):
        refused(ValueError, f"out= has the type torch.{name}, .* leave it out", call, narrow, out=narrow.clone())


def test_derived_types_are_tensors():
    class Derived(torch.Tensor):
        pass

    mask = torch.as_tensor(random.random((9, 12)) < 0.5)
    for given in (mask.as_subclass(Derived), torch.nn.Parameter(mask.float())):
        labels, count, areas = gpuccl.label(given, areas=True)
        cleaned = gpuccl.clean(given, values=False, min_size=2)
        assert all(isinstance(found, torch.Tensor) and not found.requires_grad for found in (labels, areas, cleaned))
        assert torch.equal(labels, gpuccl.label(mask)[0]) and torch.equal(cleaned > 0, gpuccl.clean(mask, min_size=2))
        out = torch.zeros((9, 12), dtype=torch.int32).as_subclass(Derived)
        assert gpuccl.label(given, out=out)[0] is out and torch.equal(out.as_subclass(torch.Tensor), labels)


def test_arguments_are_tensors():
    mask = torch.ones((3, 4), dtype=torch.bool)
    assert torch.equal(gpuccl.clean(mask, min_size=torch.tensor(5), largest=torch.tensor(1)), mask)
    refused(ValueError, "min_size is an integer", gpuccl.clean, mask, min_size=torch.tensor(5.0))
    out = mask.float().requires_grad_()
    refused(ValueError, "out= requires gradients.*out.detach()", gpuccl.clean, mask.float(), values=False, out=out)
    assert gpuccl.clean(mask.float(), values=False, out=out.detach()).sum() == 12


def test_other_functions_in_compiled_ones_name_the_operators():
    mask = torch.ones((3, 4), dtype=torch.bool)
    for call in (gpuccl.label, gpuccl.clean, gpuccl.measure, gpuccl.contacts):
        compiled = torch.compile(lambda x, call=call: call(x), fullgraph=True, backend="aot_eager")
        refused(RuntimeError, "use label, clean and measure of gpuccl.torch", compiled, mask)
    assert torch.compile(lambda x: gpuccl.label(x)[0] + 1, backend="aot_eager")(mask).tolist() == [[2] * 4] * 3


@pytest.mark.skipif("cuda" not in DEVICES, reason="needs a GPU")
def test_a_graph_captures_clean_label_and_measure():
    image = torch.rand(300, 400, device="cuda")
    properties = ("label", "area", "centroid", "intensity_mean")

    def objects():
        labels, count = operators.label(operators.clean(image > 0.5, min_size=5, largest=9))
        return labels, count, operators.measure(labels, image, ",".join(properties), rows=12)

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        objects()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        labels, count, table = objects()
    for density in (0.5, 0.02, 0.5):  # fewer objects leave no rows of the replay before
        image.copy_(torch.rand(300, 400, device="cuda") < density)
        graph.replay()
        expected, number = gpuccl.label(gpuccl.clean((image > 0.5).cpu().numpy(), min_size=5, largest=9))
        assert np.array_equal(labels.cpu(), expected) and int(count) == number
        columns = gpuccl.measure(expected, image.cpu().numpy(), properties)
        assert np.allclose(table[:, :number].cpu(), list(columns.values()), rtol=1e-6) and not table[:, number:].any()
