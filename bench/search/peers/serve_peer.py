"""Serves an engine that has only a Python package: a line of JSON in, a line of JSON out, in any order.

The first line of standard input is {"dims"}; each next one a batch of Units, [{"text", "groups", "vector"}]
with the vector as base64 of little-endian float32; then {"built": true}, which is answered with {"version"}. Then come
queries, {"id", "mode", "group", "text", "vector", "k"}, answered with {"id", "found": [the numbers of Units]}.
"""

import base64
import importlib.metadata
import json
import struct
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

# Candidates of each leg of a hybrid search, as in the service.
DEPTH = 200


def vector_of(text):
    data = base64.b64decode(text)
    return list(struct.unpack(f"<{len(data) // 4}f", data))


class QdrantEdge:
    package = "qdrant-edge-py"

    def __init__(self, folder, dims):
        import qdrant_edge as q

        self.q = q
        self.bm25 = q.Bm25(q.Bm25Config(avg_len=40))
        config = q.EdgeConfig(
            vectors={"dense": q.EdgeVectorParams(size=dims, distance=q.Distance.Cosine)},
            sparse_vectors={"bm25": q.EdgeSparseVectorParams(modifier=q.Modifier.Idf)},
        )
        self.shard = q.EdgeShard.create(folder, config)
        self.shard.update(q.UpdateOperation.create_field_index("groups", q.PayloadSchemaType.Keyword))
        self.size = 0

    def add(self, units):
        points = []
        for unit in units:
            vectors = {"dense": vector_of(unit["vector"]), "bm25": self.bm25.embed_document(unit["text"])}
            payload = {"text": unit["text"], "groups": unit["groups"]}
            points.append(self.q.Point(self.size, vectors, payload))
            self.size += 1
        self.shard.update(self.q.UpdateOperation.upsert_points(points))

    def built(self):
        self.shard.flush()
        self.shard.optimize()

    def search(self, query):
        q = self.q
        readable = q.Filter(must=[q.FieldCondition("groups", match=q.MatchValue(query["group"]))])

        def dense():
            return q.Query.Nearest(vector_of(query["vector"]), using="dense")

        def sparse():
            return q.Query.Nearest(self.bm25.embed_query(query["text"]), using="bm25")

        k, text = query["k"], q.PayloadSelector.Include(["text"])
        if query["mode"] == "hybrid":
            legs = [q.Prefetch(DEPTH, query=leg(), filter=readable) for leg in (dense, sparse)]
            request = q.QueryRequest(k, query=q.Fusion.Rrf(k=60), prefetches=legs, with_payload=text)
        else:
            leg = dense if query["mode"] == "vectors" else sparse
            request = q.QueryRequest(k, query=leg(), filter=readable, with_payload=text)
        return [point.id for point in self.shard.query(request)]


class Tantivy:
    package = "tantivy"

    def __init__(self, folder, dims):
        import tantivy as t

        self.t = t
        builder = t.SchemaBuilder()
        builder.add_text_field("text", stored=True)
        builder.add_text_field("group", tokenizer_name="raw", index_option="basic")
        builder.add_unsigned_field("unit", stored=True, fast=True)
        self.schema = builder.build()
        self.index = t.Index(self.schema, path=folder)
        self.writer = self.index.writer()
        self.size = 0

    def add(self, units):
        for unit in units:
            document = self.t.Document(text=unit["text"], group=unit["groups"])
            document.add_unsigned("unit", self.size)
            self.writer.add_document(document)
            self.size += 1

    def built(self):
        self.writer.commit()
        self.writer.wait_merging_threads()
        self.index.reload()
        self.searcher = self.index.searcher()

    def search(self, query):
        t, schema = self.t, self.schema
        words = [(t.Occur.Should, t.Query.term_query(schema, "text", word)) for word in query["text"].split()]
        readable = t.Query.const_score_query(t.Query.term_query(schema, "group", query["group"]), 0)
        both = t.Query.boolean_query([(t.Occur.Must, t.Query.boolean_query(words)), (t.Occur.Must, readable)])
        hits = self.searcher.search(both, query["k"], count=False).hits
        return [self.searcher.doc(address)["unit"][0] for _, address in hits]


def main():
    engine, folder = {"qdrant-edge": QdrantEdge, "tantivy": Tantivy}[sys.argv[1]], sys.argv[2]
    lines = iter(sys.stdin.readline, "")
    served = engine(folder, json.loads(next(lines))["dims"])
    lock = threading.Lock()

    def answer(value):
        line = json.dumps(value) + "\n"
        with lock:
            sys.stdout.write(line)
            sys.stdout.flush()

    for line in lines:
        units = json.loads(line)
        if isinstance(units, dict):
            break
        served.add(units)
    served.built()
    answer({"version": importlib.metadata.version(engine.package)})

    def search(line):
        query = json.loads(line)
        try:
            answer({"id": query["id"], "found": served.search(query)})
        except Exception as error:
            answer({"id": query["id"], "error": str(error)})

    with ThreadPoolExecutor(8) as pool:
        for line in lines:
            pool.submit(search, line)


main()
