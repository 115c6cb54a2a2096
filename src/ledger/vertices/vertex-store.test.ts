import { afterAll, describe, expect, test } from 'bun:test';
import { openDatabase } from '../../app/platform/bun/database.ts';
import { packVertex, type Vertex } from '../../avm/tx/vertex.ts';
import { type Id, idOf } from '../../base/bytes/id.ts';
import { codeOf, openChain } from '../state/open-chain.fixture.ts';
import { chainID } from '../state/random-chain.fixture.ts';
import { openVertexReads } from './vertex-reads.ts';
import { openVertexStore } from './vertex-store.ts';

const txOf = (name: string): Uint8Array => Buffer.from(`transaction ${name}`);
function vertexOf(height: bigint, parents: readonly Id[], ...names: string[]): Vertex {
  const txs = names.map(txOf);
  const body = { chainID, height, parentIDs: [...parents], txs };
  const bytes = packVertex(body as never);
  return { ...body, id: idOf(bytes), txIDs: txs.map(idOf) } as unknown as Vertex;
}

const ids = (vertices: readonly { readonly id: Id }[]): Id[] => vertices.map(({ id }) => id);
const byId = (a: Id, b: Id): number => (a < b ? -1 : 1);
const root = vertexOf(0n, [], 'r');
const siblings = ['a', 'b', 'c'].map((name) => vertexOf(1n, [root.id], name)).sort((a, b) => byId(a.id, b.id)) as [Vertex, Vertex, Vertex];
const top = vertexOf(2n, ids(siblings).sort(byId), 't', 'a');

function create() {
  const { store, close } = openChain(openDatabase);
  const executed = new Map<Id, Uint8Array>();
  const vertices = openVertexStore(store, chainID, (id) => executed.get(id));
  afterAll(close);
  return { store, executed, vertices, reads: openVertexReads(store, chainID, vertices) };
}

describe('stored vertices', () => {
  test('the stop vertex is missing first, then the parents that are not stored', () => {
    const { vertices } = create();
    vertices.begin(top.id);
    expect(vertices.missing()).toEqual([top.id]);
    vertices.add([top]);
    expect(vertices.missing()).toEqual(ids(siblings));
    vertices.begin(root.id);
    vertices.add([siblings[0]]);
    expect(vertices.missing()).toEqual([...ids(siblings.slice(1)), root.id].sort(byId));
    vertices.add([root, siblings[1], siblings[2]]);
    expect(vertices.missing()).toEqual([]);
    vertices.add([top]);
    expect(vertices.missing()).toEqual([]);
  });

  test('come in the order of execution: by height, then by ID', () => {
    const { vertices } = create();
    vertices.add([top, ...siblings.toReversed(), root]);
    expect(ids(vertices.after(undefined, 9))).toEqual([root.id, ...ids(siblings), top.id]);
    expect(ids(vertices.after(undefined, 2))).toEqual([root.id, siblings[0].id]);
    expect(ids(vertices.after(siblings[1], 9))).toEqual([siblings[2].id, top.id]);
    const { id, height, parentIDs, txIDs } = top;
    expect(vertices.vertex(id)).toEqual({ id, height, parentIDs, txIDs });
    expect(vertices.vertex(chainID)).toBeUndefined();
  });

  test('have the bytes that they were fetched with, of transactions that wait or are executed', () => {
    const { vertices, executed } = create();
    vertices.add([root, top]);
    const bytes = vertices.bytes(top.id) as Uint8Array;
    expect([idOf(bytes), vertices.bytes(chainID)]).toEqual([top.id, undefined]);
    const [first, second] = top.txIDs as [Id, Id];
    expect(vertices.waitingTx(first)).toEqual(new Uint8Array(txOf('t')));
    vertices.markExecuted({ txIDs: [first], numbered: [], position: undefined, isLinearized: false });
    expect([vertices.waitingTx(first), vertices.waitingTx(second)]).toEqual([undefined, new Uint8Array(txOf('a'))]);
    executed.set(first, txOf('t'));
    expect(vertices.bytes(top.id)).toEqual(bytes);
  });

  test('whose transaction is lost or another one are damaged', () => {
    const { vertices, executed, store } = create();
    vertices.add([root]);
    vertices.markExecuted({ txIDs: root.txIDs, numbered: [], position: undefined, isLinearized: false });
    expect(codeOf(() => vertices.bytes(root.id))).toBe('VERTEX_DAMAGED');
    executed.set(root.txIDs[0] as Id, txOf('other'));
    expect(codeOf(() => vertices.bytes(root.id))).toBe('VERTEX_DAMAGED');
    expect(() => store.probeWrite()).toThrow('does not match its ID');
  });

  test('know how far execution is', () => {
    const { vertices } = create();
    expect([vertices.executed(), vertices.isLinearized()]).toEqual([undefined, false]);
    vertices.add([root]);
    const position = { height: 0n, id: root.id };
    vertices.markExecuted({ txIDs: [], numbered: [{ ...position, number: 4 }], position, isLinearized: false });
    expect([vertices.executed(), vertices.isLinearized()]).toEqual([{ ...position, number: 4 }, false]);
    vertices.markExecuted({ txIDs: [], numbered: [], position, isLinearized: true });
    expect([vertices.executed(), vertices.isLinearized()]).toEqual([{ ...position, number: 4 }, true]);
  });
});

describe('lists of vertices', () => {
  const { vertices, reads } = create();
  const all = [root, ...siblings, top];
  vertices.add(all);
  const numbered = all.slice(0, 4).map(({ id, height }, number) => ({ id, height, number }));
  vertices.markExecuted({ txIDs: [], numbered, position: undefined, isLinearized: false });

  test('have what was executed, with number and size', () => {
    expect(reads.vertex(siblings[0].id)).toEqual({
      ...{ id: siblings[0].id, height: 1n, parentIDs: [root.id], txIDs: siblings[0].txIDs, number: 1 },
      size: (vertices.bytes(siblings[0].id) as Uint8Array).length,
    });
    expect([reads.vertex(top.id), reads.vertex(chainID)]).toEqual([undefined, undefined]);
  });

  test('go up and down, page by page', () => {
    const list = (order: 'asc' | 'desc', after?: number, limit = 9, height?: number) =>
      reads.list({ order, after, limit, ...(height !== undefined && { height }) }).map(({ number }) => number);
    expect([list('asc'), list('desc')]).toEqual([
      [0, 1, 2, 3],
      [3, 2, 1, 0],
    ]);
    expect([list('asc', 0), list('asc', 1, 1), list('desc', 2), list('desc', 0)]).toEqual([[1, 2, 3], [2], [1, 0], []]);
    expect([list('asc', undefined, 9, 1), list('desc', undefined, 9, 1), list('asc', 1, 9, 1), list('desc', 3, 1, 1)]).toEqual([
      [1, 2, 3],
      [3, 2, 1],
      [2, 3],
      [2],
    ]);
    expect(list('asc', undefined, 9, 2)).toEqual([]);
  });
});
