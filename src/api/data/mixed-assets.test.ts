import { afterAll, describe, expect, test } from 'bun:test';
import { openIndexedReads } from '../../../test/indexed-reads.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import { idText } from '../../base/bytes/id.ts';
import {
  type AnyJson,
  addressText,
  createDataApiClient,
  jsonReader,
  readAllPages,
  sampleLabels,
  xChainPath,
} from './data-requests.fixture.ts';
import * as sample from './sample-chain.fixture.ts';
import { createScanningReads } from './scanning-reads.fixture.ts';

const {
  asset,
  cChain,
  chainID,
  input,
  operation,
  output,
  owners,
  pay,
  pChain,
  people,
  sampleServed,
  sampleServedChain,
  tx,
  txs,
  sampleChain,
} = sample;
const { alice, bob, carol } = people;
const signs = { signatureIndices: [0] };

/** One asset with 42 units, five NFTs, a property, and mint outputs for each. */
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
/** An asset whose units are listed under the fx of NFTs; AvalancheGo does not compare outputs with the fx of their state. */
const misplaced = asset(
  'Misplaced',
  'MIS',
  0,
  [{ fxIndex: 1, outputs: [{ kind: 'secp256k1fx.TransferOutput', amount: 7n, ...owners([alice]) }] }],
  [output(mixed, 0)],
  [pay(txs.avax.id, 346n, owners([alice]))],
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
      ownedOutput: owners([carol], 1, sample.maxLocktime),
    }),
  ],
});
const isNft = ({ output: { kind } }: Utxo) => kind === 'nftfx.TransferOutput';
const [nft] = sample.outputsOf(minted).filter((utxo) => isNft(utxo) && utxo.output.addresses.join() === alice) as [Utxo];
/** Moves an NFT and one unit to bob in one block. */
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

const chain = sampleChain([mixed, misplaced, minted, swapped, sent]);
const indexed = openIndexedReads(chain);
afterAll(indexed.close);

const label = { assetId: idText(mixed.id), name: 'Mixed', symbol: 'MIX', denomination: 1 };
const units = (amount: string) => ({ ...label, type: 'secp256k1', amount });
const nfts = (amount: string) => ({ ...label, type: 'nft', amount });

for (const [name, reads] of [
  ['the index', indexed.reads],
  ['a scan of the blocks', createScanningReads(chain)],
] as const)
  describe(`an asset with units, NFTs and properties, from ${name}`, () => {
    const ask = createDataApiClient(sampleServed(sampleServedChain(reads)));
    const get = jsonReader(ask);
    const ofMixed = (list: AnyJson[]) => list.filter(({ assetId }) => assetId === label.assetId);

    test('balances list units and NFTs separately', async () => {
      const { balances } = await get(`${xChainPath}/balances?addresses=${addressText(alice)}`);
      expect(ofMixed(balances.unlocked)).toEqual([
        { ...units('11'), utxoCount: 1 },
        { ...nfts('2'), utxoCount: 2 },
      ]);
      expect(balances.atomicMemoryUnlocked).toEqual([{ ...units('30'), utxoCount: 1, sharedWithChainId: idText(cChain) }]);
      const bobs = (await get(`${xChainPath}/balances?addresses=${addressText(bob)}`)).balances;
      expect(ofMixed(bobs.unlocked)).toEqual([
        { ...units('1'), utxoCount: 1 },
        { ...nfts('4'), utxoCount: 4 },
      ]);
      const carols = (await get(`${xChainPath}/balances?addresses=${addressText(carol)}`)).balances;
      expect(ofMixed(carols.locked)).toEqual([{ ...nfts('1'), utxoCount: 1 }]);
    });

    test('earlier balances: NFTs and no units', async () => {
      const before = Number(chain.blocks.at(-2)?.time);
      const { balances } = await get(`${xChainPath}/balances?addresses=${addressText(bob)}&blockTimestamp=${before}`);
      expect(ofMixed(balances.unlocked)).toEqual([{ ...nfts('3'), utxoCount: 3 }]);
    });

    test('supply counts units without exported ones; NFTs are counted separately', async () => {
      expect(await get(`${xChainPath}/assets/${label.assetId}`)).toMatchObject({
        ...label,
        type: 'secp256k1',
        supply: '12',
        nftSupply: '6',
      });
    });

    test('supply of an asset of type nft that has units counts the units', async () => {
      expect(await get(`${xChainPath}/assets/${idText(misplaced.id)}`)).toMatchObject({ type: 'nft', supply: '7', nftSupply: '0' });
    });

    test('each output has its own type', async () => {
      const utxos = await readAllPages(
        ask,
        `${xChainPath}/utxos?addresses=${addressText(alice)}&assetId=${label.assetId}&pageSize=100`,
        'utxos',
      );
      const shown = utxos.map(({ utxoType, asset: { type, amount } }: AnyJson) => `${utxoType} ${type} ${amount}`);
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
      const read = async (id: string) => get(`${xChainPath}/transactions/${id}`);
      const created = await read(idText(mixed.id));
      expect(created.assetCreated).toMatchObject({ ...label, type: 'secp256k1' });
      expect(ofMixed(created.amountCreated)).toEqual([units('42'), nfts('0')]);
      const minting = await read(idText(minted.id));
      expect(minting.amountUnlocked).toEqual([units('42'), nfts('0')]);
      expect(minting.amountCreated).toEqual([units('42'), nfts('6')]);
      const swap = await read(idText(swapped.id));
      expect([swap.amountUnlocked, swap.amountCreated]).toEqual([
        [units('42'), nfts('1')],
        [units('42'), nfts('1')],
      ]);
    });

    test('an output imported from P is listed as spent, with its signatures', async () => {
      const target = `${xChainPath}/utxos?addresses=${addressText(carol)}&assetId=${sampleLabels.avax.assetId}`;
      const [imported, ...others] = (await get(`${target}&includeSpent=true&pageSize=100`)).utxos.filter(
        ({ createdOnChainId }: AnyJson) => createdOnChainId === idText(pChain),
      );
      expect(others).toEqual([]);
      expect(imported).toMatchObject({
        asset: { ...sampleLabels.avax, amount: '77' },
        consumedOnChainId: idText(chainID),
        consumingTxHash: idText(txs.imported.id),
        consumingTxTimestamp: 6000,
        credentials: [{}],
      });
      expect((await get(`${target}&pageSize=100`)).utxos.some(({ utxoId }: AnyJson) => utxoId === imported.utxoId)).toBe(false);
      for (const sortBy of ['timestamp', 'amount'])
        expect(await readAllPages(ask, `${target}&includeSpent=true&sortBy=${sortBy}&pageSize=1`, 'utxos')).toEqual(
          (await get(`${target}&includeSpent=true&sortBy=${sortBy}&pageSize=100`)).utxos,
        );
    });
  });
