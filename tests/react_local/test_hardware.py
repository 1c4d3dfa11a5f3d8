"""What fits where: layers on GPUs, a context in memory, threads on cores; limits are heeded."""

from __future__ import annotations

import resource
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from gguf_files import changed, gguf, write

from react_local.errors import ModelError
from react_local.models import cgroups, hardware
from react_local.models.gguf import GGUFHeader, read_header
from react_local.models.hardware import (
    Gpu,
    backends,
    context_that_fits,
    gpu_shares,
    gpus,
    layers_that_fit,
)
from react_local.models.memory import free_memory
from react_local.models.options import RuntimeOptions

GIB = 1 << 30
SCRATCH = GIB // 2
CPU, GPU, INTEGRATED = 0, 1, 2


class Device:
    """A device of `Devices`, which is its own handle."""

    def __init__(self, kind: int, backend: str, name: str, free: int) -> None:
        self.kind, self.backend, self.name, self.free = kind, backend, name, free


class Devices:
    """ggml's registry of devices, as far as it is asked: handles are indices from 1."""

    def __init__(self, *devices: Device) -> None:
        self.devices = devices
        self.names = list(dict.fromkeys(device.backend for device in devices))

    def __getattr__(self, name: str) -> Callable:
        """A function of the library, to which a type of its result can be given."""
        function = partial(getattr(self, name.removeprefix("ggml_backend_")))
        setattr(self, name, function)
        return function

    def dev_count(self) -> int:
        return len(self.devices)

    def dev_get(self, index) -> int:
        return index.value + 1

    def dev_type(self, device) -> int:
        return self.devices[device.value - 1].kind

    def dev_description(self, device) -> bytes:
        return self.devices[device.value - 1].name.encode()

    def dev_memory(self, device, free, total) -> None:
        free._obj.value = total._obj.value = self.devices[device.value - 1].free

    def dev_backend_reg(self, device) -> int:
        return self.names.index(self.devices[device.value - 1].backend) + 1

    def reg_count(self) -> int:
        return len(self.names)

    def reg_get(self, index) -> int:
        return index.value + 1

    def reg_name(self, backend) -> bytes:
        return self.names[backend.value - 1].encode()


@pytest.fixture
def devices(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def put(*found: Device) -> None:
        monkeypatch.setattr(hardware, "ggml", lambda: Devices(*found))

    return put


@pytest.fixture
def have(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Have GPUs with so much to spare."""

    def put(*rooms: int) -> None:
        found = [Gpu("made up", int((room + SCRATCH) / 0.9) + 1, 1 << 50) for room in rooms]
        monkeypatch.setattr(hardware, "gpus", lambda: found)

    return put


@pytest.fixture
def header(tmp_path: Path) -> GGUFHeader:
    return read_header(write(tmp_path / "tiny.gguf", gguf(changed(llama__context_length=50_000))))


def test_devices_are_in_the_order_in_which_llama_cpp_fills_them(devices) -> None:
    processor = Device(CPU, "CPU", "a processor", 9)
    integrated = Device(INTEGRATED, "Vulkan", "integrated", 3)
    remote = Device(GPU, "RPC", "10.0.0.2:50052", 2)
    devices(processor, integrated, Device(GPU, "CUDA", "a card", 1), remote)
    assert gpus() == [Gpu("10.0.0.2:50052", 2, 2), Gpu("a card", 1, 1)]
    assert backends() == ["Vulkan", "CUDA", "RPC"]
    devices(processor, integrated, remote)
    assert [gpu.name for gpu in gpus()] == ["10.0.0.2:50052", "integrated"]
    devices(processor)
    assert gpus() == backends() == []


def test_layers_fill_the_gpus_that_share_them(have, header: GGUFHeader) -> None:
    """Two layers and the output, which comes first: so many fit until the first GPU is full."""
    outer = header.input_bytes + header.output_bytes
    cache = 2 * GIB - (header.model_bytes - outer)  # so that a layer takes 1 GiB

    def fit(**options) -> int:
        return layers_that_fit(header, RuntimeOptions(**options), cache)

    have()
    assert fit() == 0
    have(0)
    assert fit() == 0
    have(header.output_bytes + 1)
    assert fit() == 1
    have(2 * GIB)
    assert fit() == 2
    have(GIB, GIB)
    assert fit() == 2
    assert fit(main_gpu=1) == fit(tensor_split=(0.0, 1.0)) == fit(tensor_split=(1.0,)) == 1
    have(100 * GIB, GIB)
    assert fit() == fit(tensor_split=(2.0, 1.0)) == 3
    assert fit(tensor_split=(1.0, 9.0)) == 2
    assert fit(main_gpu=0) == 3


def test_each_gpu_has_the_share_that_was_asked_for_or_what_it_has_to_spare(have) -> None:
    have(3 * GIB, 0, 1 * GIB)
    assert gpu_shares(RuntimeOptions(tensor_split=(1.0, 2.0))) == [1.0, 2.0, 0.0]
    assert gpu_shares(RuntimeOptions(main_gpu=2)) == [0.0, 0.0, 1.0]
    first, second, third = gpu_shares(RuntimeOptions())
    assert first == pytest.approx(3 * third)
    assert second == 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"tensor_split": (1.0, 1.0)}, "2 GPUs are named, and llama.cpp sees 1"),
        ({"main_gpu": 3}, "4 GPUs are named, and llama.cpp sees 1"),
    ],
)
def test_gpus_that_are_not_there_are_refused(have, options: dict, says: str) -> None:
    have(GIB)
    assert gpu_shares(RuntimeOptions(gpu_layers=99))
    with pytest.raises(ModelError, match=says):
        gpu_shares(RuntimeOptions(**options))
    have()
    with pytest.raises(ModelError, match="sees no GPU for 99 layers: leave --gpu-layers out"):
        gpu_shares(RuntimeOptions(gpu_layers=99))
    assert gpu_shares(RuntimeOptions(gpu_layers=0)) == []


def test_an_automatic_context_fits_the_memory(
    have, header: GGUFHeader, monkeypatch: pytest.MonkeyPatch
) -> None:
    each = header.cache_bytes(1)

    def fits(free: int | None, **options) -> int | None:
        monkeypatch.setattr(hardware, "free_memory", lambda _: free)
        return context_that_fits(header, RuntimeOptions(flash_attn="on", **options))

    have()
    weights_and_10_000 = 10_000 * each + header.file_size
    besides = (64 << 20) + 4 * (256 + 33) * 3  # logits of three tokens
    room = int((weights_and_10_000 + besides) / 0.9) + 10
    assert fits(room) == 9984  # 39 times 256
    assert 18_000 < fits(room, cache_type_k="q8_0", cache_type_v="q8_0") < 20_000
    assert fits(1 << 40) == 49_920
    assert fits(0) == 256
    assert fits(None) is None
    have(weights_and_10_000)
    assert fits(1 << 40) == 9984
    assert fits(1 << 40, gpu_layers=1) == fits(1 << 40, gpu_layers=0) == 49_920


def test_attention_that_is_computed_whole_takes_memory(
    have, header: GGUFHeader, monkeypatch: pytest.MonkeyPatch
) -> None:
    have()
    monkeypatch.setattr(hardware, "free_memory", lambda _: 80 << 20)
    on, off = (context_that_fits(header, RuntimeOptions(flash_attn=a)) for a in ("on", "off"))
    cell, scores = header.cache_bytes(1), 4 * 256 * 4  # of four heads
    assert off == pytest.approx(on * cell / (cell + scores), abs=256)


@pytest.fixture
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Be in the control groups that `membership` names, of which there are these files."""

    def put(membership: str, files: dict[str, object]) -> None:
        (tmp_path / "membership").write_text(membership)
        for name, text in files.items():
            (tmp_path / "groups" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "groups" / name).write_text(f"{text}\n")

    monkeypatch.setattr(cgroups, "_MEMBERSHIP", tmp_path / "membership")
    monkeypatch.setattr(cgroups, "_ROOT", tmp_path / "groups")
    return put


def test_limits_of_control_groups_of_version_2_are_heeded(groups) -> None:
    own = {"session/memory.max": "max", "session/memory.current": 500, "session/memory.stat": ""}
    outer = {
        "memory.max": 1000,
        "memory.current": 700,
        "memory.stat": "anon 500\nactive_file 100\ninactive_file 50",
    }
    groups("0::/session\n", own | outer | {"session/cpu.max": "150000 100000", "cpu.max": "max 1"})
    assert list(cgroups.memory()) == [450]
    assert list(cgroups.cores()) == [1.5]


def test_limits_of_control_groups_of_version_1_are_heeded(groups) -> None:
    """The group's own directory may be the root of what a container sees."""
    files = {
        "memory/memory.limit_in_bytes": 1000,
        "memory/memory.usage_in_bytes": 1001,
        "memory/memory.stat": "active_file 0\ntotal_active_file 1\ntotal_inactive_file 2",
        "cpu/cpu.cfs_quota_us": 250_000,
        "cpu/cpu.cfs_period_us": 100_000,
    }
    groups("4:memory:/container/1\n3:cpuset:/\n2:cpu,cpuacct:/\n0::/\n", files)
    assert list(cgroups.memory()) == [2]
    assert list(cgroups.cores()) == [2.5]
    groups("1:cpu:/\n", {"cpu/cpu.cfs_quota_us": -1})
    assert list(cgroups.cores()) == list(cgroups.memory()) == []


def test_free_memory_is_what_the_tightest_limit_leaves(
    groups, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups("", {})
    if free_memory() is None:
        pytest.skip("this system does not tell its free memory")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (4096, 4096))
    assert free_memory() == 0
    no_limit = resource.RLIM_INFINITY
    monkeypatch.setattr(resource, "getrlimit", lambda _: (no_limit, no_limit))
    groups("0::/\n", {"memory.max": 1000, "memory.current": 990, "memory.stat": "anon 9"})
    assert free_memory() == 10


def test_a_quota_below_one_core_leaves_one(groups) -> None:
    groups("0::/\n", {"cpu.max": "50000 100000"})
    assert hardware.physical_cores() == 1
