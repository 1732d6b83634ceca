#!/bin/bash
# The one list of distribution packages this project needs, by purpose.
#
#   tools/install_deps.sh build test      installs what is missing
#   source tools/install_deps.sh          gives ensure_packages to a script
#
# When everything is installed, nothing is run but dpkg-query: no network.

# packages_for <purpose>: prints the packages, one purpose at a time.
packages_for() {
  case $1 in
    build)
      echo bazel-bootstrap bazel-rules-java bazel-rules-proto g++ pkg-config \
        libabsl-dev libprotobuf-dev protobuf-compiler libgrpc++-dev \
        protobuf-compiler-grpc libspdlog-dev libtomlplusplus-dev
      ;;
    test)
      echo libgtest-dev libgmock-dev libbenchmark-dev libssl-dev python3 \
        python3-grpcio iproute2 util-linux
      ;;
    check) echo git python3 clang clang-format clang-tidy libclang-rt-dev ;;
    quickstart) echo curl python3 iproute2 util-linux procps ;;
    bench) echo libbenchmark-dev python3 iproute2 util-linux procps ;;
    *)
      echo "install_deps: unknown purpose '$1' (build, test, check," \
        "quickstart, bench)" >&2
      return 2
      ;;
  esac
}

# missing_packages <purpose>...: prints those that are not installed, sorted.
missing_packages() {
  local purpose wanted=()
  for purpose in "$@"; do
    packages_for "$purpose" > /dev/null || return
    read -r -a list <<< "$(packages_for "$purpose")"
    wanted+=("${list[@]}")
  done
  # A package that dpkg never saw makes dpkg-query fail, which says nothing
  # about the others: only its output counts.
  local installed
  installed=$(dpkg-query --show -f '${db:Status-Status} ${Package}\n' \
    "${wanted[@]}" 2> /dev/null | sed -n 's/^installed //p')
  comm -23 <(printf '%s\n' "${wanted[@]}" | LC_ALL=C sort -u) \
    <(LC_ALL=C sort -u <<< "$installed")
}

# ensure_packages <purpose>...: returns 0 when all is there, installing what is
# missing as root or through sudo; else prints the command to run, returns 1.
ensure_packages() {
  if ! command -v dpkg-query > /dev/null; then
    echo "install_deps: no dpkg here; the packages of Debian 12 this needs:" >&2
    local purpose
    for purpose in "$@"; do packages_for "$purpose" >&2 || return; done
    return 0
  fi
  local missing
  missing=$(missing_packages "$@") || return
  [[ -z $missing ]] && return 0
  local install=(apt-get install -y --no-install-recommends $missing)

  local as_root=()
  if ((EUID != 0)); then
    if command -v sudo > /dev/null && { [[ -t 0 ]] || sudo -n true; } 2> /dev/null
    then
      as_root=(sudo)
    else
      echo "Packages are missing, and neither root nor sudo is at hand. Run:" >&2
      echo "  apt-get update && ${install[*]}" >&2
      return 1
    fi
  fi
  echo "installing:" $missing >&2
  local log
  log=$(mktemp) || return
  # A failed update may leave lists good enough for the installation.
  "${as_root[@]}" apt-get update > "$log" 2>&1 || true
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}" \
    >> "$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    echo "The installation failed. The command was:" >&2
    echo "  apt-get update && ${install[*]}" >&2
    return 1
  fi
  rm -f "$log"
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  if (($# == 0)); then
    echo "usage: tools/install_deps.sh build|test|check|quickstart|bench..." >&2
    exit 2
  fi
  ensure_packages "$@"
fi
