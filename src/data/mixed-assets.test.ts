import { afterAll, describe, expect, test } from 'bun:test';
import { indexedReads } from '../../test/indexed-reads.ts';
import { idText } from '../bytes/id.ts';
import type { Utxo } from '../tx/utxo.ts';
import { type Any, answersOf, askData, labels, onX, spelt, walk } from './ask.fixture.ts';
import { plainReads } from './plain-reads.fixture.ts';
import * as world from './world.fixture.ts';

const { asset, cChain, chainID, input, operation, output, owners, pay, pChain, people, servedBy, servedChain, tx, txs, worldChain } = world;
const { alice, bob, carol } = people;
const signs = { signatureIndices: [0] };

/** One asset with everything: 42 units, five NFTs and a property, and rights to make more of each. */
const mixed = asset(
  'Mixed',
  'MIX',
  1,
  [
    {
      fxIndex: 0,
      outputs: [
        { kind: 'secp256k1fx.MintOutput', ...owners([alice]) },
        { kind: 'secp256k1fx.TransferOutput', amount: 42n, ...owners([alice]) },
      ],
    },
    { fxIndex: 1, outputs: [{ kind: 'nftfx.MintOutput', groupID: 0, ...owners([alice]) }] },
    { fxIndex: 2, outputs: [{ kind: 'propertyfx.MintOutput', ...owners([alice]) }] },
  ],
  [output(txs.coin, 0)],
  [pay(txs.avax.id, 347n, owners([alice]))],
);
const minted = tx<'OperationTx'>({
  kind: 'OperationTx',
  inputs: [input(output(mixed, 2))],
  outputs: [pay(mixed.id, 42n, owners([alice]))],
  operations: [
    operation(output(mixed, 3), {
      kind: 'nftfx.MintOperation',
      mintInput: signs,
      groupID: 0,
      payload: Buffer.from('p'),
      outputs: [owners([alice]), owners([alice]), owners([bob]), owners([bob]), owners([alice, bob])],
    }),
    operation(output(mixed, 4), {
      kind: 'propertyfx.MintOperation',
      mintInput: signs,
      mintOutput: owners([alice]),
      ownedOutput: owners([carol], 1, world.never),
    }),
  ],
});
const isNft = ({ output: { kind } }: Utxo) => kind === 'nftfx.TransferOutput';
const [nft] = world.outputsOf(minted).filter((utxo) => isNft(utxo) && utxo.output.addresses.join() === alice) as [Utxo];
/** An NFT for one unit, in one block: neither sum of what bob has of the asset would tell. */
const swapped = tx<'OperationTx'>({
  kind: 'OperationTx',
  inputs: [input(output(minted, 0))],
  outputs: [pay(mixed.id, 1n, owners([bob])), pay(mixed.id, 41n, owners([alice]))],
  operations: [
    operation(nft, { kind: 'nftfx.TransferOperation', input: signs, output: { groupID: 0, payload: Buffer.from('p'), ...owners([bob]) } }),
  ],
});
const sent = tx<'ExportTx'>({
  kind: 'ExportTx',
  inputs: [input(output(swapped, 1))],
  outputs: [pay(mixed.id, 11n, owners([alice]))],
  destinationChain: cChain,
  exportedOutputs: [pay(mixed.id, 30n, owners([alice]))],
});

const chain = worldChain([mixed, minted, swapped, sent]);
const indexed = indexedReads(chain);
afterAll(indexed.close);

const label = { assetId: idText(mixed.id), name: 'Mixed', symbol: 'MIX', denomination: 1 };
const units = (amount: string) => ({ ...label, type: 'secp256k1', amount });
const nfts = (amount: string) => ({ ...label, type: 'nft', amount });

for (const [name, reads] of [
  ['the index', indexed.reads],
  ['a plain list of blocks', plainReads(chain)],
] as const)
  describe(`an asset with units, NFTs and properties, from ${name}`, () => {
    const ask = askData(servedBy(servedChain(reads)));
    const get = answersOf(ask);
    const ofMixed = (list: Any[]) => list.filter(({ assetId }) => assetId === label.assetId);

    test('balances: units and NFTs beside each other', async () => {
      const { balances } = await get(`${onX}/balances?addresses=${spelt(alice)}`);
      expect(ofMixed(balances.unlocked)).toEqual([
        { ...units('11'), utxoCount: 1 },
        { ...nfts('2'), utxoCount: 2 },
      ]);
      expect(balances.atomicMemoryUnlocked).toEqual([{ ...units('30'), utxoCount: 1, sharedWithChainId: idText(cChain) }]);
      const bobs = (await get(`${onX}/balances?addresses=${spelt(bob)}`)).balances;
      expect(ofMixed(bobs.unlocked)).toEqual([
        { ...units('1'), utxoCount: 1 },
        { ...nfts('4'), utxoCount: 4 },
      ]);
      const carols = (await get(`${onX}/balances?addresses=${spelt(carol)}`)).balances;
      expect(ofMixed(carols.locked)).toEqual([{ ...nfts('1'), utxoCount: 1 }]);
    });

    test('balances as they were: NFTs and no unit', async () => {
      const before = Number(chain.blocks.at(-2)?.time);
      const { balances } = await get(`${onX}/balances?addresses=${spelt(bob)}&blockTimestamp=${before}`);
      expect(ofMixed(balances.unlocked)).toEqual([{ ...nfts('3'), utxoCount: 3 }]);
    });

    test('supply counts units, NFTs have a number of their own, and what is exported is not on this chain', async () => {
      expect(await get(`${onX}/assets/${label.assetId}`)).toMatchObject({ ...label, type: 'secp256k1', supply: '12', nftSupply: '6' });
    });

    test('outputs have the type of what they are', async () => {
      const utxos = await walk(ask, `${onX}/utxos?addresses=${spelt(alice)}&assetId=${label.assetId}&pageSize=100`, 'utxos');
      const shown = utxos.map(({ utxoType, asset: { type, amount } }: Any) => `${utxoType} ${type} ${amount}`);
      expect(shown.sort()).toEqual([
        'mint nft 0',
        'mint secp256k1 0',
        'transfer nft 1',
        'transfer nft 1',
        'transfer secp256k1 11',
        'transfer secp256k1 30',
      ]);
    });

    test('amounts of transactions', async () => {
      const of = async (id: string) => get(`${onX}/transactions/${id}`);
      const made = await of(idText(mixed.id));
      expect(made.assetCreated).toMatchObject({ ...label, type: 'secp256k1' });
      expect(ofMixed(made.amountCreated)).toEqual([units('42'), nfts('0')]);
      const minting = await of(idText(minted.id));
      expect(minting.amountUnlocked).toEqual([units('42'), nfts('0')]);
      expect(minting.amountCreated).toEqual([units('42'), nfts('6')]);
      const swap = await of(idText(swapped.id));
      expect([swap.amountUnlocked, swap.amountCreated]).toEqual([
        [units('42'), nfts('1')],
        [units('42'), nfts('1')],
      ]);
    });

    test('an output imported from P is listed among the spent ones, with who signed', async () => {
      const target = `${onX}/utxos?addresses=${spelt(carol)}&assetId=${labels.avax.assetId}`;
      const [arrived, ...others] = (await get(`${target}&includeSpent=true&pageSize=100`)).utxos.filter(
        ({ createdOnChainId }: Any) => createdOnChainId === idText(pChain),
      );
      expect(others).toEqual([]);
      expect(arrived).toMatchObject({
        asset: { ...labels.avax, amount: '77' },
        consumedOnChainId: idText(chainID),
        consumingTxHash: idText(txs.imported.id),
        consumingTxTimestamp: 6000,
        credentials: [{}],
      });
      expect((await get(`${target}&pageSize=100`)).utxos.some(({ utxoId }: Any) => utxoId === arrived.utxoId)).toBe(false);
      for (const sortBy of ['timestamp', 'amount'])
        expect(await walk(ask, `${target}&includeSpent=true&sortBy=${sortBy}&pageSize=1`, 'utxos')).toEqual(
          (await get(`${target}&includeSpent=true&sortBy=${sortBy}&pageSize=100`)).utxos,
        );
    });
  });
