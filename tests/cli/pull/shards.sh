# A set of shards whose index tells of a tensor that no shard has, and one that lacks a shard: both are told, by their
# names, and neither is certified.
. "$CLI_TESTS/rented.sh.inc"
rent_here
cat >job.py <<'P'
import json, os, struct
def shard(path, tensors):
    header = json.dumps({name: {"dtype": "U8", "shape": [1], "data_offsets": [i, i + 1]} for i, name in enumerate(tensors)})
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header.encode() + b"w" * len(tensors))
def model(directory, weight_map, shards):
    os.makedirs(directory)
    for name, tensors in shards.items():
        shard(f"{directory}/{name}", tensors)
    with open(f"{directory}/model.safetensors.index.json", "w") as file:
        json.dump({"metadata": {"total_size": 2}, "weight_map": weight_map}, file)
first, second = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
model("checkpoint-1", {"a": first, "b": second}, {first: ["a"], second: ["b"]})
model("checkpoint-2", {"a": first, "b": second}, {first: ["a"], second: ["other"]})
model("checkpoint-3", {"a": first, "b": "extra.safetensors"}, {first: ["a"], second: ["b"]})
P
run_job r1 'checkpoint-*/' python3 job.py
{ drawhitch pull b1 r1 --json 2>/dev/null || true; } | python3 -c '
import json, sys
for file in json.load(sys.stdin)["data"]["files"]:
    if file["path"].endswith("index.json"): print(file["path"], file["structure"], file["certified"], file["why"])'
{ drawhitch -q pull b1 r1 2>&1 >/dev/null || true; } | grep '^error'
{ drawhitch -q down b1 -n 2>/dev/null || true; } | grep -E '^  (broken|incomplete|not-pulled)'
