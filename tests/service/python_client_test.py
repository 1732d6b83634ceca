#!/usr/bin/env python3
"""The socket service as Python's gRPC sees it: netstack.proto, its status codes
and its order of messages against a client library that is not ours.

    python_client_test.py LOOPBACK_SERVICE NETSTACK_PROTO
"""

import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import grpc

sys.path.insert(0, "tools")
import py_cases  # noqa: E402

SERVICE, PROTO = (os.path.abspath(path) for path in sys.argv[1:3])
DIRECTORY = tempfile.mkdtemp()
PATIENCE = 60


def generate_stubs():
    plugin = shutil.which("grpc_python_plugin")
    subprocess.run(
        ["protoc", f"--proto_path={os.path.dirname(PROTO)}",
         f"--python_out={DIRECTORY}", f"--grpc_out={DIRECTORY}",
         f"--plugin=protoc-gen-grpc={plugin}", PROTO], check=True)
    sys.path.insert(0, DIRECTORY)


def setUpModule():
    unittest.addModuleCleanup(shutil.rmtree, DIRECTORY)
    generate_stubs()
    global pb, pb_grpc  # pylint: disable=global-variable-undefined
    import netstack_pb2 as pb  # pylint: disable=import-outside-toplevel
    import netstack_pb2_grpc as pb_grpc  # pylint: disable=C0415


class Stream:
    """One Stream call, its requests sent one by one."""

    def __init__(self, sockets, timeout=PATIENCE, **target):
        self.requests = queue.SimpleQueue()
        self.call = sockets.Stream(iter(self.requests.get, None),
                                   timeout=timeout)
        self.send(open=pb.Open(**target))

    def send(self, **message):
        self.requests.put(pb.StreamRequest(**message))

    def next(self):
        """The next response: its kind and what it holds."""
        response = next(self.call)
        kind = response.WhichOneof("message")
        return kind, getattr(response, kind)

    def half_close(self):
        self.requests.put(None)


class PythonClient(unittest.TestCase):
    def setUp(self):
        path = os.path.join(DIRECTORY, self._testMethodName)
        service = subprocess.Popen([SERVICE, path], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        self.addCleanup(service.wait, PATIENCE)
        self.addCleanup(service.stdin.close)
        self.addCleanup(service.stdout.close)
        self.assertEqual(service.stdout.readline(), b"serving\n")
        channel = grpc.insecure_channel(f"unix:{path}")
        self.addCleanup(channel.close)
        self.sockets = pb_grpc.SocketsStub(channel)
        self.network = pb_grpc.NetworkStub(channel)

    def listen(self):
        """A listener at a free port: its call and its address."""
        events = self.sockets.Listen(pb.ListenRequest(local="127.0.0.1:0"))
        self.addCleanup(events.cancel)
        return events, next(events).listening.local

    def accept(self, events):
        return Stream(self.sockets,
                      claim=pb.Claim(token=next(events).incoming.token))

    def dial(self, remote, **options):
        return Stream(self.sockets, dial=pb.Dial(remote=remote), **options)

    def serve_echo(self, events):
        """Accepts one connection and sends back what comes, to its end."""
        def run():
            stream = self.accept(events)
            for response in stream.call:
                kind = response.WhichOneof("message")
                if kind == "data":
                    stream.send(data=response.data)
                elif kind == "eof":
                    stream.half_close()
        echo = threading.Thread(target=run)
        echo.start()
        self.addCleanup(echo.join, PATIENCE)

    def connections(self):
        return list(self.sockets.ListConnections(
            pb.ListConnectionsRequest(with_info=True)))

    def eventually(self, what, done):
        end = time.monotonic() + PATIENCE
        while not done():
            self.assertLess(time.monotonic(), end, f"never: {what}")
            time.sleep(0.005)

    def expect_error(self, code, function):
        with self.assertRaises(grpc.RpcError) as raised:
            function()
        self.assertEqual(raised.exception.code(), code,
                         raised.exception.details())
        self.assertNotEqual(raised.exception.details(), "")

    # --- Connections

    def test_echo_and_half_close(self):
        events, local = self.listen()
        self.serve_echo(events)
        stream = self.dial(local)
        kind, opened = stream.next()
        self.assertEqual((kind, opened.remote), ("opened", local))
        sent = bytes(range(256)) * 4096  # 1 MiB, the largest message
        for _ in range(3):
            stream.send(data=sent)
        stream.send(eof=pb.Eof())
        came = b""
        kinds = []
        for response in stream.call:
            kinds.append(response.WhichOneof("message"))
            came += response.data
        self.assertEqual(came, sent * 3)
        self.assertEqual(set(kinds[:-2]), {"data"})
        self.assertEqual(kinds[-2:], ["eof", "closed"])
        self.assertEqual(stream.call.code(), grpc.StatusCode.OK)

    def test_cancelled_call_is_a_reset_for_the_peer(self):
        events, local = self.listen()
        near = self.dial(local)
        far = self.accept(events)
        for stream in (near, far):
            self.assertEqual(stream.next()[0], "opened")
        near.call.cancel()
        kind, reset = far.next()
        self.assertEqual((kind, reset.reason), ("reset", pb.Reset.PEER_RESET))
        self.assertEqual(far.next()[0], "closed")
        self.assertRaises(StopIteration, far.next)
        self.assertEqual(far.call.code(), grpc.StatusCode.OK)

    def test_connections_are_listed(self):
        events, local = self.listen()
        near = self.dial(local)
        opened = near.next()[1]
        far = self.accept(events)
        far.next()
        found = {(c.state, c.local): c for c in self.connections()}
        self.assertEqual(len(found), 3)
        self.assertEqual(found["LISTEN", local].remote, "")
        mine = found["ESTAB", opened.local]
        self.assertEqual((mine.protocol, mine.remote), ("tcp", local))
        self.assertGreater(mine.info.smss, 0)
        stats = self.sockets.GetStats(pb.GetStatsRequest())
        self.assertEqual(stats.counters["tcp_curr_estab"], 2)
        for stream in (near, far):  # whose calls lived as long as they
            self.assertTrue(stream.call.is_active())

    def test_datagrams_keep_their_boundaries(self):
        def opened():
            requests = queue.SimpleQueue()
            call = self.sockets.Datagrams(iter(requests.get, None))
            self.addCleanup(call.cancel)
            requests.put(pb.DatagramRequest(
                open=pb.DatagramOpen(local="127.0.0.1:0")))
            return requests, call, next(call).opened.local
        requests, _, _ = opened()
        _, responses, local = opened()
        for payload in (b"one", b"", b"three"):
            requests.put(pb.DatagramRequest(
                datagram=pb.Datagram(peer=local, payload=payload)))
            self.assertEqual(next(responses).datagram.payload, payload)

    # --- Errors

    def test_nonsense_is_invalid_argument(self):
        def first(**message):
            return lambda: next(self.sockets.Stream(
                iter([pb.StreamRequest(**message)]), timeout=PATIENCE))
        for function in (
                lambda: self.dial("localhost:80").next(),
                lambda: self.dial("127.0.0.1:0").next(),
                first(), first(data=b"x"), first(eof=pb.Eof()),
                first(open=pb.Open()),
                lambda: next(self.sockets.Stream(iter([]))),
                lambda: next(self.sockets.Listen(
                    pb.ListenRequest(local="nonsense"))),
                lambda: self.sockets.Ping(pb.PingRequest(remote="")),
                lambda: self.network.AddAddress(
                    pb.AddAddressRequest(address="10.0.0.1/33"))):
            self.expect_error(grpc.StatusCode.INVALID_ARGUMENT, function)

    def test_other_codes(self):
        events, local = self.listen()
        near = self.dial(local)
        token = next(events).incoming.token
        far = Stream(self.sockets, claim=pb.Claim(token=token))
        self.assertEqual(far.next()[0], "opened")
        for code, function in (
                (grpc.StatusCode.NOT_FOUND, Stream(
                    self.sockets, claim=pb.Claim(token=token)).next),
                (grpc.StatusCode.NOT_FOUND, Stream(
                    self.sockets, claim=pb.Claim(token=bytes(16))).next),
                (grpc.StatusCode.UNAVAILABLE,
                 self.dial("127.0.0.1:1").next),
                (grpc.StatusCode.ALREADY_EXISTS, lambda: next(
                    self.sockets.Listen(pb.ListenRequest(local=local))))):
            self.expect_error(code, function)
        self.assertEqual(near.next()[0], "opened")
        near.send(data=bytes((1 << 20) + 1))
        self.expect_error(grpc.StatusCode.RESOURCE_EXHAUSTED, near.next)
        kind, reset = far.next()
        self.assertEqual((kind, reset.reason), ("reset", pb.Reset.PEER_RESET))

    def test_dial_past_its_deadline_leaves_no_socket(self):
        self.network.AddAddress(pb.AddAddressRequest(address="10.9.0.2/24"))
        late = self.dial("10.9.0.9:80", timeout=0.1)  # where nobody is
        self.expect_error(grpc.StatusCode.DEADLINE_EXCEEDED, late.next)
        self.eventually("no socket", lambda: not self.connections())
        self.expect_error(
            grpc.StatusCode.DEADLINE_EXCEEDED,
            Stream(self.sockets, dial=pb.Dial(remote="10.9.0.9:80",
                                              timeout_ms=50)).next)
        self.assertEqual(self.connections(), [])


if __name__ == "__main__":
    del sys.argv[1:3]
    py_cases.main()
