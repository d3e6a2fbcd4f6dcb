# Spack: copy this folder to the packages of a repository, and the sdist of release/wheel to the current folder.
import os

from spack.package import *


class Gpuccl(CMakePackage, CudaPackage):
    """Labels connected components of images and volumes, on NVIDIA GPUs or on the CPU."""

    manual_download = True
    url = f"file://{os.getcwd()}/gpuccl-0.1.0.tar.gz"

    license("MIT")

    version("0.1.0")

    variant("mpi", default=False, description="Build gpuccl-mpi")
    variant("shared", default=True, description="Build a shared library")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("c-blosc")
    depends_on("cli11")
    depends_on("fmt@8:")
    depends_on("hdf5")
    depends_on("isa-l")
    depends_on("jpeg")
    depends_on("libdeflate")
    depends_on("libpng")
    depends_on("libtiff")
    depends_on("lz4")
    depends_on("nlohmann-json@3.10:")
    depends_on("pugixml")
    depends_on("tbb")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12:", when="+cuda")

    conflicts("%gcc@:11", msg="gpuccl needs C++20")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define("GPUCCL_TESTS", False),
            self.define_from_variant("GPUCCL_CUDA", "cuda"),
            self.define_from_variant("GPUCCL_MPI", "mpi"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
        ]
        if self.spec.satisfies("+cuda") and not self.spec.satisfies("cuda_arch=none"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args
