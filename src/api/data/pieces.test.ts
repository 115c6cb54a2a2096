import { describe, expect, test } from 'bun:test';
import { toHex } from '../../base/bytes/hex.ts';
import type { Id } from '../../base/bytes/id.ts';
import { budgetFor } from '../../base/cache/budget.fixture.ts';
import type { IndexReads, OutputEntry, PinnedBlock, TxEntry } from '../../ledger/index-read/index-reads.ts';
import type { IndexUnderTest } from '../../ledger/index-read/index-under-test.fixture.ts';
import { openPostgresReads, openSqliteReads } from '../../ledger/index-read/reads-databases.fixture.ts';
import { chainID } from '../../ledger/state/random-chain.fixture.ts';
import { renderJson } from '../rest/response.ts';
import { readBlockPieces } from './block-pieces.ts';
import { createDataApiClient, xChainPath } from './data-requests.fixture.ts';
import { createDataDeps } from './deps.ts';
import type { RecoverPublicKey } from './public-key-cache.ts';
import { renderBlock } from './render-block.fixture.ts';
import { renderTx } from './render-tx.fixture.ts';
import { renderUtxos } from './render-utxo.fixture.ts';
import { sampleServed, sampleServedChain } from './sample-chain.fixture.ts';
import { assetsOfTxs, readTxPiece, readTxPieces } from './tx-pieces.ts';
import { readUtxoPieces } from './utxo-pieces.ts';

/** Some signatures have no key, as an invalid one. */
const recover: RecoverPublicKey = (_, signature) => ((signature[0] as number) % 5 === 0 ? undefined : signature.subarray(0, 33));

const everything = { subjects: undefined, kinds: undefined, times: { from: undefined, to: undefined }, after: undefined } as const;

const openDeps = (reads: IndexReads, feeAsset: ReturnType<typeof feeAssetOf>, epoch: () => number, pieceCacheBytes: number) => {
  const chain = sampleServedChain(reads, { id: chainID, feeAsset, foreignImports: 'looked-up' });
  return { chain, deps: createDataDeps(sampleServed(chain), { recover, epoch, budget: budgetFor('pieces', pieceCacheBytes) }) };
};
const feeAssetOf = ({ chains }: IndexUnderTest) => chains.feeAsset;

const idOfTx = ({ tx }: TxEntry): Id => toHex(tx.id) as Id;

/** Pieces from the cache, and the same JSON by the plain renderer from entries that are read anew. */
function createComparison(reads: IndexReads, { chain, deps }: ReturnType<typeof openDeps>) {
  const kinds = new Set<string>();
  const seeOutputs = (entries: readonly (OutputEntry | undefined)[]): void => {
    for (const { utxo, spent } of entries.filter((entry) => entry !== undefined))
      kinds.add(`${utxo.output.kind} ${spent === undefined ? 'unspent' : 'spent'}`);
  };
  const contextOf = async (ids: readonly Id[] | ReadonlySet<Id>) => ({
    formatAddress: deps.addressFormatter('local'),
    publicKeyText: deps.publicKeys?.text,
    labelOf: (await deps.assetLabels(chain)(ids)).labelOf,
    mayBeImported: true,
  });
  const text = ({ bytes }: { readonly bytes: Uint8Array }) => Buffer.from(bytes).toString();
  const plainText = (value: unknown) => renderJson(value).toString();
  const base = { chain, hrp: 'local' };
  return {
    kinds,
    txs: async (pin: PinnedBlock, epoch: number) => {
      const seqs = await reads.txSeqs({ ...everything, pin, order: 'desc', limit: 60 });
      const pieces = await readTxPieces(deps, { ...base, epoch, seqs, pin });
      const entries = await reads.txs(seqs, pin);
      const context = await contextOf(assetsOfTxs(entries));
      const created = await reads.assets(seqs.length === 0 ? [] : entries.map(idOfTx));
      for (const { tx, consumed, emitted } of entries) {
        kinds.add(tx.layout.kind);
        seeOutputs([...consumed, ...emitted]);
      }
      const plain = entries.map((entry) => plainText(renderTx(entry, created.get(idOfTx(entry)), context)));
      expect(pieces.map(text)).toEqual(plain);
      // By ID they are rendered as of the last block.
      if (pin.height !== (await reads.tip()).height) return;
      for (const at of [0, entries.length >> 1, entries.length - 1]) {
        const entry = entries[at];
        const id = entry && idOfTx(entry);
        const piece = id && (await readTxPiece(deps, { ...base, epoch, id }));
        expect(piece && text(piece)).toBe(plain[at]);
      }
    },
    utxos: async (pin: PinnedBlock, epoch: number, addresses: IndexUnderTest['chains']['addresses']) => {
      const filter = { asset: undefined, minAmount: 0n, sortBy: 'timestamp', order: 'desc', after: undefined, limit: 60 } as const;
      for (const includeSpent of [true, false]) {
        const { outputs: entries } = await reads.utxos({ ...filter, pin, addresses, includeSpent });
        seeOutputs(entries);
        const context = await contextOf(entries.map(({ utxo }) => utxo.assetID));
        for (const mayBeImported of [false, true]) {
          const pieces = await readUtxoPieces(deps, { ...base, epoch, entries, areImportsKnown: !mayBeImported });
          expect(pieces.map(text)).toEqual(renderUtxos(entries, { ...context, mayBeImported }).map(plainText));
        }
      }
    },
    blocks: async (pin: PinnedBlock, epoch: number) => {
      const heights = await reads.blockHeights({ pin, times: everything.times, after: undefined, order: 'desc', limit: 60 });
      const pieces = await readBlockPieces(deps, chain, epoch, heights);
      const blocks = await reads.blocks(heights);
      expect(pieces.map(text)).toEqual(blocks.map((block) => plainText(renderBlock(block, deps.served.builder))));
    },
  };
}

/** Compares all pieces as of random blocks while the chain grows, so that outputs are spent after they were cached. */
async function growAndCompare(indexed: IndexUnderTest, steps: number, pieceCacheBytes: number): Promise<ReadonlySet<string>> {
  const { chains, reads, sync } = indexed;
  const compare = createComparison(
    reads,
    openDeps(reads, feeAssetOf(indexed), () => 0, pieceCacheBytes),
  );
  for (let i = 0; i < steps; i++) {
    chains.step();
    await sync();
    const pins = chains.oracle.pins();
    for (const pin of [await reads.tip(), pins[chains.pick(pins.length)] as PinnedBlock, await reads.tip()]) {
      await compare.txs(pin, 0);
      await compare.utxos(pin, 0, chains.addresses);
      await compare.blocks(pin, 0);
    }
  }
  return compare.kinds;
}

const outputKinds = ['secp256k1fx.TransferOutput', 'secp256k1fx.MintOutput', 'nftfx.TransferOutput', 'nftfx.MintOutput'];
const allKinds = [
  ...['BaseTx', 'CreateAssetTx', 'OperationTx', 'ImportTx', 'ExportTx'],
  ...[...outputKinds, 'propertyfx.MintOutput', 'propertyfx.OwnedOutput'].flatMap((kind) => [`${kind} unspent`, `${kind} spent`]),
];

describe('pieces equal the plain rendering, before and after spending', () => {
  const databases: [string, ((seed: number) => Promise<IndexUnderTest>) | undefined, number][] = [
    ['SQLite', openSqliteReads, 30],
    [
      'PostgreSQL',
      process.env.SERAC_TEST_POSTGRES === undefined ? undefined : (seed) => openPostgresReads(process.env.SERAC_TEST_POSTGRES ?? '', seed),
      8,
    ],
  ];
  for (const [name, open, steps] of databases) {
    if (open === undefined) test.skip(`${name}: skipped: SERAC_TEST_POSTGRES is not set`, () => {});
    else
      test(name, async () => {
        const kinds = new Set<string>();
        // The second cache is so small that pieces are evicted all the time.
        for (const [seed, cacheBytes] of [
          [901, 10_000_000],
          [902, 60_000],
        ] as const) {
          const indexed = await open(seed);
          try {
            for (const kind of await growAndCompare(indexed, steps, cacheBytes)) kinds.add(kind);
          } finally {
            await indexed.close();
          }
        }
        if (name === 'SQLite') expect(allKinds.filter((kind) => !kinds.has(kind))).toEqual([]);
      });
  }
});

describe('a revert', () => {
  /** Two chains with different contents at the same numbers; the epoch says which one is served. */
  const openTwoEpochs = async () => {
    const both = [await openSqliteReads(903), await openSqliteReads(904)] as const;
    for (const { chains } of both) for (let i = 0; i < 12; i++) chains.step();
    let epoch = 0;
    const reads = new Proxy({} as IndexReads, { get: (_, name: keyof IndexReads) => (both[epoch % 2] ?? both[0]).reads[name] });
    const setEpoch = (to: number): void => {
      epoch = to;
    };
    const close = async () => void (await Promise.all(both.map((one) => one.close())));
    return { both, reads, epoch: () => epoch, setEpoch, close };
  };

  test('drops all pieces', async () => {
    const { both, reads, epoch, setEpoch, close } = await openTwoEpochs();
    const compare = createComparison(reads, openDeps(reads, feeAssetOf(both[0]), epoch, 10_000_000));
    for (const now of [0, 1, 2]) {
      setEpoch(now);
      for (let round = 0; round < 2; round++) {
        const pin = await reads.tip();
        await compare.txs(pin, now);
        await compare.utxos(pin, now, (both[now % 2] ?? both[0]).chains.addresses);
        await compare.blocks(pin, now);
      }
    }
    await close();
  });

  test('in the middle of a request: the request is answered from the chain after it', async () => {
    const { both, reads, epoch, setEpoch, close } = await openTwoEpochs();
    const clientOf = (from: IndexReads, at: () => number) =>
      createDataApiClient(sampleServed(sampleServedChain(from, { id: chainID, feeAsset: feeAssetOf(both[0]) })), { recover, epoch: at });
    const expected = clientOf(both[1].reads, () => 0);
    const reverting = (name: 'txs' | 'blocks'): IndexReads =>
      new Proxy(reads, {
        get: (_, called: keyof IndexReads) => {
          if (called === name && epoch() === 0) setEpoch(1);
          return reads[called];
        },
      });
    for (const name of ['txs', 'blocks'] as const) {
      setEpoch(0);
      const target = `${xChainPath}/${name === 'txs' ? 'transactions' : name}?pageSize=100`;
      const { text } = await clientOf(reverting(name), epoch)(target);
      expect(text).toBe((await expected(target)).text);
      expect(epoch()).toBe(1);
    }
    await close();
  });
});
