import { parseVertex, type Vertex } from '../../avm/tx/vertex.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { VertexStore } from '../../ledger/vertices/vertex-store.ts';
import { createContainerFetcher, type FetcherParts } from '../bootstrap/container-fetcher.ts';
import { noBlocks } from '../bootstrap/fault.ts';
import { engineTypes } from '../messages/message-table.ts';

type VertexFetcherParts = FetcherParts & {
  readonly chainId: Id;
  readonly vertices: Pick<VertexStore, 'vertex' | 'missing' | 'add'>;
  /** Most vertices that are used of one answer. */
  readonly maxVertices: number;
  readonly onFetched: (vertices: readonly Vertex[]) => void;
};

/**
 * Fetches all missing vertices. Their IDs come from the stop vertex, which this program knows, so what a peer sends is either a part of the
 * DAG or recognized as wrong: no majority of peers is needed. The highest missing vertex is asked for first: an answer has the ancestors
 * breadth-first, so it contains the others at about this height too.
 */
export async function fetchVertices(parts: VertexFetcherParts): Promise<void> {
  const { chainId, vertices, maxVertices, onFetched, isStopped } = parts;

  /** Decodes an answer: the asked vertex, then only parents of those before. Bytes are copied, because they are part of a message. */
  const parse = async (id: Id, containers: readonly Uint8Array[], max: number): Promise<Vertex[]> => {
    const parsed: Vertex[] = [];
    const eligible = new Set([id]);
    for (const container of containers.slice(0, max)) {
      const vertex = tryParse(new Uint8Array(container), chainId);
      if (vertex === undefined || !eligible.delete(vertex.id)) return parsed;
      parsed.push(vertex);
      for (const parent of vertex.parentIDs) eligible.add(parent);
    }
    return parsed;
  };
  const { fetch } = createContainerFetcher<Vertex>({ ...parts, engineType: engineTypes.dag, parse });

  /** Missing vertices, with a height that is not below their own: that of a child. After a restart it is not known. */
  const missing = new Map<Id, bigint>(vertices.missing().map((id) => [id, 0n]));
  while (missing.size > 0 && !isStopped()) {
    const wanted = highest(missing);
    const fetched = await fetch(wanted, maxVertices);
    if (isStopped()) return;
    if (fetched === undefined) throw noBlocks(`no peer sent vertex ${wanted}`);
    const added = fetched.filter(({ id }) => vertices.vertex(id) === undefined);
    vertices.add(added);
    for (const { id } of fetched) missing.delete(id);
    for (const { parentIDs, height } of added)
      for (const parent of parentIDs)
        if ((missing.get(parent) ?? -1n) < height && vertices.vertex(parent) === undefined) missing.set(parent, height);
    onFetched(added);
  }
}

function highest(missing: ReadonlyMap<Id, bigint>): Id {
  let [best, height] = [undefined as Id | undefined, -1n];
  for (const [id, childHeight] of missing) if (childHeight > height) [best, height] = [id, childHeight];
  return best as Id;
}

function tryParse(bytes: Uint8Array, chainId: Id): Vertex | undefined {
  try {
    return parseVertex(bytes, chainId);
  } catch {
    return undefined;
  }
}
