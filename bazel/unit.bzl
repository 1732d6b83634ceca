"""unit(): one library, its test and its optional benchmark, from file names.

    unit(name = "rtt_estimator", deps = ["//tcpip/base:time"])

makes :rtt_estimator from rtt_estimator.h (and .cc where it exists),
:rtt_estimator_test from rtt_estimator_test.cc, and :rtt_estimator_benchmark
from rtt_estimator_benchmark.cc where that exists.
"""

def unit(
        name,
        deps = [],
        test_deps = [],
        test_data = [],
        test_size = "small",
        test_tags = [],
        visibility = None,
        testonly = 0,
        linkopts = []):
    have = native.glob([name + ".cc", name + "_test.cc", name + "_benchmark.cc"])
    native.cc_library(
        name = name,
        srcs = [f for f in have if f == name + ".cc"],
        hdrs = [name + ".h"],
        deps = deps,
        linkopts = linkopts,
        testonly = testonly,
        visibility = visibility,
    )
    if name + "_test.cc" in have:
        native.cc_test(
            name = name + "_test",
            size = test_size,
            srcs = [name + "_test.cc"],
            data = test_data,
            tags = test_tags,
            deps = [":" + name] + deps + test_deps + [
                "@com_google_googletest//:gtest_main",
            ],
        )
    if name + "_benchmark.cc" in have:
        native.cc_binary(
            name = name + "_benchmark",
            testonly = 1,
            srcs = [name + "_benchmark.cc"],
            deps = [":" + name] + deps + test_deps + [
                "@com_github_google_benchmark//:benchmark_main",
            ],
        )
