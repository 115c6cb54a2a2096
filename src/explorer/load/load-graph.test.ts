import { expect, test } from 'bun:test';
import { loadGraph } from './load-graph.ts';
import type { PageContext } from './page-context.ts';
import { createTestSource, testChainPath, testContext } from './test-source.fixture.ts';

const context = { ...testContext, chain: { slug: 'x', id: 'idX' } } as unknown as PageContext;

type Links = readonly (readonly [from: string, to: string])[];

/** Loads the graph around the transaction `name`. Each link is an output `from-to`, which one transaction creates and the other spends. */
async function load(links: Links, name: string, open: string | null = null, utxos: Readonly<Record<string, object>> = {}) {
  const utxoOf = ([from, to]: Links[number]) => ({
    ...{ utxoId: `${from}-${to}`, creationTxHash: from, consumingTxHash: to === '' ? undefined : to, addresses: ['a'] },
    asset: { assetId: 'g', amount: '1' },
  });
  const ids = new Set(links.flat().filter((id) => id !== ''));
  const txs = new Map(
    [...ids].map((id) => [
      `${testChainPath}/transactions/${id}`,
      {
        ...{ txHash: id, txType: 'BaseTx' },
        consumedUtxos: links.filter(([, to]) => to === id).map(utxoOf),
        emittedUtxos: links.filter(([from]) => from === id).map(utxoOf),
      },
    ]),
  );
  const { source, asked } = createTestSource((path) => txs.get(path) ?? utxos[path.replace(`${testChainPath}/utxos/`, '')]);
  const graph = await loadGraph(source, context, name, open);
  return { graph, open: graph?.open, txs: graph?.txs.map(({ id }) => id), asked: asked.length };
}

/** Two ancestors, two descendants, and a transaction beside the root. */
const chain: Links = [
  ['a', 'b'],
  ['b', 'root'],
  ['root', 'c'],
  ['c', 'd'],
  ['b', 'beside'],
  ['beside', 'c'],
];

test('the root alone, or with the transactions that are expanded and connected with it', async () => {
  expect(await load(chain, 'root')).toMatchObject({ open: [], txs: ['root'], graph: { name: 'root', root: 'root', selected: undefined } });
  expect((await load(chain, 'root', 'b,a,c,d')).txs).toEqual(['root', 'b', 'a', 'c', 'd']);
  // Their neighbour is missing.
  expect((await load(chain, 'root', 'a,d')).txs).toEqual(['root']);
  // Neither an ancestor nor a descendant.
  expect((await load(chain, 'root', 'b,beside,c')).txs).toEqual(['root', 'b', 'c']);
});

test('names that are empty, repeated, unknown or the root are not expanded', async () => {
  const { open, asked } = await load(chain, 'root', ',c,c,root,unknown');
  expect([open, asked]).toEqual([['c'], 3]);
});

test('of an output the root is the transaction of this chain that created it, else the one that consumed it', async () => {
  const utxo = (createdOnChainId: string, consumingTxHash?: string) => ({
    ...{ utxoId: 'u', createdOnChainId, creationTxHash: 'b', consumingTxHash },
  });
  const rootOf = async (found: object) => {
    const { graph } = await load(chain, 'u:0', null, { 'u%3A0': found });
    return graph && [graph.root, graph.selected];
  };
  expect(await rootOf(utxo('idX', 'root'))).toEqual(['b', 'u']);
  expect(await rootOf(utxo('idP', 'root'))).toEqual(['root', 'u']);
  expect(await rootOf(utxo('idP'))).toBeUndefined();
  expect((await load(chain, 'none')).graph).toBeUndefined();
});
