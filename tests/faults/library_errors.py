"""library_errors.py GPUCCL FAIL_LIBRARY: a function of a library fails, each in turn, for each format.

libtiff, libpng, libjpeg, zstd, blosc, lz4, libdeflate, ISA-L or zlib, and libhdf5. What follows is an error in one
line and no output, or a warning, or what another decoder gives: never labels of samples that were not read.
"""
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

GPUCCL, PRELOADED = sys.argv[1:3]
if b"__asan_init" in pathlib.Path(GPUCCL).read_bytes():
    print("skipped: sanitizers are preloaded themselves")
    sys.exit(77)
HERE = pathlib.Path(__file__).parent
FUNCTIONS = re.findall(r"^FAIL\((\w+),", (HERE / "fail_library.cpp").read_text(), re.MULTILINE)
HDF5 = [name for name in re.findall(r"X\((H5\w+)\)", (HERE.parent.parent / "io/hdf5/hdf5_library.hpp").read_text()) if not name.endswith("_g")]
# Errors of libraries that every build has, without those of large or other files.
ALWAYS = {name for name in FUNCTIONS if re.match("TIFF|png|jpeg|libdeflate_(alloc|zlib)", name)} - {"TIFFReadScanline"}

# 32x32 elements, by Pillow, tifffile, numcodecs and h5py.
FILES = {
    "in.jpg": "c-jFT1L6Gt*#F=F5K2Z#MgRc;000310RRC1+W<oV0|EjA0s;dA0|NvD0|W&K1qB2I1qufT1_%ra3=9hj3kwYn5)cgz5e^Fr5Ec*-6BHE{6$}p-7#0*55)>5_|G)qX2ml}eAOQgp0RO}Q9{>OW1pxs80RaI300000000010s{mE1_uZU3Jd?l0JRVR0s#X90t5pE1q1{D00Dgg0s{a95d{(<F+m0sQDFxnaTGFvk)a49Lb1UWQqk}vGh%Xr2?`b$7#SKRCMPH<Dl|1VH#j*uLqtVJM@UIZQ&d$}S6EqEV`OD!XJ~0^b98lfcX)YvgM@{Khlq)al9QB`mY0~BnxdnmrKYE-sj9NGw6(UkxVgH*!^FkL$H>Xb($mz{*4NnC+Tr5k<mKk)=;`Y5^7Hid_V@Vt`v2Mh2mt{A06zfv`}QgS0D^CS!(jX@)qG|D01FfT5ihXoQt2OJ{>1xk{g6Q~nZNB3<34^i?LT)p=L6^u_;HW@R?qykKl`@6RsFgD0AY{#V(<7uf8w_P0EEZ>5?{A}%qQ$WX8S+c{{ZQ{yZ3#g+Z%i5kCkh+@K?tF0EoX0bg6XD2zdL&9u?DNnB2){qH8xcaJ;2eOobzL1&X2#*v=FV!nzOmYafmO0Q6ZtAb;Ueeg6Q*Yn1WV#g80(Q2P)3CSEe}2aA5gzwDpex}^8NXWzGfm*%@|-LW%_XKLr5u2zcs{{Z$}{{Vtgf5S?A3GmOvfB0HI@Q#0NeXIT@pYV@;tI6_irGx!%+LLyCt>1KGb~(mRs{a7PjDPC3f90wF0Nu6aU$r0n5|jQJui#IKz9att!qNW#gpd0d?7#6W{{V!0?7nxMbrc`#e$@MM=I;BaJ8{NxJ^-)R@7OE$_4pI;TlP-yH-mg-<Dcwr5^29~`(2mzMg0C>nSXIAeDOfYa*`q8jx&SEBEEqC0EeUg%wP0VfAWE<fATea{{Z`X{@%X=el-5c-Z}7ZgM4%Sv*Jxl>_23({>Z<B%<}K;<$s=76$TPFJh09%IUra6*<X)vXa",
    "in.png": "c-rd>@N?(olHy`uVBq!ia0vp^3Lwk@BpAX3RW*Q=zNd?0NX4Aw1c{0RCk`C=AU|7y$3W1ik&nxb@h(Hqm1GreHa50njuYkDT9{5TGWh&pl3mHd{~ct6r>mdKI;Vst0FPW5{{",
    "strips.tif": "c-r&y)MDUZU|`^5U|?inU<9%hfS3`9&BVwIW`k5QL)olA%m!tHFdrimg9wn`2E>9uy(~cb77&XfsS$&k2{K0<C=OEd3W%i`S;69;fLI#J{sqJuNO}!{=JSBv!T<)<O2rw81*u9_3em<!Its={v9%27Kme%L0*Ir5xD|*s7?c^b81&(0!f;7uT3T9WPO4r(C6L#^pb%i8BF4+!;*=P$BgIUXzjgnkK#L_|s{Gw<NfSG+WLe5~J1Zyv)%pJbscUjr2vOJJk_1wxE8gRl9Ju3&855>a9S-w9f|Q80xjqhDaVF1JxbOJm0u2tZO67lGl?EOue4_mAhZ8q)ERj>?={lP9A>xdaIbYwA<WH6=(|mav8USwdOZ)",
    "tiled.tif": "c-r&y)MDUZU|`^9U|?inU<9%hfS3`9&BVwIW`k5QL)olA%m!tHFdrimg9wm51jM39;!=#PVEP#lOGDZ3fLH@bjUiAk50L%_#7<Cq1%TKYiR}Vpvw+>gz~Bnh3t|g_B!Qq>sW>CCAXUjqA==nTN5R-Aww3`MFrwj-%(S$$%$!ucf=UJjpnx9`mjdx(Al7402V!HW&ISgB01Fi{UiKEJ#DERV|77_)oF5cQEU{7-?Kt{aP(vh7k!ONON|2?>G=4@@)zkl&{^w?JUie|h6en$wb{FNq9Z$+^<tI2epeWnn3^cUW`H{ekDOSp&-A5K1TI3{Y%Jm&v{7EBa8aIZaX0rV42Nnrhlz3?hce_4P;JD&sEL(s4@g|Kcll0ZPoSp{k-~a%$8ByE",
    "deflate.tif": "c-r&y)MDUZU|`^5U|?inU<9%hfS3`9&BVwIW`k5QBeB__Y!K#SWMU8j(%XPo5U7_0NZ$ftQ6x2DP%}Y##ew1=HLrkJijfs8{t1Ysq3mBktbwH05NJLR*ewiTP_0y)kywzbWTg;oY^0-LY!q9|fDQzJY84nkdKnlTfmnb+5Qs(KX2NhuW?EWWW=^VJK_!q^F(+A~;)A^Gg<v@b=UvWwf&7GoAN_n1ZUPJpW~&80fE1WKuorWvu4K5b=D!ihZ)pA>!N7d@!bEj`px0iPcLD%6rYx%",
    "chunks.h5": "c-rgqaB<`1lHy_j0S*oZ76t(ZWbhvfI0R7nF!=;1%?PDCp!5nRm^dR?P68?}2sIyFT}Y6tD@gT!Gyt>5fCWNxFpPqc2s~UJ13+{Hln+a#Czw#xm7%3a4+`yNWMG4s#R%hTKxih2fC5w<E}9wWQjkgkV8UfWayct7C4<D7m>~vn19gBHjBtB6z&R%+H7zHxB$WZ0{DGp7oW#t;T)~P63J`{dL<CLaA=uB~g%RvJs6UxU(<V6pRNgTHV->x;6D6Q;13!e8Kob{0;~#~p6T=}719ze7MA6ittN+Z8-98x2G#aI&U=)mkQ7{Td!6+C7GyxTH$q5oX55CvO6cn7`k7r<rVr!@d3r2kSZO^i(`|tsW)BNQO3{QO2JHg^L4YHg`%!@z$c<RZ>kaU`HDMa;wKK8y-!qb+EFfgQRGG7G%PDW>~",
    "whole.h5": "c-rgqaB<`1lHy_j0S*oZ76t(ZWbhvfV8U=d6eK`tMkw6@rB^V)#2LYI5>RnLs6puJLV{dfL8||w0hm1oED)N5VHAu+;Nj{R0HPzHd{`<y!Gx-=3@tr+P-rhB11rQVMi^fMLNh@G6rk#G(ab=Xf>a6s6D|{y%UOXb86?ic1TlyMnnRcw;Yl1VsW%LYcnJ3McLC*SnBx?fN7Lpg7zLwXD1+bs3BghQqhJ(_48Tq#9MwOnpBDP*2>>cg*}n",
    "zstd.bin": "c-qt0s{c2Efw`86frW{I;Xhs|FTgNOW$wXA64PfWzT}y9WXBO6&-4u{$5hiiii)(HUF=#;HqALBFp)peE|(bqFKHv;",
    "blosc.bin": "c-muPRAgjeVPF8^U?3#|#MVG8&%nr#FY}*~fqOCok30jv0z)i66T|;d-sg<muNWBx8Mv7kIA$|)OEWMsfn;w2W#s}GKmY(`y9tv",
    "lz4.bin": "c-muNVPKGFU}VUb`OnC}J(+<=o`GM1A(o$s;eROab4Ko0jEsT|+)NA{vl+Ri85o&BvNwUUasdn=001q(2*>",
    "pages.tif": "c-r&y)MDUZU|`^5U|?inU<9%hfS3`9&BVwIW`k5QL)olA%m!tHFdrimgE)}h2E>9;y&ysqNsSninc`4(9uP}0vVz%nfLI#JegecANO}!{=JNpQHy}Mgfoi4VjKqReB`bw!BOL`}FpjNdKm&|uxFj<zEiE%ARj;5DuBL%OA;3aKjF-K|DKTJ2ikU2b>;6Z97E8i(#p@3|7Toc~%T#uPYw{;al|D~}$)1lV%?wG3)a~|uCg?fkoGsIAw`ZF(@0_bPn14FMXqC*oZq+${Nna{?jRHNFdaM$am}_MnHucJ@iL<T-ZIo_k;Grm#VIix)L|VwQFd;&ghY2-gv4s;dpl|p904JDmVg",
    "interlaced.png": "c-rd>@N?(olHy`uVBq!ia0vp^3Lwk@Bp4ONME3z{e@_?3kcwM(`(JZ02=KUl|EFI&<@O=5iIYA%&#9GmQBr8#lq*sgxVTm2<*Kh4r9bcPC^RZ!D`{riXk8E+ll*TdZ{f$O=Uguz2v7JBb3l!O$5Q(9xo>Adb}@Lm`njxgN@xNAC2%oq",
}


def make_inputs(folder):
    for name, text in FILES.items():
        (folder / name).write_bytes(zlib.decompress(base64.b85decode(text)))
    for codec in ("zstd", "blosc", "lz4"):
        store = folder / f"{codec}.zarr"
        store.mkdir()
        (store / ".zarray").write_text(json.dumps({"zarr_format": 2, "shape": [32, 32], "chunks": [32, 32], "dtype": "|u1", "compressor": {"id": codec},
                                                   "fill_value": 0, "order": "C", "filters": None}))
        (folder / f"{codec}.bin").rename(store / "0.0")
    for name in ("zlib.zarr", "gz.nii.gz"):
        subprocess.run([GPUCCL, "label", folder / "in.png", "-o", folder / name, "--quiet", "--no-fsync"], check=True)
    return sorted(path.name for path in folder.iterdir())


def content(path):
    if path.is_dir():
        return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}
    return path.read_bytes() if path.exists() else None


class Case:
    """An input, an output, and what they are if nothing fails."""

    def __init__(self, folder, source, output, *more, by_pipe=False):
        self.folder, self.source, self.more, self.by_pipe = folder, folder / source, more, by_pipe
        self.out = folder / "out"
        self.output, self.report = self.out / output, self.out / "report.json"
        self.hit = self.out / "hit"  # where the sandbox lets it be written
        self.usual = self.run("none", 1)

    def run(self, function, number):
        """The exit code, messages, and the output; whether the function was called so often."""
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir()
        os.mkfifo(self.hit)  # the process of libhdf5 can write to no file
        hits = os.open(self.hit, os.O_RDWR | os.O_NONBLOCK)
        words = [GPUCCL, "label", "-" if self.by_pipe else self.source, "-o", self.output, "--json", "-", "--no-fsync", "--threads", "1", "--device", "cpu",
                 *(word.replace("OUT", str(self.out)) for word in self.more)]
        environment = {**os.environ, "LD_PRELOAD": PRELOADED, "GPUCCL_FAIL_LIBRARY": f"{function}:{number}", "GPUCCL_FAILED": str(self.hit)}
        with open(self.source if self.by_pipe else os.devnull, "rb") as given:
            done = subprocess.run(words, stdin=given, capture_output=True, text=True, env=environment, timeout=60)
        os.write(hits, b"0")
        hit = os.read(hits, 100) != b"0"
        os.close(hits)
        return done.returncode, done.stderr, content(self.output), hit

    def check(self, function):
        """Whether it is called at all."""
        for number in (1, 2):
            code, said, output, hit = self.run(function, number)
            if not hit:
                return number > 1
            what = (self.source.name, self.output.name, function, number, code, said)
            if code == 0:  # the other outputs are of the same labels
                assert output == self.usual[2] or said != self.usual[1], what
            else:
                assert code in (65, 66, 71, 74) and re.fullmatch(r"(gpuccl: [^\n]+\n)+", said), what
                assert output is None and list(self.out.iterdir()) == [self.hit], what
        return True


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    cases = [Case(folder, name, "labels.npy") for name in make_inputs(folder) if not name.endswith(".json")]
    cases += [Case(folder, "gz.nii.gz", output, by_pipe=True) for output in ("labels.png", "labels.npy")]
    cases += [Case(folder, "in.png", *words) for words in (
        ("labels.tiff", "--preview", "OUT/preview.png"), ("labels.tiff", "--compress", "lzw"), ("labels.nii.gz", "--view", "OUT/page.html"), ("labels.zarr",))]
    called = set()
    for case in cases:
        name = case.source.name
        if case.usual[0] != 0:
            assert name.endswith((".h5", "zstd.zarr", "blosc.zarr", "lz4.zarr")), (name, case.usual)
            print(f"{name}: not read by this build")
            continue
        here = {function for function in (HDF5 if name.endswith(".h5") else FUNCTIONS) if case.check(function)}
        print(f"{name}{' from a pipe' if case.by_pipe else ''} to {case.output.name}: {len(here)} functions", flush=True)
        called |= here
    assert ALWAYS <= called, ALWAYS - called
    print("functions that failed:", len(called))
