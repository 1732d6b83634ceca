"""fuzz_target(): one entry point, fuzzed at night and replayed in every test.

    fuzz_target(
        name = "wire_fuzz",
        srcs = ["wire_fuzz.cc"],  # defines LLVMFuzzerTestOneInput
        corpus = glob(["corpus/wire/*"]),
        deps = ["//tcpip/wire:tcp"],
    )

makes :wire_fuzz, a libFuzzer program:

    bazel run --config=fuzz //tests/fuzz:wire_fuzz -- -max_total_time=30

:wire_fuzz_smoke_test, which runs it for 30 seconds from its corpus on, for
--config=fuzz and ./runtests --long; and :wire_fuzz_corpus_test, which feeds it
the corpus and some deterministic mutations of every file, with any compiler and
sanitizer.
"""

def fuzz_target(name, srcs, corpus, deps = [], size = "small"):
    native.cc_binary(
        name = name,
        testonly = 1,
        srcs = srcs,
        data = corpus,
        linkopts = ["-fsanitize=fuzzer"],
        tags = ["manual"],  # links only with --config=fuzz
        deps = deps,
    )
    native.sh_test(
        name = name + "_smoke_test",
        size = "medium",
        srcs = ["//tools:fuzz_smoke.sh"],
        args = ["$(rootpath :%s)" % name] + ["$(rootpath %s)" % corpus[0]],
        data = [":" + name] + corpus,
        tags = [
            "fuzz-smoke",
            "manual",
        ],
    )
    native.cc_test(
        name = name + "_corpus_test",
        size = size,
        srcs = srcs + ["//tools:fuzz_corpus_main.cc"],
        args = ["$(rootpath %s)" % file for file in corpus],
        data = corpus,
        deps = deps,
    )
