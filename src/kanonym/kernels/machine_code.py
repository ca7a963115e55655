"""How numba compiles kernels, and where the machine code is kept."""

from __future__ import annotations

import functools
import gc
import hashlib
import os
import re
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast

import numba
from numba.core import (
    caching,
    codegen,
    compiler,
    config,
    environment,
    event,
    registry,
    runtime,
    typed_passes,
)
from numba.core.compiler_machinery import register_pass

from kanonym.kernels.compile import TOLD

try:
    import fcntl
except ImportError:  # on Windows, processes that start together compile side by side
    fcntl = None  # type: ignore[assignment]

PATIENCE = 120
"""Seconds to wait for a kernel that another process compiles."""
_IMPORT = re.compile(r"^\s*from kanonym\.kernels\.([\w.]+) import", re.MULTILINE)
_ROOT = Path(__file__).parent
_numba_config: Any = config
_environment: Any = environment
_FunctionCache: Any = caching.FunctionCache
_codegen: Any = codegen
_CodeLibrary: Any = _codegen.JITCodeLibrary
_CacheFile: Any = caching.IndexDataCacheFile
_Compiler: Any = compiler.CompilerBase
_compile_result: Any = compiler.compile_result
_Dispatcher: Any = registry.CPUDispatcher
_PassBuilder: Any = compiler.DefaultPassBuilder
_register: Any = event.register
_register_pass: Any = register_pass
_runtime: Any = runtime
_Lowering: Any = typed_passes.NativeLowering
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def dispatcher_of(function: Callable[..., object], *, is_part: bool) -> object:
    """Return what runs a kernel by its machine code, which is loaded, or made and kept.

    The code lies in the package's `__pycache__`. Where that is read-only, code that lies there is
    loaded, and what lacks is kept in the user's cache directory or in the temporary directory;
    where nothing is writable, each process compiles what lacks for itself. The directory's name
    holds a hash of the module and of the kernel modules that it imports: numba alone would compare
    the module's own file, and run yesterday's copy of a kernel from another module.

    is_part: it is called by kernels, and has no machine code of its own.
    """
    if is_part and not _numba_config.DISABLE_JIT:
        options = {"nopython": True, **_OPTIONS}
        return _Part(function, targetoptions=options, pipeline_class=_PartCompiler)
    compiled: Any = numba.njit(**_OPTIONS)(function)
    places = cache_directories(function.__code__.co_filename)
    if places and not _numba_config.DISABLE_JIT:
        compiled._cache = _Cache(function, places)  # noqa: SLF001 - as enable_caching does
    return cast("object", compiled)


def _rebuild_environment(module: str, constants: list[Any], name: str) -> Any:
    """Return the constants of machine code that is loaded.

    numba would import the module that the code was compiled from, much of numba among them, for
    globals that no machine code reads.
    """
    found: Any = _environment.lookup_environment(name)
    if found is None:
        loaded = sys.modules.get(module)
        found = _environment.Environment({"__name__": module} if loaded is None else vars(loaded))
        found.consts[:] = constants
        found.env_name = name
        _environment.Environment._memo[name] = found  # noqa: SLF001 - as numba does
    return found


_environment._rebuild_env = _rebuild_environment  # noqa: SLF001


class _Cache(_FunctionCache):  # type: ignore[misc] # numba has types for its decorators alone
    """Machine code on the disk; what cannot be read or written there is compiled anew.

    A process compiles a kernel under a lock, and others wait for its code.
    """

    def __init__(self, function: Callable[..., object], places: list[Path]) -> None:
        """Read code in all places, and write to the last one."""
        name = re.sub(r"[<>]", "", f"{function.__qualname__}-{function.__code__.co_firstlineno}")
        name = f"{name}.{sys.implementation.cache_tag}"
        self._py_func = function
        self._cache_path = str(places[-1])
        self._files = [_CacheFile(str(place), name, "") for place in places]
        self._lock_path = places[-1] / f"{name}.lock"
        self._lock: IO[str] | None = None
        self.enable()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return compiled code, or None: a file that was cut off is forgotten."""
        _runtime.rtsys.initialize(target_context)
        loaded = self._load(sig, target_context)
        if loaded is None and self._wait():
            loaded = self._load(sig, target_context)
            if loaded is not None:
                self._release()
        return loaded

    def _load(self, sig: Any, target_context: Any) -> Any:
        key = self._index_key(sig, target_context.codegen())
        for file in self._files:
            try:
                data = file.load(key)
                if data is not None:
                    return _rebuild(target_context, data)
            except Exception:  # noqa: BLE001 - unpickling what was cut off raises anything
                with suppress(OSError):
                    file.flush()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code, where the disk takes it."""
        with suppress(OSError):
            if not data.library.has_dynamic_globals:
                self._files[-1].save(self._index_key(sig, data.codegen), data._reduce())  # noqa: SLF001
        self._release()

    def _wait(self) -> bool:
        """Lock the kernel; say whether another process may have compiled it meanwhile."""
        if fcntl is None or self._lock is not None:
            return False
        try:
            self._lock = self._lock_path.open("w")
        except OSError:
            return False
        for _ in range(PATIENCE * 50):
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(0.02)
            except OSError:  # a file system without locks
                break
            else:
                break
        return True

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None


class _Part(_Dispatcher):  # type: ignore[misc]
    """A function whose compiled forms kernels link."""

    def add_overload(self, compiled: Any) -> None:
        """Keep a compiled form for kernels; the base class would offer it to Python, too."""
        self.overloads[tuple(compiled.signature.args)] = compiled

    def __call__(self, *arguments: object) -> object:
        """Run a copy that is compiled by itself."""
        return self._alone(*arguments)

    @functools.cached_property
    def _alone(self) -> Any:
        return numba.njit(**_OPTIONS)(self.py_func)


class _PartCompiler(_Compiler):  # type: ignore[misc]
    """numba's way of compiling, but for its last step."""

    def define_pipelines(self) -> list[Any]:
        """Return the steps."""
        steps = _PassBuilder.define_nopython_pipeline(self.state)
        steps.passes = [
            (_PartLowering if step is _Lowering else step, text) for step, text in steps.passes
        ]
        steps.finalize()
        return [steps]


@_register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(_Lowering):  # type: ignore[misc]
    """Write the intermediate code of a part, and nothing that Python could call."""

    _name = "kanonym_part_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower the function, and tell callers under which key they find it."""
        state.library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = state.flags.no_cpython_wrapper = True
        super().run_pass(state)
        key = object()
        state.cr = state.cr._replace(cfunc=key)
        state.targetctx.insert_user_function(key, state.cr.fndesc, [state.library])
        return True


class _PartLibrary(_CodeLibrary):  # type: ignore[misc]
    """The intermediate code of a part and of what it calls, optimized when a kernel links it."""

    def finalize(self) -> None:
        """Link what the part calls; no machine code is made."""
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)  # noqa: SLF001
        self._finalized = True


class _LoadedLibrary(_CodeLibrary):  # type: ignore[misc]
    """Machine code of the disk, whose intermediate code is parsed when another kernel links it."""

    def __init__(self, context: Any, saved: tuple[str, str, tuple[bytes, bytes]]) -> None:
        """Load the machine code."""
        name, _, (code, self._bitcode) = saved
        super().__init__(context.codegen(), name)
        self.enable_object_caching()
        self._set_compiled_object(code)
        self._finalize_final_module()

    def _get_module_for_linking(self) -> Any:
        self._shared_module: Any = self._shared_module or _codegen.ll.parse_bitcode(self._bitcode)
        return self._shared_module


def _rebuild(context: Any, data: tuple[Any, ...]) -> Any:
    """Return what numba saved; numba itself would parse the intermediate code of each kernel."""
    saved, description, constants, signature, is_object, lifted, types, starts, others = data
    for start in starts:
        start()
    library = _LoadedLibrary(context, saved)
    names = (description.llvm_func_name, description.llvm_cpython_wrapper_name)
    library.codegen._engine._defined_symbols.update(names)  # noqa: SLF001
    entry = context.get_executable(library, description, constants)
    for one in others:
        library.codegen.set_env(one.env_name, one)
    return _compile_result(
        target_context=context,
        typing_context=context.typing_context,
        library=library,
        environment=constants,
        entry_point=entry,
        fndesc=description,
        type_annotation=types,
        signature=signature,
        objectmode=is_object,
        lifted=lifted,
        reload_init=starts,
        referenced_envs=others,
    )


class _Announcer(event.Listener):
    """Tell who waits for it that something is compiled, each once; leave garbage until then."""

    depth = 0
    collects = True

    def on_start(self, event: object) -> None:  # noqa: ARG002
        """Tell, and forget whom."""
        while TOLD:
            TOLD.pop()()
        if self.depth == 0:
            self.collects = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, event: object) -> None:  # noqa: ARG002
        """Collect garbage as before."""
        self.depth -= 1
        if self.depth == 0 and self.collects:
            gc.enable()


_register("numba:compile", _Announcer())


@functools.cache
def cache_directories(source: str) -> list[Path]:
    """Return where machine code of a module may lie, the last one where more can be written.

    The list is empty where nothing can be written and none came with the package.
    """
    module = Path(source)
    found: list[Path] = []
    try:
        name = f"{module.stem}-{_stamp(module)}"
        for place in _places(module):
            if _is_writable(place / name):
                return [*found, place / name]
            if place == module.parent / "__pycache__" and (place / name).is_dir():
                found.append(place / name)
    except (OSError, RuntimeError):  # no source (a zipped installation), no home
        pass
    return found


def _places(module: Path) -> Iterator[Path]:
    """Yield the directories that may hold compiled code, best first."""
    if _numba_config.CACHE_DIR:  # NUMBA_CACHE_DIR: the user has decided
        yield Path(_numba_config.CACHE_DIR)
    yield module.parent / "__pycache__"
    if os.name == "nt":
        yield Path(os.environ.get("LOCALAPPDATA", Path.home())) / "kanonym"
        yield Path(tempfile.gettempdir()) / "kanonym"
    else:
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kanonym"
        temporary = Path(tempfile.gettempdir()) / f"kanonym-{os.geteuid()}"
        if _is_private(temporary):
            yield temporary


def _stamp(source: Path) -> str:
    """Hash a module together with the kernel modules that it imports, direct or not."""
    texts: dict[Path, bytes] = {}
    pending = [source]
    while pending:
        path = pending.pop()
        if path not in texts:
            texts[path] = path.read_bytes()
            names = _IMPORT.findall(texts[path].decode())
            pending.extend(_ROOT / f"{name.replace('.', '/')}.py" for name in names)
    digest = hashlib.sha256()
    for path in sorted(texts):
        digest.update(texts[path])
    return digest.hexdigest()[:12]


def _is_private(directory: Path) -> bool:
    """Say whether only this user can write there: cached code is loaded and run."""
    directory.mkdir(mode=0o700, exist_ok=True)
    status = directory.lstat()
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _is_writable(directory: Path) -> bool:
    """Make a directory and say whether a file can be written there."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=directory).close()
    except OSError:
        return False
    return True
