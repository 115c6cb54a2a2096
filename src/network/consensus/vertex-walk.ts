import type { Id } from '../../base/bytes/id.ts';
import type { VertexStore } from '../../ledger/vertices/vertex-store.ts';

/** What is read to serve vertices. */
export type ServedVertices = Pick<VertexStore, 'vertex' | 'bytes'>;

/** The bytes of a vertex and its ancestors, breadth-first; none if the vertex is unknown. AvalancheGo: snow/engine/avalanche/getter. */
export function* walkVertices(vertices: ServedVertices, start: Id): Generator<Uint8Array> {
  const queue = [start];
  const seen = new Set(queue);
  for (let at = 0; at < queue.length; at++) {
    const id = queue[at] as Id;
    const [vertex, bytes] = [vertices.vertex(id), vertices.bytes(id)];
    if (vertex === undefined || bytes === undefined) continue;
    yield bytes;
    for (const parent of vertex.parentIDs) {
      if (seen.has(parent)) continue;
      seen.add(parent);
      queue.push(parent);
    }
  }
}
