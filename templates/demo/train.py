"""Train a small language model over bytes, with nothing but the standard library.

The model is a hashed n-gram network: the last one, two, three and four bytes each pick a row of a table, and the
rows add up to the logits of the next byte. It is trained with Adagrad on the sources of Python's own library, and it
writes what a real job writes: checkpoints as safetensors, metrics as JSON lines, and a log with steps and losses.
"""

import argparse
import array
import hashlib
import json
import math
import os
import random
import struct
import sys
import time

ORDERS = (1, 2, 3, 4)
BYTES = 256


class Model:
    """One table of `rows` x 256 weights, shared by all context lengths through a hash."""

    def __init__(self, rows, seed):
        self.rows = rows
        rng = random.Random(seed)
        self.weight = array.array("f", (rng.uniform(-0.01, 0.01) for _ in range(rows * BYTES)))
        self.square = array.array("f", bytes(4 * rows * BYTES))

    def rows_of(self, context):
        """The table rows that the end of `context` selects, one for each order."""
        chosen = []
        for order in ORDERS:
            tail = bytes(context[-order:])
            digest = hashlib.blake2b(tail, digest_size=8, salt=bytes([order])).digest()
            chosen.append(int.from_bytes(digest, "little") % self.rows)
        return chosen

    def step(self, context, target, rate):
        """One gradient step; returns the loss in nats before it."""
        bases = [row * BYTES for row in self.rows_of(context)]
        weight = self.weight
        logits = [sum(column) for column in zip(*(weight[base : base + BYTES] for base in bases))]
        peak = max(logits)
        odds = [math.exp(value - peak) for value in logits]
        total = sum(odds)
        loss = math.log(total) + peak - logits[target]
        gradient = [value / total for value in odds]
        gradient[target] -= 1.0
        # Only what is far enough from zero moves: most of the 256 probabilities are tiny.
        moved = [(k, g) for k, g in enumerate(gradient) if g > 0.002 or g < -0.002]
        square = self.square
        for base in bases:
            for k, g in moved:
                at = base + k
                square[at] += g * g
                weight[at] -= rate * g / (math.sqrt(square[at]) + 1e-6)
        return loss


def corpus(limit):
    """The first `limit` bytes of Python's own library, in a fixed order."""
    folder = os.path.dirname(os.__file__)
    text = bytearray()
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py") and len(text) < limit:
            with open(os.path.join(folder, name), "rb") as source:
                text += source.read()
    return bytes(text[:limit])


def save_safetensors(path, tensors, metadata):
    """Write float32 tensors; the file appears whole or not at all."""
    header, offset = {"__metadata__": metadata}, 0
    for name, (shape, data) in tensors.items():
        size = 4 * len(data)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path + ".tmp", "wb") as out:
        out.write(struct.pack("<Q", len(text)))
        out.write(text)
        for _, data in tensors.values():
            if sys.byteorder == "big":
                data = array.array("f", data)
                data.byteswap()
            out.write(data.tobytes())
        out.flush()
        os.fsync(out.fileno())
    os.replace(path + ".tmp", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=40_000)
    parser.add_argument("--rows", type=int, default=8192)
    parser.add_argument("--save-every", type=int, default=10_000)
    parser.add_argument("--rate", type=float, default=0.3)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    os.makedirs("checkpoints", exist_ok=True)
    text = corpus(2_000_000)
    model = Model(args.rows, args.seed)
    print(f"training {args.rows * BYTES} weights on {len(text)} bytes, {args.steps} steps")

    began, window, best = time.monotonic(), [], math.inf
    with open("metrics.jsonl", "w", encoding="utf-8") as metrics:
        for step in range(1, args.steps + 1):
            at = 4 + (step * 7) % (len(text) - 5)
            window.append(model.step(text[at - 4 : at], text[at], args.rate))
            if step % 1000 == 0:
                loss = sum(window) / len(window)
                window.clear()
                best = min(best, loss)
                record = {"step": step, "loss": round(loss, 4), "seconds": round(time.monotonic() - began, 2)}
                metrics.write(json.dumps(record) + "\n")
                metrics.flush()
                print(f"step {step}/{args.steps} loss {loss:.4f}")
            if step % args.save_every == 0 or step == args.steps:
                tensors = {"table.weight": ([args.rows, BYTES], model.weight), "table.square": ([args.rows, BYTES], model.square)}
                save_safetensors(f"checkpoints/step-{step:06d}.safetensors", tensors, {"step": str(step)})
    with open("summary.json", "w", encoding="utf-8") as out:
        json.dump({"steps": args.steps, "best_loss": round(best, 4), "seed": args.seed}, out)
    print(f"finished: best loss {best:.4f} nats per byte")


if __name__ == "__main__":
    main()
