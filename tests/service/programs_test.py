#!/usr/bin/env python3
"""netstackd and netstackctl as programs: exit codes, messages, signals, and
what is left behind. Runs in a network namespace of its own; skips, saying why,
where that or a TUN device cannot be had.

    programs_test.py NETSTACKD NETSTACKCTL
"""

import os
import pwd
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, "tools")
import py_cases  # noqa: E402

DAEMON, CTL, ECHO = (os.path.abspath(path) for path in sys.argv[1:4])
IN_NAMESPACE = "NETSTACK_TEST_IN_NAMESPACE"
PATIENCE = 60


def devices():
    with open("/proc/net/dev", encoding="ascii") as lines:
        return {line.split(":")[0].strip() for line in lines if ":" in line}


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True,
                          timeout=PATIENCE, check=False, **options)


class Daemon:
    """A netstackd that is ready."""

    def __init__(self, directory, *flags, tun="nst0", name="s.sock",
                 env=None):
        self.socket = os.path.join(directory, name)
        self.log = tempfile.TemporaryFile(mode="w+")
        ready, tell = os.pipe()
        self.process = subprocess.Popen(
            [DAEMON, "--tun", tun, "--address", "10.99.0.2/24", "--listen",
             f"unix://{self.socket}", "--ready-fd", str(tell), *flags],
            stderr=self.log, pass_fds=(tell,), env=env)
        os.close(tell)
        readable, _, _ = select.select([ready], [], [], PATIENCE)
        self.said = os.read(ready, 10) if readable else b""
        os.close(ready)
        if self.said != b"1\n":
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"not ready: {self.text()}")

    def text(self):
        self.log.seek(0)
        return self.log.read()

    def wait_for(self, text):
        end = time.monotonic() + PATIENCE
        while text not in self.text():
            assert time.monotonic() < end, f"never logged: {text}"
            time.sleep(0.01)

    def ctl(self, *words, **options):
        return run(CTL, "--socket", self.socket, *words, **options)

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.log.close()


class Programs(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.directory)

    def daemon(self, *flags, **options):
        daemon = Daemon(self.directory, *flags, **options)
        self.addCleanup(daemon.kill)
        return daemon

    def expect(self, result, code, *texts):
        said = result.stdout + result.stderr
        self.assertEqual(result.returncode, code, said)
        for text in texts:
            self.assertIn(text, said)

    # --- Usage and configuration

    def test_help_and_version(self):
        self.expect(run(DAEMON, "--help"), 0, "--tun NAME", "Exit: 0 stopped")
        self.expect(run(DAEMON, "--version"), 0, "netstackd ")
        self.expect(run(CTL, "--help"), 0, "netstackctl dial HOST:PORT")

    def test_wrong_flags_are_exit_2_and_named(self):
        for flags, text in (
                (["--tunn", "x"], "--tunn: unknown flag"),
                (["--mtu", "7"], "--mtu: '7' is not 0, for what"),
                (["--listen", "tcp://0.0.0.0:7000"], "only loopback"),
                (["--ready-fd", "9"], "--ready-fd: 9 is not an open"),
                (["--tun-fd", "9"], "--tun-fd: 9 is not an open")):
            self.expect(run(DAEMON, *flags), 2, text)

    def test_wrong_configuration_is_exit_2_with_file_and_line(self):
        path = os.path.join(self.directory, "d.toml")
        with open(path, "w", encoding="ascii") as file:
            file.write("mtu = 1400\ntunn = 'nst0'\n")
        self.expect(run(DAEMON, "--config", path), 2,
                    f"{path}:2: tunn: unknown key")

    def test_check_judges_and_makes_nothing(self):
        self.expect(run(DAEMON, "--check"), 0, "is good")
        self.expect(run(DAEMON, "--check", "--mtu", "7"), 2)
        self.assertNotIn("nst0", devices())

    # --- A life

    def test_runs_until_sigterm_and_leaves_nothing(self):
        pid_file = os.path.join(self.directory, "pid")
        daemon = self.daemon("--pid-file", pid_file)
        self.assertIn("nst0", devices())
        mode = os.stat(daemon.socket).st_mode
        self.assertTrue(stat.S_ISSOCK(mode))
        self.assertEqual(stat.S_IMODE(mode), 0o660)
        with open(pid_file, encoding="ascii") as file:
            self.assertEqual(int(file.read()), daemon.process.pid)
        self.expect(daemon.ctl("addr"), 0, "10.99.0.2/24")
        self.expect(daemon.ctl("route"), 0, "0.0.0.0/0 dev nst0")
        self.expect(daemon.ctl("stats"), 0, "uptime_ms")
        self.expect(daemon.ctl("conns", "--json"), 0)
        self.expect(daemon.ctl("ping", "10.99.0.2", "-c", "1"), 0,
                    "1 sent, 1 received")
        self.assertEqual(daemon.stop(), 0, daemon.text())
        self.assertNotIn("nst0", devices())
        self.assertEqual(os.listdir(self.directory), [])

    def test_the_end_of_its_terminal_stops_it_in_order(self):
        daemon = self.daemon()
        self.assertEqual(daemon.stop(signal.SIGHUP), 0)
        self.assertFalse(os.path.exists(daemon.socket))

    # gRPC's own threads may take ten seconds to end: nobody waits for them.
    def test_stops_soon_although_clients_are_connected(self):
        daemon = self.daemon("--drain-timeout", "100ms")
        listener = self.start_ctl(daemon, "listen", "10.99.0.2:7000")
        listener.stderr.readline()
        begin = time.monotonic()
        self.assertEqual(daemon.stop(), 0)
        self.assertNotEqual(listener.wait(PATIENCE), 0)
        self.assertLess(time.monotonic() - begin, 8)

    def reach(self, daemon, port):
        """A connection of the kernel's through the daemon's device."""
        run("ip", "addr", "replace", "10.99.0.1/24", "dev", "nst0")
        self.assertIsNone(daemon.process.poll())
        return socket.create_connection(("10.99.0.2", port), PATIENCE)

    def start_ctl(self, daemon, *words):
        """A netstackctl with pipes to stdin and from stdout and stderr."""
        client = subprocess.Popen(
            [CTL, "--socket", daemon.socket, *words], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for pipe in (client.stdin, client.stdout, client.stderr):
            self.addCleanup(pipe.close)
        self.addCleanup(client.wait)
        self.addCleanup(client.kill)
        return client

    def test_death_of_a_client_resets_its_peer_and_nobody_else(self):
        daemon = self.daemon()
        peers = []
        for port in (7000, 7001):
            client = self.start_ctl(daemon, "listen", f"10.99.0.2:{port}")
            client.stderr.readline()
            peers.append((client, self.reach(daemon, port)))
            self.assertIn(b"connection from", client.stderr.readline())
        (dead, reset), (alive, open_) = peers
        dead.kill()
        with reset, open_:
            with self.assertRaises(ConnectionResetError):
                reset.recv(1)
            alive.stdin.write(b"still here")
            alive.stdin.flush()
            self.assertEqual(open_.recv(10), b"still here")
            alive.stdin.close()
            open_.shutdown(socket.SHUT_WR)
            self.assertEqual(alive.wait(PATIENCE), 0)

    def test_death_of_the_daemon_is_told_and_survived_by_the_next(self):
        daemon = self.daemon()
        client = self.start_ctl(daemon, "listen", "10.99.0.2:7000")
        client.stderr.readline()
        daemon.process.kill()
        daemon.process.wait()
        self.assertEqual(client.wait(PATIENCE), 1)
        self.assertIn(b"netstackctl: ", client.stderr.read())
        self.expect(self.daemon().ctl("conns"), 0, "State")

    def start_echo(self, daemon):
        """The echo server on port 7000."""
        server = subprocess.Popen(
            [ECHO, "10.99.0.2:7000", "--socket", daemon.socket],
            stdout=subprocess.PIPE)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        server.stdout.readline()

    def expect_echo(self, peer, text):
        peer.sendall(text)
        peer.shutdown(socket.SHUT_WR)
        with peer.makefile("rb") as answer:
            self.assertEqual(answer.read(), text)

    def test_echo_server_sends_back_what_it_gets(self):
        daemon = self.daemon()
        self.start_echo(daemon)
        with self.reach(daemon, 7000) as peer:
            self.expect_echo(peer, b"to and fro")

    def test_shards_share_a_device_its_offloads_and_the_memory(self):
        daemon = self.daemon("--shards", "2", "--max-memory", "256M")
        self.start_echo(daemon)
        peers = [self.reach(daemon, 7000) for _ in range(16)]
        for peer in peers:
            self.addCleanup(peer.close)
        for i, peer in enumerate(peers[:8]):
            self.expect_echo(peer, b"to and fro %d" % i * 10_000)
        # [fault L02] open connections go on
        self.expect(daemon.ctl("offload", "none", "checksum,tso4"), 0,
                    "nst0: mtu 1500 receive none send checksum,tso4")
        self.expect(daemon.ctl("offload", "none", "none"), 0,
                    "nst0: mtu 1500 receive none send none")
        for i, peer in enumerate(peers[8:]):
            self.expect_echo(peer, b"without %d" % i * 10_000)
        self.expect(daemon.ctl("stats", "--json"), 0,
                    f'"memory_budget_bytes":"{256 << 20}"')
        self.expect(run("ip", "link", "del", "nst0"), 0)
        self.assertEqual(daemon.process.wait(PATIENCE), 4)
        self.assertEqual(daemon.text().count("tun=nst0 is gone"), 1)

    def test_messages_never_go_where_stderr_was(self):
        ready, tell = os.pipe()
        process = subprocess.Popen(
            ["sh", "-c", 'exec "$@" 2>&-', "sh", DAEMON, "--address",
             "10.99.0.2/24", "--listen", f"unix://{self.directory}/s",
             "--ready-fd", str(tell)], pass_fds=(tell,))
        os.close(tell)
        self.assertEqual(os.read(ready, 10), b"1\n")
        self.assertEqual(os.readlink(f"/proc/{process.pid}/fd/2"), "/dev/null")
        process.terminate()
        self.assertEqual(process.wait(PATIENCE), 0)
        os.close(ready)

    def test_ready_is_told_to_the_service_manager(self):
        path = os.path.join(self.directory, "notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(path)
            manager.settimeout(PATIENCE)
            daemon = self.daemon(env={**os.environ, "NOTIFY_SOCKET": path})
            self.assertEqual(manager.recv(100), b"READY=1")
            self.assertEqual(daemon.stop(signal.SIGINT), 0)
            self.assertEqual(manager.recv(100), b"STOPPING=1")

    def test_second_signal_stops_at_once(self):
        daemon = self.daemon("--drain-timeout", "10m")
        ends = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL,
                "stderr": subprocess.PIPE}
        listen = subprocess.Popen(
            [CTL, "--socket", daemon.socket, "listen", "127.0.0.1:7000"],
            **ends)
        self.assertIn(b"listening", listen.stderr.readline())
        dial = subprocess.Popen(
            [CTL, "--socket", daemon.socket, "dial", "127.0.0.1:7000"],
            **ends)
        self.assertIn(b"connection from", listen.stderr.readline())
        daemon.process.send_signal(signal.SIGTERM)
        daemon.wait_for("draining streams=")
        self.assertEqual(daemon.stop(), 1, daemon.text())
        for end in (listen, dial):
            end.communicate(timeout=PATIENCE)
            self.assertNotEqual(end.returncode, 0)

    def test_deleted_device_ends_the_daemon(self):
        daemon = self.daemon()
        self.expect(run("ip", "link", "del", "nst0"), 0)
        self.assertEqual(daemon.process.wait(PATIENCE), 4)
        self.assertIn("tun=nst0 is gone", daemon.text())

    def test_deleted_device_of_an_administrator_is_waited_for(self):
        # A device that outlives its holders, as `ip tuntap add` makes it.
        make = ("ip", "tuntap", "add", "dev", "nst0", "mode", "tun")
        self.expect(run(*make), 0)
        self.addCleanup(run, "ip", "link", "del", "nst0")
        daemon = self.daemon()
        self.expect(run("ip", "link", "del", "nst0"), 0)
        daemon.wait_for("tun=nst0 is gone; waiting")
        self.expect(run(*make), 0)
        daemon.wait_for("tun=nst0 is back")
        self.assertEqual(daemon.stop(), 0, daemon.text())

    # --- What stands in the way

    def test_device_in_use_is_exit_4(self):
        self.daemon()
        self.expect(run(DAEMON, "--tun", "nst0", "--listen",
                        f"unix://{self.directory}/t.sock"), 4, "nst0")

    def test_socket_in_use_is_refused_and_the_first_goes_on(self):
        first = self.daemon()
        self.expect(run(DAEMON, "--tun", "nst1", "--listen",
                        f"unix://{first.socket}"), 1,
                    "in use by a running daemon")
        self.assertNotIn("nst1", devices())
        self.expect(first.ctl("stats"), 0)

    def test_without_permission_is_exit_3(self):
        nobody = pwd.getpwnam("nobody")
        # Where that user can reach it.
        os.chmod(self.directory, 0o755)
        program = shutil.copy(DAEMON, self.directory)
        try:
            result = run(program, "--listen", f"unix://{self.directory}/s",
                         user=nobody.pw_uid, group=nobody.pw_gid,
                         extra_groups=[])
        except (OSError, subprocess.SubprocessError) as why:
            self.skipTest(f"cannot become another user: {why}")
        self.expect(result, 3, "nst0: cannot open /dev/net/tun")

    # --- netstackctl

    def test_output_that_cannot_be_written_is_exit_1(self):
        daemon = self.daemon()
        with open("/dev/full", "w", encoding="ascii") as full:
            result = subprocess.run(
                [CTL, "--socket", daemon.socket, "conns"], stdout=full,
                stderr=subprocess.PIPE, text=True, timeout=PATIENCE,
                check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot write to stdout", result.stderr)

    def test_no_daemon_is_exit_3_and_says_where_it_looked(self):
        path = os.path.join(self.directory, "none.sock")
        self.expect(run(CTL, "--socket", path, "stats"), 3, path,
                    "netstackd --tun")

    def test_wrong_words_are_exit_2(self):
        for words, text in ((["frobnicate"], "frobnicate: unknown command"),
                            (["dial"], "dial: wrong number of words"),
                            (["--what"], "--what: unknown flag"),
                            (["ping", "x", "-c", "0"], "-c: '0'")):
            self.expect(run(CTL, *words), 2, text)

    def test_dial_that_fails_is_exit_1(self):
        daemon = self.daemon()
        self.expect(daemon.ctl("dial", "127.0.0.1:9"), 1, "refused")

    def test_words_that_the_daemon_cannot_read_are_exit_2(self):
        daemon = self.daemon()
        for words, text in ((["dial", "localhost:9"], "dial.remote"),
                            (["listen", "7000"], "7000"),
                            (["ping", "nowhere"], "remote"),
                            (["addr", "add", "10.0.0.300/24"], "10.0.0.300"),
                            (["route", "add", "10.0.0.0/33"], "10.0.0.0/33")):
            self.expect(daemon.ctl(*words), 2, text)
        self.expect(daemon.ctl("addr", "del", "10.99.0.77"), 1, "10.99.0.77")

    def test_dial_and_listen_carry_bytes_both_ways(self):
        daemon = self.daemon()
        with subprocess.Popen(
                [CTL, "--socket", daemon.socket, "listen", "127.0.0.1:7000"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE) as server:
            self.assertEqual(server.stderr.readline(),
                             b"listening on 127.0.0.1:7000\n")
            with subprocess.Popen(
                    [CTL, "--socket", daemon.socket, "dial",
                     "127.0.0.1:7000"],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
                client.stdin.write(b"question")
                client.stdin.flush()
                self.assertEqual(server.stdout.read(8), b"question")
                client.stdin.close()
                server.stdin.write(b"answer" * 1000)
                server.stdin.close()
                self.assertEqual(client.stdout.read(), b"answer" * 1000)
                self.assertEqual(client.wait(PATIENCE), 0)
            self.assertEqual(server.wait(PATIENCE), 0)
        self.assertEqual(daemon.stop(), 0)


def why_not_here():
    """Why no TUN device can be had, or None."""
    if os.geteuid() != 0:
        return "needs root for a TUN device"
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        return "/dev/net/tun cannot be opened"
    return None


def enter_namespace():
    """Goes on in a network namespace of its own. Returns why it cannot."""
    if os.environ.get(IN_NAMESPACE):
        run("ip", "link", "set", "lo", "up")
        return None
    reason = why_not_here()
    if reason is None:
        probe = run("unshare", "--net", "true")
        reason = probe.stderr.strip() if probe.returncode else None
    if reason is not None:
        return reason
    os.environ[IN_NAMESPACE] = "1"
    os.execvp("unshare", ["unshare", "--net", sys.executable,
                          os.path.abspath(__file__), *sys.argv[1:]])


if __name__ == "__main__":
    WHY_NOT = enter_namespace()
    if WHY_NOT is not None:
        Programs = unittest.skip(WHY_NOT)(Programs)
    del sys.argv[1:4]
    py_cases.main()
