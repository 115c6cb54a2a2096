import { parseVertex, type Vertex } from '../../avm/tx/vertex.ts';
import type { Id } from '../../base/bytes/id.ts';
import { attempt } from '../../base/fault.ts';
import type { VertexStore } from '../../ledger/vertices/vertex-store.ts';
import { createContainerFetcher, type FetcherParts } from '../bootstrap/container-fetcher.ts';
import { noBlocks } from '../bootstrap/fault.ts';
import { engineTypes } from '../messages/message-table.ts';
import type { ChainLink } from '../protocol/transport.ts';

/**
 * Fetches all missing vertices. Their IDs come from the stop vertex, which this program knows, so what a peer sends is either a part of the
 * DAG or recognized as wrong: no majority of peers is needed. The highest missing vertex is asked for first: an answer has the ancestors
 * breadth-first, so it contains the others at about this height too. Of one answer at most `maxVertices` are used.
 */
export async function fetchVertices(
  link: ChainLink,
  parts: FetcherParts,
  vertices: Pick<VertexStore, 'vertex' | 'missing' | 'add'>,
  maxVertices: number,
  onFetched: (vertices: readonly Vertex[]) => void,
): Promise<void> {
  const { isStopped } = parts;

  /** Decodes an answer: the asked vertex, then only parents of those before. Bytes are copied, because they are part of a message. */
  const parse = async (id: Id, containers: readonly Uint8Array[], max: number): Promise<Vertex[]> => {
    const parsed: Vertex[] = [];
    const eligible = new Set([id]);
    for (const container of containers.slice(0, max)) {
      const vertex = attempt(() => parseVertex(new Uint8Array(container), link.chainId));
      if (vertex === undefined || !eligible.delete(vertex.id)) return parsed;
      parsed.push(vertex);
      for (const parent of vertex.parentIDs) eligible.add(parent);
    }
    return parsed;
  };
  const fetch = createContainerFetcher(link, parts, engineTypes.dag, parse);

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
